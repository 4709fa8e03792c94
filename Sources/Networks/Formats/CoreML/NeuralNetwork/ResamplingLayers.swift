import Graphs

extension LayerKind {
    /// Enlarges height and width by a factor, by repeating elements or interpolating.
    static func upsample(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLUpsampleParameters.self)
        var factors = p.fractionalScalingFactor
        if factors.isEmpty { factors = p.scalingFactor.counts(or: [1, 1]).map(Float.init) }
        guard factors.count == 2 else { throw .invalid("has \(factors.count) factors; 2 are expected") }
        let x = try network.image(try network.input(layer))
        try network.output(layer, try network.writer.upsampled(x, by: factors, try interpolation(p)))
    }

    private static func interpolation(_ p: CoreMLUpsampleParameters) throws(FormatError) -> Interpolation {
        let isBilinear = p.mode == 1
        guard isBilinear else { return .repeating }
        let coordinates: [Interpolation.Coordinates] = [.asymmetric, .alignCorners, .halfPixel]
        guard coordinates.indices.contains(Int(p.linearMode)) else {
            throw .unsupported("interpolation mode \(p.linearMode)")
        }
        return .linear(coordinates[Int(p.linearMode)])
    }

    /// Interpolates height and width to a size.
    static func resizeBilinear(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLResizeBilinearParameters.self)
        let sampling = try sampling(p.mode.method)
        let x = try network.image(try network.input(layer))
        let size = p.targetSize.counts(or: [1, 1])
        try network.output(layer, try network.writer.resized(x, to: size, sampling))
    }

    /// The meaning of the numbers of boxes, by number.
    private enum BoxMode: Int32 {
        case cornersHeightFirst, cornersWidthFirst, centerHeightFirst, centerWidthFirst
    }

    /// Interpolates each box of the second input to a size.
    static func cropResize(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLCropResizeParameters.self)
        let x = try network.input(layer)
        let extents = try network.fixedShape(x)
        guard extents.count == 5, extents[0] == 1 else { throw .invalid("an image \(extents); five axes are expected") }
        guard let mode = BoxMode(rawValue: p.boxMode.mode) else {
            throw .unsupported("boxes of kind \(p.boxMode.mode)")
        }
        let boxes = CropBoxes(
            boxes: try network.input(layer, 1), areNormalized: p.normalizedCoordinates,
            areCentered: mode == .centerHeightFirst || mode == .centerWidthFirst,
            isWidthFirst: mode == .cornersWidthFirst || mode == .centerWidthFirst,
            scale: p.spatialScale == 0 ? 1 : p.spatialScale)
        let image = try network.writer.reshaped(x, Array(extents.dropFirst()))
        let size = p.targetSize.counts(or: [1, 1])
        try network.output(layer, try network.writer.cropped(image, boxes, to: size, try sampling(p.mode.method)))
    }

    private static func sampling(_ method: Int32) throws(FormatError) -> GridSampling {
        guard let sampling = GridSampling(rawValue: method), sampling != .centers else {
            throw .unsupported("sampling method \(method)")
        }
        return sampling
    }
}
