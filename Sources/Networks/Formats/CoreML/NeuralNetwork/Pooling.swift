import Graphs

extension LayerKind {
    /// The maximum, the mean or the Euclidean norm of the elements under a window, or of whole planes.
    ///
    /// With `includeLastPixel` the number of windows is rounded up, but no window starts in the padding at the end.
    static func pooling(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLPoolingParameters.self)
        guard let kind = PoolKind(rawValue: p.kind) else { throw .unsupported("pooling of type \(p.kind)") }
        let input = try network.image(try network.input(layer))
        if p.isGlobal {
            return try network.output(layer, try network.writer.apply(kind.globalOperation, [input]))
        }
        var window = SpatialWindow(kernel: p.kernelSize.counts(or: [3, 3]), strides: p.stride.counts(or: [1, 1]))
        switch p.padding {
        case .valid(let valid): window.pads = try valid.amounts.pads
        case .same(let same): window.autoPad = same.autoPad
        case .includeLastPixel(let amounts):
            let amounts = amounts.amounts.counts(or: [0, 0])
            window.pads = amounts + amounts
            window.ceilMode = true
        case nil: break
        }
        let pool = kind.operation(window, includesPadding: !p.excludesPadding)
        try network.output(layer, try network.writer.apply(pool, [input]))
    }

    /// The same pooling over [C, D, H, W].
    static func pooling3D(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLPooling3DParameters.self)
        let kind = try poolKind3D(p.kind)
        var window = SpatialWindow(
            kernel: [p.kernelDepth, p.kernelHeight, p.kernelWidth].map(Int.init),
            strides: [p.strideDepth, p.strideHeight, p.strideWidth].map { max(1, Int($0)) })
        window.setPadding(p.padding, [p.front, p.top, p.left, p.back, p.bottom, p.right])
        let pool = kind.operation(window, includesPadding: !p.excludesPadding)
        try network.output(layer, try network.writer.apply(pool, [try network.input(layer)]))
    }

    static func globalPooling3D(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let kind = try poolKind3D(try layer.decode(CoreMLGlobalPooling3DParameters.self).kind)
        try network.output(layer, try network.writer.apply(kind.globalOperation, [try network.input(layer)]))
    }

    private static func poolKind3D(_ number: Int32) throws(FormatError) -> PoolKind {
        guard let kind = PoolKind(rawValue: number), kind != .l2 else {
            throw .unsupported("pooling of type \(number)")
        }
        return kind
    }
}
