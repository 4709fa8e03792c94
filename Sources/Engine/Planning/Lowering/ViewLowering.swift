import Graphs

/// Runs operators whose result is another view of their input's memory: there is no step.
package struct ViewLowering: Lowering {
    package let name = "view"

    package init() {}

    package func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first,
            request.outputs.count == 1
        else { return .decline("not one input viewed as one output") }
        guard request.constants[0] == nil else { return .decline("the input is part of the network") }
        switch request.operation {
        case is Identity, is Dropout:
            let layout = request.inputLayouts[0] ?? .rowMajor
            return .accept(
                Candidate(
                    viewing: nil, outputLayout: layout, inputCount: request.inputs.count
                ) { _, strides in strides })
        case is Reshape, is Flatten, is Squeeze, is Unsqueeze:
            if request.inputLayouts[0] == .channelsLast, input.rank >= 3, output.rank >= 3,
                input.shape.prefix(2) == output.shape.prefix(2)
            {
                // Only the pixels' indices change; their order in memory stays.
                return .accept(
                    Candidate(
                        viewing: .channelsLast, outputLayout: .channelsLast, inputCount: request.inputs.count
                    ) { _, _ in Layout.channelsLast.strides(output.shape) })
            }
            return .accept(
                Candidate(
                    viewing: .rowMajor, outputLayout: .rowMajor, inputCount: request.inputs.count
                ) { _, _ in Layout.rowMajor.strides(output.shape) })
        case let transpose as Transpose:
            guard let permutation = try? transpose.order(rank: input.rank) else { return .decline("no such axes") }
            let layout = request.inputLayouts[0] ?? .rowMajor
            let strides = layout.strides(input.shape)
            guard let result = Self.layout(permutation.map { strides[$0] }, output.shape) else {
                return .decline("the result is neither row-major nor channels-last in the input's memory")
            }
            return .accept(
                Candidate(
                    viewing: layout, outputLayout: result, inputCount: request.inputs.count
                ) { _, strides in permutation.map { strides[$0] } })
        default: return .otherOperator
        }
    }

    /// The layout that has the given strides, ignoring axes of extent 1.
    private static func layout(_ strides: [Int], _ shape: [Int]) -> Layout? {
        [Layout.rowMajor, .channelsLast].first { $0.describes(shape, strides) }
    }
}
