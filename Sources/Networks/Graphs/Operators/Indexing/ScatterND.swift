import Tensors

/// Slices written to positions given by tuples of coordinates.
///
/// y = x, then y[indices[i…, :], …] = updates[i…, …] for every i, or combined with the old slice.
///
/// Shapes: x any, indices [i…, k], updates [i…, the last axes of x without its first k] → x's.
/// Attributes: `reduction` (none; add, mul, max, min).
/// Errors: an index outside its axis; negative indices count from the end.
/// Numerics: of several updates of an element the last one wins; combined in float64; integers wrap around.
/// Reference: https://onnx.ai/onnx/operators/onnx__ScatterND.html
package struct ScatterND: Operator {
    package static let name = "ScatterND"
    package static let inputCount = 3...3
    package var reduction: ScatterReduction

    package init(reduction: ScatterReduction = .none) {
        self.reduction = reduction
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        reduction = try .read(&attributes)
    }

    package var attributes: [String: AttributeValue] { reduction.attributes }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, indices, updates) = (try inputs.required(0), try inputs.indices(1), try inputs.required(2))
        guard updates.elementType == x.elementType else {
            throw .invalid("updates are \(updates.elementType), but input 0 is \(x.elementType)")
        }
        let expected: [Int] = indices.shape.dropLast() + (try CoordinateTuples.slice(indices.shape, of: x.shape))
        guard updates.shape == expected else {
            throw .invalid("updates \(updates.shape) do not have the shape \(expected) that the indices ask for")
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (x, indices) = (try inputs.required(0), try inputs.required(1))
        let positions = try CoordinateTuples.positions(indices, in: x.shape)
        let length = try CoordinateTuples.slice(indices.shape, of: x.shape).elementCount
        return [try reduction.scatter(try inputs.required(2), into: x, at: positions, length: length)]
    }
}
