import Graphs

extension LayerKind {
    /// Height and width times a factor, each element repeated or interpolated.
    static func upsample(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLUpsampleParameters.self)
        var factors = p.fractionalScalingFactor
        if factors.isEmpty { factors = p.scalingFactor.counts(or: [1, 1]).map(Float.init) }
        guard factors.count == 2 else { throw .invalid("has \(factors.count) factors; 2 are expected") }
        let x = try network.image(try network.input(layer))
        let scales = try unscaled(x, network) + factors
        let inputs = [x, nil, try network.writer.constant(scales, shape: [scales.count], "scales")]
        guard p.mode == 1 else {
            let attributes: [String: AttributeValue] = [
                "mode": .string("nearest"), "coordinate_transformation_mode": .string("asymmetric"),
                "nearest_mode": .string("floor"),
            ]
            return try network.output(layer, try network.writer.apply("Resize", inputs, attributes))
        }
        let modes: [Int32: String] = [0: "asymmetric", 1: "align_corners", 2: "half_pixel"]
        guard let coordinates = modes[p.linearMode] else { throw .unsupported("interpolation mode \(p.linearMode)") }
        let attributes: [String: AttributeValue] = [
            "mode": .string("linear"), "coordinate_transformation_mode": .string(coordinates),
        ]
        try network.output(layer, try network.writer.apply("Resize", inputs, attributes))
    }

    /// Height and width interpolated to a size.
    static func resizeBilinear(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLResizeBilinearParameters.self)
        let sampling = try sampling(p.mode.method)
        let x = try network.image(try network.input(layer))
        let size = p.targetSize.counts(or: [1, 1])
        try network.output(layer, try network.writer.resized(x, to: size, sampling))
    }

    /// Boxes that the second input gives, each interpolated to a size.
    static func cropResize(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLCropResizeParameters.self)
        let x = try network.input(layer)
        let extents = try network.shape(x)
        guard extents.count == 5, extents[0] == 1 else { throw .invalid("an image \(extents); five axes are expected") }
        guard (0...3).contains(p.boxMode.mode) else { throw .unsupported("boxes of kind \(p.boxMode.mode)") }
        let boxes = CropBoxes(
            boxes: try network.input(layer, 1), areNormalized: p.normalizedCoordinates,
            areCentered: p.boxMode.mode >= 2, isWidthFirst: p.boxMode.mode % 2 == 1,
            scale: p.spatialScale == 0 ? 1 : p.spatialScale)
        let image = try network.reshaped(x, Array(extents.dropFirst()))
        let size = p.targetSize.counts(or: [1, 1])
        try network.output(layer, try network.writer.cropped(image, boxes, to: size, try sampling(p.mode.method)))
    }

    private static func sampling(_ method: Int32) throws(FormatError) -> GridSampling {
        guard let sampling = GridSampling(rawValue: method), sampling != .centers else {
            throw .unsupported("sampling method \(method)")
        }
        return sampling
    }

    /// Factors of 1 for the axes in front of height and width.
    private static func unscaled(_ x: Graph.ValueID, _ network: NetworkTranslator) throws(FormatError) -> [Float] {
        [Float](repeating: 1, count: max(0, try network.shape(x).count - 2))
    }
}
