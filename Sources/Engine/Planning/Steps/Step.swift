/// A prepared kernel: weights packed, scratch sized, operands fixed. A plan is a list of steps.
package protocol Step: Sendable {
    /// Does the work. Allocates nothing, unless the lowering's description says otherwise.
    func run(_ context: StepContext) throws
}

/// What a step needs while it runs.
package struct StepContext {
    /// The memory that operands lie in.
    package let memory: ExecutionMemory
    /// The threads to spread over.
    package let workers: any Workers
    /// Records when things happen; nil when nothing is recorded.
    let recorder: (any StepRecorder)?
}

/// Records when a step runs, and when its threads run parts of it.
protocol StepRecorder: AnyObject {
    /// Records a step that the caller runs.
    ///
    /// - Parameter isChain: Whether the step runs layers strip by strip; ``recordStage(_:thread:_:)`` then records
    ///   their times.
    func recordStep(_ layer: Int, isChain: Bool, _ body: () throws -> Void) rethrows

    /// Records what a thread did for one of the layers that run strip by strip. That thread calls it.
    func recordStage(_ layer: Int, thread: Int, _ body: () -> Void)
}
