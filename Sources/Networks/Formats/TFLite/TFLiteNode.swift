import Graphs

/// An operator of a subgraph, with the tensors that it reads and computes.
struct TFLiteNode {
    /// The name of the first tensor that it computes.
    let name: String
    let kind: TFLiteBuiltin
    let inputs: [Int]
    let outputs: [Int]
    let options: FlatBufferTable?
    let customOptions: Range<Int>?
    /// The custom operator's name.
    let custom: String

    /// The index of the tensor of an input that must be present.
    func input(_ index: Int) throws(FormatError) -> Int {
        guard let tensor = optionalInput(index) else { throw invalid("input \(index) is missing") }
        return tensor
    }

    /// The index of the tensor of an input; nil when it is absent.
    func optionalInput(_ index: Int) -> Int? {
        inputs.indices.contains(index) && inputs[index] >= 0 ? inputs[index] : nil
    }

    func output(_ index: Int = 0) throws(FormatError) -> Int {
        guard outputs.indices.contains(index) else { throw invalid("output \(index) is missing") }
        return outputs[index]
    }

    func int(_ field: Int, default fallback: Int32 = 0) throws(FormatError) -> Int {
        try options?.int(field, default: fallback) ?? Int(fallback)
    }

    func byte(_ field: Int) throws(FormatError) -> Int { try options?.byte(field) ?? 0 }

    func bool(_ field: Int, default fallback: Bool = false) throws(FormatError) -> Bool {
        try options?.bool(field, default: fallback) ?? fallback
    }

    func float(_ field: Int) throws(FormatError) -> Float { try options?.float(field) ?? 0 }

    /// The activation in field `field` of the options.
    func activation(_ field: Int) throws(FormatError) -> TFLiteActivation {
        let number = try byte(field)
        guard let activation = TFLiteActivation(rawValue: number) else {
            throw unsupported("activation \(number)")
        }
        return activation
    }

    func invalid(_ message: String) -> FormatError { .graph(error(message, isUnsupported: false)) }
    func unsupported(_ message: String) -> FormatError {
        .graph(error("not supported: \(message)", isUnsupported: true))
    }

    private func error(_ message: String, isUnsupported: Bool) -> GraphError {
        .node(name: name, operatorName: "\(kind)", message: message, isUnsupported: isUnsupported)
    }

    /// Calls `body`. Errors of operators are given the node's name.
    func checked<Result>(_ body: () throws(OperatorError) -> Result) throws(FormatError) -> Result {
        do throws(OperatorError) {
            return try body()
        } catch {
            throw FormatError(error, node: name, operatorName: "\(kind)")
        }
    }
}

/// A function that an operator applies to its results.
enum TFLiteActivation: Int {
    case none, relu, reluN1To1, relu6, tanh

    /// The bounds of the results, for a function that clips.
    var bounds: (low: Float?, high: Float?) {
        switch self {
        case .none, .tanh: (nil, nil)
        case .relu: (0, nil)
        case .reluN1To1: (-1, 1)
        case .relu6: (0, 6)
        }
    }
}
