import Tensors

/// A general matrix product; with `transB` it is a fully connected layer.
///
/// y = alpha · a · b + beta · c, with a and b transposed according to `transA` and `transB`.
///
/// Shapes: a [M, K], b [K, N], c broadcasting to [M, N] (optional) → [M, N].
/// Attributes: `alpha` (1), `beta` (1), `transA` (0), `transB` (0).
/// Numerics: sums in float64, in the order of k; integers wrap around, and take only an alpha and beta of 1.
/// Reference: https://onnx.ai/onnx/operators/onnx__Gemm.html
package struct Gemm: ActivationFusing {
    package static let name = "Gemm"
    package static let inputCount = 2...3
    package var alpha: Float
    package var beta: Float
    package var transA: Bool
    package var transB: Bool
    package var activation: Activation?

    package init(
        alpha: Float = 1, beta: Float = 1, transA: Bool = false, transB: Bool = false, activation: Activation? = nil
    ) {
        self.alpha = alpha
        self.beta = beta
        self.transA = transA
        self.transB = transB
        self.activation = activation
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        self.init(
            alpha: try attributes.float("alpha", default: 1), beta: try attributes.float("beta", default: 1),
            transA: try attributes.bool("transA", default: false),
            transB: try attributes.bool("transB", default: false))
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if alpha != 1 { values["alpha"] = .float(alpha) }
        if beta != 1 { values["beta"] = .float(beta) }
        if transA { values["transA"] = .int(1) }
        if transB { values["transB"] = .int(1) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let a = try inputs.required(0)
        let b = try inputs.required(1)
        try inputs.expectSameElementType(0..<3)
        guard a.rank == 2, b.rank == 2 else { throw .invalid("a \(a.shape) and b \(b.shape) must be matrices") }
        let left = transA ? [a.shape[1], a.shape[0]] : a.shape
        let right = transB ? [b.shape[1], b.shape[0]] : b.shape
        guard left[1] == right[0] else { throw .invalid("a \(left) times b \(right) is not defined") }
        let shape = [left[0], right[1]]
        if let c = inputs.optional(2) { try Broadcasting.check(c.shape, to: shape, "c") }
        guard a.elementType.isFloatingPoint || (a.elementType != .bool && alpha == 1 && beta == 1) else {
            throw .unsupported("\(a.elementType) with alpha \(alpha) and beta \(beta)")
        }
        return [TensorType(a.elementType, shape)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        let depth = inputs.optional(0)?.shape[transA ? 0 : 1] ?? 0
        let multiplyAdds = ((outputs.first?.shape ?? []) + [depth]).saturatingProduct
        return OperatorCost(multiplyAdds: multiplyAdds, inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let type = outputTypes[0]
        let (a, b) = (try inputs.required(0), try inputs.required(1))
        let left = transA ? try a.transposed([1, 0]) : a
        let right = transB ? try b.transposed([1, 0]) : b
        let c = inputs.optional(2)?.broadcast(to: type.shape)
        try Tensor.claim(type.shape)
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            var result = MatrixProduct.multiply(integers: left, right, as: Number.self)
            if let c { for (index, value) in c.elements(as: Number.self).enumerated() { result[index] &+= value } }
            return try Tensor(result, shape: type.shape)
        }
        if let integer = type.elementType.integerType { return [try integers(integer)] }
        let y = try Tensor(type) { y in
            guard let start = y.baseAddress else { return }
            try MatrixProduct.multiply(left, right, into: start)
            let addend = c?.float64Elements
            for index in y.indices {
                let value = Double(alpha) * y[index] + (addend.map { Double(beta) * $0[index] } ?? 0)
                y[index] = activation?(value) ?? value
            }
        }
        return [y]
    }
}
