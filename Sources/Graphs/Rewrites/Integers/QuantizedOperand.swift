import Tensors

/// A value of 8-bit integers with one constant scale and zero point.
struct QuantizedOperand {
    let value: Graph.ValueID
    let scale: Float
    let zeroPoint: Int32
    let elementType: ElementType

    /// Makes an operand.
    ///
    /// - Parameter zeroPoint: The zero point, whose element type is that of the integers.
    init?(_ value: Graph.ValueID, _ scale: Tensor?, _ zeroPoint: Tensor?, _ edit: GraphEdit) {
        guard let scale, let zeroPoint, scale.elementType == .float32, scale.elementCount == 1,
            zeroPoint.elementCount == 1, zeroPoint.elementType.byteCount == 1,
            zeroPoint.elementType.quantizedRange != nil, let factor = scale.firstNumber, factor > 0, factor.isFinite
        else { return nil }
        self.value = value
        self.scale = factor
        self.zeroPoint = zeroPoint.elements(as: Int32.self)[0]
        elementType = zeroPoint.elementType
    }

    /// The integers that DequantizeLinear turns into `number`.
    init?(number: Graph.ValueID?, _ edit: GraphEdit) {
        guard let index = edit.origin(number), let node = edit.node(index), node.operation is DequantizeLinear,
            node.inputs.count == 3, let source = node.inputs[0], edit.constant(source) == nil
        else { return nil }
        self.init(source, edit.constant(node.inputs[1]), edit.constant(node.inputs[2]), edit)
    }

    /// The result of a QuantizeLinear.
    init?(result node: Graph.Node, _ edit: GraphEdit) {
        guard node.inputs.count == 3, let output = node.outputs[0], let operation = node.operation as? QuantizeLinear,
            operation.saturates
        else { return nil }
        self.init(output, edit.constant(node.inputs[1]), edit.constant(node.inputs[2]), edit)
    }

    var range: ClosedRange<Int32> { elementType.quantizedRange ?? 0...0 }
    var quantization: Quantization { Quantization(scale: scale, zeroPoint: Int(zeroPoint)) }

    /// A table from every integer of this operand to the integer of `y` that DequantizeLinear and QuantizeLinear give.
    func table(to y: QuantizedOperand) -> Tensor? {
        let values = range.map { integer in
            let number = Float(integer &- zeroPoint) * scale
            let rounded = Double((number / y.scale).rounded(.toNearestOrEven)) + Double(y.zeroPoint)
            return min(max(rounded, Double(y.range.lowerBound)), Double(y.range.upperBound))
        }
        return try? Tensor(values, as: y.elementType, shape: [values.count])
    }
}

/// Weights of 8-bit integers with one scale, or one for each output channel, and one zero point.
struct QuantizedWeights {
    var value: Graph.ValueID
    let scales: [Float]
    let zeroPoint: Int32

    init?(_ value: Graph.ValueID, _ scales: Tensor?, _ zeroPoints: Tensor?, _ edit: GraphEdit) {
        guard let weights = edit.constant(value), weights.elementType == .int8 || weights.elementType == .uint8,
            let scales, scales.elementType == .float32
        else { return nil }
        let points = Set(zeroPoints?.elements(as: Int32.self) ?? [0])
        guard points.count == 1, let point = points.first else { return nil }
        self.value = value
        self.scales = scales.elements(as: Float.self)
        zeroPoint = point
        guard self.scales.allSatisfy({ $0.isFinite && $0 > 0 }) else { return nil }
    }

    /// The integers that DequantizeLinear turns into `number`, with scales along `axis`.
    init?(number: Graph.ValueID?, axis: Int, _ edit: GraphEdit) {
        guard let index = edit.origin(number), let node = edit.node(index), let source = node.inputs[0],
            let operation = node.operation as? DequantizeLinear, operation.grid.blockSize == 0,
            let scales = edit.constant(node.inputs[1]), let weights = edit.constant(source),
            scales.elementCount == 1
                || (operation.grid.axis + (operation.grid.axis < 0 ? weights.shape.count : 0) == axis
                    && scales.shape == [weights.shape[axis]])
        else { return nil }
        self.init(source, scales, node.inputs.count > 2 ? edit.constant(node.inputs[2]) : nil, edit)
    }

    /// The numbers of a bias, which is a constant or the result of DequantizeLinear.
    static func numbers(_ value: Graph.ValueID, _ edit: GraphEdit) -> [Double]? {
        if let constant = edit.constant(value) { return constant.elements(as: Double.self) }
        guard let index = edit.origin(value), let node = edit.node(index), node.operation is DequantizeLinear,
            let integers = edit.constant(node.inputs[0])?.elements(as: Double.self),
            let scales = scales(node.inputs[1], edit), scales.count == 1 || scales.count == integers.count
        else { return nil }
        let points = node.inputs.count > 2 ? edit.constant(node.inputs[2])?.elements(as: Double.self) ?? [0] : [0]
        return integers.indices.map { index in
            (integers[index] - points[points.count == 1 ? 0 : index % points.count])
                * scales[scales.count == 1 ? 0 : index]
        }
    }

    /// Constant scales, or products of two constants, as a bias may have.
    private static func scales(_ value: Graph.ValueID?, _ edit: GraphEdit) -> [Double]? {
        if let constant = edit.constant(value) { return constant.elements(as: Double.self) }
        guard let value, let index = edit.origin(value), let node = edit.node(index), node.operation is Mul,
            let a = edit.constant(node.inputs[0])?.elements(as: Double.self), a.count == 1,
            let b = edit.constant(node.inputs[1])?.elements(as: Double.self)
        else { return nil }
        return b.map { a[0] * $0 }
    }
}

extension Tensor {
    /// The first element as a number.
    var firstNumber: Float? { elementCount > 0 ? elements(as: Float.self).first : nil }
}
