import Tensors

/// The product of matrices, or of stacks of them, as `numpy.matmul` defines it.
///
/// y[…, i, j] = Σₖ a[…, i, k] · b[…, k, j]. Rewrites may fuse more: activation(y + bias + addend).
///
/// Shapes: a […, M, K], b […, K, N] → […, M, N], the leading axes broadcast; a [K] is taken as [1, K], b [K] as [K, 1],
/// and the added axis is dropped from the result; bias [N], addend of the result's shape (both optional, never in a
/// model file).
/// Numerics: sums in float64, in the order of k; integers wrap around.
/// Reference: https://onnx.ai/onnx/operators/onnx__MatMul.html
package struct MatMul: AttributeFree, ActivationFusing {
    package static let name = "MatMul"
    package static let inputCount = 2...2
    package static let fusedInputCount = 2
    /// The positions of bias and addend among the inputs.
    package static let biasPosition = 2
    package static let addendPosition = 3
    package var activation: Activation?

    package init() {}

    package init(activation: Activation?) {
        self.activation = activation
    }

    /// The operands with at least two axes, and the axes that stack them.
    private func matrices(_ a: [Int], _ b: [Int]) throws(OperatorError) -> (a: [Int], b: [Int], batch: [Int]) {
        guard !a.isEmpty, !b.isEmpty else { throw .invalid("a \(a) and b \(b) must have at least one axis") }
        let left = a.count == 1 ? [1] + a : a
        let right = b.count == 1 ? b + [1] : b
        guard left[left.count - 1] == right[right.count - 2] else {
            throw .invalid("a \(a) times b \(b) is not defined")
        }
        return (left, right, try Broadcasting.shape([left.dropLast(2), right.dropLast(2)]))
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (a, b) = (try inputs.required(0), try inputs.required(1))
        try inputs.expectSameElementType(0..<4)
        guard a.elementType != .bool else { throw .invalid("input 0 is bool; numbers are expected") }
        let operands = try matrices(a.shape, b.shape)
        var shape = operands.batch
        if a.rank > 1 { shape.append(operands.a[operands.a.count - 2]) }
        if b.rank > 1 { shape.append(operands.b[operands.b.count - 1]) }
        if let bias = inputs.optional(Self.biasPosition), bias.rank != 1 || bias.shape.last != shape.last {
            throw .invalid("bias \(bias.shape) does not fit the result \(shape)")
        }
        if let addend = inputs.optional(Self.addendPosition), addend.shape != shape {
            throw .invalid("addend \(addend.shape) does not fit the result \(shape)")
        }
        return [TensorType(a.elementType, shape)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        let depth = inputs.optional(0)?.shape.last ?? 0
        let multiplyAdds = ((outputs.first?.shape ?? []) + [depth]).saturatingProduct
        return OperatorCost(multiplyAdds: multiplyAdds, inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let type = outputTypes[0]
        let (a, b) = (try inputs.required(0), try inputs.required(1))
        let operands = try matrices(a.shape, b.shape)
        let count = type.elementCount == 0 ? 0 : operands.batch.elementCount
        try Tensor.claim(type.shape)
        let left = try a.reshaped(to: operands.a).broadcast(to: operands.batch + operands.a.suffix(2))
        let right = try b.reshaped(to: operands.b).broadcast(to: operands.batch + operands.b.suffix(2))
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            var result: [Number] = []
            for index in 0..<count {
                result += MatrixProduct.multiply(
                    integers: matrix(index, of: left), matrix(index, of: right), as: Number.self)
            }
            return try Tensor(result, shape: type.shape)
        }
        if let integer = type.elementType.integerType { return [try integers(integer)] }
        let y = try Tensor(type) { y in
            guard let start = y.baseAddress else { return }
            for index in 0..<count {
                let target = start + index * (y.count / count)
                try MatrixProduct.multiply(matrix(index, of: left), matrix(index, of: right), into: target)
            }
            MatrixProduct.finish(
                y, bias: inputs.optional(Self.biasPosition)?.float64Elements ?? [],
                addend: inputs.optional(Self.addendPosition)?.float64Elements ?? [], extent: 1, activation)
        }
        return [y]
    }

    /// The matrix at position `index` of a stack.
    private func matrix(_ index: Int, of stack: Tensor) -> Tensor {
        var (rest, offset) = (index, stack.offset)
        for axis in (0..<stack.shape.count - 2).reversed() {
            offset += rest % stack.shape[axis] * stack.strides[axis]
            rest /= stack.shape[axis]
        }
        return Tensor(
            elementType: stack.elementType, shape: stack.shape.suffix(2), strides: stack.strides.suffix(2),
            offset: offset, storage: stack.storage)
    }
}
