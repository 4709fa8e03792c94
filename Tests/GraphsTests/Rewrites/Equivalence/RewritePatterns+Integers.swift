import Graphs
import Tensors

extension RewritePatterns {
    static let integers = [
        Row(UseIntegerArithmetic.self) { it in
            let result = it.quantization(of: it.chance(2) ? .uint8 : .int8)
            var y: RandomPattern.Value
            switch it.number(0...9) {
            case 0: y = try it.quantizedConvolution(result)
            case 1: y = try it.quantizedProduct(result)
            default:
                y = try it.integerOperand(result)
                if it.chance(2) { y = try it.activation(of: y) }
                y = try it.apply(QuantizeLinear(saturates: !it.chance(24)), [y] + it.parameters(result))
            }
            if it.chance(2) {
                it.tolerance = .steps(it.tolerance.isExact ? 0 : result.scale)
                y = try it.apply(DequantizeLinear(), [y] + it.parameters(result))
            } else {
                it.tolerance = .steps(it.tolerance.isExact ? 0 : 1)
            }
            try it.finish(y)
        },
        Row(FuseQuantizedProduct.self) { it in
            it.tolerance = .rounded
            try it.finish(it.chance(3) ? try it.dynamicProduct() : try it.staticProduct())
        },
        Row(FuseIntegerConvolution.self) { it in
            it.tolerance = .rounded
            try it.finish(try it.scaledConvolution())
        },
        Row(UseExactFloats.self) { it in
            let group = it.pick([1, 2, 3])
            let type = it.chance(2) ? ElementType.uint8 : .int8
            let x = try it.bytes([1, 2 * group, 4, 4], type, isConstant: false)
            let window = it.window(axes: 2)
            let weights = try it.bytes(
                [group, 2] + window.kernel, it.chance(2) ? .uint8 : .int8, isConstant: !it.chance(8))
            var operands: [RandomPattern.Value?] = [x, weights]
            if it.chance(2) {
                operands.append(try it.bytes([], type, isConstant: it.chance(2)))
                if it.chance(2) {
                    operands.append(
                        try it.bytes(
                            it.chance(2) ? [] : [group], it.type(weights).elementType, isConstant: !it.chance(8)))
                }
            }
            let sums = try it.apply(ConvInteger(Conv(group: group, window: window)), operands)
            try it.finish(try it.apply(Cast(to: it.chance(6) ? .float64 : .float32), [sums]))
        },
    ]
}

/// A scale and a zero point.
struct RandomQuantization {
    var scale: Double
    var zeroPoint: Int
    var type: ElementType
}

extension RandomPattern {
    /// Whether scales are powers of two, so that float32 computes without rounding.
    var isExact: Bool { palette == .dyadic }

    mutating func scale() -> Double {
        if palette == .extreme, chance(12) { return pick([0x1p-126, 1e-44, 1e-30, 1e30, 3e38]) }
        let power = pick([0x1p-14, 0x1p-13, 0x1p-8, 0x1p-6, 0x1p-5, 0x1p-4, 0x1p-3, 0x1p-2, 1, 4])
        return isExact ? power : Double(Float(power * uniform(1...2)))
    }

    mutating func quantization(of type: ElementType) -> RandomQuantization {
        let zeroPoint = type == .int8 ? pick([0, -128, 127, 5, -7]) : pick([0, 128, 255, 3])
        return RandomQuantization(scale: scale(), zeroPoint: zeroPoint, type: type)
    }

    mutating func parameters(_ quantization: RandomQuantization) throws -> [Value] {
        [
            try constant([quantization.scale], []),
            try constant([Double(quantization.zeroPoint)], [], quantization.type),
        ]
    }

    mutating func bytes(_ shape: [Int], _ type: ElementType, isConstant: Bool) throws -> Value {
        let range = type == .int8 ? -128...127 : 0...255
        let values = (0..<shape.elementCount).map { _ in
            Double(chance(6) ? pick([range.lowerBound, range.upperBound]) : number(range))
        }
        let tensor = try Tensor(values, as: type, shape: shape)
        return isConstant ? constant(tensor) : try input(tensor)
    }

    /// The numbers of an input of bytes.
    private mutating func operand(_ shape: [Int], _ type: ElementType? = nil) throws -> (Value, RandomQuantization) {
        let type = type ?? (chance(2) ? .uint8 : .int8)
        let quantization = self.quantization(of: type)
        let operation = DequantizeLinear(elementType: chance(24) ? .float32 : nil)
        return (try apply(operation, [bytes(shape, type, isConstant: false)] + parameters(quantization)), quantization)
    }

