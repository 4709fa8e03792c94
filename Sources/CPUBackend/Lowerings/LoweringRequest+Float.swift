import Graphs
import Planning
import Tensors

extension LoweringRequest {
    /// Why the kernels, which compute on float32 values that are not empty, cannot take the request; nil when they can.
    var refusalOfElements: String? {
        for type in (inputs + outputs).compactMap({ $0 }) {
            if type.elementType != .float32 { return "elements are \(type.elementType)" }
            if type.elementCount == 0 { return "a value is empty" }
        }
        return nil
    }

    /// Likewise, for one operator over a batch of images `[N, C, H, W]`.
    func refusalOfImages(_ isWanted: Bool, _ operatorNames: String) -> String? {
        guard isWanted else { return "not \(operatorNames)" }
        if let refusal = refusalOfElements { return refusal }
        guard let input = inputs.first ?? nil, input.rank == 4 else { return "the input is not [N, C, H, W]" }
        return nil
    }

    /// The layout of the input with the most elements: an elementwise kernel keeps it.
    var prevailingLayout: Layout {
        let ranked = zip(inputs, inputLayouts).filter { $0.0 != nil && $0.1 != nil }
        let largest = ranked.max { ($0.0?.elementCount ?? 0) < ($1.0?.elementCount ?? 0) }
        return largest?.1 ?? .rowMajor
    }
}
