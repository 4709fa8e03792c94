import Tensors

/// Recognises LayerNormalization that is written as several nodes, and adds the scale and bias that follow.
///
/// (x − mean) / √(mean((x − mean)²) + epsilon), with means over the last axes, or over the channels of an image, which
/// are transposed to the last axis and back. Squares may be Pow or Mul; √ and / may be Pow or Reciprocal. A following
/// multiplication or addition of a constant of the normalised shape becomes the scale or the bias.
///
/// Legal for float32 when the extents under the means are known. A scale or bias is taken in when nothing else reads
/// the result in between, and it stays finite where its factors are.
///
/// Rounding: numbers whose squares overflow, beyond 10¹⁹, are normalised, where the nodes divide them by ∞.
package struct FuseLayerNormalization: NodeRewrite {
    package static let name = "FuseLayerNormalization"
    package static let summary =
        "Makes LayerNormalization of means, squares and roots, with the scale and bias that follow."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard node.inputs.count == 2, node.outputs.count == 1 else { return }
        guard (node.operation as? any AlignedOperator)?.alignment == nil else { return }
        switch node.operation {
        case is Div: try recognise(node, index, node.inputs[0], dividedBy: node.inputs[1], &edit)
        case is Mul:
            for position in 0..<2 {
                if let (_, reciprocal) = edit.soleOrigin(node.inputs[1 - position]),
                    reciprocal.operation is Reciprocal
                {
                    return try recognise(node, index, node.inputs[position], dividedBy: reciprocal.inputs[0], &edit)
                }
            }
            try absorb(node, index, &edit)
        case let add as Add where add.activation == nil: try absorb(node, index, &edit)
        default: return
        }
    }

    /// The value to normalise, the axes of its means, and epsilon.
    private struct Moments {
        let input: Graph.ValueID
        let epsilon: Float
        /// Axes, counted from 0.
        let axes: [Int]
    }

    private func recognise(
        _ node: Graph.Node, _ index: Int, _ centred: Graph.ValueID?, dividedBy deviation: Graph.ValueID?,
        _ edit: inout GraphEdit
    ) throws(GraphError) {
        guard let moments = moments(centred, deviation, edit), let type = edit.type(moments.input),
            type.elementType == .float32
        else { return }
        let rank = type.shape.rank
        // Numbers of more axes than the value give the result theirs.
        guard edit.type(node.outputs[0])?.shape.rank == rank else { return }
        let extents = moments.axes.compactMap { type.shape.dimensions[$0].value }
        guard extents.count == moments.axes.count, let ones = try? ones(extents) else { return }
        let scale = edit.addConstant("\(node.name).scale", ones)
        var fused = node
        if moments.axes == Array(rank - extents.count..<rank) {
            fused.operation = LayerNormalization(axis: -extents.count, epsilon: moments.epsilon)
            fused.inputs = [moments.input, scale]
        } else if moments.axes == [1], rank >= 3 {
            let order = [0] + Array(2..<rank) + [1]
            let last = SymbolicType(type.elementType, Shape(order.map { type.shape.dimensions[$0] }))
            let arranged = edit.addValue("\(node.name).channels_last", last)
            let normal = edit.addValue("\(node.name).normal", last)
            fused.operation = Transpose(permutation: [0, rank - 1] + Array(1..<rank - 1))
            fused.inputs = [normal]
            edit.insert(
                [
                    Graph.Node(
                        name: "\(node.name).arranged", operation: Transpose(permutation: order),
                        inputs: [moments.input], outputs: [arranged]),
                    Graph.Node(
                        name: "\(node.name).normalized",
                        operation: LayerNormalization(axis: -1, epsilon: moments.epsilon), inputs: [arranged, scale],
                        outputs: [normal]),
                ], before: index)
        } else {
            return
        }
        edit.replace(index, with: fused)
        edit.note(node, "normalises \"\(edit.name(moments.input))\" over \(extents) elements")
    }

    private func ones(_ extents: [Int]) throws(TensorError) -> Tensor {
        try Tensor([Float](repeating: 1, count: Shape.elementCount(extents)), shape: extents)
    }

    private func moments(_ centred: Graph.ValueID?, _ deviation: Graph.ValueID?, _ edit: GraphEdit) -> Moments? {
        guard let (input, axes) = centring(centred, edit), let (variance, epsilon) = variance(deviation, edit),
            let mean = edit.producer(variance), mean.operation is ReduceMean,
            axes == reducedAxes(mean, edit), let squared = square(mean.inputs[0], edit),
            let (other, otherAxes) = centring(squared, edit), other == input, otherAxes == axes
        else { return nil }
        return Moments(input: input, epsilon: epsilon, axes: axes)
    }

    /// The value whose mean is subtracted from it, and the axes of the mean.
    private func centring(_ id: Graph.ValueID?, _ edit: GraphEdit) -> (Graph.ValueID, [Int])? {
        guard let difference = edit.producer(id), let subtraction = difference.operation as? Sub,
            subtraction.alignment == nil, let input = difference.inputs[0],
            let mean = edit.producer(difference.inputs[1]), mean.inputs[0] == input,
            let axes = reducedAxes(mean, edit)
        else { return nil }
        return (input, axes)
    }

    private func reducedAxes(_ node: Graph.Node, _ edit: GraphEdit) -> [Int]? {
        guard let mean = node.operation as? ReduceMean, mean.axes.keepsAxes,
            let rank = edit.type(node.inputs[0])?.shape.rank
        else { return nil }
        var axes = mean.axes.axes
        if node.inputs.count > 1, let input = node.inputs[1] {
            axes = edit.constant(input)?.elements(as: Int64.self).map(Int.init)
        }
        guard let axes, !axes.isEmpty else { return nil }
        return (try? Axes.resolve(axes, rank: rank))?.sorted()
    }

    /// The value under the root, and the epsilon that is added to it.
    private func variance(_ id: Graph.ValueID?, _ edit: GraphEdit) -> (Graph.ValueID, Float)? {
        guard let root = edit.producer(id) else { return nil }
        let isRoot = root.operation is Sqrt || (root.operation is Pow && edit.number(root.inputs[1]) == 0.5)
        guard isRoot, let sum = edit.producer(root.inputs[0]), let add = sum.operation as? Add, add.activation == nil,
            let (operand, number, _) = edit.numberOperand(sum), number >= 0
        else { return nil }
        return (operand, Float(number))
    }

    private func square(_ id: Graph.ValueID?, _ edit: GraphEdit) -> Graph.ValueID? {
        guard let node = edit.producer(id), node.inputs.count == 2 else { return nil }
        switch node.operation {
        case is Pow: return edit.number(node.inputs[1]) == 2 ? node.inputs[0] : nil
        case is Mul: return node.inputs[0] == node.inputs[1] ? node.inputs[0] : nil
        default: return nil
        }
    }

    /// Makes a constant factor or addend the scale or bias of the normalisation before it.
    private func absorb(_ node: Graph.Node, _ index: Int, _ edit: inout GraphEdit) throws(GraphError) {
        for position in 0..<2 {
            guard let (producer, origin) = edit.soleOrigin(node.inputs[position]),
                let normalization = origin.operation as? LayerNormalization, normalization.axis == -1,
                let scale = edit.constant(origin.inputs[1]), scale.shape.count == 1,
                let rank = edit.type(origin.inputs[0])?.shape.rank,
                let numbers = edit.row(node.inputs[1 - position], extent: scale.elementCount, rank: rank)
            else { continue }
            let hasBias = origin.inputs.count > 2 && origin.inputs[2] != nil
            let bias = hasBias ? edit.constant(origin.inputs[2])?.elements(as: Double.self) : nil
            guard !hasBias || bias?.count == numbers.count else { return }
            let given = scale.elements(as: Double.self) + numbers + (bias ?? [])
            var (scales, biases) = (scale.elements(as: Double.self), bias)
            if node.operation is Mul {
                scales = zip(scales, numbers).map { $0 * $1 }
                biases = biases.map { zip($0, numbers).map { $0 * $1 } }
            } else {
                biases = biases.map { zip($0, numbers).map { $0 + $1 } } ?? numbers
            }
            // Extremes of two factors, such as the largest numbers, have no product.
            let largest = Double(Float.greatestFiniteMagnitude)
            guard (scales + (biases ?? [])).allSatisfy({ abs($0) <= largest }) || !given.allSatisfy(\.isFinite) else {
                return
            }
            var fused = origin
            do {
                let type = scale.elementType
                fused.inputs = [
                    origin.inputs[0],
                    edit.addConstant("\(origin.name).scale", try Tensor(scales, as: type, shape: [scales.count])),
                ]
                if let biases {
                    fused.inputs.append(
                        edit.addConstant("\(origin.name).bias", try Tensor(biases, as: type, shape: [biases.count])))
                }
            } catch {
                throw .rewrite(name: Self.name, message: error.description)
            }
            edit.absorb(index, into: producer, as: fused)
            edit.note(node, "became a part of \"\(origin.name)\"")
            return
        }
    }
}
