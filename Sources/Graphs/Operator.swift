import Tensors

/// Everything true of an operator on paper: its name, attributes, shape rule, cost and a plain evaluation.
///
/// A type that conforms is one operator with its attributes set. It knows no file format, no thread and no device.
/// Reference: https://onnx.ai/onnx/operators/
package protocol Operator: Sendable {
    /// The operator's name in ONNX, such as `Conv`.
    static var name: String { get }

    /// The ONNX domain; empty is the default domain.
    static var domain: String { get }

    /// How many inputs the operator takes, trailing optional ones included.
    static var inputCount: ClosedRange<Int> { get }

    /// How many inputs rewrites may append to those of the operator's definition; a model file has none of them.
    static var fusedInputCount: Int { get }

    /// How many outputs the operator gives, trailing optional ones included.
    static var outputCount: ClosedRange<Int> { get }

    /// Reads the attributes. Attributes that stay unread are refused by the caller.
    ///
    /// - Throws: ``OperatorError`` naming the attribute that is missing, has another type, or is out of range.
    init(_ attributes: inout AttributeReader) throws(OperatorError)

    /// The attributes that differ from their defaults, as ONNX names them.
    var attributes: [String: AttributeValue] { get }

    /// The shape rule.
    ///
    /// - Parameter inputs: What is known of each input; nil where an optional input is absent.
    /// - Throws: ``OperatorError`` with the shapes that do not fit.
    func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType]

    /// The arithmetic the operator does.
    func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost

    /// Evaluates the operator plainly: accumulates floating-point sums in float64, uses no thread and no SIMD kernel.
    ///
    /// - Parameters:
    ///   - inputs: Row-major or strided tensors that the shape rule has accepted.
    ///   - outputTypes: What the shape rule gave for them.
    func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor]
}

extension Operator {
    package static var domain: String { "" }
    package static var fusedInputCount: Int { 0 }
    package static var outputCount: ClosedRange<Int> { 1...1 }
    package var attributes: [String: AttributeValue] { [:] }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        OperatorCost(multiplyAdds: 0, inputs: inputs, outputs: outputs)
    }
}

/// How much arithmetic and memory traffic a node needs, whatever runs it.
package struct OperatorCost: Sendable, Equatable {
    /// Multiplications followed by an addition.
    package var multiplyAdds: Int
    /// Bytes read and written when every tensor moves once.
    package var bytes: Int

    package init(multiplyAdds: Int, bytes: Int) {
        self.multiplyAdds = multiplyAdds
        self.bytes = bytes
    }

    package init(multiplyAdds: Int, inputs: [TensorType?], outputs: [TensorType]) {
        let sizes = inputs.compactMap { $0?.byteCount } + outputs.map(\.byteCount)
        let bytes = sizes.reduce(0) { sum, size in
            let (total, overflow) = sum.addingReportingOverflow(size)
            return overflow ? .max : total
        }
        self.init(multiplyAdds: multiplyAdds, bytes: bytes)
    }

    /// About how many steps a plain evaluation takes.
    package var operationCount: Int {
        let (sum, overflow) = multiplyAdds.addingReportingOverflow(bytes / 4)
        return overflow ? .max : max(1, sum)
    }
}

/// Why an operator refuses its attributes or inputs.
package enum OperatorError: Error, Sendable {
    /// The attributes or inputs contradict the operator's definition.
    case invalid(String)
    /// The operator's definition allows it, but Apus does not do it.
    case unsupported(String)
    /// The types of the outputs depend on the content of an input, which is known only while the network runs.
    case undetermined(String)
    /// A tensor could not be made.
    case tensor(TensorError)
}

extension OperatorError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalid(let message): message
        case .unsupported(let message): "not supported: \(message)"
        case .undetermined(let name): "\(name) is known only while the network runs, and the shape depends on it"
        case .tensor(let error): error.description
        }
    }
}
