/// An accepted way to run a node.
package struct Candidate: Sendable {
    /// What runs the node.
    package enum Work: Sendable {
        /// A step of the processor, and how to run it some rows at a time where it can. Steps are made once memory is
        /// planned.
        case host(makeStep: @Sendable (StepOperands) throws -> any Step, rowStage: RowStage?)
        /// A step of a device, and what it does to each element where the device can do that in one kernel with the
        /// node's neighbours.
        case device(makeStep: @Sendable (StepOperands) throws -> any DeviceStep, elementwise: (any ElementwiseStage)?)
        /// Nothing: the output is a view of the first input.
        case view(ViewStrides)
        /// The planner's copy between the processor's memory and a device's.
        case transfer
    }

    /// The strides of a view of a value with the given shape and strides; nil when there is no view.
    package typealias ViewStrides = @Sendable (_ shape: [Int], _ strides: [Int]) -> [Int]?

    /// Which memory inputs and outputs may have in common.
    package enum Sharing: Sendable, Equatable {
        /// Inputs should already be slices of the output along the axis; those that cannot be are copied.
        case concatenation(axis: Int)
        /// Outputs should be slices of the first input along the axis, one after the other; those that cannot be are
        /// copied.
        case split(axis: Int)
        /// The first output may take the memory of this input: each element is read by the thread that writes the
        /// output's element of the same place, before it does.
        case overwriting(input: Int)
    }

    /// The expected time in microseconds, copies not included.
    package let microseconds: Double
    /// The layout each input must have; nil takes any.
    package let inputLayouts: [Layout?]
    /// The layout in which each output is written.
    package let outputLayouts: [Layout]
    /// Whether inputs may be slices of a larger value, with gaps between pixels.
    package let readsSlices: Bool
    /// Whether outputs may be slices of a larger value.
    package let writesSlices: Bool
    /// Which memory inputs and outputs may have in common; nil for none.
    package let sharing: Sharing?
    /// Bytes of scratch memory that a run of the step may use.
    package let scratchByteCount: Int
    /// What tells the way from others of the same lowering, such as the tiles of a product; nil where there is one way.
    package let variant: String?
    /// What runs the node.
    package let work: Work

    private init(
        _ work: Work, _ microseconds: Double, _ inputLayouts: [Layout?], _ outputLayouts: [Layout], readsSlices: Bool,
        writesSlices: Bool, _ sharing: Sharing? = nil, scratchByteCount: Int = 0, variant: String? = nil
    ) {
        self.microseconds = microseconds
        self.inputLayouts = inputLayouts
        self.outputLayouts = outputLayouts
        self.readsSlices = readsSlices
        self.writesSlices = writesSlices
        self.sharing = sharing
        self.scratchByteCount = scratchByteCount
        self.variant = variant
        self.work = work
    }

    /// A way to run a node on the processor.
    package init(
        microseconds: Double, inputLayouts: [Layout?], outputLayouts: [Layout], readsSlices: Bool = true,
        writesSlices: Bool = true, sharing: Sharing? = nil, scratchByteCount: Int = 0, variant: String? = nil,
        rowStage: RowStage? = nil, makeStep: @escaping @Sendable (StepOperands) throws -> any Step
    ) {
        self.init(
            .host(makeStep: makeStep, rowStage: rowStage), microseconds, inputLayouts, outputLayouts,
            readsSlices: readsSlices, writesSlices: writesSlices, sharing, scratchByteCount: scratchByteCount,
            variant: variant)
    }

    /// A way to run a node on a device.
    package init(
        microseconds: Double, inputLayouts: [Layout?], outputLayouts: [Layout], readsSlices: Bool = true,
        writesSlices: Bool = true, sharing: Sharing? = nil, scratchByteCount: Int = 0, variant: String? = nil,
        elementwise: (any ElementwiseStage)? = nil,
        makeDeviceStep: @escaping @Sendable (StepOperands) throws -> any DeviceStep
    ) {
        self.init(
            .device(makeStep: makeDeviceStep, elementwise: elementwise), microseconds, inputLayouts, outputLayouts,
            readsSlices: readsSlices, writesSlices: writesSlices, sharing, scratchByteCount: scratchByteCount,
            variant: variant)
    }

    /// A view of the first input: no step, no copy. The input is dense, since readers of the view may need that.
    package init(viewing inputLayout: Layout?, outputLayout: Layout, inputCount: Int, view: @escaping ViewStrides) {
        self.init(
            .view(view), 0, [inputLayout] + Array(repeating: nil, count: inputCount - 1), [outputLayout],
            readsSlices: false, writesSlices: true)
    }

    /// A copy to the memory of `target`, dense on the device's side.
    init(transferringTo target: MemorySpace, microseconds: Double, layout: Layout) {
        self.init(
            .transfer, microseconds, [nil], [layout], readsSlices: target == .device, writesSlices: target == .host)
    }

    /// The same as a variant of its lowering, with an expected time of its own.
    package func asVariant(_ name: String, microseconds: Double) -> Candidate {
        Candidate(
            work, microseconds, inputLayouts, outputLayouts, readsSlices: readsSlices, writesSlices: writesSlices,
            sharing, scratchByteCount: scratchByteCount, variant: name)
    }
}

extension Candidate {
    /// The strides of the view that the output is; nil where it is none.
    var view: ViewStrides? { if case .view(let strides) = work { strides } else { nil } }

    /// How to run the node some rows at a time; nil when it cannot.
    var rowStage: RowStage? { if case .host(_, let stage) = work { stage } else { nil } }

    /// What a device does to each element; nil where it does more.
    var elementwise: (any ElementwiseStage)? { if case .device(_, let stage) = work { stage } else { nil } }

    /// The axis along which inputs should be slices of the output.
    var concatenationAxis: Int? { if case .concatenation(let axis) = sharing { axis } else { nil } }

    /// The axis along which outputs should be slices of the first input.
    var splitAxis: Int? { if case .split(let axis) = sharing { axis } else { nil } }

    /// The input whose memory the first output may take.
    var overwritableInput: Int? { if case .overwriting(let input) = sharing { input } else { nil } }

    /// Whether nothing is to be computed, and mostly nothing to be moved.
    var isInPlace: Bool { view != nil || concatenationAxis != nil || splitAxis != nil }
}
