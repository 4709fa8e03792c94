import Graphs

extension ONNXGraphReader {
    /// The maximum number of inputs, and of outputs, of a node.
    private static let maximumOperandCount = 16_384

    /// Finds a node's operator and hands it the node's attributes in today's form.
    ///
    /// - Returns: The operator; the node in the form in which the operator takes its inputs; and the names of what its
    ///   graphs read of the one around them, in their order.
    func operation(
        _ message: ONNXNodeProto, _ scope: ONNXScope, _ label: ONNXNodeLabel
    ) throws(FormatError) -> (any Operator, form: ONNXNodeForm, captures: [String]) {
        guard !message.opType.isEmpty else { throw label.invalid("names no operator") }
        let domain = ONNXOperatorSets.text(message.domain)
        guard let version = scope.operatorSets[message.domain] else {
            throw label.invalid("the model imports no version of operator set \(domain)")
        }
        let name = ONNXHistory.successors[message.opType] ?? message.opType
        guard let type = Operators.find(name, domain: message.domain) else {
            throw label.unsupported("operator \(message.opType) of \(domain) \(version) is not supported")
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
        var form = ONNXNodeForm(
            name: message.opType, version: version, attributes: values, inputs: message.input.map(scope.name))
        let (operation, unread): (any Operator, [String])
        do throws(OperatorError) {
            (operation, unread) = try form.operation(type, outputCount: message.output.count)
        } catch {
            throw FormatError(error, node: label.name, operatorName: label.operatorName)
        }
        if let name = unread.first {
            throw label.unsupported("attribute \"\(name)\" is not known")
        }
        let bodies = (operation as? any ControlFlowOperator)?.bodies ?? []
        let captures = bodies.flatMap { body in subgraphs.first { $0.graph === body }?.captures ?? [] }
        return (operation, form, captures)
    }
}
