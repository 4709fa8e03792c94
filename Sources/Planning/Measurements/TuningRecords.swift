/// How long lowerings took where they were measured.
package struct TuningRecords: Sendable, Equatable {
    /// What the lowerings of one backend took for a layer.
    package struct Entry: Sendable, Equatable, Codable {
        /// Microseconds an image, by the lowering and which way of it.
        package var microseconds: [String: Double]
        /// The threads that ran.
        package var threads: Int
        /// The images that were computed together.
        package var images: Int
        /// Why a lowering, or a way of one, is not to be used, where it gave wrong numbers or failed.
        package var refusals: [String: String]?

        package init(microseconds: [String: Double], threads: Int, images: Int) {
            self.microseconds = microseconds
            self.threads = threads
            self.images = images
        }

        func measured(_ name: String) -> MeasuredTime? {
            microseconds[name].map { MeasuredTime(microseconds: $0, threads: threads, images: images) }
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

    /// The entry of a layer for a batch of `images`, or for the batch measured that is nearest to it in proportion.
    package func entry(_ key: String, _ signature: LayerSignature, images: Int) -> Entry? {
        if let exact = self[key, signature.ofBatch(images)] { return exact }
        func distance(_ count: Int) -> Double { max(Double(count) / Double(images), Double(images) / Double(count)) }
        let others = (entries[key] ?? [:]).compactMap { text, entry in
            signature.images(inBatch: text).flatMap { $0 > 0 ? (count: $0, entry: entry) : nil }
        }
        return others.min { (distance($0.count), $0.count) < (distance($1.count), $1.count) }?.entry
    }

    /// Everything that was refused: the device's key, the signature's text, the way, and why.
    package var refusals: [(key: String, layer: String, way: String, reason: String)] {
        entries.flatMap { key, layers in
            layers.flatMap { layer, entry in
                (entry.refusals ?? [:]).map { (key: key, layer: layer, way: $0.key, reason: $0.value) }
            }
        }
    }

    /// Takes over what other records have; where both have an entry, theirs.
    package mutating func merge(_ newer: TuningRecords) {
        for (key, layers) in newer.entries { entries[key, default: [:]].merge(layers) { $1 } }
    }
}
