import Tensors

/// Turns the addition of a constant into the bias of the convolution or matrix product before it.
///
/// A convolution takes a number for each channel. A product of two matrices takes a row; MatMul becomes Gemm. Legal
/// when nothing else reads the result in between, the convolution or product has neither bias nor activation, its
/// weights have the constant's element type, and the constant is broadcast along all axes but that of the channels.
///
/// Rounding: a result is not rounded before the addition.
package struct FuseBias: NodeRewrite {
    package static let name = "FuseBias"
    package static let summary = "Turns an added constant into the bias of the convolution or product before it."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let add = node.operation as? Add, add.alignment == nil, node.inputs.count == 2 else { return }
        for position in 0..<2 {
            guard let constant = edit.constant(node.inputs[1 - position]),
                let (producer, origin) = edit.soleOrigin(node.inputs[position]),
                origin.inputs.count == 2 || (origin.inputs.count == 3 && origin.inputs[2] == nil)
            else { continue }
            var fused = origin
            switch origin.operation {
            case var convolution as Conv where convolution.activation == nil:
                guard let bias = channelBias(constant, origin, edit) else { continue }
                convolution.activation = add.activation
                fused.operation = convolution
                fused.inputs = Array(origin.inputs.prefix(2)) + [edit.addConstant("\(origin.name).bias", bias)]
            case var product as Gemm where product.activation == nil:
                guard let bias = rowBias(constant, origin, isTransposed: product.transB, edit) else { continue }
                product.beta = 1
                product.activation = add.activation
                fused.operation = product
                fused.inputs = Array(origin.inputs.prefix(2)) + [edit.addConstant("\(origin.name).bias", bias)]
            case let product as MatMul where product.activation == nil:
                guard edit.type(origin.inputs[0])?.shape.rank == 2,
                    let bias = rowBias(constant, origin, isTransposed: false, edit)
                else { continue }
                fused.operation = Gemm(activation: add.activation)
                fused.inputs = origin.inputs + [edit.addConstant("\(origin.name).bias", bias)]
            default: continue
            }
            edit.absorb(index, into: producer, as: fused)
            edit.note(node, "became the bias of \"\(origin.name)\"")
            return
        }
    }

    private func channelBias(_ constant: Tensor, _ origin: Graph.Node, _ edit: GraphEdit) -> Tensor? {
        guard let weight = edit.type(origin.inputs[1]), weight.elementType == constant.elementType,
            let channels = weight.shape.dimensions.first?.value,
            let numbers = ChannelAffine.numbers(of: constant, channels: channels, rank: weight.shape.rank)
        else { return nil }
        return try? Tensor(numbers, as: constant.elementType, shape: [channels])
    }

    private func rowBias(
        _ constant: Tensor, _ origin: Graph.Node, isTransposed: Bool, _ edit: GraphEdit
    ) -> Tensor? {
        guard let weight = edit.type(origin.inputs[1]), weight.shape.rank == 2,
            weight.elementType == constant.elementType, constant.elementType.isFloatingPoint,
            let features = weight.shape.dimensions[isTransposed ? 0 : 1].value,
            let numbers = ChannelAffine.numbers(of: constant, channels: features, rank: 2)
        else { return nil }
        return try? Tensor(numbers, as: constant.elementType, shape: [features])
    }
}
