import Tensors

/// The definition of an operator: its name, attributes, shape rule, cost and a plain evaluation.
///
/// A conforming type is one operator with its attributes set. It depends on no file format, thread or device.
/// Reference: https://onnx.ai/onnx/operators/
package protocol Operator: Sendable {
    /// The operator's name in ONNX, such as `Conv`.
    static var name: String { get }

    /// The ONNX domain; empty is the default domain.
    static var domain: String { get }

    /// The number of inputs that the operator takes, including trailing optional ones.
    static var inputCount: ClosedRange<Int> { get }

    /// The number of inputs that rewrites may append to those of the operator's definition. Model files have none of
    /// them.
    static var fusedInputCount: Int { get }

    /// The number of outputs of the operator, including trailing optional ones.
    static var outputCount: ClosedRange<Int> { get }

    /// Reads the attributes. The caller refuses attributes that stay unread.
    ///
    /// - Throws: ``OperatorError`` naming the attribute that is missing, has another type, or is out of range.
    init(_ attributes: inout AttributeReader) throws(OperatorError)

    /// The attributes that differ from their defaults, as ONNX names them.
    var attributes: [String: AttributeValue] { get }

    /// Computes the types of the outputs: the shape rule.
    ///
    /// - Parameter inputs: The type of each input; nil where an optional input is absent.
    /// - Throws: ``OperatorError`` with the shapes that do not fit.
    func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType]

    /// The arithmetic the operator does.
    func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost

    /// Evaluates the operator plainly: with floating-point sums in float64, without threads and SIMD kernels.
    ///
    /// - Parameters:
    ///   - inputs: Row-major or strided tensors that the shape rule has accepted.
    ///   - outputTypes: The types that the shape rule gave for them.
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

/// The arithmetic and memory traffic of a node, regardless of the backend.
package struct OperatorCost: Sendable, Equatable {
    /// Multiplications followed by an addition.
    package var multiplyAdds: Int
    /// The bytes read and written when every tensor is moved once.
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

    /// The approximate number of steps of a plain evaluation.
    package var operationCount: Int {
        let (sum, overflow) = multiplyAdds.addingReportingOverflow(bytes / 4)
        return overflow ? .max : max(1, sum)
    }
}

/// The reason why an operator refuses its attributes or inputs.
package enum OperatorError: Error, Sendable {
    /// The attributes or inputs contradict the operator's definition.
    case invalid(String)
    /// The operator's definition allows it, but Apus does not support it.
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