    /// Weights of bytes with a scale for all or for each slice of an axis.
    private mutating func weights(_ shape: [Int], axis: Int) throws -> (Value, scales: [Double]) {
        let type: ElementType = chance(3) ? .uint8 : .int8
        let count = chance(2) ? shape[axis] : 1
        let point = type == .uint8 ? pick([0, 128, 100]) : pick([0, 0, 0, 3, -128])
        let scales = (0..<count).map { _ in scale() }
        let parameterShape = count == 1 && chance(2) ? [] : [count]
        var points = [Double](repeating: Double(point), count: count)
        if count > 1, chance(12) { points[0] = 1 }
        let zeroPoints = try Tensor(points, as: type, shape: parameterShape)
        let operation = DequantizeLinear(grid: QuantizationGrid(axis: axis))
        let number = try apply(
            operation,
            [
                bytes(shape, type, isConstant: true), constant(scales, parameterShape),
                chance(16) ? input(zeroPoints) : constant(zeroPoints),
            ])
        return (number, scales)
    }

    /// A bias: numbers, or integers in the scale of the sums or in another one, up to the ends of 32 bits.
    private mutating func bias(_ shape: [Int], steps: [Double]) throws -> Value {
        let count = shape.elementCount
        tolerance = .rounded
        if chance(2) {
            let isDyadic = isExact
            let values = (0..<count).map { _ in
                isDyadic
                    ? Double(number(-200...200)) / 2 : chance(2) ? uniform(-4...4) : pick([100, 40, -100, 1e4, 3e9])
            }
            let tensor = try Tensor(values, as: .float32, shape: shape)
            return chance(12) ? try input(tensor) : constant(tensor)
        }
        let integers = (0..<count).map { _ in
            Int32(chance(4) ? pick([Int(Int32.max), Int(Int32.min), 1 << 30]) : number(-5000...5000))
        }
        var scales = chance(2) ? steps.map { Double(Float($0)) } : [scale()]
        if scales.count != count { scales = [scales[0]] }
        return try apply(
            DequantizeLinear(grid: QuantizationGrid(axis: 0)),
            [constant(try Tensor(integers, shape: shape)), constant(scales, scales.count == 1 ? [] : [count])])
    }

    /// The numbers of an operator whose operands are bytes. The tolerance says whether float32 computes it exactly.
    fileprivate mutating func integerOperand(_ result: RandomQuantization) throws -> Value {
        tolerance = isExact ? .same : .rounded
        switch number(0...8) {
        case 0, 1, 2:
            let axes = pick([1, 2, 2])
            let group = pick([1, 1, 2])
            let channels = group * number(1...2), features = group * number(1...2)
            let window = self.window(axes: axes)
            let (x, input) = try operand([1, channels] + shape(rank: axes, 2...5))
            let (w, scales) = try weights([features, channels / group] + window.kernel, axis: 0)
            var convolution = Conv(group: group, window: window)
            if chance(16) { convolution.activation = activation() }
            let steps = scales.map { $0 * input.scale }
            return try apply(convolution, chance(3) ? [x, w] : [x, w, bias([features], steps: steps)])
        case 3, 4:
            let (x, input) = try operand([4, 3])
            let transB = chance(2)
            let (w, scales) = try weights(transB ? [4, 3] : [3, 4], axis: transB ? 0 : 1)
            let product = Gemm(
                alpha: chance(8) ? 0.5 : 1, beta: chance(8) ? 2 : 1, transB: transB,
                activation: chance(16) ? activation() : nil)
            let steps = scales.map { $0 * input.scale }
            let shape = pick([[4], [4], [1, 4], [4, 1], [], [1], [4, 4]])
            return try apply(product, chance(3) ? [x, w] : [x, w, bias(shape, steps: steps)])
        case 5:
            let (a, _) = try operand([2, 3], result.type)
            let (b, _) = try operand(chance(3) ? [3] : [2, 3], chance(8) ? nil : result.type)
            var sum = Add(activation: chance(4) ? activation() : nil)
            if chance(12) { sum.alignment = .axis(0) }
            return try commuted(sum, a, b)
        case 6:
            let (x, _) = try operand([1, 3, number(1...4), number(1...4)], chance(8) ? nil : result.type)
            // Means of counts that are no powers of two are rounded.
            tolerance = .rounded
            if [1, 2, 4, 8, 16].contains(shape(x)[2] * shape(x)[3]), isExact { tolerance = .same }
            return try apply(GlobalAveragePool(), [x])
        case 7:
            let parts = try (0..<number(1...3)).map { _ in
                var quantization = result
                if chance(2) { quantization = self.quantization(of: chance(8) ? .uint8 : result.type) }
                return try apply(
                    DequantizeLinear(),
                    [bytes([2, number(1...2)], quantization.type, isConstant: false)] + parameters(quantization))
            }
            return try apply(Concat(axis: 1), parts)
        default:
            var quantization = result
            if chance(4) { quantization.scale = scale() }
            let x = try apply(
                DequantizeLinear(),
                [bytes([1, 2, 4, 4], result.type, isConstant: false)] + parameters(quantization))
            let operation: any Operator = pick([
                MaxPool(window: window(axes: 2)), Flatten(axis: 1), Transpose(permutation: [0, 2, 3, 1]),
                Squeeze(axes: [0]), Unsqueeze(axes: [0]), Reshape(shape: [4, 8]), Relu(), AveragePool(kernel: [2, 2]),
            ])
            return try apply(operation, [x])
        }
    }

