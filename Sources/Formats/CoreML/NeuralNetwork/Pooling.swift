import Graphs

extension LayerKind {
    private static let poolNames = ["MaxPool", "AveragePool", "LpPool"]
    private static let globalPoolNames = ["GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"]

    /// The largest, the mean or the Euclidean norm of the elements under a window, or of whole planes.
    ///
    /// With `includeLastPixel` the number of windows rounds up, but none starts in the padding at the end.
    static func pooling(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLPoolingParameters.self)
        let kind = try poolKind(p.kind, of: 3)
        let input = try network.image(try network.input(layer))
        if p.isGlobal {
            try network.output(layer, try network.writer.apply(globalPoolNames[kind], [input]))
            return
        }
        var attributes: [String: AttributeValue] = [
            "kernel_shape": .ints(p.kernelSize.counts(or: [3, 3])), "strides": .ints(p.stride.counts(or: [1, 1])),
        ]
        switch p.padding {
        case .valid(let valid): attributes["pads"] = .ints(try valid.amounts.pads)
        case .same(let same): attributes["auto_pad"] = .string(same.mode)
        case .includeLastPixel(let amounts):
            let amounts = amounts.amounts.counts(or: [0, 0])
            attributes["pads"] = .ints(amounts + amounts)
            attributes["ceil_mode"] = .int(1)
        case nil: break
        }
        if kind == 1, !p.excludesPadding { attributes["count_include_pad"] = .int(1) }
        try network.output(layer, try network.writer.apply(poolNames[kind], [input], attributes))
    }

    /// As above over [C, D, H, W].
    static func pooling3D(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLPooling3DParameters.self)
        let kind = try poolKind(p.kind, of: 2)
        var attributes: [String: AttributeValue] = [
            "kernel_shape": .ints([p.kernelDepth, p.kernelHeight, p.kernelWidth].map(Int.init)),
            "strides": .ints([p.strideDepth, p.strideHeight, p.strideWidth].map { max(1, Int($0)) }),
        ]
        switch p.padding {
        case 0: attributes["pads"] = .ints([p.front, p.top, p.left, p.back, p.bottom, p.right].map(Int.init))
        case 2: attributes["auto_pad"] = .string("SAME_UPPER")
        default: break
        }
        if kind == 1, !p.excludesPadding { attributes["count_include_pad"] = .int(1) }
        try network.output(layer, try network.writer.apply(poolNames[kind], [try network.input(layer)], attributes))
    }

    static func globalPooling3D(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let kind = try poolKind(try layer.decode(CoreMLGlobalPooling3DParameters.self).kind, of: 2)
        try network.output(layer, try network.writer.apply(globalPoolNames[kind], [try network.input(layer)]))
    }

    private static func poolKind(_ kind: Int32, of count: Int) throws(FormatError) -> Int {
        guard (0..<count).contains(Int(kind)) else { throw .unsupported("pooling of type \(kind)") }
        return Int(kind)
    }
}
