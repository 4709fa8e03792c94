/// A lowering that accepts a layer.
struct Contender {
    let backend: any Backend
    let lowering: any Lowering
    let candidate: Candidate
    /// Expected microseconds for one image on one thread, without copies; contenders are ranked by them.
    let expected: Double
    /// Expected microseconds of copying one image's inputs.
    let copies: Double
    var measured: MeasuredTime?

    /// The name under which measured times are kept.
    var recordName: String { candidate.recordName(lowering) }

    var expectedTotal: Double { expected + copies }
    var measuredTotal: Double? { measured.map { $0.microseconds + copies } }
}

extension Candidate {
    /// The name under which measured times are kept: the lowering and its variant.
    func recordName(_ lowering: any Lowering) -> String {
        variant.map { "\(lowering.name) \($0)" } ?? lowering.name
    }

    /// The ratio of this candidate's expected time to the other's.
    func slowdown(comparedWith other: Candidate) -> Double {
        other.microseconds > 0 ? microseconds / other.microseconds : 1
    }
}

extension [Contender] {
    /// The contender that is expected to be fastest; a last resort only where there is no other.
    var favourite: Contender? {
        let kernels = filter { !$0.backend.isLastResort }
        return (kernels.isEmpty ? self : kernels).min { $0.expectedTotal < $1.expectedTotal }
    }

    /// A lowering replaces the favourite only where it was measured to be at least this much faster: measurements vary.
    private static var minimumGain: Double { 1.03 }

    /// The favourite; when it was measured, the contender that was clearly fastest among the measured ones.
    ///
    /// Expected and measured times are not compared with one another: they hold for different numbers of threads.
    var chosen: Contender? {
        guard let favourite, let total = favourite.measuredTotal else { return favourite }
        let fastest = self.min { $0.measuredTotal ?? .infinity < $1.measuredTotal ?? .infinity }
        guard let fastest, let least = fastest.measuredTotal, least * Self.minimumGain < total else { return favourite }
        return fastest
    }
}
