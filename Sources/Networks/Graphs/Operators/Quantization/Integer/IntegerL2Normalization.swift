import Tensors

/// Rows of quantized numbers divided by their Euclidean norm, in fixed point: y = round(128 · x′ / ‖x′‖) + middle,
/// where x′ is x minus its zero point. The result's scale is 1 / 128, and the middle is 0 for int8 and 128 for uint8.
///
/// Shapes: x any → x's; a row is the last axis.
/// Attributes: `x_zero_point`.
/// Numerics: the inverse root by five Newton steps with 28 fractional bits, each rounded.
/// Reference: https://github.com/google-ai-edge/LiteRT/blob/main/tflite/kernels/internal/reference/l2normalization.h
package struct IntegerL2Normalization: Operator {
    package static let name = "IntegerL2Normalization"
    package static let domain = "apus"
    package static let inputCount = 1...1
    package var zeroPoint: Int32

    package init(zeroPoint: Int32) {
        self.zeroPoint = zeroPoint
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }
    package var attributes: [String: AttributeValue] { ["x_zero_point": .int(Int64(zeroPoint))] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.quantized(0)
        guard x.rank > 0, x.elementType == .int8 || x.elementType == .uint8, x.shape[x.rank - 1] <= 1 << 15 else {
            throw .invalid("rows of \(x)")
        }
        return [x]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let values = x.elements(as: Int32.self).map { $0 &- zeroPoint }
        let middle: Int64 = x.elementType == .uint8 ? 128 : 0
        let count = max(x.shape.last ?? 1, 1)
        var result: [Int64] = []
        result.reserveCapacity(values.count)
        for start in stride(from: 0, to: values.count, by: count) {
            let row = values[start..<start + count]
            let (root, shift) = FixedPointExponential.inverseRoot(row.reduce(0) { $0 &+ $1 &* $1 })
            // LiteRT's kernel for uint8 multiplies by 128 first; its kernel for int8 adds 7 to the shift instead.
            let factor = FixedPointMultiplier(value: root, shift: x.elementType == .uint8 ? -shift : 7 - shift)
            for value in row {
                let rounded = Int64(factor(x.elementType == .uint8 ? 128 &* value : value)) + middle
                result.append(min(max(rounded, middle - 128), middle + 127))
            }
        }
        return [try Tensor(result, as: x.elementType, shape: x.shape)]
    }
}
