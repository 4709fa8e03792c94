import Tensors

/// Axes cropped or padded with zeros to given extents, equally at both ends.
///
/// y[i] = x[i + ⌊(D − extent) / 2⌋] where an axis of extent D is cropped; y[i + ⌊(extent − D) / 2⌋] = x[i] and 0
/// elsewhere where it is padded.
///
/// Shapes: x any, shape [n] → x's with the extents `shape` along `axes`.
/// Attributes: `axes` (all).
/// Reference: https://onnx.ai/onnx/operators/onnx__CenterCropPad.html
package struct CenterCropPad: Operator {
    package static let name = "CenterCropPad"
    package static let inputCount = 2...2
    package var axes: [Int]?

    package init(axes: [Int]? = nil) {
        self.axes = axes
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axes = try attributes.ints("axes")
    }

    package var attributes: [String: AttributeValue] {
        axes.map { ["axes": .ints($0.map(Int64.init))] } ?? [:]
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        let axes = try Axes.resolve(axes ?? Array(0..<x.rank), rank: x.rank)
        guard let extents = try inputs.integers(1, "shape") else { throw .invalid("input 1 is missing") }
        guard extents.count == axes.count, extents.allSatisfy({ $0 >= 0 }) else {
            throw .invalid("shape \(extents) must be a number from 0 for each of \(axes.count) axes")
        }
        var shape = x.shape
        for (axis, extent) in zip(axes, extents) { shape[axis] = extent }
        return [TensorType(x.elementType, shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        var result = try inputs.required(0)
        let zero = try Tensor(zeros: result.elementType, shape: [])
        // Cropping comes first, so that less is copied.
        for (axis, extent) in outputTypes[0].shape.enumerated() where extent < result.shape[axis] {
            let first = (result.shape[axis] - extent) / 2
            result = try result.sliced(axis: axis, first..<first + extent)
        }
        for (axis, extent) in outputTypes[0].shape.enumerated() where extent > result.shape[axis] {
            let count = result.shape[axis]
            let first = (extent - count) / 2
            result = try result.gathering(axis: axis, count: extent, fill: zero) { index in
                index >= first && index < first + count ? index - first : nil
            }
        }
        return [result]
    }
}
