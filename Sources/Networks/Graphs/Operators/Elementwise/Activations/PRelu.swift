import Tensors

/// The rectified linear unit with a learned slope for negative numbers.
///
/// y = x where x ≥ 0, otherwise slope · x
///
/// Shapes: x any, slope broadcasting to x's (where `hasChannelSlope` [C], along axis 1) → x's.
/// Reference: https://onnx.ai/onnx/operators/onnx__PRelu.html
package struct PRelu: AttributeFree {
    package static let name = "PRelu"
    package static let inputCount = 2...2
    /// Whether a slope with one axis is along axis 1 of x.
    package var hasChannelSlope: Bool

    package init() {
        hasChannelSlope = false
    }

    /// The shape that the slope has for broadcasting.
    package func slopeShape(_ slope: [Int], _ x: [Int]) -> [Int] {
        guard hasChannelSlope, slope.count == 1, slope != [1], x.count > 2 else { return slope }
        return slope + [Int](repeating: 1, count: x.count - 2)
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, slope) = (try inputs.floatingPoint(0), try inputs.required(1))
        try inputs.expectSameElementType(0..<2)
        try Broadcasting.check(slopeShape(slope.shape, x.shape), to: x.shape, "slope")
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (x, slope) = (try inputs.required(0), try inputs.required(1))
        let slopes = try slope.reshaped(to: slopeShape(slope.shape, x.shape)).broadcast(to: x.shape)
        let pairs = zip(x.float64Elements, slopes.float64Elements)
        return [try Tensor(pairs.map { $0 < 0 ? $1 * $0 : $0 }, as: x.elementType, shape: x.shape)]
    }
}
