import Synchronization

/// The intake of a run. Once it is closed, work in flight is finished and no more is begun.
public final class Intake: Sendable {
    private let stopped = Atomic<Bool>(false)

    /// The intake of the run that the calling task works for. Once it is closed, waiting for a silent pipe ends.
    @TaskLocal package static var current: Intake?

    /// Whether the calling task, or the run that it works for, has been asked to end.
    package static var isEnding: Bool { Task.isCancelled || current?.isStopped == true }

    /// Makes an open intake.
    public init() {}

    /// Closes the intake. May be called from any thread.
    public func stop() { stopped.store(true, ordering: .relaxed) }

    /// Whether the intake is closed.
    public var isStopped: Bool { stopped.load(ordering: .relaxed) }
}
