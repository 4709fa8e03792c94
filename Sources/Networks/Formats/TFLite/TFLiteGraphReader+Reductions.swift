import Graphs
import Tensors

extension TFLiteGraphReader {
    mutating func addReduction(_ node: TFLiteNode) throws(FormatError) {
        let (input, output) = (try node.input(0), try node.output())
        let rank = rank(input)
        let named = try integers(node, 1)
        guard named.allSatisfy({ (-rank..<max(rank, 1)).contains($0) }) else {
            throw node.invalid("axes \(named) of \(rank)")
        }
        let axes = Set(named.map { $0 < 0 ? $0 + rank : $0 }).sorted()
        let keeps = try node.bool(0)
        // When reduced axes are dropped, the remaining axes must be in the order of the file.
        let isChannelsFirst =
            forms[input].isChannelsFirst && rank >= 3
            && (keeps || axes.contains(rank - 1) || Set(1..<rank - 1).isSubset(of: axes))
        let targets = isChannelsFirst ? axes.map { Self.channelsFirst($0, rank: rank) } : axes
        let isRaw = node.kind == .reduceMax || node.kind == .reduceMin
        if isRaw, quantization(input) == quantization(output) {
            let value = try reduced(input, targets, keeps, isChannelsFirst, node)
            define(output, value, isChannelsFirst: isChannelsFirst && keeps)
            return
        }
        if node.kind == .mean || node.kind == .sum, let x = quantization(input), let y = quantization(output),
            let type = elementType(output), type == elementType(input)
        {
            let extents = axes.map { openExtents(input)[$0] }
            let known = extents.compactMap { $0 }
            let count = known.count == extents.count ? known.saturatingProduct : nil
            let operation = try node.checked { () throws(OperatorError) in
                try IntegerMean(
                    axes: targets, keepsAxes: keeps, isSum: node.kind == .sum, count: count, x: x, y: y,
                    elementType: type)
            }
            let value = try apply(
                operation, [try isChannelsFirst ? channelsFirst(input) : plain(input)], node)
            define(output, value, isChannelsFirst: isChannelsFirst && keeps)
            return
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            (try reader.reduced(input, targets, keeps, isChannelsFirst, node), isChannelsFirst && keeps)
        }
    }

    private mutating func reduced(
        _ input: Int, _ axes: [Int], _ keeps: Bool, _ isChannelsFirst: Bool, _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        let x = try isChannelsFirst ? channelsFirst(input) : plain(input)
        let reduction = ReductionAxes(axes: axes, keepsAxes: keeps, isIdentityWithoutAxes: true)
        let operation: any Operator
        switch node.kind {
        case .mean: operation = ReduceMean(axes: reduction)
        case .sum: operation = ReduceSum(axes: reduction)
        case .reduceProd: operation = ReduceProd(axes: reduction)
        case .reduceMin: operation = ReduceMin(axes: reduction)
        case .reduceMax: operation = ReduceMax(axes: reduction)
        default:
            // For Booleans as numbers, REDUCE_ANY is the maximum and REDUCE_ALL the minimum.
            let numbers = try apply(Cast(to: .uint8), [x], "\(node.name)/numbers")[0]
            let extremum: any Operator =
                node.kind == .reduceAny ? ReduceMax(axes: reduction) : ReduceMin(axes: reduction)
            let result = try apply(extremum, [numbers], "\(node.name)/extremum")[0]
            return try apply(Cast(to: .bool), [result], node)
        }
        return try apply(operation, [x], node)
    }

    mutating func addArgument(_ node: TFLiteNode) throws(FormatError) {
        let input = try node.input(0)
        let rank = rank(input)
        guard var axis = try integers(node, 1).first else { throw node.invalid("it names no axis") }
        if axis < 0 { axis += rank }
        guard let type = elementType(try node.output()) else { throw node.unsupported("its output's type") }
        let search = ExtremumAxis(axis: axis, keepsAxis: false, selectsLast: false)
        let operation: any Operator = node.kind == .argMax ? ArgMax(search: search) : ArgMin(search: search)
        let value = try apply(operation, [try plain(input)], "\(node.name)/position")[0]
        define(try node.output(), try apply(Cast(to: type), [value], node))
    }

    mutating func addTopK(_ node: TFLiteNode) throws(FormatError) {
        let x = try plain(try node.input(0))
        let known = try openIntegers(node, 1).prefix(1).compactMap { $0 }
        let count = try known.count == 1 ? addIntegers(known, node) : integerValue(node, 1)
        let parts = try apply(TopK(), [x, count], "\(node.name)/top", count: 2)
        define(try node.output(), try apply(Identity(), [parts[0]], node))
        if node.outputs.count > 1 {
            define(
                try node.output(1), try apply(Cast(to: elementType(try node.output(1)) ?? .int32), [parts[1]], node))
        }
    }

    mutating func addCumulativeSum(_ node: TFLiteNode) throws(FormatError) {
        let x = try plain(try node.input(0))
        guard let axis = try integers(node, 1).first else { throw node.invalid("it names no axis") }
        let tensor = try node.checked { () throws(OperatorError) in
            try Tensor.constant([Int64(axis)], shape: [])
        }
        let operation = CumSum(order: RunningOrder(isExclusive: try node.bool(0), isReverse: try node.bool(1)))
        define(try node.output(), try apply(operation, [x, addConstant(tensor, "\(node.name)/axis")], node))
    }
}
