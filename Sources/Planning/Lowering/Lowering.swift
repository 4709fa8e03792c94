import Graphs
import Tensors

/// One way to run one kind of node on one kind of device.
package protocol Lowering: Sendable {
    /// The name shown in explanations, such as `pointwise-gemm`.
    var name: String { get }

    /// Says whether and at what cost the lowering can run a node.
    func lower(_ request: LoweringRequest) -> LoweringAnswer
}

/// A device with its lowerings.
package protocol Backend: Sendable {
    /// The name used on the command line, such as `cpu`.
    var name: String { get }
    /// What the device is, with library versions.
    var deviceDescription: String { get }
    /// The lowerings, preferred first.
    var lowerings: [any Lowering] { get }
    /// What measured times hold for: the device, its instructions, and the versions of kernels and libraries. Nil when
    /// nothing is to be measured.
    var measurementKey: String? { get }
    /// Bytes of the cache that each worker has to itself; 0 where nothing is gained by keeping to it.
    var workerCacheByteCount: Int { get }
    /// Whether it runs only what no other backend runs, whatever times are expected.
    var isLastResort: Bool { get }
    /// The device in whose memory the lowerings read and write; nil for the processor.
    var device: (any Device)? { get }
}

extension Backend {
    package var measurementKey: String? { nil }
    package var workerCacheByteCount: Int { 0 }
    package var isLastResort: Bool { false }
    package var device: (any Device)? { nil }
    var space: MemorySpace { device == nil ? .host : .device }
}

/// A lowering's answer to a request.
package enum LoweringAnswer: Sendable {
    case accept(Candidate)
    /// The reason for not running the node, as a phrase: `kernel is 3×3, not 1×1`.
    case decline(String)
}

/// A node with everything known about it before planning.
package struct LoweringRequest: Sendable {
    package let node: Graph.Node
    package let inputs: [TensorType?]
    /// The outputs up to the last that is wanted; at least one.
    package let outputs: [TensorType]
    /// The content of inputs that are part of the network.
    package let constants: [Tensor?]
    /// The order in which each input's elements lie at present.
    package let inputLayouts: [Layout?]
    /// How many threads a run may use.
    package let threadCount: Int
    /// Whether the types are the same in every plan that has the layer, whatever the batch.
    var identifiesLayer = false
    /// Where the images of a batch lie in each input; the same at every batch size.
    var imageOrders: [ImageOrder] = []

    /// Where the images of a batch lie in an input.
    package func imageOrder(_ input: Int) -> ImageOrder {
        imageOrders.indices.contains(input) ? imageOrders[input] : .unknown
    }

    package var operation: any Operator { node.operation }
    package var cost: OperatorCost { operation.cost(inputs: inputs, outputs: outputs) }

    /// The request for one image on one thread, by which lowerings are ranked; for the batch where a type is not known.
    ///
    /// - Parameter types: The types of values for one image, indexed like `graph.values`.
    func forRanking(_ types: [TensorType?], _ graph: Graph) -> LoweringRequest {
        func type(_ id: Graph.ValueID) -> TensorType? {
            if let tensor = graph.initializers[id] { return TensorType(tensor) }
            return id.index < types.count ? types[id.index] : nil
        }
        let imageInputs = node.inputs.map { $0.flatMap(type) }
        let imageOutputs = node.outputs.prefix(outputs.count).compactMap { $0.flatMap(type) }
        let isKnown =
            imageOutputs.count == outputs.count
            && zip(node.inputs, imageInputs).allSatisfy { ($0 == nil) == ($1 == nil) }
        return LoweringRequest(
            node: node, inputs: isKnown ? imageInputs : inputs, outputs: isKnown ? imageOutputs : outputs,
            constants: constants, inputLayouts: inputLayouts, threadCount: 1,
            identifiesLayer: isKnown || types.isEmpty, imageOrders: imageOrders)
    }
}

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

/// Where a step finds its operands.
package struct StepOperands: Sendable {
    /// What ``input(_:)`` and ``allInputs()`` give; weights that are only rearranged need not be ready to be read.
    package let inputs: [Operand?]
    package let outputs: [Operand]
    /// Byte offset in the arena of the scratch memory asked for.
    package let scratch: Operand
    /// Rearranged weights, shared by all plans of a session.
    package let packedWeights: PackedWeights

    /// An input that the node must have, ready to be read.
    package func input(_ index: Int) throws -> Operand {
        guard let operand = try optionalInput(index) else { throw PlanningError.missingOperand(index) }
        return operand
    }

    /// An input, ready to be read; nil where there is none.
    package func optionalInput(_ index: Int) throws -> Operand? {
        guard index < inputs.count, let operand = inputs[index] else { return nil }
        try operand.load()
        return operand
    }

    /// All inputs, ready to be read.
    package func allInputs() throws -> [Operand?] {
        try inputs.indices.map { try optionalInput($0) }
    }
}
