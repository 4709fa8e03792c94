/// Measured times of lowerings, and chosen precisions.
package struct TuningCache: Sendable, Equatable {
    /// The measured times of one backend's lowerings for a layer.
    package struct Entry: Sendable, Equatable, Codable {
        /// Microseconds per image, by the name of the lowering and its variant.
        package var microseconds: [String: Double]
        /// The number of threads that ran.
        package var threads: Int
        /// The number of images that were computed together.
        package var images: Int
        /// Why a lowering, or a variant of one, must not be used, where it gave wrong numbers or failed.
        package var refusals: [String: String]?

        package init(microseconds: [String: Double], threads: Int, images: Int) {
            self.microseconds = microseconds
            self.threads = threads
            self.images = images
        }

        func measured(_ name: String) -> MeasuredTime? {
            microseconds[name].map { MeasuredTime(microseconds: $0, threads: threads, images: images) }
        }

        /// Whether the numbers could be the result of a measurement.
        var isPlausible: Bool {
            threads >= 1 && images >= 1 && microseconds.values.allSatisfy { $0 > 0 && $0.isFinite }
        }
    }

    /// Entries by ``Backend/measurementKey``, then by the signature's text.
    package private(set) var entries: [String: [String: Entry]] = [:]

    /// Chosen precisions by ``Backend/measurementKey``, then by the network's fingerprint.
    package private(set) var precisions: [String: [String: PrecisionChoice]] = [:]

    package init() {}

    /// - Parameters:
    ///   - entries: As for ``entries``; entries that cannot be measurements are left out.
    ///   - precisions: As for ``precisions``, likewise.
    package init(entries: [String: [String: Entry]], precisions: [String: [String: PrecisionChoice]] = [:]) {
        self.entries = entries.mapValues { $0.filter(\.value.isPlausible) }
        self.precisions = precisions.mapValues { $0.filter(\.value.isPlausible) }
    }

    package var isEmpty: Bool { entries.values.allSatisfy(\.isEmpty) }

    /// The entry of a layer on the device that `key` names.
    package subscript(key: String, signature: LayerSignature) -> Entry? {
        get { entries[key]?[signature.text] }
        set { entries[key, default: [:]][signature.text] = newValue }
    }

    /// The chosen precisions of a network on the device that `key` names.
    package subscript(key: String, network fingerprint: String) -> PrecisionChoice? {
        get { precisions[key]?[fingerprint] }
        set { precisions[key, default: [:]][fingerprint] = newValue }
    }

    /// The entry of a layer for a batch of `images`, or for the measured batch whose size is nearest in proportion.
    package func entry(_ key: String, _ signature: LayerSignature, images: Int) -> Entry? {
        if let exact = self[key, signature.ofBatch(images)] { return exact }
        func distance(_ count: Int) -> Double { max(Double(count) / Double(images), Double(images) / Double(count)) }
        let others = (entries[key] ?? [:]).compactMap { text, entry in
            signature.images(inBatch: text).flatMap { $0 > 0 ? (count: $0, entry: entry) : nil }
        }
        return others.min { (distance($0.count), $0.count) < (distance($1.count), $1.count) }?.entry
    }

    /// Everything that was refused: the device's key, the signature's text, the lowering's name and variant, and the
    /// reason.
    package var refusals: [(key: String, layer: String, way: String, reason: String)] {
        entries.flatMap { key, layers in
            layers.flatMap { layer, entry in
                (entry.refusals ?? [:]).map { (key: key, layer: layer, way: $0.key, reason: $0.value) }
            }
        }
    }

    /// Takes over the entries of other records, which replace those present.
    package mutating func merge(_ newer: TuningCache) {
        for (key, layers) in newer.entries { entries[key, default: [:]].merge(layers) { $1 } }
        for (key, networks) in newer.precisions { precisions[key, default: [:]].merge(networks) { $1 } }
    }
}
