import Synchronization

/// Ends the intake of a run: what is in flight is finished, nothing more is begun.
public final class Intake: Sendable {
    private let stopped = Atomic<Bool>(false)

    /// The intake of the run that the calling task works for. Once it is closed, a pipe that stays silent is given up.
    @TaskLocal package static var current: Intake?

    /// Whether the calling task, or the run that it works for, has been asked to end.
    package static var isEnding: Bool { Task.isCancelled || current?.isStopped == true }

    /// Makes an open intake.
    public init() {}

    /// Closes it. May be called from any thread.
    public func stop() { stopped.store(true, ordering: .relaxed) }

    /// Whether it is closed.
    public var isStopped: Bool { stopped.load(ordering: .relaxed) }
}
