import CPUKernels
import Graphs
import Planning
import Tensors

/// Slice, Gather of constant positions, Expand and Tile, as copies of parts.
struct SelectionLowering: Lowering {
    let name = "selection"

    /// The maximum number of runs of positions; the reference evaluates nodes with more.
    private static let maximumRuns = 64

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let parts: @Sendable (Operand, Operand) -> [(from: Operand, to: Operand)]
        guard let input = request.inputs.first ?? nil else { return .decline("an operand is missing") }
        let output = request.outputs[0]
        var layout = Layout.rowMajor
        switch request.operation {
        case is Slice, is Gather:
            guard request.constants[0] == nil else { return .decline("the input is part of the network") }
        case is Expand, is Tile: break
        default: return .decline("not Slice, Gather, Expand or Tile")
        }
        guard max(input.rank, output.rank) < StridedLoop.maximumRank else { return .decline("more than 7 axes") }
        guard input.elementCount > 0, output.elementCount > 0 else { return .decline("a value is empty") }
        switch request.operation {
        case let slice as Slice:
            guard let selections = try? slice.selections(request.inputs) else {
                return .decline("extents are computed at run time")
            }
            layout = request.inputLayouts[0] ?? .rowMajor
            parts = { from, to in
                let part = selections.reduce(from) { part, selection in
                    var next = part.slice(axis: selection.axis, start: selection.start, count: selection.count)
                    next.strides[selection.axis] *= selection.step
                    return next
                }
                return [(part, to)]
            }
        case let gather as Gather:
            guard let axis = try? Axes.resolve(gather.axis, rank: input.rank),
                let indices = request.constants[1]?.elements(as: Int64.self),
                let runs = Self.runs(indices, extent: input.shape[axis]), runs.count <= Self.maximumRuns
            else { return .decline("positions are computed at run time, or too scattered") }
            parts = { from, to in
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
        case is Tile:
            guard let repeats = request.constants[1]?.elements(as: Int64.self).map(Int.init),
                2 * input.rank <= StridedLoop.maximumRank
            else { return .decline("repeats are computed at run time, or there are more than 4 axes") }
            parts = { from, to in [Self.tiles(from, to, repeats)] }
        default: parts = { from, to in [(from, to)] }
        }
        return .accept(
            Candidate(
                microseconds: 1 + Double(output.byteCount) / 5_000,
                inputLayouts: [layout] + request.inputs.dropFirst().map { _ in nil }, outputLayouts: [layout],
                writesSlices: request.operation is Slice
            ) { operands in
                let copies = parts(try operands.input(0), operands.outputs[0])
                return CopiesStep(copies: try copies.map { CopyStep(pass: try ElementwisePass($0.from, nil, $0.to)) })
            })
    }

    /// Each axis as two: the repetitions, and the elements of one.
    private static func tiles(_ from: Operand, _ to: Operand, _ repeats: [Int]) -> (from: Operand, to: Operand) {
        var (single, whole) = (from, to)
        single.shape = from.shape.flatMap { [1, $0] }
        single.strides = from.strides.flatMap { [0, $0] }
        whole.shape = zip(repeats, from.shape).flatMap { [$0, $1] }
        whole.strides = zip(to.strides, from.shape).flatMap { [$0 * $1, $0] }
        return (single, whole)
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
}
