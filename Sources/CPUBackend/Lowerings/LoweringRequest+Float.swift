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

    /// The layout of the input with the most elements: an elementwise kernel keeps it. Constants follow the others,
    /// since they can be rearranged before anything runs.
    var prevailingLayout: Layout {
        let present = inputs.indices.filter { inputs[$0] != nil && inputLayouts[$0] != nil }
        let computed = present.filter { constants[$0] == nil }
        let largest = (computed.isEmpty ? present : computed).max {
            (inputs[$0]?.elementCount ?? 0) < (inputs[$1]?.elementCount ?? 0)
        }
        return largest.flatMap { inputLayouts[$0] } ?? .rowMajor
    }
}
