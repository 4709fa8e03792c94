import Images

/// Where the pixels of a picture lie in maps of another size, along one axis.
///
/// A pixel's middle lies in the map at place × extent − ½, as with `align_corners=False` in PyTorch; the values of the
/// two nearest cells are mixed, and those at an edge are continued.
struct MapSampling {
    /// The lower of the two cells of each pixel.
    private(set) var lower: [Int] = []
    /// The upper of the two cells.
    private(set) var upper: [Int] = []
    /// The share of the upper cell.
    private(set) var weight: [Float] = []
    /// The cell in which each pixel's middle lies.
    private(set) var nearest: [Int] = []
    /// The pixels that the network saw.
    private(set) var seen = 0..<0

    /// - Parameters:
    ///   - count: The number of pixels.
    ///   - extent: The number of cells.
    ///   - place: The place of a pixel's middle in the input, from 0 to 1; outside where it was not seen.
    init(count: Int, extent: Int, place: (Double) -> Double) {
        var (first, last) = (count, 0)
        for pixel in 0..<count {
            let place = place((Double(pixel) + 0.5) / Double(count))
            if place >= 0, place <= 1 { (first, last) = (min(first, pixel), pixel + 1) }
            let position = min(max(place, 0), 1) * Double(extent)
            let shifted = max(position - 0.5, 0)
            let cell = min(Int(shifted), extent - 1)
            lower.append(cell)
            upper.append(min(cell + 1, extent - 1))
            weight.append(Float(shifted - Double(cell)))
            nearest.append(min(Int(position), extent - 1))
        }
        seen = first < last ? first..<last : 0..<0
    }

    /// Some of the pixels to which the cells are enlarged, in the float32 of PyTorch's `interpolate`. It decides on
    /// which side of a limit a number lies that is halfway between two others.
    ///
    /// - Parameter count: The number of all pixels, which is at least 1.
    init(_ pixels: Range<Int>, of count: Int, extent: Int) {
        let scale = Float(extent) / Float(count)
        for pixel in pixels {
            let position = max(Float(-0.5).addingProduct(scale, Float(pixel) + 0.5), 0)
            let cell = min(Int(position), extent - 1)
            lower.append(cell)
            upper.append(min(cell + 1, extent - 1))
            weight.append(position - Float(cell))
            nearest.append(min(Int(position + 0.5), extent - 1))
        }
        seen = pixels
    }

    /// The cells that are mixed for some of the pixels, of which there is at least one.
    func cells(of pixels: Range<Int>) -> Range<Int> {
        let (first, last) = (lower[pixels].min() ?? 0, upper[pixels].max() ?? 0)
        return first..<last + 1
    }

    /// Continues the values at the edges of some of the cells, as if there were no others.
    mutating func limit(to cells: ClosedRange<Int>) {
        for pixel in lower.indices {
            lower[pixel] = min(max(lower[pixel], cells.lowerBound), cells.upperBound)
            upper[pixel] = min(max(upper[pixel], cells.lowerBound), cells.upperBound)
        }
    }
}
