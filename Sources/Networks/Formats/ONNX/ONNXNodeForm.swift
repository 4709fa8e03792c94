import Graphs
import Tensors

/// A node of a file on its way to an operator: ``ONNXHistory`` puts its attributes and inputs into today's form.
package struct ONNXNodeForm {
    /// The operator's name as the file has it.
    package let name: String
    /// The version of the default domain that the node was written for.
    package let version: Int
    package private(set) var attributes: [String: AttributeValue]
    /// The names of the inputs; empty for one that is absent.
    package private(set) var inputs: [String]
    /// Inputs that were attributes, by their position.
    package private(set) var constants: [Int: Tensor] = [:]
    /// What today's attributes cannot say is set on the operator.
    private var completions: [(inout any Operator) -> Void] = []

    package init(name: String, version: Int, attributes: [String: AttributeValue], inputs: [String]) {
        self.name = name
        self.version = version
        self.attributes = attributes
        self.inputs = inputs
    }

    /// Puts the node into today's form and makes its operator.
    ///
    /// - Returns: The operator, and the names of attributes that it does not know.
    package mutating func operation(
        _ type: any Operator.Type, outputCount: Int
    ) throws(OperatorError) -> (any Operator, unread: [String]) {
        try ONNXHistory.modernize(&self)
        var reader = AttributeReader(attributes, outputCount: outputCount)
        var operation = try type.init(&reader)
        for complete in completions { complete(&operation) }
        return (operation, reader.unread)
    }
}

extension ONNXNodeForm {
    /// An attribute, which leaves the node.
    mutating func take(_ attribute: String) -> AttributeValue? { attributes.removeValue(forKey: attribute) }

    /// An integer that means true when it is not 0; the attribute leaves the node.
    mutating func takeBool(_ attribute: String, default fallback: Bool) throws(OperatorError) -> Bool {
        var reader = AttributeReader(attributes)
        let value = try reader.bool(attribute, default: fallback)
        attributes[attribute] = nil
        return value
    }

    /// Removes attributes that change nothing.
    mutating func drop(_ names: String...) {
        for name in names { attributes[name] = nil }
    }

    /// Gives an attribute the value that its absence meant.
    mutating func setDefault(_ attribute: String, _ value: AttributeValue) {
        if attributes[attribute] == nil { attributes[attribute] = value }
    }

    /// Gives an attribute of today's form its value.
    ///
    /// - Throws: ``OperatorError/unsupported(_:)`` where the file has an attribute of this name, which its
    ///   version lacks.
    mutating func set(_ attribute: String, _ value: AttributeValue?) throws(OperatorError) {
        try expectAbsent(attribute)
        attributes[attribute] = value
    }

    /// Checks that the file gives no attributes that only later versions have.
    func expectAbsent(_ names: String...) throws(OperatorError) {
        for name in names where attributes[name] != nil {
            throw .unsupported("attribute \"\(name)\" in version \(version)")
        }
    }

    /// Gives an attribute the name it has today.
    mutating func rename(_ old: String, to new: String) throws(OperatorError) {
        try set(new, take(old))
    }

    /// Leaves an input out that the version did not have.
    ///
    /// - Parameter limit: How many inputs it had at most.
    mutating func insertAbsentInput(at position: Int, limit: Int) throws(OperatorError) {
        guard inputs.count <= limit else {
            throw .invalid("has \(inputs.count) inputs; version \(version) has \(limit) at most")
        }
        if inputs.count > position { inputs.insert("", at: position) }
    }

    /// Makes `tensor` an input, unless there is one.
    mutating func setInput(_ position: Int, to tensor: Tensor) {
        while inputs.count <= position { inputs.append("") }
        if inputs[position].isEmpty { constants[position] = tensor }
    }

    /// Sets a property of the operator that no attribute of ONNX tells.
    mutating func complete<Completed: Operator, Value>(
        _ property: WritableKeyPath<Completed, Value>, _ value: Value
    ) {
        completions.append { operation in
            guard var completed = operation as? Completed else { return }
            completed[keyPath: property] = value
            operation = completed
        }
    }

    /// Tells a broadcasting operator where the axes of its second input lie.
    mutating func align(_ alignment: OperandAlignment) {
        completions.append { operation in
            guard var aligned = operation as? any AlignedOperator else { return }
            aligned.alignment = alignment
            operation = aligned
        }
    }
}
