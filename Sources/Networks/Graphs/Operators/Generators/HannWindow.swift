/// Hann's window.
///
/// y[n] = 1/2 − 1/2 · cos(2π · n / N), where N is the size, or one less where `periodic` is 0.
///
/// Shapes: size scalar → [size].
/// Attributes: `output_datatype` (float32), `periodic` (1).
/// Reference: https://onnx.ai/onnx/operators/onnx__HannWindow.html
package struct HannWindow: WindowFunction {
    package static let name = "HannWindow"
    package static let coefficients = [0.5, -0.5]
    package var shape: WindowShape

    package init(shape: WindowShape = WindowShape()) {
        self.shape = shape
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        shape = try WindowShape(&attributes)
    }
}
