import Graphs
import Tensors

extension MILOperatorKind {
    /// The window of a convolution or pool. `pad` lists begin and end for each axis.
    private static func window(
        _ operation: MILOperation, rank: Int, kernel: [Int] = []
    ) throws(FormatError) -> SpatialWindow {
        var window = SpatialWindow(kernel: kernel)
        switch try operation.text("pad_type") ?? "valid" {
        case "valid": break
        case "same": window.autoPad = .sameUpper
        case "same_lower": window.autoPad = .sameLower
        case "custom":
            let pad = try operation.ints("pad") ?? []
            guard pad.count == 2 * rank else { throw .invalid("has \(pad.count) pads for \(rank) axes") }
            window.pads = (0..<rank).map { pad[2 * $0] } + (0..<rank).map { pad[2 * $0 + 1] }
        default: throw .unsupported("this kind of padding is not known")
        }
        window.strides = try operation.ints("strides") ?? []
        window.dilations = try operation.ints("dilations") ?? []
        return window
    }

    static func convolution(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let weights = try operation.value("weight")
        let window = try window(operation, rank: try program.shape(weights).count - 2)
        let convolution = Conv(group: try operation.int("groups") ?? 1, window: window)
        let inputs = [try operation.value("x"), weights, try operation.optionalValue("bias")]
        try program.output(operation, try program.writer.apply(convolution, inputs))
    }

    static func transposedConvolution(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let weights = try operation.value("weight")
        let rank = try program.shape(weights).count - 2
        var convolution = ConvTranspose(
            group: try operation.int("groups") ?? 1, window: try window(operation, rank: rank))
        let hasCustomPads = try operation.text("pad_type") == "custom"
        let extents = try operation.ints("output_shape").map { Array($0.suffix(rank)) }
        if let extents, !hasCustomPads {
            convolution.outputShape = extents
            if convolution.window.autoPad == .notSet { convolution.window.autoPad = .sameUpper }
        }
        let inputs = [try operation.value("x"), weights, try operation.optionalValue("bias")]
        var result = try program.writer.apply(convolution, inputs)
        if let extents, hasCustomPads {
            // The operator takes pads or an output shape; the missing elements at the end of an axis are output
            // padding.
            let shape = try program.writer.fixedShape(of: result, axes: Array(2..<rank + 2))
            let missing = zip(extents, shape.suffix(rank)).map { $0 &- $1 }
            if missing.contains(where: { $0 != 0 }) {
                convolution.outputPadding = missing
                result = try program.writer.apply(convolution, inputs)
            }
        }
        try program.output(operation, result)
    }

    static func pool(_ kind: PoolKind) -> Translator {
        { operation, program throws(FormatError) in
            let kernel = try operation.ints("kernel_sizes") ?? []
            var window = try window(operation, rank: kernel.count, kernel: kernel)
            window.ceilMode = try operation.bool("ceil_mode")
            let includesPadding = try !operation.bool("exclude_padding_from_average")
            let x = try operation.value("x")
            if kind == .average, includesPadding, window.ceilMode {
                return try program.output(operation, try averageWithOverhang(x, window, program))
            }
            let pool = kind.operation(window, includesPadding: includesPadding)
            try program.output(operation, try program.writer.apply(pool, [x]))
        }
    }