    fileprivate mutating func quantizedConvolution(_ result: RandomQuantization) throws -> Value {
        tolerance = .same
        let input = quantization(of: chance(2) ? .uint8 : .int8)
        let window = self.window(axes: 2)
        let x = try bytes([1, 2, 4, 4], input.type, isConstant: false)
        let type: ElementType = chance(2) ? .uint8 : .int8
        let count = pick([1, 3])
        let point = pick([0, 3])
        let w = try bytes([3, 2] + window.kernel, type, isConstant: true)
        let scales = try constant((0..<count).map { _ in scale() }, [count])
        let points = try Tensor([Double](repeating: Double(point), count: count), as: type, shape: [count])
        var operands: [Value?] =
            try [x] + parameters(input) + [w, scales, chance(12) ? self.input(points) : constant(points)]
            + parameters(result)
        if chance(2) {
            let integers = (0..<3).map { _ in
                Int32(chance(4) ? pick([Int(Int32.max), Int(Int32.min)]) : number(-5000...5000))
            }
            let bias = try Tensor(integers, shape: [3])
            operands.append(chance(12) ? try self.input(bias) : constant(bias))
        }
        return try apply(QLinearConv(Conv(window: window)), operands)
    }

    fileprivate mutating func quantizedProduct(_ result: RandomQuantization) throws -> Value {
        tolerance = .same
        let input = quantization(of: chance(2) ? .uint8 : .int8)
        let x = try bytes(chance(2) ? [2, 3] : [2, 2, 3], input.type, isConstant: false)
        let type: ElementType = chance(2) ? .uint8 : .int8
        let count = pick([1, 4])
        let point = Double(pick([0, 3]))
        let shape = count == 1 ? [] : [count]
        let operands: [Value?] =
            try [x] + parameters(input)
            + [
                bytes([3, 4], type, isConstant: !chance(12)), constant((0..<count).map { _ in scale() }, shape),
                constant([Double](repeating: point, count: count), shape, type),
            ] + parameters(result)
        return try apply(QLinearMatMul(), operands)
    }

    /// Numbers or bytes, times weights of bytes. NaN has no byte, and is not drawn.
    fileprivate mutating func staticProduct() throws -> Value {
        let type: ElementType = chance(2) ? .uint8 : .int8
        let quantization = self.quantization(of: type)
        let shape = chance(3) ? [2, 2, 3] : [4, 3]
        var integers = try bytes(shape, type, isConstant: false)
        if chance(2) {
            let numbers = self.numbers(shape.elementCount, .float32).map { $0.isNaN ? 1 : $0 }
            var other = quantization
            if chance(4) { other.scale = scale() }
            let x = try input(try Tensor(numbers, as: .float32, shape: shape))
            integers = try apply(QuantizeLinear(), [x] + parameters(other))
        }
        let x = try apply(DequantizeLinear(), [integers] + parameters(quantization))
        let isProduct = shape.count > 2 || chance(2)
        let transB = !isProduct && chance(2)
        let (w, scales) = try weights(transB ? [4, 3] : [3, 4], axis: transB ? 0 : 1)
        let steps = scales.map { $0 * quantization.scale }
        var operands: [Value?] = [x, w]
        let activation = chance(4) ? self.activation() : nil
        if isProduct {
            if chance(3) { operands.append(try bias([4], steps: steps)) }
            return try apply(MatMul(activation: activation), operands)
        }
        if chance(2) { operands.append(try bias(pick([[4], [1, 4], [4, 1], [], [4, 4]]), steps: steps)) }
        return try apply(
            Gemm(alpha: chance(8) ? 0.5 : 1, beta: chance(8) ? 2 : 1, transB: transB, activation: activation), operands)
    }

