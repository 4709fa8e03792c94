import Graphs
import Models
import Tensors

extension Tensor {
    /// The numbers for which the integers of a quantized value stand, in float32.
    ///
    ///     let value = model.graph[id]
    ///     let numbers = try value.quantization.map { try tensor.dequantized($0) } ?? tensor
    ///
    /// The integers themselves are the tensor's elements, as ``Tensor/elements(as:)`` gives them.
    ///
    /// - Throws: ``TensorError`` when memory runs out.
    public func dequantized(_ quantization: Quantization) throws(TensorError) -> Tensor {
        var values = elements(as: Float.self)
        var inner = 1
        if let axis = quantization.axis, shape.indices.contains(axis) {
            inner = shape[(axis + 1)...].reduce(1, *)
        }
        let count = min(quantization.scales.count, quantization.zeroPoints.count)
        guard count > 0 else { return self }
        for index in values.indices {
            let slice = index / max(inner, 1) % count
            values[index] = (values[index] - Float(quantization.zeroPoints[slice])) * quantization.scales[slice]
        }
        return try Tensor(values, shape: shape)
    }
}

extension Model {
    /// The quantization of an input or output; nil when it is not quantized, or when there is none of that name.
    public func quantizationParameters(_ name: String) -> Quantization? {
        (graph.inputs + graph.outputs).map { graph[$0] }.first { $0.name == name }?.quantization
    }
}
