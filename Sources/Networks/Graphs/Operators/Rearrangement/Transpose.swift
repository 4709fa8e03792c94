import Tensors

/// A tensor with permuted axes.
///
/// Shapes: axis i of the result is axis perm[i] of x.
/// Attributes: `perm` (the axes in reverse).
/// Reference: https://onnx.ai/onnx/operators/onnx__Transpose.html
package struct Transpose: Operator {
    package static let name = "Transpose"
    package static let inputCount = 1...1
    /// The axes in their new order; nil reverses them.
    package var permutation: [Int]?

    package init(permutation: [Int]? = nil) {
        self.permutation = permutation
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        permutation = try attributes.ints("perm")
    }

    package var attributes: [String: AttributeValue] {
        permutation.map { ["perm": .ints($0.map(Int64.init))] } ?? [:]
    }

    /// The axes of a tensor with `rank` axes in their new order.
    package func order(rank: Int) throws(OperatorError) -> [Int] {
        let order = permutation ?? (0..<rank).reversed()
        guard order.sorted() == Array(0..<rank) else {
            throw .invalid("attribute \"perm\" is \(order); a permutation of \(rank) axes is expected")
        }
        return order
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        return [TensorType(x.elementType, try order(rank: x.rank).map { x.shape[$0] })]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        return [try x.transposed(order(rank: x.shape.count))]
    }
}
