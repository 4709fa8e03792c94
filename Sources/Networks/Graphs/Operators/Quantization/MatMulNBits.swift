import Tensors

/// The product of rows with weights of 4 bits, which have a scale for each group of the depth.
///
/// y[…, i, j] = Σₖ a[…, i, k] · (B[j, k] − zero_points[j, k / block_size]) · scales[j, k / block_size] + bias[j].
/// Rewrites may fuse more: activation(y + addend).
///
/// Shapes: A […, K], B [N, G, block_size / 2] with G = ⌈K / block_size⌉ groups (uint8; the first weight of a byte is in
/// its lower bits), scales [N · G] or [N, G]; zero_points with two in each byte, [N · ⌈G / 2⌉] or [N, ⌈G / 2⌉] (uint8),
/// or of the shape and type of scales; absent they are 8; g_idx, which must be absent; bias [N]; addend of the result's
/// shape (all optional, the last never in a model file) → […, N].
/// Attributes: `K`, `N`, `bits` (4; other numbers are not supported), `block_size`, a power of two from 16 on;
/// `accuracy_level` (0) allows less exact arithmetic, of which no use is made.
/// Numerics: weights are widened to floating point; sums in float64, in the order of k.
/// Reference: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulNBits
package struct MatMulNBits: ActivationFusing {
    package static let name = "MatMulNBits"
    package static let domain = "com.microsoft"
    package static let inputCount = 3...6
    package static let fusedInputCount = 1
    /// The positions of zero points, bias and addend among the inputs.
    package static let zeroPointPosition = 3
    package static let biasPosition = 5
    package static let addendPosition = 6
    /// The zero point where none is given.
    package static let usualZeroPoint = 8
    package static let minimumBlockSize = 16
    package var depth: Int
    package var columns: Int
    package var blockSize: Int
    package var activation: Activation?

    package init(depth: Int, columns: Int, blockSize: Int, activation: Activation? = nil) {
        self.depth = depth
        self.columns = columns
        self.blockSize = blockSize
        self.activation = activation
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        func extent(_ name: String) throws(OperatorError) -> Int {
            guard let value = try attributes.int(name) else { throw .invalid("attribute \"\(name)\" is missing") }
            guard value >= 1 else { throw .invalid("attribute \"\(name)\" is \(value); at least 1 is expected") }
            return value
        }
        let (depth, columns, blockSize) = (try extent("K"), try extent("N"), try extent("block_size"))
        let bits = try attributes.int("bits", default: 4)
        guard bits == 4 else { throw .unsupported("weights of \(bits) bits") }
        guard blockSize >= Self.minimumBlockSize, blockSize & (blockSize - 1) == 0 else {
            throw .invalid(
                "attribute \"block_size\" is \(blockSize); a power of two from \(Self.minimumBlockSize) on is expected")
        }
        _ = try attributes.int("accuracy_level", default: 0)
        self.init(depth: depth, columns: columns, blockSize: blockSize)
    }

    package var attributes: [String: AttributeValue] {
        [
            "K": .int(Int64(depth)), "N": .int(Int64(columns)), "bits": .int(4), "block_size": .int(Int64(blockSize)),
        ]
    }

    /// The number of groups of a column.
    package var blockCount: Int { depth / blockSize + (depth % blockSize == 0 ? 0 : 1) }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (a, b) = (try inputs.floatingPoint(0), try inputs.required(1))
        guard a.rank >= 1, a.shape[a.rank - 1] == depth else {
            throw .invalid("A \(a.shape) does not end with K = \(depth)")
        }
        guard b.elementType == .uint8, b.shape == [columns, blockCount, blockSize / 2] else {
            throw .invalid(
                "B is \(b.elementType)\(b.shape); uint8\([columns, blockCount, blockSize / 2]) is expected")
        }
        let scales = try inputs.floatingPoint(2)
        try check(scales, [columns, blockCount], "scales")
        if let points = inputs.optional(Self.zeroPointPosition) {
            if points.elementType == .uint8 {
                try check(points, [columns, blockCount / 2 + blockCount % 2], "zero_points")
            } else {
                guard points.elementType == scales.elementType else {
                    throw .invalid("zero_points are \(points.elementType); uint8 or \(scales.elementType) is expected")
                }
                try check(points, [columns, blockCount], "zero_points")
            }
        }
        guard inputs.optional(4) == nil else { throw .unsupported("the order of weights that \"g_idx\" gives") }
        let shape = Array(a.shape.dropLast()) + [columns]
        if let bias = inputs.optional(Self.biasPosition), bias.shape != [columns] {
            throw .invalid("bias \(bias.shape) does not fit the result \(shape)")
        }
        if let addend = inputs.optional(Self.addendPosition), addend.shape != shape {
            throw .invalid("addend \(addend.shape) does not fit the result \(shape)")
        }
        for position in [2, Self.biasPosition, Self.addendPosition] {
            guard let type = inputs.optional(position), type.elementType != a.elementType else { continue }
            throw .invalid("input \(position) is \(type.elementType); \(a.elementType) is expected")
        }
        return [TensorType(a.elementType, shape)]
    }

    /// Checks a parameter of the groups, whose axes may be joined.
    private func check(_ type: TensorType, _ shape: [Int], _ name: String) throws(OperatorError) {
        guard type.shape == shape || type.shape == [shape.saturatingProduct] else {
            throw .invalid("\(name) \(type.shape) does not fit; \(shape) is expected")
        }
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        MatMul().cost(inputs: inputs, outputs: outputs)
    }

    /// The zero point of every group, column by column.
    package func zeroPoints(_ given: Tensor?) -> [Float] {
        guard let given else {
            return [Float](repeating: Float(Self.usualZeroPoint), count: [columns, blockCount].saturatingProduct)
        }
        guard given.elementType == .uint8 else { return given.elements(as: Float.self) }
        let (bytes, stride) = (given.elements(as: UInt8.self), blockCount / 2 + blockCount % 2)
        return (0..<columns).flatMap { column in
            (0..<blockCount).map { block in
                Float(bytes[column * stride + block / 2] >> (block % 2 == 0 ? 0 : 4) & 15)
            }
        }
    }

    /// The weights as numbers, `[K, N]`.
    package func weights(_ inputs: [Tensor?]) throws -> Tensor {
        let bytes = try inputs.required(1).elements(as: UInt8.self)
        let scales = try inputs.required(2).elements(as: Double.self)
        let points = zeroPoints(inputs.optional(Self.zeroPointPosition))
        let stride = blockCount * (blockSize / 2)
        return try Tensor(TensorType(.float64, [depth, columns])) { numbers in
            for column in 0..<columns {
                for k in 0..<depth {
                    let integer = bytes[column * stride + k / 2] >> (k % 2 == 0 ? 0 : 4) & 15
                    let group = column * blockCount + k / blockSize
                    numbers[k * columns + column] = (Double(integer) - Double(points[group])) * scales[group]
                }
            }
        }
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let type = outputTypes[0]
        let operands = [try inputs.required(0).converted(to: .float64), try weights(inputs)]
        let products = try MatMul().evaluate(operands, outputTypes: [TensorType(.float64, type.shape)])[0]
            .elements(as: Double.self)
        let y = try Tensor(type) { y in
            for index in y.indices { y[index] = products[index] }
            MatrixProduct.finish(
                y, bias: inputs.optional(Self.biasPosition)?.float64Elements ?? [],
                addend: inputs.optional(Self.addendPosition)?.float64Elements ?? [], extent: 1, activation)
        }
        return [y]
    }
}
