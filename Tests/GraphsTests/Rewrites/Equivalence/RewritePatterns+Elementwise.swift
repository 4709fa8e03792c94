import Graphs
import Tensors

extension RewritePatterns {
    static let elementwise = [
        Row(ReplaceSumByAdd.self) { it in
            let type = it.anyType()
            let shape = it.shape(rank: 3, 1...3)
            let operands = try (0..<it.pick([1, 2, 2, 2, 3])).map { _ in
                let part = shape.map { it.chance(3) ? 1 : $0 }
                return try it.parameter(Array(part.dropFirst(it.number(0...2))), type)
            }
            try it.finish(try it.apply(Sum(activation: type.isFloatingPoint ? it.activation() : nil), operands))
        },
        Row(UseGlobalAveragePool.self) { it in
            it.tolerance = .rounded
            let x = try it.input(it.shape(rank: it.pick([4, 4, 4, 3, 5]), 1...4), it.anyType())
            let axes = it.pick([[2, 3], [2, 3], [-1, -2], [3, 2], [-2, 3], [1, 2], [3], [2, 3, 1], []])
            let isAttribute = it.chance(2)
            let reduction = ReductionAxes(
                axes: isAttribute ? axes : nil, keepsAxes: it.chance(2), isIdentityWithoutAxes: it.chance(4))
            let mean: any Operator = it.chance(8) ? ReduceSum(axes: reduction) : ReduceMean(axes: reduction)
            try it.finish(try it.apply(mean, isAttribute ? [x] : [x, try it.integers(axes)]))
        },
        Row(FuseElementwiseFunction.self) { it in
            it.tolerance = .elementwise
            try it.finish(try it.writtenFunction())
        },
        Row(FuseLayerNormalization.self) { it in
            it.tolerance = .rounded
            try it.finish(try it.layerNormalization())
        },
        Row(FuseActivation.self) { it in
            it.tolerance = .rounded
            let producer = try it.activated(it.chance(3) ? it.activation() : nil)
            var y = try it.activation(of: producer)
            if it.chance(2) { y = try it.activation(of: y) }
            try it.finish(y)
        },
        Row(FuseCurvedActivation.self) { it in
            it.tolerance = .rounded
            let producer = try it.activated(it.chance(4) ? it.activation() : nil)
            let function: any Operator = it.pick([
                Sigmoid(),
                HardSigmoid(alpha: Float(it.pick([0.2, 1.0 / 6, -0.5])), beta: Float(it.pick([0.5, 0, 2]))),
                HardSwish(), Swish(), Swish(alpha: 1.702), Gelu(), Gelu(isApproximate: true), Mish(), Tanh(),
            ])
            try it.finish(try it.apply(function, [producer]))
        },
    ]
}

extension RandomPattern {
    mutating func activation() -> Activation? {
        pick([
            nil, .relu, .clip(low: -0.5, high: 2), .clip(low: 0, high: 6), .leakyRelu(slope: 0.25), .sigmoid,
            .hardSwish,
            .clip(low: -.infinity, high: 1),
        ])
    }

    /// A Relu, LeakyRelu or Clip of a value; the bounds of a Clip are attributes, constants or inputs, in any order.
    mutating func activation(of x: Value) throws -> Value {
        let type = type(x).elementType
        switch number(0...4) {
        case 0: return try apply(Relu(), [x])
        case 1: return try apply(LeakyRelu(alpha: Float(pick([0.25, -1, 0, 2]))), [x])
        default:
            let bounds: (Double?, Double?) = pick([
                (0, 6), (-1, 1), (nil, 2), (0, nil), (nil, nil), (3, 1), (2, 2), (-.infinity, .infinity), (.nan, 1),
                (0, .nan), (-0.5, 40), (0.5, 0.75),
            ])
            if chance(2) {
                return try apply(Clip(min: bounds.0.map { Float($0) }, max: bounds.1.map { Float($0) }), [x])
            }
            let operands = try [bounds.0, bounds.1].map { bound in
                try bound.map { bound in
                    chance(6) ? try input(try Tensor([bound], as: type, shape: [])) : try constant([bound], [], type)
                }
            }
            return try apply(Clip(), [x] + operands)
        }
    }

