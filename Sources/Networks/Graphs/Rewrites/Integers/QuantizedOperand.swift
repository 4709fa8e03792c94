import Tensors

/// A value of 8-bit integers with one constant scale and zero point, whose numbers are float32, finite and normal.
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
            zeroPoint.elementType.quantizedRange != nil, let factor = scale.firstNumber, factor > 0,
            factor.isNormal, (256 * factor).isFinite
        else { return nil }
        self.value = value
        self.scale = factor
        self.zeroPoint = zeroPoint.elements(as: Int32.self)[0]
        elementType = zeroPoint.elementType
    }

    /// The integers that DequantizeLinear turns into `number`.
    init?(number: Graph.ValueID?, _ edit: GraphEdit) {
        guard let index = edit.origin(number), let node = edit.node(index),
            let operation = node.operation as? DequantizeLinear, operation.givesFloat32,
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

    /// Whether both stand for the same numbers.
    func hasParameters(of other: QuantizedOperand) -> Bool {
        scale == other.scale && zeroPoint == other.zeroPoint && elementType == other.elementType
    }

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
    let elementType: ElementType

    /// - Parameter zeroPoints: The zero points; nil where all are 0.
    init?(_ value: Graph.ValueID, _ scales: Tensor?, zeroPoints: Graph.ValueID?, _ edit: GraphEdit) {
        guard let weights = edit.constant(value), weights.elementType == .int8 || weights.elementType == .uint8,
            let scales, scales.elementType == .float32
        else { return nil }
        var points: Set<Int32> = [0]
        if let zeroPoints {
            guard let constant = edit.constant(zeroPoints) else { return nil }
            points = Set(constant.elements(as: Int32.self))
        }
        guard points.count == 1, let point = points.first else { return nil }
        self.value = value
        elementType = weights.elementType
        self.scales = scales.elements(as: Float.self)
        zeroPoint = point
        guard self.scales.allSatisfy({ $0.isNormal && $0 > 0 && (256 * $0).isFinite }) else { return nil }
    }

    /// The integers that DequantizeLinear turns into `number`, with scales along `axis`.
    init?(number: Graph.ValueID?, axis: Int, _ edit: GraphEdit) {
        guard let index = edit.origin(number), let node = edit.node(index), let source = node.inputs[0],
            let operation = node.operation as? DequantizeLinear, operation.grid.blockSize == 0, operation.givesFloat32,
            let scales = edit.constant(node.inputs[1]), let weights = edit.constant(source),
            scales.elementCount == 1
                || (operation.grid.axis + (operation.grid.axis < 0 ? weights.shape.count : 0) == axis
                    && scales.shape == [weights.shape[axis]])
        else { return nil }
        self.init(source, scales, zeroPoints: node.inputs.count > 2 ? node.inputs[2] : nil, edit)
    }

    /// The numbers of a bias, one for each of `features`; nil when it is neither a constant nor the result of
    /// DequantizeLinear, has one for each row, or has numbers that are not finite.
    static func numbers(_ value: Graph.ValueID, features: Int, _ edit: GraphEdit) -> [Double]? {
        var numbers: [Double]
        if let constant = edit.constant(value) {
            guard isRow(constant.shape, features) else { return nil }
            numbers = constant.elements(as: Double.self)
        } else {
            guard let index = edit.origin(value), let node = edit.node(index),
                let operation = node.operation as? DequantizeLinear, operation.givesFloat32,
                operation.grid.blockSize == 0, let stored = edit.constant(node.inputs[0]),
                isRow(stored.shape, features),
                let scales = scales(node.inputs[1], edit), scales.count == 1 || scales.count == stored.elementCount
            else { return nil }
            var points: [Double] = [0]
            if node.inputs.count > 2, let id = node.inputs[2] {
                guard let constant = edit.constant(id) else { return nil }
                points = constant.elements(as: Double.self)
            }
            guard points.count == 1 || points.count == stored.elementCount else { return nil }
            numbers = stored.elements(as: Double.self)
            for index in numbers.indices {
                numbers[index] -= points[points.count == 1 ? 0 : index]
                numbers[index] *= scales[scales.count == 1 ? 0 : index]
            }
        }
        if numbers.count == 1 { numbers = [Double](repeating: numbers[0], count: features) }
        return numbers.allSatisfy { Float($0).isFinite } ? numbers : nil
    }

    /// Whether a bias of this shape has one number for all features, or one for each.
    private static func isRow(_ shape: [Int], _ features: Int) -> Bool {
        shape.allSatisfy { $0 == 1 } || shape.last == features && shape.dropLast().allSatisfy { $0 == 1 }
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

extension DequantizeLinear {
    /// Whether the numbers are float32, where the scales are.
    fileprivate var givesFloat32: Bool { elementType == nil || elementType == .float32 }
}

extension Tensor {
    /// The first element as a number.
    var firstNumber: Float? { elementCount > 0 ? elements(as: Float.self).first : nil }
}
