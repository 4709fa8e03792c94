/// Which layers of a network are computed in a lower precision, as measured on pictures.
package struct PrecisionChoice: Sendable, Equatable, Codable {
    /// What was measured for a layer.
    package struct Layer: Sendable, Equatable, Codable {
        /// Whether the layer is computed in ``PrecisionChoice/precisionName``.
        package var isRounded: Bool
        /// The largest relative error of the outputs when this layer alone is rounded; nil where it was not
        /// measured, because all layers together stayed within the tolerance.
        package var error: Double?

        package init(isRounded: Bool, error: Double?) {
            self.isRounded = isRounded
            self.error = error
        }
    }

    /// What the agreement with float32 is.
    package enum Measure: String, Sendable, Codable {
        /// The share of pictures that keep their best class.
        case bestClasses
        /// The mean average precision of boxes when those in float32 count as marked.
        case boxes
    }

    /// The layers that may be rounded, by name.
    package var layers: [String: Layer]
    /// The largest relative error of the outputs that was allowed.
    package var tolerance: Double
    /// The number of pictures.
    package var pictures: Int
    /// The largest relative error of the outputs with these layers.
    package var error: Double
    /// The agreement with float32, from 0 to 1; nil where outputs are neither scores of classes nor boxes.
    package var agreement: Double?
    /// What the agreement is; nil stands for best classes.
    package var measure: Measure?
    /// What chosen layers are computed in; nil stands for `bf16`.
    private var precision: String?

    /// The name of what chosen layers are computed in, such as `bf16`.
    package var precisionName: String { precision ?? "bf16" }

    package init(
        layers: [String: Layer], tolerance: Double, pictures: Int, error: Double = 0, agreement: Double? = nil,
        measure: Measure? = nil, precisionName: String = "bf16"
    ) {
        self.layers = layers
        self.tolerance = tolerance
        self.pictures = pictures
        self.error = error
        self.agreement = agreement
        self.measure = measure
        precision = precisionName == "bf16" ? nil : precisionName
    }

    /// The number of layers that are rounded.
    package var roundedCount: Int { layers.values.count(where: \.isRounded) }

    /// Whether every layer that may be rounded is.
    package var includesAllLayers: Bool { layers.values.allSatisfy(\.isRounded) }

    /// Whether the numbers could be the result of a measurement.
    var isPlausible: Bool { tolerance >= 0 && error >= 0 && pictures >= 1 }

    /// How many layers are rounded, and what that does to outputs.
    package var summary: String {
        "\(precisionName) in \(roundedCount) of \(layers.count) layers that may be rounded; on \(pictures) pictures "
            + "outputs move by at most \(error.scientificText) (tolerance \(tolerance.scientificText))"
            + (agreement.map { ", and \(Self.text($0, measure))" } ?? "")
    }

    private static func text(_ agreement: Double, _ measure: Measure?) -> String {
        let percent = "\((agreement * 1000).rounded(.down) / 10) %"
        return measure == .boxes
            ? "boxes agree to \(percent) (mean average precision)" : "\(percent) keep their best class"
    }

    /// Why a layer is computed in the precision it is, as a phrase; nil for a layer that was not asked about.
    package func reason(for layer: String) -> String? {
        guard let measured = layers[layer] else { return nil }
        let alone = measured.error.map { "alone it moves outputs by \($0.scientificText)" }
        let limit = "the tolerance is \(tolerance.scientificText)"
        if measured.isRounded {
            return "in \(precisionName): " + (alone ?? "all such layers together stay within the tolerance")
        }
        return "in float32: \(alone.map { "\($0) in \(precisionName), and " } ?? "")\(limit)"
    }
}

extension Double {
    /// Two significant digits, such as `3.2e-04`.
    fileprivate var scientificText: String {
        guard isFinite, self > 0 else { return self == 0 ? "0" : "\(self)" }
        var exponent = 0
        var digits = self
        while digits >= 10 { (digits, exponent) = (digits / 10, exponent + 1) }
        while digits < 1 { (digits, exponent) = (digits * 10, exponent - 1) }
        var tenths = Int((digits * 10).rounded())
        if tenths == 100 { (tenths, exponent) = (10, exponent + 1) }
        let magnitude = abs(exponent)
        return "\(tenths / 10).\(tenths % 10)e\(exponent < 0 ? "-" : "+")\(magnitude < 10 ? "0" : "")\(magnitude)"
    }
}
