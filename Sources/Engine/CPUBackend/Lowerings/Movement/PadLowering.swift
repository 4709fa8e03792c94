import CPUKernels
import Graphs
import Planning
import Tensors

/// Pad, as copies: the input into the middle of the output, then the margins of one axis after another.
struct PadLowering: Lowering {
    let name = "padding-copy"

    /// The maximum number of copies; the reference evaluates nodes with more.
    private static let maximumCopies = 64

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let pad = request.operation as? Pad else { return .otherOperator }
        guard let input = request.inputs.first ?? nil else { return .decline("an operand is missing") }
        guard let (begin, end) = try? pad.resolvedPads(request.inputs) else {
            return .decline("pads are computed at run time")
        }
        let output = request.outputs[0]
        guard input.elementCount > 0, output.elementCount > 0 else { return .decline("a value is empty") }
        guard input.rank <= StridedLoop.maximumRank else { return .decline("more than 8 axes") }
        guard pad.mode == .constant || (begin + end).allSatisfy({ $0 >= 0 }) else {
            return .decline("axes are cropped in a mode other than \"constant\"")
        }
        guard input.shape.indices.allSatisfy({ Self.keepsInput($0, input.shape, output.shape, begin, end) }) else {
            return .decline("an axis is cropped by more than it has, or padded by too much")
        }
        let margins = input.shape.indices.flatMap { axis in
            Margin.margins(pad, axis: axis, begin: begin[axis], end: end[axis], count: input.shape[axis])
        }
        guard margins.count <= Self.maximumCopies else { return .decline("more than 64 parts of margins") }
        let fill: Tensor
        do {
            fill = try Tensor([pad.value], shape: []).converted(to: input.elementType)
        } catch {
            return .decline("the number does not fit \(input.elementType)")
        }
        let layout = request.inputLayouts[0] ?? .rowMajor
        return .accept(
            Candidate(
                microseconds: 1 + Double(output.byteCount) / 5_000,
                inputLayouts: [layout] + request.inputs.dropFirst().map { _ in nil }, outputLayouts: [layout]
            ) { operands in
                let (from, to) = (try operands.input(0), operands.outputs[0])
                let given = request.inputs.count > 2 ? try operands.optionalInput(2) : nil
                var number =
                    given ?? Operand(elementType: from.elementType, shape: [], strides: [], place: .constant(fill))
                (number.shape, number.strides) = ([], [])
                var (source, target) = (from, to)
                for axis in from.shape.indices {
                    let cropped = max(0, -begin[axis])
                    let count = from.shape[axis] - cropped - max(0, -end[axis])
                    source = source.slice(axis: axis, start: cropped, count: count)
                    target = target.slice(axis: axis, start: max(0, begin[axis]), count: count)
                }
                var copies = [(from: source, to: target)]
                for margin in margins { copies.append(margin.copy(in: to, begin: begin, end: end, number: number)) }
                return CopiesStep(
                    copies: try copies.filter { $0.to.elementCount > 0 }.map {
                        CopyStep(pass: try ElementwisePass($0.from, nil, $0.to))
                    })
            })
    }
}

extension PadLowering {
    /// The maximum number of positions that one margin adds to an axis.
    private static let maximumMargin = 1 << 20

    /// Whether the output along an axis is what is kept of the input between margins of a bounded length.
    private static func keepsInput(_ axis: Int, _ input: [Int], _ output: [Int], _ begin: [Int], _ end: [Int]) -> Bool {
        let limits = -input[axis]...maximumMargin
        guard limits.contains(begin[axis]), limits.contains(end[axis]) else { return false }
        let kept = input[axis] + min(0, begin[axis]) + min(0, end[axis])
        return kept >= 0 && kept + max(0, begin[axis]) + max(0, end[axis]) == output[axis]
    }
}

/// Adjacent positions of an axis of a padded value, and what they are copies of.
private struct Margin {
    let axis: Int
    let positions: Range<Int>
    /// The position on the same axis that the first is a copy of, and the distance to what the next is a copy of; nil
    /// where the number is copied.
    let source: (first: Int, step: Int)?

    /// The margins of an axis with `count` elements, in as few copies as possible.
    static func margins(_ pad: Pad, axis: Int, begin: Int, end: Int, count: Int) -> [Margin] {
        let after = max(0, begin) + count + min(0, begin) + min(0, end)
        let ranges = [0..<max(0, begin), after..<after + max(0, end)]
        guard pad.mode != .constant else {
            return ranges.filter { !$0.isEmpty }.map { Margin(axis: axis, positions: $0, source: nil) }
        }
        var margins: [Margin] = []
        for position in ranges.joined() {
            guard let index = pad.source(of: position - begin, count: count) else { continue }
            let source = begin + index
            if let last = margins.last, let first = last.source, last.positions.upperBound == position {
                let step = last.positions.count == 1 ? source - first.first : first.step
                if abs(step) <= 1, first.first + step * last.positions.count == source {
                    margins[margins.count - 1] = Margin(
                        axis: axis, positions: last.positions.lowerBound..<position + 1, source: (first.first, step))
                    continue
                }
            }
            margins.append(Margin(axis: axis, positions: position..<position + 1, source: (source, 0)))
        }
        return margins
    }

    /// The copy within the padded value: along the axes before this one with their margins, along those behind without.
    func copy(in padded: Operand, begin: [Int], end: [Int], number: Operand) -> (from: Operand, to: Operand) {
        var part = padded
        for other in padded.shape.indices where other > axis {
            let (first, last) = (max(0, begin[other]), max(0, end[other]))
            part = part.slice(axis: other, start: first, count: padded.shape[other] - first - last)
        }
        let target = part.slice(axis: axis, start: positions.lowerBound, count: positions.count)
        guard let source else { return (number, target) }
        var from = part.slice(axis: axis, start: source.first, count: source.step == 0 ? 1 : positions.count)
        from.strides[axis] *= source.step == 0 ? 1 : source.step
        return (from, target)
    }
}
