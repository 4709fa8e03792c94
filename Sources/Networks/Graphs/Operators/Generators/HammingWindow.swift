/// Hamming's window.
///
/// y[n] = 25/46 − 21/46 · cos(2π · n / N), where N is the size, or one less where `periodic` is 0.
///
/// Shapes: size scalar → [size].
/// Attributes: `output_datatype` (float32), `periodic` (1).
/// Reference: https://onnx.ai/onnx/operators/onnx__HammingWindow.html
package struct HammingWindow: WindowFunction {
    package static let name = "HammingWindow"
    package static let coefficients = [25.0 / 46, -21.0 / 46]
    package var shape: WindowShape

    package init(shape: WindowShape = WindowShape()) {
        self.shape = shape
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        shape = try WindowShape(&attributes)
    }
}
