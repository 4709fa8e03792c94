import Graphs
import Tensors

extension MILOperatorKind {
    /// The padding in ONNX's words: `pad` lists begin and end axis by axis.
    private static func padding(
        _ operation: MILOperation, rank: Int
    ) throws(FormatError) -> [String: AttributeValue] {
        switch try operation.text("pad_type") ?? "valid" {
        case "valid": return [:]
        case "same": return ["auto_pad": .string("SAME_UPPER")]
        case "same_lower": return ["auto_pad": .string("SAME_LOWER")]
        case "custom":
            let pad = try operation.ints("pad") ?? []
            guard pad.count == 2 * rank else { throw .invalid("has \(pad.count) pads for \(rank) axes") }
            return ["pads": .ints((0..<rank).map { pad[2 * $0] } + (0..<rank).map { pad[2 * $0 + 1] })]
        default: throw .unsupported("this kind of padding is not known")
        }
    }

    private static func window(
        _ operation: MILOperation, rank: Int
    ) throws(FormatError) -> [String: AttributeValue] {
        var attributes = try padding(operation, rank: rank)
        if let strides = try operation.ints("strides") { attributes["strides"] = .ints(strides) }
        if let dilations = try operation.ints("dilations") { attributes["dilations"] = .ints(dilations) }
        if let groups = try operation.int("groups") { attributes["group"] = .int(groups) }
        return attributes
    }

    static func convolution(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let weights = try operation.value("weight")
        let attributes = try window(operation, rank: try program.shape(weights).count - 2)
        let inputs = [try operation.value("x"), weights, try operation.optionalValue("bias")]
        try program.output(operation, try program.writer.apply("Conv", inputs, attributes))
    }

    static func transposedConvolution(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let weights = try operation.value("weight")
        let rank = try program.shape(weights).count - 2
        var attributes = try window(operation, rank: rank)
        if let shape = try operation.ints("output_shape") {
            attributes["output_shape"] = .ints(Array(shape.suffix(rank)))
            if attributes["auto_pad"] == nil, attributes["pads"] == nil {
                attributes["auto_pad"] = .string("SAME_UPPER")
            }
        }
        if attributes["pads"] != nil, let shape = try operation.ints("output_shape") {
            // ONNX takes either; what is missing at the end of an axis is output padding.
            attributes["output_shape"] = nil
            let x = try operation.value("x")
            let inputs = [x, weights, try operation.optionalValue("bias")]
            let plain = try program.writer.apply("ConvTranspose", inputs, attributes)
            let missing = zip(shape.suffix(rank), try program.shape(plain).suffix(rank)).map { $0 &- $1 }
            if missing.allSatisfy({ $0 == 0 }) { return try program.output(operation, plain) }
            attributes["output_padding"] = .ints(missing)
            return try program.output(operation, try program.writer.apply("ConvTranspose", inputs, attributes))
        }
        let inputs = [try operation.value("x"), weights, try operation.optionalValue("bias")]
        try program.output(operation, try program.writer.apply("ConvTranspose", inputs, attributes))
    }

    static func pool(_ name: String) -> Translator {
        { operation, program throws(FormatError) in
            let kernel = try operation.ints("kernel_sizes") ?? []
            var attributes = try window(operation, rank: kernel.count)
            attributes["kernel_shape"] = .ints(kernel)
            if try operation.bool("ceil_mode") { attributes["ceil_mode"] = .int(1) }
            if name == "AveragePool", try !operation.bool("exclude_padding_from_average") {
                attributes["count_include_pad"] = .int(1)
            }
            try program.output(operation, try program.writer.apply(name, [try operation.value("x")], attributes))
        }
    }

    private static func epsilon(
        _ operation: MILOperation, default fallback: Float = 1e-5
    ) throws(FormatError) -> [String: AttributeValue] {
        ["epsilon": .float(try operation.float("epsilon") ?? fallback)]
    }

