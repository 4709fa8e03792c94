import Graphs

extension LayerKind {
    /// Where an output element lies on an axis of n elements that becomes one of m.
    private enum Sampling: Int32 {
        /// i · (n − 1) / (m − 1), and 0 where m is 1.
        case strictEndpoints = 0
        /// As above, and the middle where m is 1.
        case endpoints = 1
        /// i · n / m.
        case upsample = 2
        /// (i + 1/2) · n / m − 1/2.
        case centers = 3

        var coordinates: String {
            switch self {
            case .strictEndpoints, .endpoints: "align_corners"
            case .upsample: "asymmetric"
            case .centers: "half_pixel"
            }
        }
    }

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
        let modes: [Int32: Sampling] = [0: .upsample, 1: .strictEndpoints, 2: .centers]
        guard let sampling = modes[p.linearMode] else { throw .unsupported("interpolation mode \(p.linearMode)") }
        try network.output(layer, try network.writer.apply("Resize", inputs, linear(sampling)))
    }

    /// Height and width interpolated to a size.
    static func resizeBilinear(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLResizeBilinearParameters.self)
        guard let sampling = Sampling(rawValue: p.mode.method) else {
            throw .unsupported("sampling method \(p.mode.method)")
        }
        let x = try network.image(try network.input(layer))
        let extents = try network.shape(x)
        let target = p.targetSize.counts(or: [1, 1])
        guard target.count == 2, extents.count >= 2 else { throw .invalid("a size of 2 extents is expected") }
        guard sampling != .endpoints || !target.contains(1) || extents.suffix(2) == [1, 1] else {
            throw .unsupported("an axis of one element in the middle of another")
        }
        // 0 would keep an extent elsewhere; here each is named.
        let inputs = [x, nil, nil, try network.writer.constant(integers: target, "sizes")]
        var attributes = linear(sampling)
        attributes["axes"] = .ints([extents.count - 2, extents.count - 1])
        try network.output(layer, try network.writer.apply("Resize", inputs, attributes))
    }

    private static func linear(_ sampling: Sampling) -> [String: AttributeValue] {
        ["mode": .string("linear"), "coordinate_transformation_mode": .string(sampling.coordinates)]
    }

    /// Factors of 1 for the axes in front of height and width.
    private static func unscaled(_ x: Graph.ValueID, _ network: NetworkTranslator) throws(FormatError) -> [Float] {
        [Float](repeating: 1, count: max(0, try network.shape(x).count - 2))
    }
}
