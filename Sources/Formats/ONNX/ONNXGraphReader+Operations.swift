import Graphs

extension ONNXGraphReader {
    /// The maximum number of inputs, and of outputs, of a node.
    private static let maximumOperandCount = 16_384

    /// Finds a node's operator and gives it the node's attributes.
    ///
    /// - Returns: The operator, and the names of the values that its graphs capture, in their order.
    func operation(
        _ message: ONNXNodeProto, _ scope: ONNXScope, _ label: ONNXNodeLabel
    ) throws(FormatError) -> (any Operator, captures: [String]) {
        guard !message.opType.isEmpty else { throw label.invalid("names no operator") }
        let domain = ONNXOperatorSets.text(message.domain)
        guard let opset = scope.operatorSets[message.domain] else {
            throw label.invalid("the model imports no version of operator set \(domain)")
        }
        guard let type = Operators.find(message.opType, domain: message.domain) else {
            throw label.unsupported("operator \(message.opType) of \(domain) \(opset) is not supported")
        }
        guard message.input.count <= type.inputCount.upperBound else {
            throw label.invalid(
                "has \(message.input.count) inputs; \(Graph.countText(type.inputCount)) expected")
        }
        guard max(message.input.count, message.output.count) <= Self.maximumOperandCount else {
            throw label.unsupported("has more than \(Self.maximumOperandCount) inputs or outputs")
        }
        var subgraphs: [ONNXSubgraph] = []
        let reader = ONNXAttributeReader(tensors: tensors, label: label)
        let values = try reader.values(message.attribute.compactMap(scope.resolved)) { content throws(FormatError) in
            let subgraph = try subgraph(content, scope, label)
            subgraphs.append(subgraph)
            return subgraph.graph
        }
        var attributes = AttributeReader(values, opset: opset, outputCount: message.output.count)
        let operation: any Operator
        do throws(OperatorError) {
            operation = try type.init(&attributes)
        } catch {
            if case .unsupported = error { throw label.unsupported(error.description) }
            throw label.invalid(error.description)
        }
        if let name = attributes.unread.first {
            throw label.unsupported("attribute \"\(name)\" is not known")
        }
        let bodies = (operation as? any ControlFlowOperator)?.bodies ?? []
        let captures = bodies.flatMap { body in subgraphs.first { $0.graph === body }?.captures ?? [] }
        return (operation, captures)
    }
}
