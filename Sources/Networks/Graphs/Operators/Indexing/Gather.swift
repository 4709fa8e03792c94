import Tensors

/// Slices selected by index.
///
/// y[p…, i…, s…] = x[p…, indices[i…], s…], where p are the axes before `axis` and s those after it.
///
/// Shapes: x [p…, D, s…], indices [i…] → [p…, i…, s…].
/// Attributes: `axis` (0).
/// Errors: an index outside −D..<D; negative indices count from the end.
/// Reference: https://onnx.ai/onnx/operators/onnx__Gather.html
package struct Gather: Operator {
    package static let name = "Gather"
    package static let inputCount = 2...2
    package var axis: Int

    package init(axis: Int = 0) {
        self.axis = axis
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis", default: 0)
    }

    package var attributes: [String: AttributeValue] { axis == 0 ? [:] : ["axis": .int(Int64(axis))] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, indices) = (try inputs.required(0), try inputs.required(1))
        let axis = try Axes.resolve(axis, rank: x.rank)
        guard indices.elementType == .int64 || indices.elementType == .int32 else {
            throw .invalid("indices are \(indices.elementType); int64 or int32 is expected")
        }
        return [TensorType(x.elementType, x.shape[..<axis] + indices.shape + x.shape[(axis + 1)...])]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (x, indices) = (try inputs.required(0), try inputs.required(1))
        let axis = try Axes.resolve(axis, rank: x.shape.count)
        let extent = x.shape[axis]
        let positions = try indices.positions(extent: extent)
        let outer = x.shape[..<axis].reduce(1, *)
        let length = x.shape[(axis + 1)...].reduce(1, *) * x.elementType.byteCount
        let y = try Tensor(x.elementType, shape: outputTypes[0].shape) { target in
            guard var next = target.baseAddress, !target.isEmpty else { return }
            try x.withContiguousBytes { bytes in
                guard let source = bytes.baseAddress else { return }
                for row in 0..<outer {
                    for position in positions {
                        next.copyMemory(from: source + (row * extent + position) * length, byteCount: length)
                        next += length
                    }
                }
            }
        }
        return [y]
    }
}
