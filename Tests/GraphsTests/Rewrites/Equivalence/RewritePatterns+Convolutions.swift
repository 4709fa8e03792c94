import Graphs
import Tensors

extension RewritePatterns {
    static let convolutions = [
        Row(MergePad.self) { it in
            it.tolerance = .rounded
            if it.chance(4) { return try it.finish(try it.dilatedMaximumOfPadded()) }
            let type = it.pick([.float32, .float32, .float16, .float64, .uint8] as [ElementType])
            var x = try it.input([1, 2, it.number(1...5), it.number(1...5)], type)
            if it.chance(2), type.isFloatingPoint { x = try it.apply(it.pick([Relu(), Sigmoid(), Neg()]), [x]) }
            if it.chance(4), type.isFloatingPoint {
                x = try it.apply(Add(activation: it.activation()), [x, it.constant([], type)])
            }
            var pads = [0, 0, it.number(0...3), it.number(0...3), 0, 0, it.number(0...3), it.number(0...3)]
            if it.chance(12) { pads[it.number(0...7)] = it.pick([1, -1]) }
            let value = it.pick([0, 0, 0, -Double.infinity, -0.0, 1])
            let isAttribute = it.chance(2)
            let pad = Pad(
                mode: it.chance(10) ? .edge : .constant, pads: isAttribute ? pads : nil,
                value: isAttribute ? Float(value) : 0)
            let operands = isAttribute ? [x] : [x, try it.integers(pads), try it.constant([value], [], type)]
            let padded = try it.apply(pad, operands)
            let window = it.window(axes: 2)
            switch it.number(0...2) {
            case 0:
                let weights = try it.parameter([3, 2] + window.kernel, type)
                try it.finish(try it.apply(Conv(window: window), [padded, weights]))
            case 1:
                var pool = window
                pool.ceilMode = it.chance(8)
                try it.finish(try it.apply(AveragePool(window: pool, countIncludePad: it.chance(2)), [padded]))
            default:
                var pool = window
                pool.ceilMode = it.chance(8)
                try it.finish(try it.apply(MaxPool(window: pool), [padded]))
            }
        },
        Row(DropPaddedTaps.self) { it in
            it.tolerance = .rounded
            var window = it.window(axes: 2, dilations: 1...6)
            window.pads = (0..<4).map { _ in it.number(0...6) }
            let x = try it.input([1, 2, it.number(1...4), it.number(1...4)], it.floatType())
            let type = it.type(x).elementType
            try it.finish(
                try it.apply(
                    Conv(window: window), [x, it.parameter([3, 2] + window.kernel, type), it.parameter([3], type)]))
        },
        Row(MergeAddedConvolutions.self) { it in
            it.tolerance = .rounded
            let type = it.pick([.float32, .float32, .float64, .float16] as [ElementType])
            let channels = it.number(1...3)
            let x = try it.input([1, channels, 4, 5], type)
            let isDepthwise = it.chance(2)
            let features = isDepthwise ? channels : it.chance(2) ? channels : 3
            func branch(_ it: inout RandomPattern) throws -> RandomPattern.Value {
                switch it.number(0...5) {
                case 0: return x
                case 1: return try it.batchNormalization(x, channels: channels, type)
                default:
                    let kernel = [it.pick([1, 3, 3, 2]), it.pick([1, 3, 3])]
                    let dilations = it.chance(5) ? [2, 1] : []
                    let pads =
                        it.chance(5)
                        ? [1, 1, 1, 1] : zip(kernel + kernel, dilations + [1, 1, 1, 1]).map { ($0 - 1) / 2 * $1 }
                    let window = SpatialWindow(
                        strides: it.chance(6) ? [2, 2] : [], dilations: dilations, pads: pads,
                        autoPad: it.chance(6) ? it.pick([.sameUpper, .sameLower]) : .notSet)
                    let weights = try it.parameter([features, isDepthwise ? 1 : channels] + kernel, type)
                    var conv = Conv(group: isDepthwise ? channels : 1, window: window)
                    if it.chance(12) { conv.activation = it.activation() }
                    return try it.apply(
                        conv, it.chance(2) ? [x, weights] : [x, weights, it.constant([features], type)])
                }
            }
            let (a, b) = (try branch(&it), try branch(&it))
            try it.finish(try it.apply(it.chance(2) ? Sub() : Add(activation: it.activation()), [a, b]))
        },
        Row(ReplaceConvTranspose.self) { it in
            it.tolerance = .rounded
            let type = it.pick([.float32, .float32, .float64, .float16] as [ElementType])
            let group = it.pick([1, 1, 2])
            let x = try it.input([it.number(1...2), 2, it.number(1...4), it.number(1...4)], type)
            let kernel = [it.number(1...4), it.number(1...4)]
            let stride = it.number(1...3)
            let weights = try it.parameter([2, 2] + kernel, type)
            let operation = ConvTranspose(
                group: group, strides: it.chance(8) ? [1, 2] : [stride, stride],
                dilations: it.chance(10) ? [2, 1] : [],
                pads: it.chance(2) ? [] : (0..<4).map { _ in it.number(0...2) },
                outputPadding: it.chance(4) ? [it.number(0...stride), 0] : [])
            try it.finish(
                try it.apply(operation, it.chance(2) ? [x, weights] : [x, weights, it.parameter([2 * group], type)]))
        },
        Row(FuseBias.self) { it in
            it.tolerance = .rounded
            let activation = it.chance(3) ? it.activation() : nil
            var y: RandomPattern.Value
            var row: [Int]
            switch it.number(0...2) {
            case 0:
                y = try it.convolution(activation)
                let channels = it.shape(y)[1]
                let ones = [Int](repeating: 1, count: it.shape(y).count - 2)
                row = it.pick([
                    [channels] + ones, [1, channels] + ones, [], [1], [channels], Array(it.shape(y).dropFirst()),
                ])
            case 1:
                let type = it.anyType()
                let transB = it.chance(2)
                let product = Gemm(
                    alpha: Float(it.pick([1, 0.5])), beta: Float(it.pick([1, 2])), transA: it.chance(4), transB: transB,
                    activation: type.isFloatingPoint ? activation : nil)
                let (a, b) = (try it.input([3, 3], type), try it.parameter(transB ? [4, 3] : [3, 4], type))
                y = try it.apply(product, it.chance(4) ? [a, b, it.constant([4], type)] : [a, b])
                row = it.pick([[4], [1, 4], [], [1, 1], [3, 1], [3, 4]])
            default:
                let type = it.anyType()
                let shape = it.chance(4) ? [2, 3, 3] : [3, 3]
                y = try it.apply(
                    MatMul(activation: type.isFloatingPoint ? activation : nil),
                    [it.input(shape, type), it.parameter([3, 4], type)])
                row = it.pick([[4], [1, 4], [], [3, 1], [3, 4]])
            }
            if it.chance(16) { row = [2] + row }
            let constant = try it.parameter(row, it.type(y).elementType)
            let isFloat = it.type(y).elementType.isFloatingPoint
            try it.finish(try it.commuted(Add(activation: isFloat ? it.activation() : nil), y, constant))
        },
        Row(FuseAddend.self) { it in
            it.tolerance = .rounded
            let y = try it.convolution(it.chance(4) ? it.activation() : nil)
            var shape = it.shape(y)
            if it.chance(6) { shape[it.number(0...shape.count - 1)] = 1 }
            let other: RandomPattern.Value
            if it.chance(3), let image = it.graph.inputs.first {
                let weights = try it.constant(
                    [it.shape(y)[1], it.shape(image)[1]] + [Int](repeating: 1, count: shape.count - 2),
                    it.type(y).elementType)
                other = try it.apply(Conv(), [image, weights])
            } else {
                other = try it.input(shape, it.type(y).elementType)
            }
            try it.finish(try it.commuted(Add(activation: it.activation()), y, other))
        },
        Row(MergeSiblingConvolutions.self) { it in
            it.tolerance = .rounded
            let type = it.floatType()
            let x = try it.input([it.number(1...2), 3, 4, 4], type)
            let strides = it.pick([[], [2, 2], [1, 1]])
            let activation = it.activation()
            var outputs: [RandomPattern.Value] = []
            for _ in 0..<it.number(2...3) {
                let features = it.number(1...3)
                var conv = Conv(
                    kernel: it.chance(2) ? [1, 1] : [], strides: it.chance(8) ? [1, 2] : strides,
                    pads: it.chance(10) ? [1, 1, 1, 1] : [], activation: it.chance(8) ? nil : activation)
                if it.chance(10) { conv.window.dilations = [2, 2] }
                let weights = try it.parameter([features, 3, 1, 1], type)
                let y = try it.apply(conv, it.chance(2) ? [x, weights] : [x, weights, it.constant([features], type)])
                outputs.append(
                    it.chance(5) ? try it.apply(Abs(), [y]) : try it.apply(MaxPool(kernel: [1, 2]), [y]))
            }
            try it.finish(outputs[0], outputs[1])
        },
    ]
}