    /// The result of an operator that takes activations.
    mutating func activated(_ activation: Activation?) throws -> Value {
        switch number(0...5) {
        case 0:
            let type = anyType()
            let shape = shape(rank: 2)
            return try apply(
                Add(activation: type.isFloatingPoint ? activation : nil), [input(shape, type), parameter(shape, type)])
        case 1:
            let type = anyType()
            let shape = shape(rank: 2)
            return try apply(
                Sum(activation: type.isFloatingPoint ? activation : nil), [input(shape, type), parameter(shape, type)])
        case 2:
            let type = floatType()
            return try apply(
                Gemm(alpha: Float(pick([1, 0.5])), activation: activation),
                [input([2, 3], type), parameter([3, 4], type), parameter([4], type)])
        case 3:
            let type = floatType()
            let isStack = chance(3)
            return try apply(
                MatMul(activation: isStack ? nil : activation),
                [input([2, 2, 3], type), parameter(isStack ? [2, 3, 4] : [3, 4], type)])
        case 4:
            let x = try input([2, 3, 2, 2])
            return try apply(
                BatchNormalization(activation: activation),
                [x, constant([3]), constant([3]), constant([3]), constant([1, 2, 0.5], [3])])
        default: return try convolution(activation)
        }
    }

    /// Gelu, Swish, HardSwish, HardSigmoid or Mish as exporters write them, or nearly so: with limits of other numbers,
    /// other constants, and operands in any order.
    mutating func writtenFunction() throws -> Value {
        let type = floatType()
        let shape = shape(rank: number(0...3))
        var values: [Double] = []
        for _ in 0..<shape.elementCount {
            values.append(chance(3) ? pick([-9, 8, 12, -12, 100, -100, 9, 6, 3, -3, 1e4, -1e4, 0]) : uniform(-12...12))
        }
        if palette == .extreme { values = numbers(shape.elementCount, type) }
        let x = try input(try Tensor(values, as: type, shape: shape))
        var argument = x
        if chance(3) { argument = try limited(argument, type) }
        func rank() -> [Int] { [] }
        func constant(_ value: Double, _ it: inout RandomPattern) throws -> Value {
            let exact = it.chance(16) ? value * it.pick([1.001, 2, 0.999]) : value
            let shape = it.chance(12) ? [Int](repeating: 1, count: it.number(1...3)) : []
            return try it.constant([exact], shape, type)
        }
        func times(_ a: Value, _ b: Value, _ it: inout RandomPattern) throws -> Value { try it.commuted(Mul(), a, b) }
        func plus(_ a: Value, _ b: Value, _ it: inout RandomPattern) throws -> Value { try it.commuted(Add(), a, b) }
        func scaled(_ a: Value, by factor: Double, _ it: inout RandomPattern) throws -> Value {
            it.chance(2)
                ? try times(a, constant(factor, &it), &it) : try it.apply(Div(), [a, constant(1 / factor, &it)])
        }
        func clipped(_ a: Value, _ low: Double, _ high: Double, _ it: inout RandomPattern) throws -> Value {
            switch it.number(0...2) {
            case 0: return try it.apply(Clip(), [a, it.constant([low], [], type), it.constant([high], [], type)])
            case 1:
                let raised = low == 0 ? try it.apply(Relu(), [a]) : try it.commuted(Max(), a, constant(low, &it))
                return try it.commuted(Min(), raised, constant(high, &it))
            default: return try it.apply(Clip(min: Float(low), max: Float(high)), [a])
            }
        }
        func logistic(_ a: Value, _ it: inout RandomPattern) throws -> Value {
            if it.chance(2) { return try it.apply(Sigmoid(), [a]) }
            let power = try it.apply(Exp(), [it.apply(Neg(), [a])])
            return try it.apply(Reciprocal(), [plus(power, constant(1, &it), &it)])
        }
        var gate: Value
        var isGated = true
        var half = false
        switch number(0...6) {
        case 0:
            let inner = try apply(Erf(), [scaled(argument, by: 0.5.squareRoot(), &self)])
            gate = try plus(inner, constant(1, &self), &self)
            half = true
        case 1:
            let cube =
                chance(2)
                ? try apply(Pow(), [argument, constant(3, &self)])
                : try times(times(argument, argument, &self), argument, &self)
            let sum = try plus(argument, scaled(cube, by: 0.044715, &self), &self)
            let inner = try apply(Tanh(), [scaled(sum, by: (2 / Double.pi).squareRoot(), &self)])
            gate = try plus(inner, constant(1, &self), &self)
            half = true
        case 2: gate = try logistic(argument, &self)
        case 3: gate = try logistic(scaled(argument, by: 1.702, &self), &self)
        case 4:
            let line =
                chance(2)
                ? try scaled(clipped(plus(argument, constant(3, &self), &self), 0, 6, &self), by: 1.0 / 6, &self)
                : try clipped(plus(scaled(argument, by: 1.0 / 6, &self), constant(0.5, &self), &self), 0, 1, &self)
            gate = chance(3) ? try apply(HardSigmoid(alpha: 1 / 6), [argument]) : line
            isGated = chance(3) ? false : true
        default:
            let sum =
                chance(2)
                ? try apply(Softplus(), [argument])
                : try apply(Log(), [plus(apply(Exp(), [argument]), constant(1, &self), &self)])
            gate = try apply(Tanh(), [sum])
        }
        if chance(4) { gate = try limited(gate, type) }
        guard isGated else { return chance(2) ? try scaled(gate, by: 1, &self) : gate }
        // The limit of one branch alone changes the function, that of their common argument does not.
        var factor = pick([argument, x])
        if chance(2) { factor = try limited(factor, type) }
        if half, chance(2) {
            factor = try scaled(factor, by: 0.5, &self)
            half = false
        }
        var result = try times(factor, gate, &self)
        if half { result = try scaled(result, by: 0.5, &self) }
        return result
    }

