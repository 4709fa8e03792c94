/// Blackman's window.
///
/// y[n] = 0.42 − 0.5 · cos(2π · n / N) + 0.08 · cos(4π · n / N), where N is the size, or one less where `periodic` is
/// 0.
///
/// Shapes: size scalar → [size].
/// Attributes: `output_datatype` (float32), `periodic` (1).
/// Reference: https://onnx.ai/onnx/operators/onnx__BlackmanWindow.html
package struct BlackmanWindow: WindowFunction {
    package static let name = "BlackmanWindow"
    package static let coefficients = [0.42, -0.5, 0.08]
    package var shape: WindowShape

    package init(shape: WindowShape = WindowShape()) {
        self.shape = shape
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        shape = try WindowShape(&attributes)
    }
}
