import Tensors

extension Graph: CustomStringConvertible {
    /// A listing: the inputs, one line per node in order, the outputs.
    public var description: String {
        var lines = [name.isEmpty ? "(no name)" : name]
        lines += inputs.map { "  input \(self[$0].name): \(typeText($0))" }
        lines += nodes.map { "  " + text(of: $0) }
        lines += outputs.map { "  output \(self[$0].name): \(typeText($0))" }
        return lines.joined(separator: "\n")
    }

    /// One line about a node: its outputs, operator, attributes and inputs, and the type of the result.
    package func text(of node: Node) -> String {
        let results = node.outputs.map { $0.map { self[$0].name } ?? "_" }.joined(separator: ", ")
        let operands = node.inputs.map { $0.map(operandText) ?? "_" }.joined(separator: ", ")
        let attributes = node.attributeTexts
        let suffix = attributes.isEmpty ? "" : " {\(attributes.joined(separator: ", "))}"
        let type = node.outputs.first.flatMap { $0 }.map(typeText) ?? "?"
        return "\(results) = \(node.operatorName)(\(operands))\(suffix): \(type)"
    }

    private func operandText(_ id: ValueID) -> String {
        if let tensor = initializers[id] { return "\(self[id].name) \(tensor.shape)" }
        return self[id].name
    }

    private func typeText(_ id: ValueID) -> String {
        "\(self[id].elementType?.description ?? "?")\(self[id].shape?.description ?? "")"
    }
}

extension Graph.Node {
    /// The operator's name with those of fused operators: `Conv + Add + Relu`.
    package var fusedOperatorName: String {
        var parts = [operatorName]
        if operation is Conv, inputs.count > Conv.addendPosition { parts.append(Add.name) }
        if operation is MatMul {
            parts += inputs.dropFirst(MatMul.biasPosition).compactMap { $0.map { _ in Add.name } }
        }
        if operation is QuantizedMatMul {
            parts += inputs.dropFirst(QuantizedMatMul.biasPosition).compactMap { $0.map { _ in Add.name } }
        }
        if operation is ConvIntegerToFloat, inputs.count > ConvIntegerToFloat.biasPosition { parts.append(Add.name) }
        if operation is MatMulNBits {
            parts += inputs.dropFirst(MatMulNBits.biasPosition).compactMap { $0.map { _ in Add.name } }
        }
        if let activation = (operation as? any ActivationFusing)?.activation { parts.append("\(activation)") }
        return parts.joined(separator: " + ")
    }

    /// The attributes that differ from their defaults, and the activation, as text.
    package var attributeTexts: [String] {
        let texts = operation.attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        guard let activation = (operation as? any ActivationFusing)?.activation else { return texts }
        return texts + ["then \(activation)"]
    }
}
