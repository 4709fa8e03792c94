import Images
import Predicting
import Preparation
import Tensors

/// Prototypes of masks, and where the pixels of a picture lie in them.
///
/// The weighted sum of prototypes is brought to the picture's size in two steps, each bilinear: first it is enlarged by
/// 1, 2 or 4, the least by which the border around the picture ends between two cells; then the part without the border
/// is brought to the picture's size.
///
/// Source: `process_mask_native` and `scale_masks` of https://github.com/ultralytics/ultralytics (8.4)
struct PrototypeMaps {
    private let maps: Maps
    /// The cells of the enlarged map in the prototypes.
    private let columns: MapSampling
    private let rows: MapSampling
    /// The pixels of the picture in the enlarged map.
    private let x: MapSampling
    private let y: MapSampling
    private let size: ImageSize

    /// - Parameter prototypes: [M, height, width].
    init(_ prototypes: Tensor, _ question: InstanceQuestion) throws(RecordError) {
        let maps = Maps(try prototypes.finiteElements(), shape: prototypes.shape, .channelsFirst)
        let placement = question.placement
        let factor = Self.enlargement(maps, question)
        size = question.imageSize
        columns = MapSampling(count: maps.width * factor, extent: maps.width) { $0 }
        rows = MapSampling(count: maps.height * factor, extent: maps.height) { $0 }
        x = Self.sampling(size.width, maps.width * factor) { placement.place(x: $0, y: 0).x }
        y = Self.sampling(size.height, maps.height * factor) { placement.place(x: 0, y: $0).y }
        self.maps = maps
    }

    /// By how much the prototypes, which are a quarter as wide as the input, are enlarged: 4 ÷ gcd(4, border,
    /// border ÷ 2) for the borders in pixels of the input.
    private static func enlargement(_ maps: Maps, _ question: InstanceQuestion) -> Int {
        let (input, placement) = (question.inputSize, question.placement)
        guard input.width / 4 == maps.width, input.height / 4 == maps.height else { return 1 }
        let (start, end) = (placement.place(x: 0, y: 0), placement.place(x: 1, y: 1))
        func border(_ extent: Int, _ share: Double) -> Int {
            Int((Double(extent) * (1 - min(max(share, 0), 1))).rounded())
        }
        let borders = border(input.width, end.x - start.x) | border(input.height, end.y - start.y)
        let parts = borders | borders / 2
        return parts.isMultiple(of: 4) ? 1 : parts.isMultiple(of: 2) ? 2 : 4
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
        var runs = RunCollector(size: size)
        guard !columns.isEmpty, !rows.isEmpty else { return runs.runs }
        let (across, down) = (x.cells(of: columns), y.cells(of: rows))
        let byteCount = (maps.width * maps.height + across.count * down.count) * 4
        try MemoryBudget.process.reserve(byteCount)
        defer { MemoryBudget.process.release(byteCount) }
        let cells = enlarged(sums(weights), across, down)
        for column in columns {
            let left = x.lower[column] - across.lowerBound
            let (right, share) = (x.upper[column] - across.lowerBound, x.weight[column])
            for row in rows {
                let upper = (y.lower[row] - down.lowerBound) * across.count
                let lower = (y.upper[row] - down.lowerBound) * across.count
                let above = cells[upper + left] * (1 - share) + cells[upper + right] * share
                let below = cells[lower + left] * (1 - share) + cells[lower + right] * share
                if above * (1 - y.weight[row]) + below * y.weight[row] > 0 { runs.add(column: column, row: row) }
            }
        }
        return runs.runs
    }

    /// The weighted sum of the prototypes.
    private func sums(_ weights: [Float]) -> [Float] {
        let cellCount = maps.width * maps.height
        var sums = [Float](repeating: 0, count: cellCount)
        for (channel, weight) in weights.enumerated() {
            let first = channel * cellCount
            for cell in 0..<cellCount { sums[cell] += weight * maps.numbers[first + cell] }
        }
        return sums
    }

    /// A part of the enlarged map, row after row.
    private func enlarged(_ sums: [Float], _ across: Range<Int>, _ down: Range<Int>) -> [Float] {
        var cells: [Float] = []
        cells.reserveCapacity(across.count * down.count)
        for row in down {
            let (upper, lower) = (rows.lower[row] * maps.width, rows.upper[row] * maps.width)
            let below = rows.weight[row]
            for column in across {
                let (left, right, share) = (columns.lower[column], columns.upper[column], columns.weight[column])
                let first = sums[upper + left] * (1 - share) + sums[upper + right] * share
                let second = sums[lower + left] * (1 - share) + sums[lower + right] * share
                cells.append(first * (1 - below) + second * below)
            }
        }
        return cells
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
