/// What names mean where a node is read: in a model's graph, or in the body of a function where it is called.
struct ONNXScope {
    /// The operator sets that the nodes were written for.
    let operatorSets: ONNXOperatorSets
    /// Inside of a function: what its inputs and outputs are called outside.
    private var names: [String: String] = [:]
    /// Inside of a function: the values of its attributes.
    private var attributes: [String: ONNXAttributeProto] = [:]
    /// Inside of a function: what the names of its own values and nodes begin with.
    private(set) var prefix = ""
    /// The functions whose bodies surround the node, outermost first.
    private(set) var callers: [ONNXFunctionName] = []

    init(operatorSets: ONNXOperatorSets) {
        self.operatorSets = operatorSets
    }

    /// The scope of a function's body, called by a node of `caller`.
    ///
    /// - Parameter prefix: Begins names and is unique in the graph.
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

    /// What a value is called in the graph; empty for one that is absent.
    func name(_ name: String) -> String { name.isEmpty ? "" : names[name] ?? prefix + name }

    /// An attribute with its value where it refers to a function's; nil when the function's is absent.
    func resolved(_ message: ONNXAttributeProto) -> ONNXAttributeProto? {
        guard !callers.isEmpty, !message.refAttrName.isEmpty else { return message }
        guard var value = attributes[message.refAttrName] else { return nil }
        value.name = message.name
        return value
    }
}
