import Graphs
import Platform

extension Model {
    /// The reason, as a phrase, why the open first axis of the inputs is not a batch; nil when it may be one.
    ///
    /// It is none where one row is refused, and where a node computes rows from other rows.
    package var reasonAgainstBatch: String? {
        guard graph.hasOpenFirstAxis, let shapes = sampleShapes else { return nil }
        return graph.reasonAgainstBatch(inputShapes: shapes)
    }

    /// The reason as a sentence, such as `axis 0 is not a batch here: node "a" (Split) …`.
    package var firstAxisNote: String? { reasonAgainstBatch.map { "axis 0 is not a batch here: \($0)" } }

    /// The extents of every input for one image, as far as the network, its preprocessing or its metadata tell them.
    private var sampleShapes: [[Int]]? {
        inputShapes(forBatch: 1) ?? (try? inputShapes(forBatch: 1, given: [:]))
    }

    /// Whether the network has an open first axis and refuses these extents, but perhaps not others.
    package func mayTakeOtherRows(than shapes: [[Int]]) -> Bool {
        guard graph.hasOpenFirstAxis else { return false }
        do {
            _ = try graph.inferKnownTypes(inputShapes: shapes)
            return false
        } catch {
            return !error.isUnsupported
        }
    }

    /// The error of a plan for extents that are not all given, which says so where axis 0 needs several rows.
    ///
    /// - Parameter given: The extents that are given, by name.
    package func openRows(_ error: ApusError, _ shapes: [[Int]], given: [String: [Int]]) -> ApusError {
        guard mayTakeOtherRows(than: shapes), let reason = graph.reasonAgainstBatch(inputShapes: shapes),
            let count = graph.acceptedRowCount(shapes)
        else { return error }
        let example = zip(graph.inputs, graph.inputShapes(shapes, rows: count)).filter {
            given[graph[$0.0].name] == nil
        }
        .map { id, shape in "--shape \(graph[id].name.printable)=\(shape.map(String.init).joined(separator: ","))" }
        guard !example.isEmpty else { return error }
        return .usage(
            "\(name): axis 0 is not a batch here: \(reason); give its extents, such as \(example.joined(separator: " "))"
        )
    }
}
