import Images
import Tensors

/// Prototypes of masks, and where the pixels of a picture lie in them.
struct PrototypeMaps {
    private let maps: Maps
    private let x: MapSampling
    private let y: MapSampling
    private let size: ImageSize

    /// - Parameter prototypes: [M, height, width].
    init(_ prototypes: Tensor, _ question: InstanceQuestion) {
        let maps = Maps(prototypes.elements(as: Float.self), shape: prototypes.shape, .channelsFirst)
        let placement = question.placement
        size = question.imageSize
        x = Self.sampling(size.width, maps.width) { placement.place(x: $0, y: 0).x }
        y = Self.sampling(size.height, maps.height) { placement.place(x: 0, y: $0).y }
        self.maps = maps
    }

    /// Where pixels lie in the cells of the picture; those of the border do not count.
    private static func sampling(_ count: Int, _ extent: Int, place: (Double) -> Double) -> MapSampling {
        var sampling = MapSampling(count: count, extent: extent, place: place)
        let first = Int((min(max(place(0), 0), 1) * Double(extent)).rounded())
        let end = Int((min(max(place(1), 0), 1) * Double(extent)).rounded())
        let start = min(first, extent - 1)
        sampling.limit(to: start...max(start, end - 1))
        return sampling
    }

    /// The pixels within a box in which the weighted sum of the prototypes is above 0. A pixel is within the box where
    /// its left and upper edge are.
    ///
    /// - Throws: `TensorError` when memory runs out.
    func mask(_ weights: [Float], within box: NormalizedBox) throws -> RunLengths {
        let columns = Self.pixels(from: box.x, to: box.maxX, of: size.width).clamped(to: x.seen)
        let rows = Self.pixels(from: box.y, to: box.maxY, of: size.height).clamped(to: y.seen)
        let cellCount = maps.width * maps.height
        try MemoryBudget.process.reserve(cellCount * 4)
        defer { MemoryBudget.process.release(cellCount * 4) }
        var sums = [Float](repeating: 0, count: cellCount)
        for (channel, weight) in weights.enumerated() {
            let first = channel * cellCount
            for cell in 0..<cellCount { sums[cell] += weight * maps.numbers[first + cell] }
        }
        var runs = RunCollector(size: size)
        for column in columns {
            let (left, right, share) = (x.lower[column], x.upper[column], x.weight[column])
            for row in rows {
                let (upper, lower) = (y.lower[row] * maps.width, y.upper[row] * maps.width)
                let above = sums[upper + left] * (1 - share) + sums[upper + right] * share
                let below = sums[lower + left] * (1 - share) + sums[lower + right] * share
                if above * (1 - y.weight[row]) + below * y.weight[row] > 0 { runs.add(column: column, row: row) }
            }
        }
        return runs.runs
    }

    /// The pixels whose lower edge lies from `start` to before `end`, in fractions of `count`.
    private static func pixels(from start: Float, to end: Float, of count: Int) -> Range<Int> {
        let first = (min(max(start, 0), 1) * Float(count)).rounded(.up)
        let last = (min(max(end, 0), 1) * Float(count)).rounded(.up)
        return first < last ? Int(first)..<Int(last) : 0..<0
    }
}

/// Collects the pixels of a mask column after column, each from the top.
struct RunCollector {
    private let size: ImageSize
    private var counts: [Int] = []
    /// The position after the last run.
    private var end = 0

    init(size: ImageSize) { self.size = size }

    mutating func add(column: Int, row: Int) {
        let place = column * size.height + row
        if place == end, !counts.isEmpty {
            counts[counts.count - 1] += 1
        } else {
            counts += [place - end, 1]
        }
        end = place + 1
    }

    /// The mask of all pixels that were added.
    var runs: RunLengths {
        let rest = size.width * size.height - end
        return RunLengths(size: size, counts: counts + (rest > 0 ? [rest] : []))
    }
}
