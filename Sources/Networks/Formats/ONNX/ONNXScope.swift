/// The scope of names where a node is read: a model's graph, or the body of a function at one call.
struct ONNXScope {
    /// The operator sets that the nodes were written for.
    let operatorSets: ONNXOperatorSets
    /// In a function: the outer names of its inputs and outputs.
    private var names: [String: String] = [:]
    /// In a function: the values of its attributes.
    private var attributes: [String: ONNXAttributeProto] = [:]
    /// In a function: the prefix of the names of its own values and nodes.
    private(set) var prefix = ""
    /// The functions whose bodies enclose the node, outermost first.
    private(set) var callers: [ONNXFunctionName] = []

    init(operatorSets: ONNXOperatorSets) {
        self.operatorSets = operatorSets
    }

    /// Makes the scope of the body of a function that a node of `caller` calls.
    ///
    /// - Parameter prefix: The prefix of names, unique in the graph.
    init(
        calling function: ONNXFunctionProto, by node: ONNXNodeProto, in caller: ONNXScope, prefix: String
    ) throws(FormatError) {
        operatorSets = try caller.operatorSets.replaced(by: function.opsetImport)
        self.prefix = prefix
        callers = caller.callers + [ONNXFunctionName(function)]
        for (index, formal) in function.input.enumerated() {
            names[formal] = index < node.input.count ? caller.name(node.input[index]) : ""
        }
        for (index, formal) in function.output.enumerated() where names[formal] == nil {
            let actual = index < node.output.count ? caller.name(node.output[index]) : ""
            if !actual.isEmpty { names[formal] = actual }
        }
        for message in function.attributeProto { attributes[message.name] = message }
        for message in node.attribute { attributes[message.name] = caller.resolved(message) }
    }

    /// The name of a value in the graph; empty for an absent value.
    func name(_ name: String) -> String { name.isEmpty ? "" : names[name] ?? prefix + name }

    /// An attribute with a value: a reference to a function's attribute is resolved. Nil when that attribute is absent.
    func resolved(_ message: ONNXAttributeProto) -> ONNXAttributeProto? {
        guard !callers.isEmpty, !message.refAttrName.isEmpty else { return message }
        guard var value = attributes[message.refAttrName] else { return nil }
        value.name = message.name
        return value
    }
}
