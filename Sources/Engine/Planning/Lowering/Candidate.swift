/// An accepted way to run a node.
package struct Candidate: Sendable {
    /// How the node is run.
    package enum Work: Sendable {
        /// A step of the processor, how to run it some rows at a time where that is possible, and its function of each
        /// element where it can run with the node's neighbours. Steps are made once memory is planned.
        case host(
            makeStep: @Sendable (StepOperands) throws -> any Step, rowStage: RowStage?,
            elementwise: (any ElementwiseStage)?)
        /// A step of a device, and its function of each element where the device can compute it in one kernel with the
        /// node's neighbours.
        case device(makeStep: @Sendable (StepOperands) throws -> any DeviceStep, elementwise: (any ElementwiseStage)?)
        /// Nothing runs: the output is a view of the first input.
        case view(ViewStrides)
        /// A copy that the planner inserts between the processor's memory and a device's.
        case transfer
    }

    /// Computes the strides of a view of a value with the given shape and strides; nil when there is no view.
    package typealias ViewStrides = @Sendable (_ shape: [Int], _ strides: [Int]) -> [Int]?

    /// Memory that inputs and outputs may share.
    package enum Sharing: Sendable, Equatable {
        /// Inputs should be slices of the output along the axis; those that cannot be are copied.
        case concatenation(axis: Int)
        /// Outputs should be consecutive slices of the first input along the axis; those that cannot be are copied.
        case split(axis: Int)
        /// The first output may take the memory of this input: the thread that writes an element of the output first
        /// reads the input's element of the same place.
        case overwriting(input: Int)
    }

    /// The operands that a step reads and writes stored in bfloat16, two bytes an element, as well as in float32.
    package struct BFloat16Operands: Sendable {
        /// The inputs that the step rounds to bfloat16 anyway: it computes the same bits from both.
        package var rounded: Set<Int> = []
        /// The other inputs that it reads in bfloat16.
        package var read: Set<Int> = []
        /// Whether it writes outputs in bfloat16.
        package var isWritten = false
        /// The inputs among those that it reads in bfloat16 where its outputs are, and only there.
        package var alike: Set<Int> = []

        package init(rounded: Set<Int> = [], read: Set<Int> = [], isWritten: Bool, alike: Set<Int> = []) {
            self.rounded = rounded
            self.read = read
            self.isWritten = isWritten
            self.alike = alike
        }

        /// The operands of a step that reads some inputs and writes its outputs all in bfloat16, or all in float32.
        package static func alike(_ inputs: Set<Int>) -> BFloat16Operands {
            BFloat16Operands(read: inputs, isWritten: true, alike: inputs)
        }
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
    /// Memory that inputs and outputs may share; nil for none.
    package let sharing: Sharing?
    /// Bytes of scratch memory that a run of the step may use.
    package let scratchByteCount: Int
    /// The name that distinguishes this from other candidates of the same lowering, such as the tiles of a product; nil
    /// where there is only one.
    package let variant: String?
    /// The operands that may be stored in bfloat16; nil for none.
    package let bfloat16Operands: BFloat16Operands?
    /// How the node is run.
    package let work: Work

    private init(
        _ work: Work, _ microseconds: Double, _ inputLayouts: [Layout?], _ outputLayouts: [Layout], readsSlices: Bool,
        writesSlices: Bool, _ sharing: Sharing? = nil, scratchByteCount: Int = 0, variant: String? = nil,
        _ bfloat16Operands: BFloat16Operands? = nil
    ) {
        self.microseconds = microseconds
        self.inputLayouts = inputLayouts
        self.outputLayouts = outputLayouts
        self.readsSlices = readsSlices
        self.writesSlices = writesSlices
        self.sharing = sharing
        self.scratchByteCount = scratchByteCount
        self.variant = variant
        self.bfloat16Operands = bfloat16Operands
        self.work = work
    }

    /// A way to run a node on the processor.
    package init(
        microseconds: Double, inputLayouts: [Layout?], outputLayouts: [Layout], readsSlices: Bool = true,
        writesSlices: Bool = true, sharing: Sharing? = nil, scratchByteCount: Int = 0, variant: String? = nil,
        bfloat16Operands: BFloat16Operands? = nil, rowStage: RowStage? = nil,
        elementwise: (any ElementwiseStage)? = nil,
        makeStep: @escaping @Sendable (StepOperands) throws -> any Step
    ) {
        self.init(
            .host(makeStep: makeStep, rowStage: rowStage, elementwise: elementwise), microseconds, inputLayouts,
            outputLayouts,
            readsSlices: readsSlices, writesSlices: writesSlices, sharing, scratchByteCount: scratchByteCount,
            variant: variant, bfloat16Operands)
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

    /// A view of the first input: no step, no copy. The input must be dense, since readers of the view may need that.
    package init(viewing inputLayout: Layout?, outputLayout: Layout, inputCount: Int, view: @escaping ViewStrides) {
        self.init(
            .view(view), 0, [inputLayout] + Array(repeating: nil, count: inputCount - 1), [outputLayout],
            readsSlices: false, writesSlices: true)
    }

    /// A copy to the memory of `target`; dense on the device's side.
    init(transferringTo target: MemorySpace, microseconds: Double, layout: Layout) {
        self.init(
            .transfer, microseconds, [nil], [layout], readsSlices: target == .device, writesSlices: target == .host)
    }

    /// The same candidate as a variant of its lowering, with its own expected time.
    package func asVariant(_ name: String, microseconds: Double) -> Candidate {
        Candidate(
            work, microseconds, inputLayouts, outputLayouts, readsSlices: readsSlices, writesSlices: writesSlices,
            sharing, scratchByteCount: scratchByteCount, variant: name, bfloat16Operands)
    }
}

extension Candidate {
    /// Computes the strides of the view that is the output; nil where the output is no view.
    var view: ViewStrides? { if case .view(let strides) = work { strides } else { nil } }

    /// How to run the node some rows at a time; nil when it cannot.
    var rowStage: RowStage? { if case .host(_, let stage, _) = work { stage } else { nil } }

    /// The function of each element that is computed; nil where the step is more than that.
    var elementwise: (any ElementwiseStage)? {
        switch work {
        case .host(_, _, let stage), .device(_, let stage): stage
        case .view, .transfer: nil
        }
    }

    /// The axis along which inputs should be slices of the output.
    var concatenationAxis: Int? { if case .concatenation(let axis) = sharing { axis } else { nil } }

    /// The axis along which outputs should be slices of the first input.
    var splitAxis: Int? { if case .split(let axis) = sharing { axis } else { nil } }

    /// The input whose memory the first output may take.
    var overwritableInput: Int? { if case .overwriting(let input) = sharing { input } else { nil } }

    /// Whether nothing is computed and, in most cases, nothing is moved.
    var isInPlace: Bool { view != nil || concatenationAxis != nil || splitAxis != nil }
}
