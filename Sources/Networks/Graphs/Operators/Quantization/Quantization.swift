import Tensors

/// The elements of a tensor that share a scale and a zero point: all, those of a slice along an axis, or blocks of
/// slices.
///
/// Attributes: `axis` (1), `block_size` (0: no blocks).
package struct QuantizationGrid: Sendable, Equatable {
    package var axis: Int
    /// The extent of a block along `axis`; 0 when each slice has its own parameters.
    package var blockSize: Int

    package init(axis: Int = 1, blockSize: Int = 0) {
        self.axis = axis
        self.blockSize = blockSize
    }

    init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis", default: 1)
        blockSize = try attributes.int("block_size", default: 0)
        guard blockSize >= 0 else {
            throw .invalid("attribute \"block_size\" is \(blockSize); at least 0 is expected")
        }
    }

    var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = axis == 1 ? [:] : ["axis": .int(Int64(axis))]
        if blockSize != 0 { values["block_size"] = .int(Int64(blockSize)) }
        return values
    }

    /// Checks that parameters of the shape `parameters` fit a tensor of the shape `x`.
    func check(_ parameters: [Int], for x: [Int], _ name: String) throws(OperatorError) {
        if parameters.allSatisfy({ $0 == 1 }), parameters.count <= 1 { return }
        let axis = try Axes.resolve(axis, rank: x.count)
        var expected = x
        if blockSize > 0 {
            expected[axis] = x[axis] / blockSize + (x[axis] % blockSize == 0 ? 0 : 1)
        } else {
            expected = [x[axis]]
        }
        guard parameters == expected else {
            throw .invalid("\(name) \(parameters) does not fit \(x) along axis \(axis); \(expected) is expected")
        }
    }

    /// The parameter of every element of a tensor of the shape `shape`; without blocks it is a view.
    func expanded(_ parameters: Tensor, to shape: [Int]) throws -> Tensor {
        if parameters.shape.count <= 1, parameters.elementCount == 1 {
            return try parameters.reshaped(to: []).broadcast(to: shape)
        }
        let axis = try Axes.resolve(axis, rank: shape.count)
        if blockSize > 0 {
            let fill = try Tensor(zeros: parameters.elementType, shape: [])
            return try parameters.gathering(axis: axis, count: shape[axis], fill: fill) { $0 / blockSize }
        }
        let trailing = [Int](repeating: 1, count: shape.count - axis - 1)
        return try parameters.reshaped(to: parameters.shape + trailing).broadcast(to: shape)
    }
}

extension Tensor {
    /// The elements minus their zero points, exact in float64.
    ///
    /// - Parameter zeroPoint: A tensor that broadcasts to this tensor's shape; nil for 0.
    func centered(_ zeroPoint: Tensor?) throws -> Tensor {
        try Tensor(TensorType(.float64, shape)) { y in
            let values = float64Elements
            guard let points = zeroPoint?.broadcast(to: shape).float64Elements else {
                for index in y.indices { y[index] = values[index] }
                return
            }
            for index in y.indices { y[index] = values[index] - points[index] }
        }
    }

    /// Sums of products in another quantization: round(x · multiplier) + zero point, clipped to the element type's
    /// range.
    ///
    /// The arithmetic is float32, and halves are rounded to the even integer, as in the training of quantized networks.
    ///
    /// - Parameters:
    ///   - multiplier: A tensor that broadcasts to this tensor's shape.
    ///   - zeroPoint: A tensor that broadcasts to this tensor's shape; its element type is the result's.
    func requantized(_ multiplier: Tensor, _ zeroPoint: Tensor) throws -> Tensor {
        let factors = multiplier.broadcast(to: shape).elements(as: Float.self)
        let points = zeroPoint.broadcast(to: shape).float64Elements
        let sums = elements(as: Float.self)
        let values = sums.indices.map { index in
            Double((sums[index] * factors[index]).rounded(.toNearestOrEven)) + points[index]
        }
        return try Tensor(values, as: zeroPoint.elementType, shape: shape)
    }

    /// a · b / c for scales that broadcast together, in float32.
    static func multiplier(_ a: Tensor, _ b: Tensor, over c: Tensor) throws -> Tensor {
        let shape = try Broadcasting.shape([a.shape, b.shape, c.shape])
        let scales = [a, b, c].map { $0.broadcast(to: shape).elements(as: Float.self) }
        return try Tensor(scales[0].indices.map { scales[0][$0] * scales[1][$0] / scales[2][$0] }, shape: shape)
    }
}

/// Scales and zero points of a matrix's rows or columns.
enum MatrixParameters {
    /// The shape in which parameters broadcast to a matrix or a stack of matrices.
    static func aligned(_ shape: [Int], ofRows: Bool) -> [Int] {
        if shape.elementCount == 1 { return [] }
        return shape.count == 1 && ofRows ? shape + [1] : shape
    }

    /// Checks that parameters broadcast to a matrix or a stack of matrices.
    static func check(
        _ type: TensorType?, for matrix: [Int], ofRows: Bool, _ name: String
    ) throws(OperatorError) {
        guard let type else { return }
        try Broadcasting.check(aligned(type.shape, ofRows: ofRows), to: matrix, name)
    }

    /// The parameters, reshaped so that they broadcast.
    static func aligned(_ parameters: Tensor, ofRows: Bool) throws -> Tensor {
        try parameters.reshaped(to: aligned(parameters.shape, ofRows: ofRows))
    }
}

extension [TensorType?] {
    /// The type of an input that must hold quantized numbers.
    func quantized(_ index: Int) throws(OperatorError) -> TensorType {
        let type = try required(index)
        guard type.elementType.integerType != nil else {
            throw .invalid("input \(index) is \(type.elementType); quantized integers are expected")
        }
        return type
    }

    /// Checks that a scale or zero point is one number.
    func expectScalar(_ index: Int, _ name: String) throws(OperatorError) {
        guard let type = optional(index), type.elementCount != 1 else { return }
        throw .invalid("\(name) has the shape \(type.shape); a scalar is expected")
    }
}
