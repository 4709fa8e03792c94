import Graphs

extension LayerKind {
    /// The reductions of the layer `reduce`, in the order of their numbers. `ArgMax`, which has the next number, is not
    /// a reduction.
    private static let reductions: [any Reduction.Type] = [
        ReduceSum.self, ReduceMean.self, ReduceProd.self, ReduceSum.self, ReduceSumSquare.self, ReduceL1.self,
        ReduceL2.self, ReduceMax.self, ReduceMin.self,
    ]
    private static let logarithmicSum = 3
    private static let argMax = 9

    /// The axes of the layer `reduce`: channels, height and width; height and width; channels; height; width.
    private static let reducedAxes = [[-3, -2, -1], [-2, -1], [-3], [-2], [-1]]

    /// Reduces channels, height, width or some of them, which stay as axes of extent 1.
    static func reduce(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLReduceParameters.self)
        let (mode, axis) = (Int(p.mode), Int(p.axis))
        guard reductions.indices.contains(mode) || mode == argMax, reducedAxes.indices.contains(axis) else {
            throw .unsupported("reduction \(mode) over \(axis) is not known")
        }
        var x = try network.image(try network.input(layer))
        let axes = reducedAxes[axis]
        if mode == argMax {
            guard axes.count == 1 else { throw .invalid("ARGMAX takes one axis") }
            let indices = try network.writer.extremum(x, ArgMax.self, axis: axes[0], keepsAxis: true)
            return try network.output(layer, try network.floats(indices))
        }
        if mode == logarithmicSum {
            x = try network.writer.apply(Log(), [try network.writer.shifted(x, by: p.epsilon)])
        }
        try network.output(layer, try network.writer.reduced(x, reductions[mode], axes: axes, keepsAxes: true))
    }

    /// Reduces some axes, or all.
    static func reduction(_ reduction: any Reduction.Type) -> Translator {
        { layer, network throws(FormatError) in
            let p = try layer.decode(CoreMLReduceNDParameters.self)
            let axes = p.reducesAll ? [] : p.axes.map { Int($0) }
            let x = try network.input(layer)
            try network.output(
                layer,
                try network.writer.reduced(x, reduction, axes: axes, keepsAxes: p.keepsAxes && !p.reducesAll))
        }
    }

    /// The position of the largest or smallest element along an axis.
    static func extremum(_ search: any ExtremumSearch.Type) -> Translator {
        { layer, network throws(FormatError) in
            let p = try layer.decode(CoreMLAxisParameters.self)
            let (axis, keepsAxis) = (Int(p.axis), p.second == 0)
            let x = try network.input(layer)
            let indices = try network.writer.extremum(x, search, axis: axis, keepsAxis: keepsAxis)
            try network.output(layer, try network.floats(indices))
        }
    }

    static func cumulativeSum(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let (isExclusive, isReverse) = (p.second != 0, p.third != 0)
        let x = try network.input(layer)
        try network.output(
            layer,
            try network.writer.cumulativeSum(x, axis: Int(p.axis), isExclusive: isExclusive, isReverse: isReverse))
    }

    /// The k largest or smallest elements along an axis, and their positions.
    static func topK(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let (k, isLargest) = (Int(p.second), p.third == 0)
        let count =
            layer.inputs.count > 1
            ? try network.writer.reshaped(try network.integers(try network.input(layer, 1)), [1])
            : try network.writer.constant(integers: [k], "count")
        let x = try network.input(layer)
        let top = try network.writer.top(x, count: count, axis: Int(p.axis), isLargest: isLargest)
        try network.output(layer, top.values, try network.floats(top.indices))
    }

    /// The positions of the elements in ascending or descending order.
    static func argSort(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let isDescending = p.second != 0
        let x = try network.input(layer)
        let shape = try network.shape(x)
        let axis = Int(p.axis) + (p.axis < 0 ? shape.count : 0)
        guard shape.indices.contains(axis) else { throw .invalid("axis \(p.axis) of \(shape)") }
        let extents = try network.writer.shapeValue(of: x)
        let count = try network.writer.sliced(extents, from: [axis], to: [axis + 1], axes: [0])
        let top = try network.writer.top(x, count: count, axis: axis, isLargest: isDescending)
        try network.output(layer, try network.floats(top.indices))
    }
}
