import Images
import Predicting

/// The probabilities that pixels belong to an object, above ½ for those that do.
struct ObjectMask {
    private let numbers: [Float]
    private let extent: ImageSize

    /// - Parameter numbers: One for each pixel of `extent`, row after row.
    init(_ numbers: [Float], _ extent: ImageSize) {
        (self.numbers, self.extent) = (numbers, extent)
    }

    /// The pixels of a mask of the input, in the picture.
    func placed(around candidate: ObjectCandidate, _ question: InstanceQuestion) -> RunLengths {
        let (size, placement) = (question.imageSize, question.placement)
        let edges = Edges(candidate, question)
        let x = MapSampling(count: size.width, extent: extent.width) { placement.place(x: $0, y: 0).x }
        let y = MapSampling(count: size.height, extent: extent.height) { placement.place(x: 0, y: $0).y }
        // Interpolation and rounding reach a little beyond the box.
        let columns = Self.pixels(from: edges.left - 2, to: edges.right + 2, of: size.width).clamped(to: x.seen)
        let rows = Self.pixels(from: edges.top - 2, to: edges.bottom + 2, of: size.height).clamped(to: y.seen)
        return Self.runs(columns, rows, numbers, extent.width, in: size, x, y)
    }

    /// The pixels of a mask of a box, in the picture.
    ///
    /// The mask gets a border of zeros of one cell, and the box becomes larger by as much; its edges are cut off to
    /// whole pixels, and the mask is interpolated over them and the pixels between.
    ///
    /// Source: `paste_masks_in_image` of https://github.com/pytorch/vision
    func pasted(into candidate: ObjectCandidate, _ question: InstanceQuestion) -> RunLengths {
        let size = question.imageSize
        let edges = Edges(candidate, question)
        let (width, height) = (extent.width + 2, extent.height + 2)
        let across = Self.grown(edges.left, edges.right, by: Float(width) / Float(extent.width))
        let down = Self.grown(edges.top, edges.bottom, by: Float(height) / Float(extent.height))
        var padded = [Float](repeating: 0, count: width * height)
        for row in 0..<extent.height {
            for column in 0..<extent.width {
                padded[(row + 1) * width + column + 1] = numbers[row * extent.width + column]
            }
        }
        let columns = across.clamped(to: 0..<size.width)
        let rows = down.clamped(to: 0..<size.height)
        let x = Self.sampling(columns, of: across, extent: width)
        let y = Self.sampling(rows, of: down, extent: height)
        return Self.runs(
            columns, rows, padded, width, in: size, x, y, first: (columns.lowerBound, rows.lowerBound))
    }

    /// The pixels of one axis between two edges that are moved apart.
    private static func grown(_ start: Float, _ end: Float, by scale: Float) -> Range<Int> {
        let (middle, half) = ((end + start) * 0.5, (end - start) * 0.5 * scale)
        func whole(_ number: Float) -> Int { Int(min(max(number, -0x1p24), 0x1p24)) }
        let (first, last) = (whole(middle - half), whole(middle + half))
        return first..<max(first, last) + 1
    }

    /// Where some of the pixels of one axis lie in a mask.
    private static func sampling(_ pixels: Range<Int>, of whole: Range<Int>, extent: Int) -> MapSampling {
        let first = pixels.lowerBound - whole.lowerBound
        return MapSampling(first..<first + pixels.count, of: whole.count, extent: extent)
    }

    private static func pixels(from start: Float, to end: Float, of count: Int) -> Range<Int> {
        let first = Int(min(max(start, 0), Float(count)))
        return first..<max(first, Int(min(max(end, 0), Float(count)).rounded(.up)))
    }

    /// The pixels of the picture at which the interpolated number is above ½.
    ///
    /// - Parameter first: The pixel at which the samplings begin.
    private static func runs(
        _ columns: Range<Int>, _ rows: Range<Int>, _ cells: [Float], _ width: Int, in size: ImageSize,
        _ x: MapSampling, _ y: MapSampling, first: (column: Int, row: Int) = (0, 0)
    ) -> RunLengths {
        var runs = RunCollector(size: size)
        for column in columns {
            let across = column - first.column
            let (left, right, share) = (x.lower[across], x.upper[across], x.weight[across])
            for row in rows {
                let down = row - first.row
                let (upper, lower) = (y.lower[down] * width, y.upper[down] * width)
                let above = cells[upper + left] * (1 - share) + cells[upper + right] * share
                let below = cells[lower + left] * (1 - share) + cells[lower + right] * share
                if above * (1 - y.weight[down]) + below * y.weight[down] > 0.5 { runs.add(column: column, row: row) }
            }
        }
        return runs.runs
    }

    /// The edges of a box in pixels of the picture.
    private struct Edges {
        let left, top, right, bottom: Float

        init(_ candidate: ObjectCandidate, _ question: InstanceQuestion) {
            let size = question.imageSize
            let start = question.placement.original(x: Double(candidate.left), y: Double(candidate.top))
            let end = question.placement.original(x: Double(candidate.right), y: Double(candidate.bottom))
            left = Float(start.x * Double(size.width))
            top = Float(start.y * Double(size.height))
            right = Float(end.x * Double(size.width))
            bottom = Float(end.y * Double(size.height))
        }
    }
}
