import Graphs
import Tensors

extension RewritePatterns {
    static let removal = [
        Row(DropIdentity.self) { it in
            let type = it.anyType()
            let shape = it.shape(rank: it.number(0...3))
            let x = try it.input(shape, type)
            let wider = it.shape(rank: it.number(0...3), 1...2)
            let ones = try it.constant(
                [Double](repeating: it.pick([1, 1, 1, 2, 0]), count: wider.elementCount), wider, type)
            let operation: (any Operator, [RandomPattern.Value]) = it.pick([
                (Identity(), [x]), (Concat(axis: max(0, shape.count - 1)), [x]), (Sum(), [x]),
                (Sum(activation: .relu), [x]),
                (Cast(to: type), [x]), (Cast(to: it.anyType()), [x]), (Mul(), [x, ones]), (Mul(), [ones, x]),
                (Div(), [x, ones]), (Div(), [ones, x]),
            ])
            let y = try it.apply(operation.0, operation.1)
            try it.finish(it.chance(2) ? try it.apply(Identity(), [y]) : y)
        },
        Row(DropDropout.self) { it in
            let x = try it.input(it.shape(rank: 2), it.floatType())
            var operands: [RandomPattern.Value?] = [x]
            if it.chance(2) {
                operands.append(try it.constant([0.5], []))
                if it.chance(2) {
                    let training = try Tensor([it.chance(3)], shape: [])
                    operands.append(it.chance(4) ? try it.input(training) : it.constant(training))
                }
            }
            let outputs = try it.results(Dropout(), operands, count: it.number(1...2))
            if outputs.count > 1, it.chance(2) {
                try it.finish(outputs[0], outputs[1])
            } else {
                try it.finish(outputs[0])
            }
        },
        Row(DropDeadNodes.self) { it in
            let x = try it.input(it.shape(rank: 2), it.floatType())
            let a = try it.apply(Relu(), [x])
            _ = try it.apply(Abs(), [it.chance(2) ? x : a])
            _ = try it.constant([3])
            try it.finish(try it.apply(Neg(), [a]))
        },
        Row(ConstantFolding.self) { it in
            let type = it.anyType()
            let shape = it.shape(rank: 2)
            let a = try it.parameter(shape, type)
            let b = try it.parameter([shape[1]], type)
            let sum = try it.apply(it.pick([Add(), Mul(), Sub(), Max(), Div()]), [a, b])
            let other = try it.apply(it.pick([Transpose(), Cast(to: it.anyType()), Concat(axis: 0)]), [sum])
            let x = try it.input(it.shape(other), it.type(other).elementType)
            try it.finish(try it.apply(Add(), [x, other]))
        },
        Row(DropNoOpReshape.self) { it in
            let shape = it.shape(rank: it.number(1...4), 1...3)
            var x = try it.input(shape, it.anyType())
            for _ in 0..<it.number(1...3) {
                let now = it.shape(x)
                let count = now.elementCount
                let target = it.pick([
                    shape, now, [count], [1, count], Array(shape.reversed()), [-1], Array(now.dropLast()) + [-1],
                    [0] + now.dropFirst().map { $0 },
                ])
                switch it.number(0...4) {
                case 0: x = try it.apply(Flatten(axis: it.number(0...now.count)), [x])
                case 1: x = try it.apply(Squeeze(axes: it.chance(2) ? nil : [0]), [x])
                case 2: x = try it.apply(Unsqueeze(axes: [it.number(0...now.count)]), [x])
                case 3: x = try it.apply(Reshape(shape: target), [x])
                default: x = try it.apply(Reshape(), [x, try it.integers(target)])
                }
                if it.chance(8) { x = try it.apply(Identity(), [x]) }
            }
            try it.finish(x)
        },
        Row(DropNoOpTranspose.self) { it in
            let rank = it.number(1...4)
            var x = try it.input(it.shape(rank: rank), it.anyType())
            var order: [Int]?
            for _ in 0..<it.number(1...3) {
                let last = order
                order = it.pick([nil, it.shuffled(Array(0..<rank)), Array(0..<rank)])
                if let last, it.chance(3) {
                    order = Array(0..<rank).map { last.firstIndex(of: $0) ?? 0 }
                }
                x = try it.apply(Transpose(permutation: order), [x])
            }
            try it.finish(x)
        },
        Row(DropNoOpPad.self) { it in
            let rank = it.number(1...3)
            let x = try it.input(it.shape(rank: rank, 2...4), it.anyType())
            var pads = [Int](repeating: 0, count: 2 * rank)
            if it.chance(3) { pads[it.number(0...2 * rank - 1)] = it.pick([1, -1]) }
            let mode = it.pick(Pad.Mode.allCases)
            let given = it.chance(8) ? try it.input(try Tensor(pads.map(Int64.init), shape: [pads.count])) : nil
            let isAttribute = given == nil && it.chance(2)
            let pad = Pad(mode: mode, pads: isAttribute ? pads : nil, value: 1)
            let count = try given ?? it.integers(pads)
            let y = try it.apply(pad, isAttribute ? [x] : [x, count])
            try it.finish(y)
        },
        Row(ShareConcatPrefix.self) { it in
            let type = it.anyType()
            let shape = it.shape(rank: 3, 1...3)
            let axis = it.number(-3...2)
            let parts = try (0..<4).map { _ in
                var part = shape
                part[axis < 0 ? axis + 3 : axis] = it.number(1...2)
                return try it.input(part, type)
            }
            var results: [RandomPattern.Value] = []
            for _ in 0..<3 {
                var list = Array(parts.prefix(it.number(1...4)))
                if it.chance(4) { list = it.shuffled(list) }
                if it.chance(4) { list.append(it.pick(parts + results)) }
                results.append(try it.apply(Concat(axis: it.chance(6) ? it.number(0...2) : axis), list))
            }
            try it.finish(results[1], results[2])
        },
    ]
}
