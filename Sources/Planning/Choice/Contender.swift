/// A lowering that accepts a layer.
struct Contender {
    let backend: any Backend
    let lowering: any Lowering
    let candidate: Candidate
    /// Microseconds by which it is ranked, without copies: expected for one image on one thread.
    let expected: Double
    /// Expected microseconds of copying one image's inputs.
    let copies: Double
    var measured: MeasuredTime?

    /// What measured times are kept under.
    var recordName: String { candidate.recordName(lowering) }

    var expectedTotal: Double { expected + copies }
    var measuredTotal: Double? { measured.map { $0.microseconds + copies } }
}

extension Candidate {
    /// What measured times are kept under: the lowering, and which way of it.
    func recordName(_ lowering: any Lowering) -> String {
        variant.map { "\(lowering.name) \($0)" } ?? lowering.name
    }

    /// How many times as long it is expected to take.
    func slowdown(comparedWith other: Candidate) -> Double {
        other.microseconds > 0 ? microseconds / other.microseconds : 1
    }
}

extension [Contender] {
    /// The one that is expected to be fastest; the last resort only where there is no other.
    var favourite: Contender? {
        let kernels = filter { !$0.backend.isLastResort }
        return (kernels.isEmpty ? self : kernels).min { $0.expectedTotal < $1.expectedTotal }
    }

    /// A lowering that was measured to be less than this much faster than the favourite does not replace it: the next
    /// measurement may say otherwise.
    private static var leastGain: Double { 1.03 }

    /// The favourite; when that was measured, the one that was clearly fastest among those measured.
    ///
    /// Expectations and measurements are not compared with one another: they are made on different numbers of threads.
    var chosen: Contender? {
        guard let favourite, let total = favourite.measuredTotal else { return favourite }
        let fastest = self.min { $0.measuredTotal ?? .infinity < $1.measuredTotal ?? .infinity }
        guard let fastest, let least = fastest.measuredTotal, least * Self.leastGain < total else { return favourite }
        return fastest
    }
}
