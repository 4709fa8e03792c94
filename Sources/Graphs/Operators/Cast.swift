import Tensors

/// The same numbers with another element type.
///
/// y = x
///
/// Shapes: any → the same.
/// Attributes: `to` (required; ONNX's number of an element type, before version 6 its name); `saturate` is not used.
/// Numerics: floating-point numbers are rounded towards zero and kept in the integer's range, NaN becomes 0; an integer
/// keeps its low bits; everything but 0 is true.
/// Reference: https://onnx.ai/onnx/operators/onnx__Cast.html
package struct Cast: Operator {
    package static let name = "Cast"
    package static let inputCount = 1...1
    package var to: ElementType

    package init(to: ElementType) {
        self.to = to
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("saturate", "round_mode")
        if attributes.opset < 6 {
            guard let name = try attributes.string("to") else { throw .invalid("attribute \"to\" is missing") }
            let names = ["float": ElementType.float32, "double": .float64]
            guard let type = names[name.lowercased()] ?? ElementType(rawValue: name.lowercased()) else {
                throw .unsupported("element type \(name)")
            }
            to = type
            return
        }
        guard let number = try attributes.int("to") else { throw .invalid("attribute \"to\" is missing") }
        to = try ElementType(number: number)
    }

    package var attributes: [String: AttributeValue] {
        ["to": .int(to.number)]
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [TensorType(to, try inputs.required(0).shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        func truncated<Source: FixedWidthInteger & TensorElement, Target: FixedWidthInteger & TensorElement>(
            _: Source.Type, _: Target.Type
        ) throws -> Tensor {
            try Tensor(x.elements(as: Source.self).map { Target(truncatingIfNeeded: $0) }, shape: x.shape)
        }
        if let source = x.elementType.integerType, let target = to.integerType {
            return [try truncated(source, target)]
        }
        return [try x.converted(to: to)]
    }
}
