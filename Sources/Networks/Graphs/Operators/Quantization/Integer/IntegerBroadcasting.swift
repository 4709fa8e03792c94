import Tensors

/// The zero points of two operands, and the zero point and range of the result.
package struct IntegerScaling: Sendable, Hashable {
    package var a: Int32
    package var b: Int32
    package var y: Int32
    /// The range of the result, including an activation.
    package var range: ClosedRange<Int32>
    package var elementType: ElementType

    package init(
        _ a: Quantization, _ b: Quantization, _ y: Quantization, range: ClosedRange<Int32>, elementType: ElementType
    ) throws(OperatorError) {
        guard let aPoint = a.zeroPoint, let bPoint = b.zeroPoint, let yPoint = y.zeroPoint else {
            throw .unsupported("operands with a scale for each channel")
        }
        (self.a, self.b, self.y) = (Int32(clamping: aPoint), Int32(clamping: bPoint), Int32(clamping: yPoint))
        self.range = range
        self.elementType = elementType
    }

    var attributes: [String: AttributeValue] {
        [
            "a_zero_point": .int(Int64(a)), "b_zero_point": .int(Int64(b)), "y_zero_point": .int(Int64(y)),
            "y_range": .ints([Int64(range.lowerBound), Int64(range.upperBound)]),
        ]
    }

    /// A result with the zero point added, clipped to the range.
    @inline(__always)
    package func finish(_ value: Int32) -> Int32 { min(max(value &+ y, range.lowerBound), range.upperBound) }
}

/// An operator on two tensors of quantized numbers that broadcast together.
package protocol IntegerBroadcasting: Operator {
    var scaling: IntegerScaling { get }
    /// The result of two elements, before its zero point is added.
    func combine(_ a: Int32, _ b: Int32) -> Int32
}

extension IntegerBroadcasting {
    package static var domain: String { "apus" }
    package static var inputCount: ClosedRange<Int> { 2...2 }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (a, b) = (try inputs.quantized(0), try inputs.quantized(1))
        return [TensorType(scaling.elementType, try Broadcasting.shape([a.shape, b.shape]))]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        OperatorCost(multiplyAdds: outputs[0].elementCount, inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let shape = outputTypes[0].shape
        let a = try inputs.required(0).broadcast(to: shape).elements(as: Int32.self)
        let b = try inputs.required(1).broadcast(to: shape).elements(as: Int32.self)
        let values = a.indices.map { Int64(scaling.finish(combine(a[$0], b[$0]))) }
        return [try Tensor(values, as: outputTypes[0].elementType, shape: shape)]
    }
}
