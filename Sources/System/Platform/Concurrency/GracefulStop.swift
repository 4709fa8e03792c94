import Synchronization

/// A request to stop a run: work in flight is finished, and no more is begun.
public final class GracefulStop: Sendable {
    private let stopped = Atomic<Bool>(false)

    /// That of the run that the calling task works for. Once it is requested, waiting for a silent pipe ends.
    @TaskLocal package static var current: GracefulStop?

    /// Whether the calling task, or the run that it works for, has been asked to end.
    package static var isEnding: Bool { Task.isCancelled || current?.isStopped == true }

    /// Makes a stop that has not been requested.
    public init() {}

    /// Asks the run to stop. May be called from any thread.
    public func stop() { stopped.store(true, ordering: .relaxed) }

    /// Whether the run is asked to stop.
    public var isStopped: Bool { stopped.load(ordering: .relaxed) }
}
