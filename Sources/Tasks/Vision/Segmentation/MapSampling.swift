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

/// Maps of numbers, and how they lie in memory.
struct Maps {
    /// The numbers.
    let numbers: [Float]
    let channels: Int
    let height: Int
    let width: Int
    /// The distances of channels, rows and columns.
    let strides: (channel: Int, row: Int, column: Int)

    /// - Parameter shape: [channels, height, width], or [height, width, channels] with channels last.
    init(_ numbers: [Float], shape: [Int], _ layout: Preprocessing.Layout) {
        self.numbers = numbers
        if layout == .channelsFirst {
            (channels, height, width) = (shape[0], shape[1], shape[2])
            strides = (height * width, width, 1)
        } else {
            (height, width, channels) = (shape[0], shape[1], shape[2])
            strides = (1, width * channels, channels)
        }
    }

    /// The maps with all numbers brought to 0…1: (number - least) / (largest - least). Equal ones become 0.
    var stretched: Maps {
        guard let least = numbers.min(), let largest = numbers.max(), largest > least else {
            return Maps(self, [Float](repeating: 0, count: numbers.count))
        }
        return Maps(self, numbers.map { ($0 - least) / (largest - least) })
    }

    private init(_ maps: Maps, _ numbers: [Float]) {
        self.numbers = numbers
        (channels, height, width, strides) = (maps.channels, maps.height, maps.width, maps.strides)
    }

    /// A row of a channel between two rows, written to `result`.
    func mix(_ channel: Int, _ lower: Int, _ upper: Int, _ weight: Float, into result: inout [Float]) {
        let first = channel * strides.channel + lower * strides.row
        let second = channel * strides.channel + upper * strides.row
        for column in 0..<width {
            let place = column * strides.column
            result[column] = numbers[first + place] * (1 - weight) + numbers[second + place] * weight
        }
    }
}
