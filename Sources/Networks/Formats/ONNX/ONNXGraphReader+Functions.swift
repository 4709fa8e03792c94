import Graphs

extension ONNXGraphReader {
    /// Adds nodes. A call of a function is replaced by the function's nodes, recursively, and a quantized operator of
    /// onnxruntime by the operators that define it.
    mutating func addNodes(_ messages: [ONNXNodeProto]) throws(FormatError) {
        var pending = messages.reversed().map { (message: $0, scope: scope) }
        while let (message, scope) = pending.popLast() {
            guard let function = functions.function(calledBy: message) else {
                if ONNXQuantizedOperator.reads(message) {
                    let nodes = try ONNXQuantizedOperator.nodes(message, label(message, scope))
                    pending += nodes.reversed().map { ($0, scope) }
                    continue
                }
                try addNode(message, scope)
                continue
            }
            let label = label(message, scope)
            guard !scope.callers.contains(ONNXFunctionName(function)) else {
                throw label.invalid("function \"\(function.name)\" calls itself")
            }
            guard message.input.count <= function.input.count, message.output.count <= function.output.count else {
                throw label.invalid(
                    "has \(message.input.count) inputs and \(message.output.count) outputs; the function has "
                        + "\(function.input.count) and \(function.output.count)")
            }
            try functions.count(function)
            let inner = try ONNXScope(calling: function, by: message, in: scope, prefix: label.name + "/")
            // An output of a function may be one of its inputs.
            for (formal, actual) in zip(function.output, message.output) where !actual.isEmpty {
                let source = inner.name(formal)
                guard source != scope.name(actual) else { continue }
                var copy = ONNXNodeProto()
                copy.opType = Identity.name
                copy.input = [source]
                copy.output = [scope.name(actual)]
                pending.append((copy, ONNXScope(operatorSets: scope.operatorSets)))
            }
            pending += function.node.reversed().map { ($0, inner) }
        }
    }
}
