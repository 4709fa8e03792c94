import Graphs

extension LayerKind {
    /// Selects boxes [1, N, 4] (centre x and y, width, height) with scores [1, N, C], without those that overlap a
    /// better one too much. The outputs are boxes, scores, their positions and their number. Missing boxes are 0, with
    /// position −1.
    static func nonMaximumSuppression(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLNonMaximumSuppressionParameters.self)
        guard layer.inputs.count == 2 else { throw .unsupported("thresholds that inputs give") }
        let (boxes, scores) = (try network.input(layer), try network.input(layer, 1))
        let shape = try network.fixedShape(scores, axes: [0, 2])
        guard shape.count == 3, shape[0] == 1 else { throw .unsupported("boxes of more than one image") }
        if p.boxCount.count > shape[1] { _ = try network.fixedShape(scores) }
        let count = min(p.boxCount.count, shape[1])
        guard count <= 1 << 20 else { throw .unsupported("\(count) boxes") }
        let best = try network.writer.apply(
            ReduceMax(), [scores, try network.writer.constant(integers: [2], "axes")])
        let isPerClass = p.perClass && shape[2] > 1
        let columns = isPerClass ? try scoresOfBestClass(scores, count: shape[2], network) : best
        let rows = try network.writer.transposed(columns, [0, 2, 1])
        let inputs = [
            boxes, rows, try network.writer.constant(integers: [count], "count"),
            try network.writer.constant([p.iouThreshold], shape: [1]),
            try network.writer.constant([p.scoreThreshold], shape: [1]),
        ]
        let selected = try network.writer.apply(NonMaxSuppression(hasCenters: true), inputs)
        let two = try network.writer.constant(integers: [2], "column")
        var found = try network.writer.apply(Gather(axis: 1), [selected, two])
        if isPerClass {
            // Boxes come class by class; the best are moved to the front.
            let all = try network.writer.reshaped(best, [-1])
            let kept = try network.writer.apply(Gather(), [all, try network.writer.reshaped(found, [-1])])
            let length = try network.writer.shapeValue(of: kept)
            let order = try network.writer.top(kept, count: length, axis: 0, isLargest: true).indices
            found = try network.writer.apply(Gather(), [found, order])
        }
        let indices = try padded(found, to: count, network)
        let zero = try network.writer.constant(integers: [0], "zero")
        let isFound = try network.floats(try network.writer.apply(GreaterOrEqual(), [indices, zero]))
        let positions = try network.writer.apply(Max(), [indices, zero])
        let mask = try network.writer.reshaped(isFound, [1, count, 1])
        func taken(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
            let rows = try network.writer.apply(Gather(axis: 1), [id, positions])
            return try network.writer.apply(Mul(), [rows, mask])
        }
        let results = [
            try taken(boxes), try taken(scores),
            try network.writer.reshaped(try network.floats(indices), [1, count]),
            try network.writer.reshaped(
                try network.writer.reduced(isFound, ReduceSum.self, axes: [], keepsAxes: false), [1]),
        ]
        try network.output(layer, results)
    }

    /// The first of the rows [K, 1] as [count], with −1 for missing ones.
    private static func padded(
        _ rows: Graph.ValueID, to count: Int, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let missing = try LayerWriter.tensor([Int64](repeating: -1, count: count), [count, 1])
        let padded = try network.writer.apply(Concat(axis: 0), [rows, network.writer.constant(missing)])
        let limits = [
            padded, try network.writer.constant(integers: [0], "start"),
            try network.writer.constant(integers: [count], "end"),
        ]
        return try network.writer.reshaped(try network.writer.apply(Slice(), limits), [count])
    }

    /// The scores [1, N, C] of each box for its best class, the first among equal ones; a much lower score for its
    /// other classes.
    private static func scoresOfBestClass(
        _ scores: Graph.ValueID, count: Int, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let best = try network.writer.extremum(scores, ArgMax.self, axis: 2, keepsAxis: true)
        let classes = try network.writer.constant(integers: Array(0..<count), "classes")
        let isBest = try network.writer.apply(Equal(), [best, classes])
        let hidden = try network.writer.constant(-Float.greatestFiniteMagnitude)
        return try network.writer.apply(Where(), [isBest, scores, hidden])
    }
}
