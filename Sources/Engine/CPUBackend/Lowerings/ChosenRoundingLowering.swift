import Planning

/// A lowering of rounded numbers that runs only the layers for which the rounding was chosen.
struct ChosenRoundingLowering: Lowering {
    let lowering: any Lowering
    let choice: PrecisionChoice

    var name: String { lowering.name }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let answer = lowering.lower(request)
        guard case .accept = answer, choice.layers[request.node.name]?.isRounded != true else { return answer }
        return .decline(choice.reason(for: request.node.name) ?? "in float32: this layer was not measured on pictures")
    }
}

/// A lowering of rounded numbers that runs no layer, and says why.
struct RefusedLowering: Lowering {
    let lowering: any Lowering
    let reason: String

    var name: String { lowering.name }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        if case .accept = lowering.lower(request) { return .decline(reason) }
        return lowering.lower(request)
    }
}
