import Tensors

/// Puts the elements that MaxPool found back to their places; the other elements are zero.
///
/// y[indices[i]] = x[i], where indices count all elements of y in the shape that the window gives.
///
/// Shapes: x and indices [N, C, spatial…], output_shape [rank] (optional) → [N, C, (in − 1) · stride + kernel − pads…],
/// or a larger `output_shape`, in which these are the first positions.
/// Attributes: `kernel_shape`, `strides` (1 each), `pads` (0 each).
/// Errors: an index outside y.
/// Reference: https://onnx.ai/onnx/operators/onnx__MaxUnpool.html
package struct MaxUnpool: Operator {
    package static let name = "MaxUnpool"
    package static let inputCount = 2...3
    package var window: SpatialWindow

    package init(kernel: [Int], strides: [Int] = [], pads: [Int] = []) {
        window = SpatialWindow(kernel: kernel, strides: strides, pads: pads)
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        window = try SpatialWindow(&attributes)
        guard !window.kernel.isEmpty else { throw .invalid("attribute \"kernel_shape\" is missing") }
    }

    package var attributes: [String: AttributeValue] { window.attributes }

    /// The shape that the window gives.
    private func unpooledShape(_ x: [Int]) throws(OperatorError) -> [Int] {
        guard x.count >= 3 else { throw .invalid("input \(x) must have a batch, a channel and a spatial axis") }
        let geometry = try window.defaults(input: Array(x.dropFirst(2)), weights: nil)
        var shape = Array(x.prefix(2))
        for axis in geometry.input.indices {
            let steps = try [max(geometry.input[axis], 1) - 1, geometry.strides[axis]].product(of: "input times stride")
            let (full, overflow) = steps.addingReportingOverflow(geometry.kernel[axis])
            let extent = full - geometry.padsBegin[axis] - geometry.padsEnd[axis]
            guard !overflow, extent > 0 else { throw .invalid("axis \(axis + 2) of \(x) cannot be unpooled") }
            shape.append(extent)
        }
        return shape
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, indices) = (try inputs.required(0), try inputs.indices(1))
        guard indices.shape == x.shape else {
            throw .invalid("indices \(indices.shape) do not have the shape of input \(x.shape)")
        }
        let unpooled = try unpooledShape(x.shape)
        guard let shape = try inputs.integers(2, "output_shape") else { return [TensorType(x.elementType, unpooled)] }
        let target = shape.count + 2 == x.rank ? x.shape.prefix(2) + shape : shape
        guard target.count == unpooled.count, zip(target, unpooled).allSatisfy({ $0 >= $1 }) else {
            throw .invalid("output_shape \(shape) does not hold \(unpooled)")
        }
        return [TensorType(x.elementType, target)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let type = outputTypes[0]
        let unpooled = try unpooledShape(x.shape)
        let count = try unpooled.product(of: "shape")
        let positions = try inputs.required(1).positions(extent: count)
        try Tensor.claim(type.shape)
        let strides = (Shape.rowMajorStrides(unpooled), Shape.rowMajorStrides(type.shape))
        let values = x.float64Elements
        let y = try Tensor(type) { y in
            for (value, position) in zip(values, positions) {
                var (rest, target) = (position, 0)
                for axis in unpooled.indices {
                    target += rest / strides.0[axis] * strides.1[axis]
                    rest %= strides.0[axis]
                }
                y[target] = value
            }
        }
        return [y]
    }
}
