import Graphs
import Tensors

/// The work of Slice, Gather of constant positions, Expand, Tile, DepthToSpace and SpaceToDepth: copies of parts of the
/// input, of any strides, to parts of the output.
package struct Rearrangement: Sendable {
    /// Copies; the source of each broadcasts to the shape of its destination.
    package typealias Copies = @Sendable (_ input: Operand, _ output: Operand) -> [(from: Operand, to: Operand)]

    /// The layout that the input has, and the output gets.
    package let layout: Layout
    /// Whether the output may be a slice of a larger value.
    package let writesSlices: Bool
    package let copies: Copies

    /// The maximum number of runs of positions of a Gather.
    private static let maximumRuns = 64

    /// - Parameter maximumRank: The maximum number of axes of a copy.
    package init(_ request: LoweringRequest, maximumRank: Int) throws(LoweringRefusal) {
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            throw LoweringRefusal("an operand is missing")
        }
        guard max(input.rank, output.rank) <= maximumRank else {
            throw LoweringRefusal("more than \(maximumRank) axes")
        }
        guard input.elementCount > 0, output.elementCount > 0 else { throw LoweringRefusal("a value is empty") }
        let keepsLayout: Bool
        (copies, keepsLayout) =
            switch request.operation {
            case let slice as Slice: (try Self.part(slice, request), true)
            case let gather as Gather: (try Self.runs(gather, input, request), false)
            case is Expand: ({ [($0, $1)] }, false)
            case is Tile: (try Self.repetitions(input, request, maximumRank), false)
            case let operation as DepthToSpace:
                (Self.toSpace(operation.blockSize, isChannelFirst: operation.isChannelFirst), true)
            case let operation as SpaceToDepth:
                (Self.toDepth(operation.blockSize, isChannelFirst: operation.isChannelFirst), true)
            default: throw LoweringRefusal.otherOperator
            }
        layout = keepsLayout ? request.inputLayouts[0] ?? .rowMajor : .rowMajor
        writesSlices = keepsLayout
    }

    /// The layouts of a request's inputs: ``layout``, and any for those that the plan has read.
    package func inputLayouts(_ request: LoweringRequest) -> [Layout?] {
        [layout] + request.inputs.dropFirst().map { _ in nil }
    }

    private static func part(_ slice: Slice, _ request: LoweringRequest) throws(LoweringRefusal) -> Copies {
        guard request.constants[0] == nil else { throw LoweringRefusal("the input is part of the network") }
        guard let selections = try? slice.selections(request.inputs) else {
            throw LoweringRefusal("extents are computed at run time")
        }
        return { from, to in
            let part = selections.reduce(from) { part, selection in
                var next = part.slice(axis: selection.axis, start: selection.start, count: selection.count)
                next.strides[selection.axis] *= selection.step
                return next
            }
            return [(part, to)]
        }
    }

    private static func runs(
        _ gather: Gather, _ input: TensorType, _ request: LoweringRequest
    ) throws(LoweringRefusal) -> Copies {
        guard request.constants[0] == nil else { throw LoweringRefusal("the input is part of the network") }
        guard let axis = try? Axes.resolve(gather.axis, rank: input.rank),
            let indices = request.constants[1]?.elements(as: Int64.self),
            let runs = runs(indices, extent: input.shape[axis]), runs.count <= maximumRuns
        else { throw LoweringRefusal("positions are computed at run time, or too scattered") }
        return { from, to in
            var whole = to
            whole.shape = from.shape
            whole.shape[axis] = indices.count
            whole.strides = Layout.rowMajor.strides(whole.shape)
            var start = 0
            return runs.map { run in
                defer { start += run.count }
                return (
                    from.slice(axis: axis, start: run.lowerBound, count: run.count),
                    whole.slice(axis: axis, start: start, count: run.count)
                )
            }
        }
    }

    /// The positions as runs of adjacent ones; nil when a position lies outside the axis.
    private static func runs(_ indices: [Int64], extent: Int) -> [Range<Int>]? {
        var runs: [Range<Int>] = []
        for index in indices {
            guard index >= -Int64(extent), index < Int64(extent) else { return nil }
            let position = Int(index) + (index < 0 ? extent : 0)
            if let last = runs.last, last.upperBound == position {
                runs[runs.count - 1] = last.lowerBound..<position + 1
            } else {
                runs.append(position..<position + 1)
            }
        }
        return runs
    }

    /// Each axis as two: the repetitions, and the elements of one.
    private static func repetitions(
        _ input: TensorType, _ request: LoweringRequest, _ maximumRank: Int
    ) throws(LoweringRefusal) -> Copies {
        guard let repeats = request.constants[1]?.elements(as: Int64.self).map(Int.init),
            2 * input.rank <= maximumRank
        else {
            throw LoweringRefusal("repeats are computed at run time, or there are more than \(maximumRank / 2) axes")
        }
        return { from, to in
            var (single, whole) = (from, to)
            single.shape = from.shape.flatMap { [1, $0] }
            single.strides = from.strides.flatMap { [0, $0] }
            whole.shape = zip(repeats, from.shape).flatMap { [$0, $1] }
            whole.strides = zip(to.strides, from.shape).flatMap { [$0 * $1, $0] }
            return [(single, whole)]
        }
    }

    private static func toSpace(_ block: Int, isChannelFirst: Bool) -> Copies {
        { from, to in [(splitChannels(of: from, block, isChannelFirst), splitPixels(of: to, block))] }
    }

    private static func toDepth(_ block: Int, isChannelFirst: Bool) -> Copies {
        { from, to in [(splitPixels(of: from, block), splitChannels(of: to, block, isChannelFirst))] }
    }

    /// `[N, C, H, W]` with channels in blocks as `[N, C / b², H, b, W, b]`.
    private static func splitChannels(of image: Operand, _ block: Int, _ isChannelFirst: Bool) -> Operand {
        var view = image
        let channels = image.shape[1] / (block * block)
        let stride = image.strides[1]
        let (channel, row) =
            isChannelFirst ? (stride * block * block, stride * block) : (stride, stride * block * channels)
        let column = isChannelFirst ? stride : stride * channels
        view.shape = [image.shape[0], channels, image.shape[2], block, image.shape[3], block]
        view.strides = [image.strides[0], channel, image.strides[2], row, image.strides[3], column]
        return view
    }

    /// `[N, C, H, W]` with pixels in blocks as `[N, C, H / b, b, W / b, b]`.
    private static func splitPixels(of image: Operand, _ block: Int) -> Operand {
        var view = image
        view.shape = [image.shape[0], image.shape[1], image.shape[2] / block, block, image.shape[3] / block, block]
        view.strides = [
            image.strides[0], image.strides[1], image.strides[2] * block, image.strides[2], image.strides[3] * block,
            image.strides[3],
        ]
        return view
    }
}
