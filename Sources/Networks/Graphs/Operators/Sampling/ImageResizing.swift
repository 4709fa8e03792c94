import Tensors

/// An operator that changes the extents of axes by interpolation.
package protocol ImageResizing: Operator {
    var interpolation: Interpolation { get }
    /// The value of elements outside the input in crop-and-resize.
    var extrapolationValue: Float { get }
    /// Every axis of input 0 with its new extent.
    func resizedAxes(_ inputs: [TensorType?]) throws(OperatorError) -> [Interpolation.Axis]
}

extension ImageResizing {
    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        let axes = try resizedAxes(inputs)
        for (number, axis) in axes.enumerated() where axis.input == 0 && axis.output > 0 {
            throw .invalid("axis \(number) of \(x.shape) is empty: there is nothing to interpolate")
        }
        return [TensorType(x.elementType, axes.map(\.output))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        var result = x
        for (number, axis) in try resizedAxes(inputs.types).enumerated() {
            let isWhole = interpolation.coordinates != .cropAndResize || axis.region == (0, 1)
            if axis.input == axis.output, axis.scale == 1, isWhole { continue }
            result = try interpolation.resized(result, axis: number, axis, extrapolated: extrapolationValue)
        }
        guard !x.elementType.isFloatingPoint, interpolation.mode != .nearest else {
            return [try result.converted(to: x.elementType)]
        }
        let rounded = result.float64Elements.map { $0.rounded(.toNearestOrEven) }
        return [try Tensor(rounded, as: x.elementType, shape: result.shape)]
    }

    /// An axis of `input` elements, scaled by `scale`; the product is rounded to float32, as in ONNX's shape inference.
    ///
    /// Most scales are a quotient of two extents, rounded to float32. The fraction is that of the extents then.
    func scaledAxis(
        _ input: Int, _ scale: Float, region: (start: Double, end: Double) = (0, 1)
    ) throws(OperatorError) -> Interpolation.Axis {
        let output = Double((Float(input) * scale).rounded(.down))
        guard scale > 0, output.isFinite, output < 0x1p53 else {
            throw .invalid("a scale is \(scale); a positive number is expected")
        }
        let isQuotient = Float(output) / Float(input) == scale
        return Interpolation.Axis(
            input: input, output: Int(output), ratio: isQuotient ? (output, Double(input)) : (Double(scale), 1),
            region: region)
    }
}
