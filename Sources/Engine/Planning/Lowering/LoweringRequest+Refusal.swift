import Graphs
import Tensors

extension LoweringRequest {
    /// Why the kernels cannot take the request, as they compute on non-empty float32 values; nil when they can.
    package var refusalOfElements: String? {
        for type in (inputs + outputs).compactMap({ $0 }) {
            if type.elementType != .float32 { return "elements are \(type.elementType)" }
            if type.elementCount == 0 { return "a value is empty" }
        }
        return nil
    }

    /// Why kernels over a batch of images `[N, C, H, W]` cannot take the request; nil when they can.
    package var refusalOfImages: String? {
        if let refusal = refusalOfElements { return refusal }
        guard let input = inputs.first ?? nil, input.rank == 4 else { return "the input is not [N, C, H, W]" }
        return nil
    }

    /// The layout of the non-constant input with the most elements per image, which an elementwise kernel keeps at any
    /// batch size. Constants follow it, since they can be rearranged before anything runs.
    package var prevailingLayout: Layout {
        let present = inputs.indices.filter { inputs[$0] != nil && inputLayouts[$0] != nil }
        let computed = present.filter { constants[$0] == nil }
        let largest = (computed.isEmpty ? present : computed).max {
            elementCountOfImage(inputs[$0]) < elementCountOfImage(inputs[$1])
        }
        return largest.flatMap { inputLayouts[$0] } ?? .rowMajor
    }

    /// The number of elements of one image of the batch; of all elements where an operand of fewer axes is the same for
    /// every image.
    private func elementCountOfImage(_ type: TensorType?) -> Int {
        guard let type else { return 0 }
        let rank = inputs.map { $0?.rank ?? 0 }.max() ?? 0
        return (type.rank < rank ? type.shape[...] : type.shape.dropFirst()).reduce(1, *)
    }
}
