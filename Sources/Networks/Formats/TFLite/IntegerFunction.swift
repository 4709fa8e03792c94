import Glibc
import Graphs
import Tensors

/// Tables of functions from quantized to quantized numbers, rounded as in TensorFlow Lite's kernels.
struct IntegerFunction {
    let x: Quantization
    let y: Quantization
    let elementType: ElementType

    var xScale: Float { x.scales[0] }
    var yScale: Float { y.scales[0] }
    private var xZeroPoint: Int32 { Int32(clamping: x.zeroPoints[0]) }
    private var yZeroPoint: Int32 { Int32(clamping: y.zeroPoints[0]) }

    /// The table of an operator; nil when the operator computes with dequantized numbers.
    func table(
        _ kind: TFLiteBuiltin, alpha: Float, isApproximate: Bool
    ) throws(OperatorError) -> Tensor? {
        switch kind {
        case .relu: try relu(from: 0, to: nil)
        case .relu6: try relu(from: 0, to: 6)
        case .reluN1To1: try relu(from: -1, to: 1)
        case .relu0To1: try relu(from: 0, to: 1)
        case .leakyRelu: try leakyRelu(alpha)
        case .hardSwish: try hardSwish()
        case .logistic: try numbers { 1 / (1 + expf(-$0)) }
        case .tanh: try numbers { tanhf($0) }
        case .elu: try numbers { $0 < 0 ? expm1f($0) : $0 }
        case .gelu: try numbers { Float(Gelu(isApproximate: isApproximate).apply(Double($0))) }
        case .exp: try numbers { expf($0) }
        default: nil
        }
    }

    /// The table of an operator on 16-bit integers; nil when the operator computes with dequantized numbers.
    func wideTable(_ kind: TFLiteBuiltin, alpha: Float) throws(OperatorError) -> Tensor? {
        switch kind {
        case .relu, .relu6, .reluN1To1, .relu0To1, .leakyRelu: try table(kind, alpha: alpha, isApproximate: false)
        default: nil
        }
    }

    /// The table that converts one quantization to another.
    func requantization(to type: ElementType) throws(OperatorError) -> Tensor {
        let multiplier = try FixedPointMultiplier(Double(xScale) / Double(yScale))
        return try integers(to: type, within: type.quantizedRange ?? 0...0) { multiplier($0) }
    }

    /// The table that converts to the quantization of a concatenation, in float32: round(x · a / b − zero point · a /
    /// b).
    func rescaling() throws(OperatorError) -> Tensor {
        let scale = xScale * (1 / yScale)
        let bias = -Float(xZeroPoint) * scale
        let range = elementType.quantizedRange ?? 0...0
        let values = range.map { value in
            let rounded = (Float(value) * scale + bias).rounded(.toNearestOrAwayFromZero)
            let integer = Int64(Int32(saturating: Double(rounded))) + Int64(yZeroPoint)
            return min(max(integer, Int64(range.lowerBound)), Int64(range.upperBound))
        }
        return try tensor(values, elementType)
    }

    private func relu(from low: Float, to high: Float?) throws(OperatorError) -> Tensor {
        let multiplier = try FixedPointMultiplier(Double(xScale / yScale))
        let full = elementType.quantizedRange ?? 0...0
        func bound(_ number: Float) -> Int32 {
            yZeroPoint &+ Int32(saturating: Double((number / yScale).rounded(.toNearestOrAwayFromZero)))
        }
        let least = min(max(full.lowerBound, bound(low)), full.upperBound)
        let most = max(least, high.map { min(full.upperBound, bound($0)) } ?? full.upperBound)
        return try integers(to: elementType, within: least...most) { multiplier($0) }
    }

    private func leakyRelu(_ alpha: Float) throws(OperatorError) -> Tensor {
        let identity = try FixedPointMultiplier(Double(xScale / yScale))
        let slope = xScale * alpha / yScale
        let negative = try FixedPointMultiplier(Double(slope.magnitude))
        return try integers(to: elementType, within: elementType.quantizedRange ?? 0...0) { value in
            if value >= 0 { return identity(value) }
            return slope < 0 ? 0 &- negative(value) : negative(value)
        }
    }

    /// The table of a function of x minus its zero point.
    func integers(
        to type: ElementType, within range: ClosedRange<Int32>, _ function: (Int32) -> Int32
    ) throws(OperatorError) -> Tensor {
        let inputs = elementType.quantizedRange ?? 0...0
        let values = inputs.map { value in
            let result = Int64(function(value &- xZeroPoint)) + Int64(yZeroPoint)
            return min(max(result, Int64(range.lowerBound)), Int64(range.upperBound))
        }
        return try tensor(values, type)
    }

    /// The table of a function of dequantized numbers.
    private func numbers(_ function: (Float) -> Float) throws(OperatorError) -> Tensor {
        let (inputs, inverse) = (elementType.quantizedRange ?? 0...0, 1 / yScale)
        let values = inputs.map { value in
            let result = (function(xScale * Float(value &- xZeroPoint)) * inverse).rounded(.toNearestOrAwayFromZero)
            let integer = Int64(Int32(saturating: Double(result + Float(yZeroPoint))))
            return min(max(integer, Int64(inputs.lowerBound)), Int64(inputs.upperBound))
        }
        return try tensor(values, elementType)
    }

    private func tensor(_ values: [Int64], _ type: ElementType) throws(OperatorError) -> Tensor {
        do throws(TensorError) {
            return try Tensor(values, as: type, shape: [values.count])
        } catch {
            throw .tensor(error)
        }
    }
}
