import Tensors

/// The reason why a graph is not valid, or cannot take the given inputs.
public enum GraphError: Error, Sendable {
    /// A node's operator refuses its attributes or inputs.
    case node(name: String, operatorName: String, message: String, isUnsupported: Bool)
    /// Nodes read one another in a cycle; the names are those of such nodes.
    case cycle([String])
    /// A value has no origin, two origins, or a name that is taken.
    case value(name: String, message: String)
    /// An input does not have the type or shape that the network declares.
    case input(name: String, message: String)
    /// A tensor could not be made.
    case tensor(TensorError)
    /// Memory for a node's results could not be allocated.
    case memory(node: String, operatorName: String, TensorError)
    /// A rewrite left a graph that is not valid.
    case rewrite(name: String, message: String)

    /// Whether the graph is valid but uses a feature that Apus does not support.
    public var isUnsupported: Bool {
        if case .node(_, _, _, let isUnsupported) = self { isUnsupported } else { false }
    }
}

extension GraphError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .node(let name, let operatorName, let message, _): "node \"\(name)\" (\(operatorName)): \(message)"
        case .cycle(let names): "the nodes \(names.map { "\"\($0)\"" }.joined(separator: ", ")) form a cycle"
        case .value(let name, let message): "value \"\(name)\": \(message)"
        case .input(let name, let message): "input \"\(name)\": \(message)"
        case .tensor(let error): error.description
        case .memory(let name, let operatorName, let error): "node \"\(name)\" (\(operatorName)): \(error)"
        case .rewrite(let name, let message): "rewrite \(name): \(message)"
        }
    }
}

extension GraphError {
    package init(_ node: Graph.Node, _ error: OperatorError) {
        var isUnsupported = false
        switch error {
        case .tensor(let error) where error.isLackOfMemory:
            self = .memory(node: node.name, operatorName: node.operatorName, error)
            return
        case .unsupported, .undetermined: isUnsupported = true
        case .invalid, .tensor: break
        }
        self = .node(
            name: node.name, operatorName: node.operatorName, message: error.description, isUnsupported: isUnsupported)
    }
}
