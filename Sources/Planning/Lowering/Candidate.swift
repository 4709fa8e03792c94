/// An accepted way to run a node.
package struct Candidate: Sendable {
    /// The expected time in microseconds, copies not included.
    package var microseconds: Double
    /// The layout each input must have; nil takes any.
    package var inputLayouts: [Layout?]
    /// The layout in which each output is written.
    package var outputLayouts: [Layout]
    /// Whether inputs may be slices of a larger value, with gaps between pixels.
    package var readsSlices: Bool
    /// Whether outputs may be slices of a larger value.
    package var writesSlices: Bool
    /// The axis along which inputs should already be slices of the output; those that cannot be are copied.
    package var concatenationAxis: Int?
    /// The axis along which outputs should be slices of the first input's memory, one after the other; those that cannot
    /// be are copied.
    package var splitAxis: Int?
    /// Whether the output is a view of the first input: the planner asks for its strides and plans no step.
    package var view: (@Sendable (_ shape: [Int], _ strides: [Int]) -> [Int]?)?
    /// The input whose memory the first output may take: each element is read by the thread that writes the output's
    /// element of the same place, before it does; nil where there is none.
    package var overwritableInput: Int?
    /// Bytes of scratch memory that a run of the step may use.
    package var scratchByteCount: Int
    /// What tells the way from others of the same lowering, such as the tiles of a product; nil where there is one way.
    package var variant: String?
    /// Other ways of the same lowering, expected to be no faster, for measured times to choose.
    package var alternatives: [Candidate] = []
    /// What the node does to each element, where a device can run it in one kernel with its neighbours.
    package var elementwise: (any ElementwiseStage)?
    /// How to run the node some rows at a time; nil when it cannot.
    package var rowStage: RowStage?
    /// Makes the step once memory is planned, for the processor.
    package var makeStep: @Sendable (StepOperands) throws -> any Step
    /// Makes the step once memory is planned, for a device; nil for the processor and for views.
    package var makeDeviceStep: (@Sendable (StepOperands) throws -> any DeviceStep)?

    package init(
        microseconds: Double, inputLayouts: [Layout?], outputLayouts: [Layout], readsSlices: Bool = true,
        writesSlices: Bool = true, concatenationAxis: Int? = nil, splitAxis: Int? = nil, scratchByteCount: Int = 0,
        makeStep: @escaping @Sendable (StepOperands) throws -> any Step
    ) {
        self.microseconds = microseconds
        self.inputLayouts = inputLayouts
        self.outputLayouts = outputLayouts
        self.readsSlices = readsSlices
        self.writesSlices = writesSlices
        self.concatenationAxis = concatenationAxis
        self.splitAxis = splitAxis
        self.scratchByteCount = scratchByteCount
        self.makeStep = makeStep
    }

    /// Whether nothing is to be computed, and mostly nothing to be moved.
    var isInPlace: Bool { view != nil || concatenationAxis != nil || splitAxis != nil }

    /// A way to run a node on a device.
    package init(
        microseconds: Double, inputLayouts: [Layout?], outputLayouts: [Layout], readsSlices: Bool = true,
        writesSlices: Bool = true, concatenationAxis: Int? = nil, splitAxis: Int? = nil, scratchByteCount: Int = 0,
        makeDeviceStep: @escaping @Sendable (StepOperands) throws -> any DeviceStep
    ) {
        self.init(
            microseconds: microseconds, inputLayouts: inputLayouts, outputLayouts: outputLayouts,
            readsSlices: readsSlices, writesSlices: writesSlices, concatenationAxis: concatenationAxis,
            splitAxis: splitAxis, scratchByteCount: scratchByteCount, makeStep: { _ in NothingStep() })
        self.makeDeviceStep = makeDeviceStep
    }

    /// A view of the first input: no step, no copy. The input is dense, since readers of the view may need that.
    ///
    /// - Parameter view: Gives the strides of the result for the input's shape and strides; nil when there is no view.
    package init(
        viewing inputLayout: Layout?, outputLayout: Layout, inputCount: Int,
        view: @escaping @Sendable (_ shape: [Int], _ strides: [Int]) -> [Int]?
    ) {
        self.init(
            microseconds: 0, inputLayouts: [inputLayout] + Array(repeating: nil, count: inputCount - 1),
            outputLayouts: [outputLayout], readsSlices: false, makeStep: { _ in NothingStep() })
        self.view = view
    }
}
