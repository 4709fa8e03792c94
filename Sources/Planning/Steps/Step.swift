/// A prepared kernel: weights packed, scratch sized, operands fixed. A plan is a list of steps.
package protocol Step: Sendable {
    /// Does the work. Allocates nothing, unless the lowering's description says otherwise.
    func run(_ context: StepContext) throws
}

/// What a step needs while it runs.
package struct StepContext {
    /// The memory that operands lie in.
    package let memory: RunMemory
    /// The threads to spread over.
    package let workers: any Workers
    /// What notes when things happen; nil when nothing does.
    let recorder: RunRecorder?
}

/// A step with nothing to do: its output already lies where it belongs.
package struct NothingStep: Step {
    package init() {}
    package func run(_ context: StepContext) {}
}