    /// A convolution of integers with the nodes around it as dynamic quantization writes them.
    fileprivate mutating func scaledConvolution() throws -> Value {
        let group = chance(8) ? 2 : 1
        let axes = chance(8) ? 1 : 2
        let window = self.window(axes: axes)
        let x = try bytes([number(1...2), 2 * group] + shape(rank: axes, 2...5), .uint8, isConstant: false)
        let w = try bytes([3 * group, 2] + window.kernel, chance(2) ? .uint8 : .int8, isConstant: !chance(8))
        var operands: [Value?] = [x, w]
        if chance(2) {
            operands.append(try bytes([], .uint8, isConstant: chance(2)))
            if chance(2) { operands.append(try bytes([], type(w).elementType, isConstant: true)) }
        }
        var y = try apply(ConvInteger(Conv(group: group, window: window)), operands)
        let ones = [Int](repeating: 1, count: axes)
        let ofChannels = pick([[3 * group] + ones, [1, 3 * group] + ones])
        if chance(2) {
            let extents = chance(8) ? [] : ofChannels
            let integers = (0..<extents.elementCount).map { _ in
                Int32(chance(6) ? pick([Int(Int32.max), Int(Int32.min)]) : number(-5000...5000))
            }
            let offset = try Tensor(integers, shape: extents)
            y = try commuted(Add(), y, chance(2) ? input(offset) : constant(offset))
        }
        let sums = y
        y = try apply(Cast(to: chance(12) ? .float64 : .float32), [y])
        guard type(y).elementType == .float32 else { return y }
        let scaleShape = pick([[], [1], [1, 1, 1], chance(4) ? ofChannels : []])
        let scales = try Tensor(
            (0..<scaleShape.elementCount).map { _ in scale() }, as: .float32, shape: scaleShape)
        y = try commuted(Mul(), y, chance(2) ? input(scales) : constant(scales))
        if chance(2) {
            let extents = chance(8) ? [] : ofChannels
            let numbers = (0..<extents.elementCount).map { _ in Double(uniform(-4...4)) }
            let bias = try Tensor(numbers, as: .float32, shape: extents)
            y = try commuted(Add(), y, chance(8) ? input(bias) : constant(bias))
        }
        // Whoever reads the sums, too, needs them as they are.
        if chance(12) { y = try apply(Add(), [y, apply(Cast(to: .float32), [sums])]) }
        return y
    }

    /// A product of integers as dynamic quantization writes it, for the whole value or by row.
    fileprivate mutating func dynamicProduct() throws -> Value {
        let isByRow = chance(2)
        let numbers = self.numbers(6, .float32).map { !isByRow && !$0.isFinite ? 1 : $0 }
        let x = try input(try Tensor(numbers, as: .float32, shape: [2, 3]))
        let weights = try bytes([3, 4], chance(2) ? .uint8 : .int8, isConstant: true)
        let points = chance(2) ? nil : try constant([Double(pick([0, 3]))], [], type(weights).elementType)
        let factors = try constant((0..<4).map { _ in scale() }, chance(2) ? [4] : [1, 4])
        let inputScale: Value
        let quantized: Value
        var zeroPoint: Value?
        if isByRow {
            let axes = pick([[-1], [1], [0]])
            let peak = try apply(
                ReduceMax(axes: ReductionAxes(axes: axes)), [apply(Abs(), [x])])
            let quotient = try apply(Div(), [peak, constant([pick([127, 127, 126])], [])])
            inputScale = try commuted(Max(), quotient, constant([Double(Float.leastNormalMagnitude)], []))
            quantized = try apply(Cast(to: .int8), [apply(Round(), [apply(Div(), [x, inputScale])])])
            if chance(3) { zeroPoint = try constant([chance(4) ? 1 : 0], [], .int8) }
        } else {
            let parts = try results(DynamicQuantizeLinear(), [x], count: 3)
            (quantized, inputScale) = (parts[0], parts[1])
            zeroPoint = chance(6) ? nil : parts[2]
        }
        let sums = try apply(
            Cast(to: .float32),
            [
                apply(
                    MatMulInteger(),
                    points == nil && zeroPoint == nil ? [quantized, weights] : [quantized, weights, zeroPoint, points])
            ])
        if chance(2) { return try commuted(Mul(), sums, commuted(Mul(), inputScale, factors)) }
        return try commuted(Mul(), commuted(Mul(), sums, inputScale), factors)
    }
}

extension RandomPattern.Tolerance {
    fileprivate var isExact: Bool { if case .same = self { true } else { false } }
}
