import Graphs
import Tensors

/// Reads `attributes` as an importer would and evaluates the operator called `name`.
func evaluate(
    _ name: String, _ attributes: [String: AttributeValue] = [:], _ inputs: [Tensor?], outputs: Int = 1
) throws -> [Tensor] {
    let operation = try read(name, attributes, outputs: outputs)
    let types = try operation.outputTypes(for: inputs.map { $0.map { TensorType($0) } })
    for type in types { _ = try Shape.byteCount(type.shape, type.elementType) }
    return try operation.evaluate(inputs, outputTypes: types)
}

/// Reads `attributes` as an importer would.
func read(
    _ name: String, _ attributes: [String: AttributeValue] = [:], domain: String = "", outputs: Int = 1
) throws -> any Operator {
    var reader = AttributeReader(attributes, outputCount: outputs)
    guard let type = Operators.find(name, domain: domain) else { throw OperatorError.unsupported(name) }
    return try type.init(&reader)
}

/// The message with which an operator refuses its attributes or inputs; empty when it accepts them.
func refusal(
    _ name: String, _ attributes: [String: AttributeValue] = [:], _ shapes: [[Int]] = []
) -> String {
    do {
        let operation = try read(name, attributes)
        if !shapes.isEmpty { _ = try operation.outputTypes(for: shapes.map { TensorType(.float32, $0) }) }
        return ""
    } catch {
        return "\(error)"
    }
}

func floats(_ values: [Float], _ shape: [Int]) throws -> Tensor { try Tensor(values, shape: shape) }

func integers(_ values: [Int64]) throws -> Tensor { try Tensor(values, shape: [values.count]) }

/// The numbers 0, 1, 2, … in a tensor of this shape.
func counting(_ shape: [Int]) throws -> Tensor {
    try Tensor((0..<shape.reduce(1, *)).map(Float.init), shape: shape)
}

extension Tensor {
    var floats: [Float] { elements(as: Float.self) }
    var integers: [Int64] { elements(as: Int64.self) }
}
