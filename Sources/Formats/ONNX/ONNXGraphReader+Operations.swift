import Graphs

extension ONNXGraphReader {
    /// The most inputs or outputs of a node.
    private static let mostOperands = 16_384

    /// Finds a node's operator and hands it the node's attributes.
    func operation(_ message: ONNXNodeProto, _ label: ONNXNodeLabel) throws(FormatError) -> any Operator {
        guard !message.opType.isEmpty else { throw label.invalid("names no operator") }
        guard !functions.contains(ONNXFunctionName(message.domain, message.opType)) else {
            throw label.unsupported("functions that a model brings along are not supported")
        }
        let domain = ONNXOperatorSets.text(message.domain)
        guard let opset = operatorSets[message.domain] else {
            throw label.invalid("the model imports no version of operator set \(domain)")
        }
        guard let type = Operators.find(message.opType, domain: message.domain) else {
            throw label.unsupported("operator \(message.opType) of \(domain) \(opset) is not supported")
        }
        guard message.input.count <= type.inputCount.upperBound else {
            throw label.invalid(
                "has \(message.input.count) inputs; \(Graph.countText(type.inputCount)) expected")
        }
        guard max(message.input.count, message.output.count) <= Self.mostOperands else {
            throw label.unsupported("has more than \(Self.mostOperands) inputs or outputs")
        }
        let values = try ONNXAttributeReader(tensors: tensors, label: label).values(message.attribute)
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
        return operation
    }
}