extension RandomPattern {
    /// The maximum under taps that lie apart, of few numbers, none negative, with zeros around them. All taps of a
    /// window may lie in padding.
    mutating func dilatedMaximumOfPadded() throws -> Value {
        let x = try input([1, 2, number(1...2), number(1...2)], floatType())
        let positive = try apply(pick([Relu(), Sigmoid()]), [x])
        let kernel = [number(2...3), number(2...3)]
        // Padding that is narrower than the kernel.
        let pads = (kernel + kernel).map { number(1...$0 - 1) }
        let padded = try apply(Pad(pads: [0, 0] + pads[..<2] + [0, 0] + pads[2...], value: 0), [positive])
        let window = SpatialWindow(kernel: kernel, dilations: [number(1...3), number(1...3)])
        return try apply(MaxPool(window: window), [padded])
    }

    mutating func window(axes: Int, dilations: ClosedRange<Int> = 1...3) -> SpatialWindow {
        let kernel = (0..<axes).map { _ in number(1...3) }
        return SpatialWindow(
            kernel: kernel, strides: chance(2) ? [] : (0..<axes).map { _ in number(1...2) },
            dilations: chance(2) ? [] : (0..<axes).map { _ in number(dilations) },
            pads: chance(2) ? [] : (0..<2 * axes).map { _ in number(0...2) },
            autoPad: chance(8) ? pick([.valid, .sameUpper, .sameLower]) : .notSet)
    }