    /// A limit of a value, inside or far beyond what functions are sampled at.
    private mutating func limited(_ x: Value, _ type: ElementType) throws -> Value {
        let limit = pick([9, 9, 10, 11, 12, 20, 40, 100, 6, 1, 1e4, .infinity])
        switch number(0...3) {
        case 0: return try commuted(Min(), x, constant([limit], [], type))
        case 1: return try commuted(Max(), x, constant([-limit], [], type))
        case 2: return try apply(Clip(min: -Float(limit), max: Float(limit)), [x])
        default: return try apply(Clip(), [x, constant([-limit], [], type), constant([limit], [], type)])
        }
    }

    /// A layer normalisation written as means, squares and roots, with a scale and a bias behind it, or nearly one.
    mutating func layerNormalization() throws -> Value {
        let rank = number(2...4)
        let shape = shape(rank: rank, 2...4)
        let type: ElementType = chance(8) ? .float64 : .float32
        // Squares of larger numbers overflow, where LayerNormalization's do not.
        let numbers = self.numbers(shape.elementCount, type).map { $0.isFinite && abs($0) > 1e18 ? 100 : $0 }
        let x = try input(try Tensor(numbers, as: type, shape: shape))
        let axes = pick([[-1], [-1], [rank - 1], [1], [-2, -1], [0]])
        func mean(_ value: Value, _ it: inout RandomPattern) throws -> Value {
            let isAttribute = it.chance(2)
            let reduction = ReductionAxes(axes: isAttribute ? axes : nil, keepsAxes: !it.chance(16))
            return try it.apply(ReduceMean(axes: reduction), isAttribute ? [value] : [value, it.integers(axes)])
        }
        let centred = try apply(Sub(), [x, mean(x, &self)])
        let other = chance(2) ? try apply(Sub(), [x, mean(x, &self)]) : centred
        let squares =
            chance(2)
            ? try apply(Pow(), [other, constant([pick([2, 2, 2, 3])], [], type)]) : try apply(Mul(), [other, other])
        // A number with more axes than the value gives the result as many.
        let axisCount = chance(8) ? rank + 1 : pick([0, 0, rank])
        let epsilon = try constant([pick([1e-5, 1e-3, 0.5])], [Int](repeating: 1, count: axisCount), type)
        let sum = try commuted(Add(), mean(squares, &self), epsilon)
        let deviation = chance(3) ? try apply(Pow(), [sum, constant([0.5], [], type)]) : try apply(Sqrt(), [sum])
        var y =
            chance(2)
            ? try apply(Div(), [centred, deviation])
            : try commuted(Mul(), centred, apply(Reciprocal(), [deviation]))
        let last = shape[rank - 1]
        for _ in 0..<number(0...3) {
            let row = pick([[last], [1, last], [1], [], [last, 1]])
            let operand = try parameter(row, type)
            if chance(3), shape[0] == last {
                var sum = chance(2) ? Add() as any AlignedOperator : Mul()
                sum.alignment = .axis(0)
                y = try apply(sum, [y, try constant([last], type)])
            } else {
                y = try commuted(chance(2) ? Add() : Mul(), y, operand)
            }
        }
        return y
    }
}
