import Graphs
import Tensors

extension RewritePatterns {
    static let scaleAndShift = [
        Row(FoldBatchNormalization.self) { it in
            it.tolerance = .rounded
            let y = try it.convolution(
                it.chance(8) ? it.activation() : nil, it.pick([.float32, .float32, .float64, .float16]))
            try it.finish(
                try it.batchNormalization(
                    y, channels: it.shape(y)[1], it.type(y).elementType, activation: it.activation()))
        },
        Row(FoldScaleAndShift.self) { it in
            it.tolerance = .rounded
            let type = it.pick([.float32, .float32, .float64, .float16] as [ElementType])
            var y: RandomPattern.Value
            if it.chance(3) {
                let x = try it.input([2, 3] + it.shape(rank: it.number(0...2)), type)
                y = try it.batchNormalization(x, channels: 3, type, activation: it.chance(8) ? it.activation() : nil)
            } else {
                y = try it.convolution(it.chance(8) ? it.activation() : nil, type)
            }
            for _ in 0..<it.number(1...2) { y = try it.affine(y, axis: 1) }
            try it.finish(y)
        },
        Row(ReplaceBatchNormalization.self) { it in
            it.tolerance = .rounded
            let type = it.floatType()
            let x = try it.input([2, 3] + it.shape(rank: it.number(0...3), 1...3), type)
            try it.finish(try it.batchNormalization(x, channels: 3, type, activation: it.activation()))
        },
        Row(FoldIntoNextConvolution.self) { it in
            it.tolerance = .rounded
            let type = it.pick([.float32, .float32, .float64, .float16] as [ElementType])
            let group = it.pick([1, 1, 2])
            let channels = 2 * it.number(1...2)
            let x = try it.input([it.number(1...2), channels, 4, 5], type)
            let y =
                it.chance(3)
                ? try it.batchNormalization(
                    x, channels: channels, type, activation: it.chance(6) ? it.activation() : nil)
                : try it.affine(x, axis: 1)
            let window = it.window(axes: 2)
            let weights = try it.parameter([2 * group, channels / group] + window.kernel, type)
            var operation = Conv(group: group, window: window)
            operation.activation = it.chance(3) ? it.activation() : nil
            try it.finish(
                try it.apply(operation, it.chance(2) ? [y, weights] : [y, weights, it.parameter([2 * group], type)]))
        },
        Row(FoldIntoNextProduct.self) { it in
            it.tolerance = .rounded
            let type = it.pick([.float32, .float32, .float32, .float64] as [ElementType])
            let x = try it.input(it.pick([[2, 3, 4], [2, 3, 4], [1, 2, 3, 4], [3, 4]]), type)
            let y = try it.affine(x, axis: it.shape(x).count - 1)
            let activation = it.chance(4) ? it.activation() : nil
            var operands: [RandomPattern.Value?] = [y, try it.parameter([4, 3], type)]
            if it.chance(3) { operands.append(try it.parameter([3], type)) }
            try it.finish(try it.apply(MatMul(activation: activation), operands))
        },
    ]
}

extension RandomPattern {
    /// A value plus, minus, times or divided by numbers along an axis, or likewise.
    mutating func affine(_ x: Value, axis: Int) throws -> Value {
        let shape = shape(x)
        let type = type(x).elementType
        var row = [Int](repeating: 1, count: shape.count)
        row[axis] = shape[axis]
        let parameters = try parameter(
            pick([Array(row[axis...]), row, Array(row[axis...]), [], [1], [shape[shape.count - 1]], [1] + row, shape]),
            type)
        let operation: any Operator = pick([
            Add(), Sub(), Mul(), Div(), Add(activation: chance(8) ? activation() : nil),
        ])
        // A quotient of a rounded number near 0 is any number.
        let isRounded = !graph.inputs.contains(x)
        if operation is Div, isRounded { return try apply(operation, [x, parameters]) }
        return try commuted(operation, x, parameters)
    }
}
