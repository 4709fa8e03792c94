import Tensors

/// Turns a convolution of 8-bit integers, whose sums become numbers of float32, into one operator.
///
/// Legal where nothing else reads the sums: ConvInteger of one group, an Add of integers for each channel, Cast and a
/// Mul with one number, as onnxruntime's quantizers write them; then an Add of a constant number for each channel.
///
/// Rounding: the product is not rounded before the constant is added.
package struct FuseIntegerConvolution: NodeRewrite {
    package static let name = "FuseIntegerConvolution"
    package static let summary = "Fuses the conversion of sums of integers to numbers into their convolution."
    package static let isExportable = false

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard node.inputs.count == 2 else { return }
        if let multiply = node.operation as? Mul, multiply.alignment == nil {
            useScale(node, at: index, in: &edit)
        } else if let add = node.operation as? Add, add.alignment == nil, add.activation == nil {
            useBias(node, at: index, in: &edit)
        }
    }

    /// The sums, times a number.
    private func useScale(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) {
        for position in 0..<2 {
            guard let scale = node.inputs[1 - position], let scaleType = edit.type(scale),
                scaleType.elementType == .float32, scaleType.shape.rank <= 4,
                scaleType.shape.dimensions.allSatisfy({ $0.value == 1 }),
                let (castIndex, cast) = edit.soleOrigin(node.inputs[position]),
                (cast.operation as? Cast)?.to == .float32,
                var (origin, sums) = edit.soleOrigin(cast.inputs[0])
            else { continue }
            var removed = [castIndex]
            var offset: Graph.ValueID?
            if let add = sums.operation as? Add, add.alignment == nil, add.activation == nil {
                guard let found = sumsAndOffset(sums, edit) else { continue }
                removed.append(origin)
                (origin, sums, offset) = (found.index, found.node, found.offset)
            }
            guard let integers = sums.operation as? ConvInteger, integers.convolution.group == 1,
                edit.type(sums.outputs.first ?? nil)?.shape.rank == 4
            else { continue }
            var fused = node
            fused.name = sums.name
            fused.operation = ConvIntegerToFloat(integers)
            fused.inputs = sums.inputs + [Graph.ValueID?](repeating: nil, count: 4 - sums.inputs.count) + [scale]
            if let offset { fused.inputs.append(offset) }
            edit.replace(index, with: fused)
            for node in removed + [origin] { edit.remove(node) }
            edit.note(node, "fused into \"\(sums.name)\"")
            return
        }
    }

    /// The ConvInteger among the operands of an Add, and the other operand if it has an integer for each channel.
    private func sumsAndOffset(
        _ node: Graph.Node, _ edit: GraphEdit
    ) -> (index: Int, node: Graph.Node, offset: Graph.ValueID)? {
        for position in 0..<2 {
            guard let offset = node.inputs[1 - position], let (index, sums) = edit.soleOrigin(node.inputs[position]),
                sums.operation is ConvInteger, let channels = edit.type(sums.inputs[1])?.shape.dimensions.first?.value,
                let type = edit.type(offset), type.elementType == .int32, isOfChannels(type.shape, count: channels)
            else { continue }
            return (index, sums, offset)
        }
        return nil
    }

    /// Whether a value is [count, 1, 1] or [1, count, 1, 1].
    private func isOfChannels(_ shape: Shape, count: Int) -> Bool {
        let extents = shape.dimensions.map(\.value)
        return extents == [count, 1, 1] || extents == [1, count, 1, 1]
    }

    /// The numbers, and a constant for each channel.
    private func useBias(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) {
        for position in 0..<2 {
            guard let bias = edit.constant(node.inputs[1 - position]), bias.elementType == .float32,
                let (producer, origin) = edit.soleOrigin(node.inputs[position]),
                let convolution = origin.operation as? ConvIntegerToFloat, convolution.activation == nil,
                origin.inputs.count <= ConvIntegerToFloat.biasPosition,
                let channels = edit.type(origin.inputs[1])?.shape.dimensions.first?.value,
                isOfChannels(Shape(bias.shape), count: channels), let row = try? bias.reshaped(to: [channels])
            else { continue }
            var fused = origin
            fused.inputs +=
                [Graph.ValueID?](repeating: nil, count: ConvIntegerToFloat.biasPosition - origin.inputs.count)
                + [edit.addConstant("\(origin.name).bias", row)]
            edit.absorb(index, into: producer, as: fused)
            edit.note(node, "fused into \"\(origin.name)\"")
            return
        }
    }
}