    /// Means over windows that may reach beyond the padding, where all of them are divided by the size of the kernel.
    ///
    /// Reference: the numbers that Core ML gives in https://github.com/apple/coremltools/pull/2844
    private static func averageWithOverhang(
        _ x: Graph.ValueID, _ given: SpatialWindow, _ program: MILTranslator
    ) throws(FormatError) -> Graph.ValueID {
        var window = given
        let rank = window.kernel.count
        let shape = try program.writer.fixedShape(of: x, axes: Array(2..<max(2, try program.shape(x).count)))
        let result = try program.writer.apply(AveragePool(window: window, countIncludePad: true), [x])
        let counts = try program.shape(result).dropFirst(2)
        guard window.autoPad == .notSet || window.autoPad == .valid, shape.count == rank + 2 else { return result }
        let pads = window.pads.isEmpty ? [Int](repeating: 0, count: 2 * rank) : window.pads
        let strides = window.strides.isEmpty ? [Int](repeating: 1, count: rank) : window.strides
        var ends = Array(pads[rank...])
        for (axis, count) in counts.enumerated() {
            let reach = (count - 1) * strides[axis] + window.kernel[axis] - shape[2 + axis] - pads[axis]
            ends[axis] = max(ends[axis], reach)
        }
        guard ends != Array(pads[rank...]) else { return result }
        // The overhang becomes padding, whose zeros change no sum.
        let none = [0, 0]
        let whole = none + pads[..<rank] + none + ends
        window.ceilMode = false
        (window.pads, window.autoPad) = ([], .notSet)
        let padded = try program.writer.padded(x, whole, with: 0)
        return try program.writer.apply(AveragePool(window: window, countIncludePad: true), [padded])
    }

    /// The numbers for each channel, or one number repeated for every channel.
    private static func perChannel(
        _ operation: MILOperation, _ argument: String, _ fallback: Float, count: Int, _ program: MILTranslator
    ) throws(FormatError) -> Graph.ValueID {
        if let id = try operation.optionalValue(argument) { return id }
        guard count < 1 << 24 else { throw .invalid("\(count) channels are too many") }
        return try program.writer.constant(repeating: fallback, shape: [count], argument)
    }

    static func batchNormalization(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let mean = try operation.value("mean")
        let count = try program.shape(mean).first ?? 0
        let inputs = [
            try operation.value("x"), try perChannel(operation, "gamma", 1, count: count, program),
            try perChannel(operation, "beta", 0, count: count, program), mean, try operation.value("variance"),
        ]
        let normalization = BatchNormalization(epsilon: try operation.float("epsilon") ?? 1e-5)
        try program.output(operation, try program.writer.apply(normalization, inputs))
    }

    static func instanceNormalization(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let shape = try program.shape(x)
        guard shape.count > 1 else { throw .invalid("its input \(shape) has no channels") }
        let inputs = [
            x, try perChannel(operation, "gamma", 1, count: shape[1], program),
            try perChannel(operation, "beta", 0, count: shape[1], program),
        ]
        let normalization = InstanceNormalization(epsilon: try operation.float("epsilon") ?? 1e-5)
        try program.output(operation, try program.writer.apply(normalization, inputs))
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
            scale = try program.writer.constant(repeating: 1, shape: extents, "gamma")
        }
        let inputs = [x, scale, try operation.optionalValue("beta")]
        let normalization = LayerNormalization(axis: first, epsilon: try operation.float("epsilon") ?? 1e-5)
        try program.output(operation, try program.writer.apply(normalization, inputs))
    }

    static func l2Normalization(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let epsilon = try operation.float("epsilon") ?? 1e-6
        try program.output(operation, try program.writer.l2Normalized(try operation.value("x"), epsilon: epsilon))
    }

    static func localResponseNormalization(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let normalization = LRN(
            size: try operation.int("size") ?? 1, alpha: try operation.float("alpha") ?? 1e-4,
            beta: try operation.float("beta") ?? 0.75, bias: try operation.float("k") ?? 1)
        try unary(normalization)(operation, program)
    }

    static func pixelShuffle(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let size = try operation.int("upscale_factor") ?? 1
        try unary(DepthToSpace(blockSize: size, isChannelFirst: true))(operation, program)
    }

    static func depthToSpace(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try unary(DepthToSpace(blockSize: try operation.int("block_size") ?? 1))(operation, program)
    }

    static func spaceToDepth(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try unary(SpaceToDepth(blockSize: try operation.int("block_size") ?? 1))(operation, program)
    }
}
