import Tensors

/// Merges 1×1 convolutions of one value into one convolution, whose result is split along the channels.
///
/// Legal when strides and activation are the same, nothing is padded, grouped or added, and weights and biases are
/// constants. Only convolutions and poolings may read the results, since they read slices of a larger value without a
/// copy. A result that Concat joins with others is not merged, since it can be written directly into the joined value.
package struct MergeSiblingConvolutions: Rewrite {
    package static let name = "MergeSiblingConvolutions"
    package static let summary = "Merges 1×1 convolutions of one value into one whose result is split."

    package init() {}

    /// The properties that sibling convolutions share.
    private struct Family: Hashable {
        let input: Graph.ValueID
        let strides: [Int]
        let activation: Activation?
        let elementType: ElementType
        let weightTail: [Int]
    }

    package func apply(to edit: inout GraphEdit) throws(GraphError) {
        var families: [Family: [Int]] = [:]
        var order: [Family] = []
        var hasOtherReaders: Set<Graph.ValueID> = []
        for index in edit.indices {
            guard let node = edit.node(index) else { continue }
            if !Self.readsSlices(node) { hasOtherReaders.formUnion(node.inputs.compactMap { $0 }) }
            guard let family = Self.family(node, edit) else { continue }
            if families[family] == nil { order.append(family) }
            families[family, default: []].append(index)
        }
        for family in order {
            let siblings = (families[family] ?? []).filter { index in
                edit.node(index)?.outputs[0].map { !hasOtherReaders.contains($0) && !edit.isOutput($0) } ?? false
            }
            if siblings.count > 1 { try merge(siblings, family, &edit) }
        }
    }

    private static func readsSlices(_ node: Graph.Node) -> Bool {
        node.operation is Conv || node.operation is any Pooling || node.operation is any GlobalPooling
    }

    private static func family(_ node: Graph.Node, _ edit: GraphEdit) -> Family? {
        guard let convolution = node.operation as? Conv, convolution.group == 1,
            node.inputs.count <= Conv.addendPosition, let input = node.inputs[0],
            let weights = edit.constant(node.inputs[1]), weights.shape.count >= 3,
            weights.shape[2...].allSatisfy({ $0 == 1 }),
            convolution.window.isUnpadded,
            node.inputs.count < 3 || node.inputs[2] == nil || edit.constant(node.inputs[2]) != nil
        else { return nil }
        let strides = convolution.window.strides
        return Family(
            input: input, strides: strides.isEmpty ? weights.shape[2...].map { _ in 1 } : strides,
            activation: convolution.activation, elementType: weights.elementType, weightTail: Array(weights.shape[1...])
        )
    }

    private func merge(_ siblings: [Int], _ family: Family, _ edit: inout GraphEdit) throws(GraphError) {
        let nodes = siblings.compactMap { edit.node($0) }
        let weights = nodes.compactMap { edit.constant($0.inputs[1]) }
        let extents = weights.map { $0.shape[0] }
        guard nodes.count == siblings.count, weights.count == nodes.count else { return }
        let biases = nodes.map { $0.inputs.count > 2 ? edit.constant($0.inputs[2]) : nil }
        guard let weight = try? Self.joined(weights) else { return }
        var inputs: [Graph.ValueID?] = [family.input, edit.addConstant("\(nodes[0].name).merged.weight", weight)]
        if biases.contains(where: { $0 != nil }) {
            let filled = zip(biases, extents).compactMap { bias, extent in
                bias ?? (try? Tensor(zeros: family.elementType, shape: [extent]))
            }
            guard filled.count == nodes.count, let bias = try? Self.joined(filled) else { return }
            inputs.append(edit.addConstant("\(nodes[0].name).merged.bias", bias))
        }
        let result = edit.addValue("\(nodes[0].name).merged")
        let operation = Conv(
            kernel: family.weightTail.dropFirst().map { $0 }, strides: family.strides, activation: family.activation)
        let names = nodes.map(\.name).joined(separator: "+")
        let convolution = Graph.Node(name: names, operation: operation, inputs: inputs, outputs: [result])
        let split = Graph.Node(
            name: "\(names)/split", operation: Split(axis: 1, extents: extents), inputs: [result],
            outputs: nodes.map { $0.outputs[0] })
        edit.add(split, after: siblings[0])
        edit.replace(siblings[0], with: convolution)
        for index in siblings.dropFirst() { edit.remove(index) }
        edit.note(nodes[0], "merged with " + nodes.dropFirst().map { "\"\($0.name)\"" }.joined(separator: ", "))
    }

    /// Tensors joined along the first axis.
    private static func joined(_ tensors: [Tensor]) throws -> Tensor {
        let type = try Concat(axis: 0).outputTypes(for: tensors.map { TensorType($0, keepingContent: false) })[0]
        return try Tensor(deriving: type.elementType, shape: type.shape) { target throws(TensorError) in
            var start = target
            for tensor in tensors {
                try tensor.copyElements(to: start)
                start += tensor.byteCount
            }
        }
    }
}
