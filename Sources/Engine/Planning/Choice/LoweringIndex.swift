import Graphs
import Synchronization

/// The positions of the lowerings of each backend that may run operators of one type: all but those that said that they
/// never do.
///
/// Safe to use from any thread.
final class LoweringIndex: Sendable {
    private let positions = Mutex<[ObjectIdentifier: [[Int]]]>([:])

    /// For each backend of the planner, the positions in its list; nil before a lowering was asked.
    subscript(operation: any Operator) -> [[Int]]? {
        get { positions.withLock { $0[ObjectIdentifier(type(of: operation))] } }
        set { positions.withLock { $0[ObjectIdentifier(type(of: operation))] = newValue } }
    }
}
