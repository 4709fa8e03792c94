import Tensors

/// An enlarged image; Resize replaced this operator in version 10.
///
/// y[i] = x[i / scale]: the element before it (nearest) or interpolated between its neighbours (linear).
///
/// Shapes: x [d₀, …], scales [rank] → [⌊d₀ · scales₀⌋, …].
/// Attributes: `mode` (nearest); `scales` before version 9, an input from then on; `height_scale` and `width_scale` in
/// version 1.
/// Reference: https://onnx.ai/onnx/operators/onnx__Upsample.html
package struct Upsample: ImageResizing {
    package static let name = "Upsample"
    package static let inputCount = 1...2
    package var interpolation: Interpolation
    /// The scales, when they are an attribute.
    package var scales: [Float]?

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        let name = try attributes.string("mode") ?? "nearest"
        let modes = ["nearest": Interpolation.Mode.nearest, "linear": .linear, "bilinear": .linear]
        guard let mode = modes[name.lowercased()] else {
            throw .invalid("attribute \"mode\" is \"\(name)\"; nearest or linear is expected")
        }
        interpolation = Interpolation(mode: mode, coordinates: .asymmetric, nearest: .floor)
        scales = try attributes.floats("scales")
        if let height = try attributes.float("height_scale"), let width = try attributes.float("width_scale") {
            scales = [1, 1, height, width]
        }
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = interpolation.mode == .nearest ? [:] : ["mode": .string("linear")]
        if let scales { values["scales"] = .floats(scales) }
        return values
    }

    package var extrapolationValue: Float { 0 }

    package func resizedAxes(_ inputs: [TensorType?]) throws(OperatorError) -> [Interpolation.Axis] {
        let x = try inputs.required(0)
        guard let scales = try inputs.floats(1, "scales") ?? scales else { throw .invalid("\"scales\" are missing") }
        guard scales.count == x.rank else {
            throw .invalid("there are \(scales.count) scales for the \(x.rank) axes of \(x.shape)")
        }
        var axes: [Interpolation.Axis] = []
        for (extent, scale) in zip(x.shape, scales) { axes.append(try scaledAxis(extent, scale)) }
        return axes
    }
}
