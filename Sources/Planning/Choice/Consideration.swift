/// What one lowering answered when the planner asked.
package struct Consideration: Sendable {
    /// The backend's name.
    package let backend: String
    /// The lowering's name.
    package let lowering: String
    /// Which way of the lowering it is, where there are several.
    package let variant: String?
    /// The expected time in microseconds, when accepted.
    package let microseconds: Double?
    /// The expected time in microseconds of copying the inputs into the layout wanted.
    package let copyMicroseconds: Double
    /// The expected time in microseconds by which candidates are compared: of one image on one thread, copies included;
    /// nil when it cannot be chosen.
    package let rankedMicroseconds: Double?
    /// How long it took where it was measured.
    package let measured: MeasuredTime?
    /// Why not, when declined.
    package let reason: String?
}
