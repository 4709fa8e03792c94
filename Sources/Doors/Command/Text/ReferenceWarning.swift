import Apus
import Measuring

/// A warning about layers that run on the reference because no backend that was asked for has a kernel for them.
struct ReferenceWarning {
    /// The minimum part of the expected time that is worth a warning.
    private static let minimumShare = 0.01

    /// One line; nil when the reference was asked for, or takes little of the time.
    let text: String?

    /// - Parameter requested: The backends that were asked for, separated by commas.
    init(_ plan: PlanDescription, requested: String) {
        let layers = plan.layers.filter { $0.backend == BackendName.reference.rawValue }
        func time(_ layers: [PlanDescription.Layer]) -> Double { layers.reduce(0) { $0 + $1.microseconds } }
        let share = time(layers) / max(time(plan.layers), 1e-9)
        guard share > Self.minimumShare, !requested.contains(BackendName.reference.rawValue) else {
            text = nil
            return
        }
        let operators = Dictionary(grouping: layers, by: \.operator).sorted { time($0.value) > time($1.value) }
        let counts = operators.map { $0.value.count == 1 ? $0.key : "\($0.key) × \($0.value.count)" }
        text =
            "\(plan.model): the reference runs \(counts.joined(separator: ", ")), "
            + "\(Figure.percent(share)) of the expected time; "
            + "apus plan --on \(BackendName.reference.rawValue) --why says why"
    }
}