    /// A convolution along one or two axes: dense, grouped or depthwise, sometimes with a bias.
    mutating func convolution(_ activation: Activation? = nil, _ type: ElementType? = nil) throws -> Value {
        let type = type ?? floatType()
        let axes = pick([1, 2, 2])
        let group = pick([1, 1, 2])
        let channels = group * number(1...2), features = group * number(1...2)
        let x = try input([number(1...2), channels] + shape(rank: axes, 2...5), type)
        let window = window(axes: axes)
        let weights = try parameter([features, channels / group] + window.kernel, type)
        var operation = Conv(group: group, window: window)
        operation.activation = activation
        return try apply(operation, chance(2) ? [x, weights] : [x, weights, parameter([features], type)])
    }

    /// A batch normalisation with statistics that are constants, but now and then.
    mutating func batchNormalization(
        _ x: Value, channels: Int, _ type: ElementType, activation: Activation? = nil
    ) throws -> Value {
        // With a variance and an epsilon near 0, the product of mean and scale is much larger than the result.
        let epsilon: Float = pick([1e-5, 0.5])
        let variances = try constant(
            (0..<channels).map { _ in pick([1, 4, 0.25, epsilon == 0.5 ? 0 : 1]) }, [channels], type)
        return try apply(
            BatchNormalization(epsilon: epsilon, activation: activation),
            [x, parameter([channels], type), parameter([channels], type), constant([channels], type), variances])
    }
}
