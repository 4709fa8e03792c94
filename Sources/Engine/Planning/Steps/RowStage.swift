/// A lowering's way to run its node row by row, as a stage of a ``StripChain``.
package struct RowStage: Sendable {
    /// The rows of the first input that given rows of the output need.
    package let window: RowWindow
    /// Bytes of scratch memory that each worker needs.
    package let scratchByteCount: Int
    /// Bytes of weights that every strip reads.
    package let weightsByteCount: Int
    /// Makes the step, once memory is planned.
    package let makeStep: @Sendable (StepOperands) throws -> any RowStep

    package init(
        _ window: RowWindow, scratchByteCount: Int = 0, weightsByteCount: Int = 0,
        makeStep: @escaping @Sendable (StepOperands) throws -> any RowStep
    ) {
        self.window = window
        self.scratchByteCount = scratchByteCount
        self.weightsByteCount = weightsByteCount
        self.makeStep = makeStep
    }
}

/// A prepared kernel that computes some rows of one image's output. The bits of an element do not depend on which rows
/// are computed together.
package protocol RowStep: Sendable {
    /// Does the work of one worker. Allocates nothing.
    func run(_ strip: Strip, _ context: StepContext)
}

/// Some rows of one image's output, not necessarily in the memory that the step's operands name.
///
/// Distances between rows and pixels are those of the operands.
package struct Strip {
    package let image: Int
    /// The rows wanted; at least one.
    package let rows: Range<Int>
    /// The first row of the first input that `rows` need.
    package let input: UnsafeRawPointer
    /// The memory of the first of `rows`.
    package let output: UnsafeMutableRawPointer
    /// Scratch memory of the worker.
    package let scratch: UnsafeMutableRawPointer
}
