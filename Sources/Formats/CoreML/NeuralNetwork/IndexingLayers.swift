import Graphs

extension LayerKind {
    /// Slices along an axis, taken at whole numbers that are the second input.
    static func gather(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let axis = try layer.decode(CoreMLAxisParameters.self).axis
        try gather("Gather", ["axis": .int(axis)], layer, network)
    }

    static func gatherND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try gather("GatherND", [:], layer, network)
    }

    static func gatherAlongAxis(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let axis = try layer.decode(CoreMLAxisParameters.self).axis
        try gather("GatherElements", ["axis": .int(axis)], layer, network)
    }

    private static func gather(
        _ name: String, _ attributes: [String: AttributeValue], _ layer: Layer, _ network: NetworkTranslator
    ) throws(FormatError) {
        let indices = try network.integers(try network.input(layer, 1))
        try network.output(layer, try network.writer.apply(name, [try network.input(layer), indices], attributes))
    }

    /// Slices along an axis replaced by, or combined with, others.
    static func scatter(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let x = try network.input(layer)
        let rank = try network.shape(x).count
        let axis = Int(p.axis) + (p.axis < 0 ? rank : 0)
        let indices = try network.input(layer, 1)
        guard (0..<rank).contains(axis) else { throw .invalid("axis \(p.axis) of \(rank)") }
        guard try network.shape(indices).count <= 1 else { throw .unsupported("indices with more than one axis") }
        // The axis comes to the front, where whole slices are scattered.
        let forward = [axis] + (0..<rank).filter { $0 != axis }
        let back = (0..<rank).map { target in forward.firstIndex(of: target) ?? 0 }
        func moved(_ id: Graph.ValueID, _ order: [Int]) throws(FormatError) -> Graph.ValueID {
            axis == 0 ? id : try network.writer.apply("Transpose", [id], ["perm": .ints(order)])
        }
        let (updates, reduction) = try scattered(try network.input(layer, 2), mode: p.second, network)
        let column = try network.reshaped(try network.integers(indices), [-1, 1])
        let result = try network.writer.apply(
            "ScatterND", [try moved(x, forward), column, try moved(updates, forward)], ["reduction": reduction])
        try network.output(layer, try moved(result, back))
    }

    static func scatterND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        // The mode is the first field here.
        let mode = try layer.decode(CoreMLAxisParameters.self).axis
        let indices = try network.integers(try network.input(layer, 1))
        let (updates, reduction) = try scattered(try network.input(layer, 2), mode: mode, network)
        try network.output(
            layer,
            try network.writer.apply(
                "ScatterND", [try network.input(layer), indices, updates], ["reduction": reduction]))
    }

    static func scatterAlongAxis(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let indices = try network.integers(try network.input(layer, 1))
        let (updates, reduction) = try scattered(try network.input(layer, 2), mode: p.second, network)
        try network.output(
            layer,
            try network.writer.apply(
                "ScatterElements", [try network.input(layer), indices, updates],
                ["axis": .int(p.axis), "reduction": reduction]))
    }

    /// What is scattered, and how it is combined with what is there.
    private static func scattered(
        _ updates: Graph.ValueID, mode: Int64, _ network: NetworkTranslator
    ) throws(FormatError) -> (Graph.ValueID, AttributeValue) {
        switch mode {
        case 0: (updates, .string("none"))
        case 1: (updates, .string("add"))
        case 2: (try network.writer.apply("Neg", [updates]), .string("add"))
        case 3: (updates, .string("mul"))
        case 4: (try network.writer.apply("Reciprocal", [updates]), .string("mul"))
        case 5: (updates, .string("max"))
        case 6: (updates, .string("min"))
        default: throw .unsupported("scatter mode \(mode) is not known")
        }
    }

    static func oneHot(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLOneHotParameters.self)
        let size =
            layer.inputs.count > 1
            ? try network.reshaped(try network.integers(try network.input(layer, 1)), [1])
            : try network.writer.constant(integers: [p.size.count], "size")
        let inputs = [
            try network.integers(try network.input(layer)), size,
            try network.writer.constant([p.offValue, p.onValue], shape: [2], "values"),
        ]
        try network.output(layer, try network.writer.apply("OneHot", inputs, ["axis": .int(p.axis)]))
    }

    /// The positions of elements that are not 0, one row each.
    static func nonZero(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let positions = try network.writer.apply("NonZero", [try network.input(layer)])
        let rows = try network.writer.apply("Transpose", [positions], ["perm": .ints([1, 0])])
        try network.output(layer, try network.floats(rows))
    }

    /// The boxes [1, N, 4] (centre x and y, width, height) that overlap no better one much, with their scores [1, N, C]:
    /// boxes, scores, their positions, and how many there are. What is missing is 0, its position −1.
    static func nonMaximumSuppression(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLNonMaximumSuppressionParameters.self)
        guard layer.inputs.count == 2 else { throw .unsupported("thresholds that inputs give") }
        let (boxes, scores) = (try network.input(layer), try network.input(layer, 1))
        let shape = try network.shape(scores)
        guard shape.count == 3, shape[0] == 1 else { throw .unsupported("boxes of more than one image") }
        let count = min(p.boxCount.count, shape[1])
        guard count <= 1 << 20 else { throw .unsupported("\(count) boxes") }
        let best = try network.writer.apply(
            "ReduceMax", [scores, try network.writer.constant(integers: [2], "axes")])
        let isPerClass = p.perClass && shape[2] > 1
        let columns = isPerClass ? try scoresOfBestClass(scores, count: shape[2], network) : best
        let rows = try network.writer.apply("Transpose", [columns], ["perm": .ints([0, 2, 1])])
        let inputs = [
            boxes, rows, try network.writer.constant(integers: [count], "count"),
            try network.writer.constant([p.iouThreshold], shape: [1]),
            try network.writer.constant([p.scoreThreshold], shape: [1]),
        ]
        let selected = try network.writer.apply("NonMaxSuppression", inputs, ["center_point_box": .int(1)])
        let two = try network.writer.constant(integers: [2], "column")
        var found = try network.writer.apply("Gather", [selected, two], ["axis": .int(1)])
        if isPerClass {
            // Class by class as they are found; the best come first.
            let all = try network.reshaped(best, [-1])
            let kept = try network.writer.apply("Gather", [all, try network.reshaped(found, [-1])], ["axis": .int(0)])
            let length = try network.writer.apply("Shape", [kept])
            let order = try network.writer.apply("TopK", [kept, length], ["axis": .int(0)], outputCount: 2)
            found = try network.writer.apply("Gather", [found, order[1]], ["axis": .int(0)])
        }
        let missing = try GraphWriter.tensor([Int64](repeating: -1, count: count), [count, 1])
        let padded = try network.writer.apply(
            "Concat", [found, network.writer.constant(missing)], ["axis": .int(0)])
        let limits = [
            padded, try network.writer.constant(integers: [0], "start"),
            try network.writer.constant(integers: [count], "end"),
        ]
        let indices = try network.reshaped(try network.writer.apply("Slice", limits), [count])
        let zero = try network.writer.constant(integers: [0], "zero")
        let isFound = try network.floats(try network.writer.apply("GreaterOrEqual", [indices, zero]))
        let positions = try network.writer.apply("Max", [indices, zero])
        let mask = try network.reshaped(isFound, [1, count, 1])
        func taken(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
            let rows = try network.writer.apply("Gather", [id, positions], ["axis": .int(1)])
            return try network.writer.apply("Mul", [rows, mask])
        }
        try network.output(
            layer, try taken(boxes), try taken(scores),
            try network.reshaped(try network.floats(indices), [1, count]),
            try network.reshaped(
                try network.writer.apply("ReduceSum", [isFound], ["keepdims": .int(0)]), [1]))
    }

    /// The scores [1, N, C] of each box for its best class, the first of equal ones; far below all others for the rest.
    private static func scoresOfBestClass(
        _ scores: Graph.ValueID, count: Int, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let best = try network.writer.apply("ArgMax", [scores], ["axis": .int(2)])
        let classes = try network.writer.constant(integers: Array(0..<count), "classes")
        return try network.writer.apply(
            "Where",
            [
                try network.writer.apply("Equal", [best, classes]), scores,
                try network.writer.constant([-Float.greatestFiniteMagnitude]),
            ])
    }
}
