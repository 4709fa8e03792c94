import Tensors

/// Equally spaced numbers: ONNX's `Range`.
///
/// y[i] = start + i · delta
///
/// Shapes: start, limit, delta (scalars) → [max(0, ⌈(limit − start) / delta⌉)].
/// Numerics: integers are exact; float64 otherwise.
/// Reference: https://onnx.ai/onnx/operators/onnx__Range.html
package struct RangeOperator: AttributeFree {
    package static let name = "Range"
    package static let inputCount = 3...3

    package init() {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        try inputs.expectSameElementType(0..<3)
        var numbers: [Double] = []
        for (index, name) in ["start", "limit", "delta"].enumerated() {
            let type = try inputs.required(index)
            guard type.elementCount == 1 else {
                throw .invalid("\"\(name)\" has the shape \(type.shape); a scalar is expected")
            }
            guard let content = type.constant?.float64Elements.first else {
                throw .undetermined("\"\(name)\"")
            }
            numbers.append(content)
        }
        let count = ((numbers[1] - numbers[0]) / numbers[2]).rounded(.up)
        guard count.isFinite, count.magnitude < 0x1p53 else {
            throw .invalid("from \(numbers[0]) to \(numbers[1]) by \(numbers[2]) is not a range")
        }
        return [TensorType(try inputs.required(0).elementType, [max(0, Int(count))])]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (first, step) = (try inputs.required(0), try inputs.required(2))
        let type = outputTypes[0]
        try Tensor.claim(type.shape)
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            let delta = step.elements(as: Number.self).first ?? 0
            var next = first.elements(as: Number.self).first ?? 0
            let values = (0..<type.elementCount).map { _ in
                defer { next &+= delta }
                return next
            }
            return try Tensor(values, shape: type.shape)
        }
        if let integer = type.elementType.integerType { return [try integers(integer)] }
        let start = first.float64Elements.first ?? 0
        let delta = step.float64Elements.first ?? 0
        return [try Tensor(type) { y in for index in y.indices { y[index] = start + Double(index) * delta } }]
    }
}
