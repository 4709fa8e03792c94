/// Where the pixels of a picture lie in a map of another size, along one axis, for cubic convolution with a = −0.75.
///
/// A pixel's middle lies in the map at place × extent − ½, as with `align_corners=False` in PyTorch's `interpolate`.
/// Its number is made of the four cells around; beyond an edge, the cell at the edge counts.
struct CubicSampling {
    /// The four cells of each pixel, one pixel after the other.
    private(set) var cells: [Int] = []
    /// The weights of these cells.
    private(set) var weights: [Float] = []
    /// The pixels that the network saw.
    private(set) var seen = 0..<0
    /// The number of pixels.
    let count: Int

    /// - Parameters:
    ///   - count: The number of pixels.
    ///   - extent: The number of cells.
    ///   - place: The place of a pixel's middle in the input, from 0 to 1; outside where it was not seen.
    init(count: Int, extent: Int, place: (Double) -> Double) {
        self.count = count
        cells.reserveCapacity(count * 4)
        weights.reserveCapacity(count * 4)
        var (first, last) = (count, 0)
        for pixel in 0..<count {
            let place = place((Double(pixel) + 0.5) / Double(count))
            if place >= 0, place <= 1 { (first, last) = (min(first, pixel), pixel + 1) }
            let position = min(max(place, 0), 1) * Double(extent) - 0.5
            let cell = position.rounded(.down)
            for step in -1...2 {
                cells.append(min(max(Int(cell) + step, 0), extent - 1))
                weights.append(Float(Self.weight(abs(position - cell - Double(step)))))
            }
        }
        seen = first < last ? first..<last : 0..<0
    }

    /// The weight at a distance.
    private static func weight(_ distance: Double) -> Double {
        let a = -0.75
        if distance <= 1 { return ((a + 2) * distance - (a + 3)) * distance * distance + 1 }
        return distance < 2 ? ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a : 0
    }

    /// The sum of the four cells of a pixel, of which `number` gives each.
    @inline(__always)
    func sum(_ pixel: Int, _ number: (Int) -> Float) -> Float {
        let start = pixel * 4
        return number(cells[start]) * weights[start] + number(cells[start + 1]) * weights[start + 1]
            + number(cells[start + 2]) * weights[start + 2] + number(cells[start + 3]) * weights[start + 3]
    }
}
