import Formats
import Graphs
import Models
import Planning

/// A description of a plan: what runs each layer, and why.
public struct PlanDescription: Sendable, Codable {
    /// A lowering that was asked about a layer.
    public struct Candidate: Sendable, Codable {
        /// The backend, such as `cpu`.
        public let backend: String
        /// The lowering, such as `pointwise-gemm`.
        public let lowering: String
        /// The variant of the lowering, where there are several, such as the tiles of a product on a device.
        public let variant: String?
        /// The expected time in microseconds; nil when declined.
        public let microseconds: Double?
        /// The expected time of copying the inputs into the layout that the lowering needs, in microseconds.
        public let copyMicroseconds: Double
        /// The expected time in microseconds by which candidates are compared. It is that of one image on one thread,
        /// copies included, so that the choice is the same for every batch and any number of threads. Nil when the
        /// candidate cannot be chosen.
        public let rankedMicroseconds: Double?
        /// The shortest time measured for one image, in microseconds; nil when it was not measured.
        public let measuredMicroseconds: Double?
        /// The number of threads when it was measured.
        public let measuredThreads: Int?
        /// Why the lowering declined.
        public let reason: String?
    }

    /// Layers that run together, some rows at a time, so that the values between them stay in a core's cache.
    public struct Strips: Sendable, Codable {
        /// The index of the first of the layers.
        public let firstLayer: Int
        /// The index of the last of the layers.
        public let lastLayer: Int
        /// The number of rows of the last layer's output that are computed at a time.
        public let rows: Int
        /// The memory of each thread for rows of the values between the layers, in bytes.
        public let bytesPerThread: Int
    }

    /// A step of the plan.
    public struct Layer: Sendable, Codable {
        /// The node's name.
        public let name: String
        /// The operator, with those that are fused into it.
        public let `operator`: String
        /// The extents of the inputs.
        public let inputs: [[Int]]
        /// The extents of the outputs.
        public let outputs: [[Int]]
        /// `row-major` or `channels-last`.
        public let layout: String
        /// The element type in which the output is stored, such as `float32`; in ``Precision/bf16``, values between
        /// layers may be stored as `bfloat16`.
        public let elementType: String
        /// The backend that runs the layer.
        public let backend: String
        /// The lowering that runs the layer.
        public let lowering: String
        /// The variant of the lowering, where there are several, such as the tiles of a product on a device.
        public let variant: String?
        /// The expected time in microseconds.
        public let microseconds: Double
        /// Whether the lowering was chosen by measured times rather than by expected ones.
        public let isMeasured: Bool
        /// The measured time in microseconds; nil where nothing was measured.
        public let measuredMicroseconds: Double?
        /// The number of threads when it was measured.
        public let measuredThreads: Int?
        /// The number of multiply-adds.
        public let multiplyAdds: Int
        /// The bytes that a copy between the processor's and a device's memory moves; 0 for every other layer.
        public let transferBytes: Int
        /// The place of the output: a range of bytes of the arena (perhaps that of an input that is not read again), a
        /// slice of another value, or a view.
        public let memory: String
        /// The layers that this one runs together with, strip by strip.
        public let strips: Strips?
        /// Why the next layer does not run strip by strip with this one, although this one could.
        public let stripReason: String?
        /// Why this layer does not run on the device, although the device has a kernel for it.
        public let deviceReason: String?
        /// Why the layer is rounded or computed in float32, where ``Precision/automatic`` decides.
        public let precisionReason: String?
        /// Every lowering that was asked about the layer, in order of preference.
        public let candidates: [Candidate]
    }

    /// A node that is evaluated once its inputs are known, because the shapes of its outputs depend on their content.
    public struct DynamicNode: Sendable, Codable {
        /// The node's name.
        public let name: String
        /// The operator.
        public let `operator`: String
        /// Why its shapes are not known earlier.
        public let reason: String
    }

    /// What runs after the layers in a network whose shapes are not all known before it runs.
    public struct Continuation: Sendable, Codable {
        /// What is evaluated next.
        public let evaluated: [DynamicNode]
        /// The number of nodes of each operator that follow; they are planned when their shapes are known.
        public let following: [String: Int]
    }

