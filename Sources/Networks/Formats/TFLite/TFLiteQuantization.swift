import Graphs
import Tensors

/// Scales and zero points as tensors, and the dequantized numbers of constants.
enum TFLiteQuantization {
    /// Scales and zero points as tensors with one axis. The zero points have the element type of the quantized tensor.
    static func parameters(
        _ quantization: Quantization, _ type: ElementType
    ) throws(FormatError) -> (scales: Tensor, zeroPoints: Tensor) {
        let count = quantization.scales.count
        do throws(TensorError) {
            return (
                try Tensor(quantization.scales, shape: [count]),
                try Tensor(quantization.zeroPoints.map(Int64.init), as: type, shape: [count])
            )
        } catch {
            throw FormatError(error)
        }
    }

    /// The dequantized numbers of integers, in float32.
    static func numbers(_ tensor: Tensor, _ quantization: Quantization) throws(FormatError) -> Tensor {
        let points = quantization.zeroPoints.map(Float.init)
        var inner = 1
        if let axis = quantization.axis {
            guard tensor.shape.indices.contains(axis), tensor.shape[axis] == points.count else {
                throw .invalid("scales do not fit the shape \(tensor.shape)")
            }
            inner = tensor.shape[(axis + 1)...].reduce(1, *)
        }
        do throws(TensorError) {
            return try tensor.mapNumbers { index, number in
                let channel = points.count == 1 ? 0 : index / inner % points.count
                return (number - points[channel]) * quantization.scales[channel]
            }
        } catch {
            throw FormatError(error)
        }
    }

    /// The range of a quantized type's integers after an activation.
    static func range(
        _ activation: TFLiteActivation, _ quantization: Quantization, _ type: ElementType
    ) -> ClosedRange<Int32> {
        let full = type.quantizedRange ?? Int32.min...Int32.max
        guard let scale = quantization.scale, let zeroPoint = quantization.zeroPoint else { return full }
        func integer(_ bound: Float) -> Int32 {
            let value = Double((bound / scale).rounded(.toNearestOrAwayFromZero)) + Double(zeroPoint)
            return Int32(min(max(value, Double(full.lowerBound)), Double(full.upperBound)))
        }
        let bounds = activation.bounds
        let low = bounds.low.map(integer) ?? full.lowerBound
        return low...max(low, bounds.high.map(integer) ?? full.upperBound)
    }
}
