import Graphs

extension TunableLayer {
    /// A choice that contradicts the expected times.
    package struct Replacement: Sendable, Equatable {
        package let backend: String
        /// The name of the lowering and variant that would be chosen.
        package let way: String
        /// The lowering that is expected to be fastest.
        package let favourite: String
        /// The saved part of the favourite's time.
        package let gain: Double
    }

    /// The choice by measured times, where it differs from the expected fastest; nil where they agree.
    package func replacement(by records: TuningCache) -> Replacement? {
        let timed = timed(by: records)
        guard let chosen = timed.chosen, let favourite = timed.favourite,
            (chosen.backend.name, chosen.recordName) != (favourite.backend.name, favourite.recordName)
        else { return nil }
        return Replacement(
            backend: chosen.backend.name, way: chosen.recordName, favourite: favourite.recordName,
            gain: gain(of: chosen.backend.name, chosen.recordName, by: records))
    }

    /// The part of the favourite's time that another contender saves; below 0 where it takes longer.
    package func gain(of backend: String, _ way: String, by records: TuningCache) -> Double {
        let timed = timed(by: records)
        guard let favourite = timed.favourite?.measuredTotal, favourite > 0,
            let own = timed.first(where: { $0.backend.name == backend && $0.recordName == way })?.measuredTotal
        else { return 0 }
        return 1 - own / favourite
    }

    /// Combines two separate measurements. Where both choose the same contender, each time is the shorter of the two.
    /// Otherwise it is the shorter for the expected favourite and the longer for the others, so that the favourite
    /// stays unless another contender was faster both times.
    package func confirmed(
        _ first: TuningCache, _ second: TuningCache
    ) -> (records: TuningCache, isConfirmed: Bool) {
        let (one, other) = (replacement(by: first), replacement(by: second))
        let isConfirmed = one?.backend == other?.backend && one?.way == other?.way
        let favourite = timed(by: second).favourite
        var records = second
        for contender in contenders {
            guard let (key, signature) = place(of: contender), var entry = second[key, signature],
                let earlier = first[key, signature]?.microseconds[contender.recordName],
                let later = entry.microseconds[contender.recordName]
            else { continue }
            let isFavourite =
                contender.backend.name == favourite?.backend.name && contender.recordName == favourite?.recordName
            entry = records[key, signature] ?? entry
            entry.microseconds[contender.recordName] =
                isConfirmed || isFavourite ? min(earlier, later) : max(earlier, later)
            records[key, signature] = entry
        }
        return (records, isConfirmed)
    }

    /// The key and signature under which the times of a contender are kept.
    private func place(of contender: Contender) -> (key: String, signature: LayerSignature)? {
        contender.backend.measurementKey.map { key in
            (key, contender.backend.space == .device ? signature.ofBatch(images) : signature)
        }
    }

    /// The contenders that are not refused, with their times in the records.
    private func timed(by records: TuningCache) -> [Contender] {
        contenders.compactMap { contender in
            guard let (key, signature) = place(of: contender) else { return contender }
            let entry = records[key, signature]
            if entry?.refusals?[contender.recordName] != nil { return nil }
            var timed = contender
            timed.measured = entry?.measured(contender.recordName)
            return timed
        }
    }
}
