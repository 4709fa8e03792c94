/// A layer as measured times are kept for it: the operator, its attributes, and what one image makes of its inputs and
/// outputs. Nodes with equal signatures run equally fast, in every network and in every batch.
package struct LayerSignature: Sendable, Hashable {
    /// One line, such as `Conv {pads=[1, 1, 1, 1]} (float32[1, 3, 8, 8] row-major, constant float32[4, 3, 3, 3]) → …`.
    package let text: String

    package init(text: String) { self.text = text }
}

extension LoweringRequest {
    /// What measured times of the layer are kept under; nil when there is nothing that holds for every batch.
    var signature: LayerSignature? {
        guard identifiesLayer else { return nil }
        var parts = [node.operatorName]
        let attributes = node.attributeTexts
        if !attributes.isEmpty { parts.append("{\(attributes.joined(separator: ", "))}") }
        let operands = inputs.indices.map { index in
            guard let type = inputs[index] else { return "_" }
            if constants[index] != nil { return "constant \(type)" }
            return "\(type) \(inputLayouts[index]?.rawValue ?? "")"
        }
        parts.append("(\(operands.joined(separator: ", ")))")
        parts.append("→ \(outputs.map { "\($0)" }.joined(separator: ", "))")
        return LayerSignature(text: parts.joined(separator: " "))
    }
}

/// How long lowerings took where they were measured.
package struct TuningRecords: Sendable, Equatable {
    /// What the lowerings of one backend took for a layer.
    package struct Entry: Sendable, Equatable, Codable {
        /// Microseconds an image, by the name of the lowering.
        package var microseconds: [String: Double]
        /// The threads that ran.
        package var threads: Int
        /// The images that were computed together.
        package var images: Int

        package init(microseconds: [String: Double], threads: Int, images: Int) {
            self.microseconds = microseconds
            self.threads = threads
            self.images = images
        }

        /// Whether the numbers can be what a measurement gave.
        var isPlausible: Bool {
            threads >= 1 && images >= 1 && microseconds.values.allSatisfy { $0 > 0 && $0.isFinite }
        }
    }

    /// Entries by ``Backend/measurementKey``, then by the signature's text.
    package private(set) var entries: [String: [String: Entry]] = [:]

    package init() {}

    /// - Parameter entries: As ``entries``; those that cannot be measurements are left out.
    package init(entries: [String: [String: Entry]]) {
        self.entries = entries.mapValues { $0.filter(\.value.isPlausible) }
    }

    package var isEmpty: Bool { entries.values.allSatisfy(\.isEmpty) }

    /// The entry of a layer on the device that `key` names.
    package subscript(key: String, signature: LayerSignature) -> Entry? {
        get { entries[key]?[signature.text] }
        set { entries[key, default: [:]][signature.text] = newValue }
    }

    /// Takes over what other records have; where both have an entry, theirs.
    package mutating func merge(_ newer: TuningRecords) {
        for (key, layers) in newer.entries { entries[key, default: [:]].merge(layers) { $1 } }
    }
}
