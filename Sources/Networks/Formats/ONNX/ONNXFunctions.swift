/// The functions that a model defines.
final class ONNXFunctions {
    private let functions: [ONNXFunctionName: ONNXFunctionProto]
    private var calledNodeCount = 0

    /// The maximum number of nodes that replace all calls of functions.
    private static let nodeLimit = 1 << 18

    init(_ messages: [ONNXFunctionProto]) throws(FormatError) {
        var functions: [ONNXFunctionName: ONNXFunctionProto] = [:]
        for message in messages {
            guard functions.updateValue(message, forKey: ONNXFunctionName(message)) == nil else {
                throw .invalid("function \"\(message.name)\" is given twice")
            }
        }
        self.functions = functions
    }

    /// The function that a node calls; nil when it applies an operator.
    func function(calledBy message: ONNXNodeProto) -> ONNXFunctionProto? {
        functions.isEmpty ? nil : functions[ONNXFunctionName(message)]
    }

    /// Counts the nodes of a called function against the limit.
    func count(_ function: ONNXFunctionProto) throws(FormatError) {
        calledNodeCount += max(1, function.node.count)
        guard calledNodeCount <= Self.nodeLimit else {
            throw .unsupported(
                "the model's functions come to more than \(Self.nodeLimit) nodes where they are called")
        }
    }
}

/// Identifies a function that a model defines.
struct ONNXFunctionName: Hashable {
    private let domain: String
    private let name: String
    private let overload: String

    init(_ function: ONNXFunctionProto) {
        domain = ONNXOperatorSets.canonical(function.domain)
        (name, overload) = (function.name, function.overload)
    }

    init(_ node: ONNXNodeProto) {
        domain = ONNXOperatorSets.canonical(node.domain)
        (name, overload) = (node.opType, node.overload)
    }
}