    /// Numbers for each channel, or as many of one.
    private static func perChannel(
        _ operation: MILOperation, _ argument: String, _ fallback: Float, count: Int, _ program: MILTranslator
    ) throws(FormatError) -> Graph.ValueID {
        if let id = try operation.optionalValue(argument) { return id }
        guard count < 1 << 24 else { throw .invalid("\(count) channels are too many") }
        return try program.writer.constant([Float](repeating: fallback, count: count), shape: [count], argument)
    }

    static func batchNormalization(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let mean = try operation.value("mean")
        let count = try program.shape(mean).first ?? 0
        let inputs = [
            try operation.value("x"), try perChannel(operation, "gamma", 1, count: count, program),
            try perChannel(operation, "beta", 0, count: count, program), mean, try operation.value("variance"),
        ]
        try program.output(
            operation, try program.writer.apply("BatchNormalization", inputs, try epsilon(operation)))
    }

    static func instanceNormalization(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let shape = try program.shape(x)
        guard shape.count > 1 else { throw .invalid("its input \(shape) has no channels") }
        let inputs = [
            x, try perChannel(operation, "gamma", 1, count: shape[1], program),
            try perChannel(operation, "beta", 0, count: shape[1], program),
        ]
        try program.output(
            operation, try program.writer.apply("InstanceNormalization", inputs, try epsilon(operation)))
    }

    static func layerNormalization(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let shape = try program.shape(x)
        let axes = (try operation.ints("axes") ?? []).map { $0 < 0 ? $0 &+ shape.count : $0 }.sorted()
        guard let first = axes.first, axes == Array(max(0, first)..<shape.count) else {
            throw .unsupported("normalization over axes \(axes) of \(shape)")
        }
        let extents = Array(shape[first...])
        let count = extents.reduce(1) { $0.multipliedReportingOverflow(by: $1).partialValue }
        guard count > 0, count < 1 << 24 else { throw .invalid("normalization over \(count) elements") }
        var scale = try operation.optionalValue("gamma")
        if scale == nil {
            scale = try program.writer.constant([Float](repeating: 1, count: count), shape: extents, "gamma")
        }
        let inputs = [x, scale, try operation.optionalValue("beta")]
        var attributes = try epsilon(operation)
        attributes["axis"] = .int(first)
        try program.output(operation, try program.writer.apply("LayerNormalization", inputs, attributes))
    }

    static func l2Normalization(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let axes = try program.writer.constant(integers: [-3, -2, -1], "axes")
        let energy = try program.writer.apply("ReduceSumSquare", [x, axes])
        let epsilon = try program.writer.constant([try operation.float("epsilon") ?? 1e-6])
        let root = try program.writer.apply("Sqrt", [try program.writer.apply("Add", [energy, epsilon])])
        try program.output(operation, try program.writer.apply("Div", [x, root]))
    }

    static func localResponseNormalization(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let attributes: [String: AttributeValue] = [
            "size": .int(try operation.int("size") ?? 1), "alpha": .float(try operation.float("alpha") ?? 1e-4),
            "beta": .float(try operation.float("beta") ?? 0.75), "bias": .float(try operation.float("k") ?? 1),
        ]
        try program.output(operation, try program.writer.apply("LRN", [try operation.value("x")], attributes))
    }

    static func pixelShuffle(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let attributes: [String: AttributeValue] = [
            "blocksize": .int(try operation.int("upscale_factor") ?? 1), "mode": .string("CRD"),
        ]
        try program.output(operation, try program.writer.apply("DepthToSpace", [try operation.value("x")], attributes))
    }

    static func blocks(_ name: String) -> Translator {
        { operation, program throws(FormatError) in
            let attributes = ["blocksize": AttributeValue.int(try operation.int("block_size") ?? 1)]
            try program.output(operation, try program.writer.apply(name, [try operation.value("x")], attributes))
        }
    }
}
