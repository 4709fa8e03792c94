import Graphs

extension LayerKind {
    /// A reduction over some axes or all.
    static func reduction(_ name: String) -> Translator {
        { layer, network throws(FormatError) in
            let p = try layer.decode(CoreMLReduceNDParameters.self)
            var inputs = [try network.input(layer)]
            if !p.reducesAll, !p.axes.isEmpty {
                inputs.append(try network.writer.constant(integers: p.axes.map { Int($0) }, "axes"))
            }
            try network.output(
                layer, try network.writer.apply(name, inputs, ["keepdims": .bool(p.keepsAxes && !p.reducesAll)]))
        }
    }

    /// Where along an axis the largest or smallest element is.
    static func extremum(_ name: String) -> Translator {
        { layer, network throws(FormatError) in
            let p = try layer.decode(CoreMLAxisParameters.self)
            let attributes: [String: AttributeValue] = ["axis": .int(p.axis), "keepdims": .bool(p.second == 0)]
            let indices = try network.writer.apply(name, [try network.input(layer)], attributes)
            try network.output(layer, try network.floats(indices))
        }
    }

    static func cumulativeSum(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let inputs = [try network.input(layer), try network.writer.constant(integers: [Int(p.axis)], "axis")]
        let attributes: [String: AttributeValue] = ["exclusive": .bool(p.second != 0), "reverse": .bool(p.third != 0)]
        try network.output(layer, try network.writer.apply("CumSum", inputs, attributes))
    }

    /// The k largest or smallest elements along an axis, and where they are.
    static func topK(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let count =
            layer.inputs.count > 1
            ? try network.reshaped(try network.integers(try network.input(layer, 1)), [1])
            : try network.writer.constant(integers: [Int(p.second)], "count")
        let attributes: [String: AttributeValue] = ["axis": .int(p.axis), "largest": .bool(p.third == 0)]
        let results = try network.writer.apply(
            "TopK", [try network.input(layer), count], attributes, outputCount: 2)
        try network.output(layer, results[0], try network.floats(results[1]))
    }

    /// The positions of the elements in ascending or descending order.
    static func argSort(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let x = try network.input(layer)
        let shape = try network.shape(x)
        let axis = Int(p.axis) + (p.axis < 0 ? shape.count : 0)
        guard shape.indices.contains(axis) else { throw .invalid("axis \(p.axis) of \(shape)") }
        let attributes: [String: AttributeValue] = ["axis": .int(axis), "largest": .bool(p.second != 0)]
        let count = try network.writer.constant(integers: [shape[axis]], "count")
        let results = try network.writer.apply("TopK", [x, count], attributes, outputCount: 2)
        try network.output(layer, try network.floats(results[1]))
    }
}
