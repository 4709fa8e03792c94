import Tensors

/// One-hot vectors of class indices.
///
/// y[…, k, …] = values[1] where k = indices[…], otherwise values[0]; k runs along the new axis.
///
/// Shapes: indices any, depth scalar, values [2] → the indices' with an axis of extent depth more.
/// Attributes: `axis` (−1, among the result's axes).
/// Numerics: negative indices count from the end; an index outside −depth..<depth gives a vector without an "on" value.
/// Reference: https://onnx.ai/onnx/operators/onnx__OneHot.html
package struct OneHot: Operator {
    package static let name = "OneHot"
    package static let inputCount = 3...3
    package var axis: Int

    package init(axis: Int = -1) {
        self.axis = axis
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis", default: -1)
    }

    package var attributes: [String: AttributeValue] { axis == -1 ? [:] : ["axis": .int(Int64(axis))] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (indices, values) = (try inputs.required(0), try inputs.required(2))
        let axis = try Axes.resolve(axis, rank: indices.rank + 1)
        guard let depth = try inputs.integer(1, "depth") else { throw .invalid("input 1 is missing") }
        guard depth >= 0 else { throw .invalid("\"depth\" is \(depth); at least 0 is expected") }
        guard values.shape == [2] else { throw .invalid("\"values\" has the shape \(values.shape), not [2]") }
        return [TensorType(values.elementType, indices.shape[..<axis] + [depth] + indices.shape[axis...])]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (indices, values) = (try inputs.required(0), try inputs.required(2))
        let shape = outputTypes[0].shape
        let axis = try Axes.resolve(axis, rank: shape.count)
        try Tensor.claim(shape)
        let (depth, inner) = (shape[axis], shape[(axis + 1)...].elementCount)
        // For each element of the result, the index of the value to copy.
        var sources = [Int](repeating: 0, count: shape.elementCount)
        for (place, index) in indices.elements(as: Int64.self).enumerated() where !sources.isEmpty {
            guard index >= -Int64(depth), index < Int64(depth) else { continue }
            let position = Int(index) + (index < 0 ? depth : 0)
            sources[(place / inner * depth + position) * inner + place % inner] = 1
        }
        return [try values.gatheringRuns(sources, length: 1, shape: shape)]
    }
}
