/// A lowering's answer when the planner asked it about a node.
package struct LoweringExplanation: Sendable {
    /// The backend's name.
    package let backend: String
    /// The lowering's name.
    package let lowering: String
    /// The lowering's variant, where it has several.
    package let variant: String?
    /// The expected time in microseconds, when accepted.
    package let microseconds: Double?
    /// The expected time in microseconds of copying the inputs into the layouts that the lowering reads.
    package let copyMicroseconds: Double
    /// The expected microseconds for one image on one thread, copies included, by which candidates are compared; nil
    /// when the lowering cannot be chosen.
    package let rankedMicroseconds: Double?
    /// The measured time; nil where the lowering was not measured.
    package let measured: MeasuredTime?
    /// The reason, when declined.
    package let reason: String?
}