    /// The model's name.
    public let model: String
    /// The extents of every input, by name.
    public let inputs: [String: [Int]]
    /// The number of threads that a run uses.
    public let threads: Int
    /// The memory for the values between layers, in bytes.
    public let arenaBytes: Int
    /// The device's memory for the values between layers, in bytes; 0 where no layer runs on a device.
    public let deviceArenaBytes: Int
    /// The number of runs of the layers for one batch, each for an equal part of its images.
    public let runs: Int
    /// Why there are that many runs, or why axis 0 of the inputs is not a batch.
    public let batching: String
    /// How many layers are rounded, and what that does to outputs, where ``Precision/automatic`` decides; or why rows
    /// are not rounded although that was asked for.
    public let precisions: String?
    /// The layers in the order in which they run; extents, times and work are those of one run.
    public let layers: [Layer]

    /// What runs after the layers; nil when nothing does.
    public let continuation: Continuation?

    /// - Parameters:
    ///   - precisions: The layers that were chosen to be rounded; nil where that was not asked for.
    ///   - roundingRefusal: Why rows are not rounded although that was asked for.
    package init(
        _ executable: Executable, inputShapes: [[Int]], threads: Int, model: Model, precisions: PrecisionChoice? = nil,
        roundingRefusal: String? = nil
    ) {
        let plan: Plan?
        switch executable {
        case .plan(let whole):
            plan = whole
            continuation = nil
        case .program(_, let first):
            plan = first.plan
            continuation = Continuation(first)
        }
        self.model = model.name
        inputs = Dictionary(
            zip(model.graph.inputs.map { model.graph[$0].name }, inputShapes), uniquingKeysWith: { first, _ in first })
        self.threads = plan?.threadCount ?? threads
        arenaBytes = plan?.arenaByteCount ?? 0
        deviceArenaBytes = plan?.devicePart?.arenaByteCount ?? 0
        runs = plan?.batching.runCount ?? 1
        batching =
            model.graph.reasonAgainstBatch(inputShapes: inputShapes).map { "axis 0 is not a batch here: \($0)" }
            ?? plan?.batching.reason ?? "nothing can be planned before the network runs"
        self.precisions =
            precisions?.summary ?? roundingRefusal.map { "f32, apart from weights that take long to read: \($0)" }
        layers = plan?.layers.map { Layer($0, precisions) } ?? []
    }
}

extension PlanDescription.Continuation {
    package init(_ stage: ProgramStage) {
        evaluated = stage.dynamicNodes.map {
            PlanDescription.DynamicNode(
                name: $0.node.name, operator: $0.node.operatorName,
                reason: "\($0.reason) decides about shapes")
        }
        following = stage.followingNodes.reduce(into: [:]) { $0[$1.operatorName, default: 0] += 1 }
    }
}

extension PlanDescription.Layer {
    package init(_ layer: PlannedLayer, _ precisions: PrecisionChoice? = nil) {
        name = layer.name
        `operator` = layer.operatorName
        inputs = layer.inputShapes
        outputs = layer.outputShapes
        layout = layer.outputLayout.rawValue
        elementType = layer.outputType?.description ?? ""
        backend = layer.backend
        lowering = layer.lowering
        variant = layer.variant
        microseconds = layer.microseconds
        isMeasured = layer.measured != nil
        measuredMicroseconds = layer.measured?.microseconds
        measuredThreads = layer.measured?.threads
        multiplyAdds = layer.multiplyAdds
        transferBytes = layer.transferByteCount
        let arena = layer.space == .device ? "device arena" : "arena"
        memory =
            switch layer.memory {
            case .arena(let offset, let byteCount, let input):
                "\(arena) \(offset)..<\(offset + byteCount)" + (input.map { ", over \($0)" } ?? "")
            case .slice(let parent, let axis, let start, let offset):
                "slice of \(parent) from \(start) along axis \(axis), \(arena) \(offset)"
            case .view(let source): "view of \(source)"
            case .strip: "some rows at a time, in each thread's scratch memory"
            case .output: "the caller's memory for the output"
            case .registers: "registers, in one kernel with the next layer"
            }
        strips = layer.chain.map {
            PlanDescription.Strips(
                firstLayer: $0.operations.lowerBound, lastLayer: $0.operations.upperBound - 1, rows: $0.rowsPerStrip,
                bytesPerThread: $0.workerByteCount)
        }
        stripReason = layer.stripReason
        deviceReason = layer.deviceReason
        precisionReason = precisions?.reason(for: layer.name)
        candidates = layer.considered.map {
            PlanDescription.Candidate(
                backend: $0.backend, lowering: $0.lowering, variant: $0.variant, microseconds: $0.microseconds,
                copyMicroseconds: $0.copyMicroseconds, rankedMicroseconds: $0.rankedMicroseconds,
                measuredMicroseconds: $0.measured?.microseconds, measuredThreads: $0.measured?.threads,
                reason: $0.reason)
        }
    }
}
