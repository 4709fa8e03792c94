import Graphs
import Tensors

/// Lowers a graph onto backends for one set of input extents.
package struct Planner: Sendable {
    /// The backends that may be used, preferred first.
    package let backends: [any Backend]
    /// How many threads a run may use.
    package let threadCount: Int
    /// How many images of a batch run at a time; nil for all.
    package let division: BatchDivision?
    /// Measured times; where there are any, they decide.
    package let records: TuningCache
    /// Which layers run on the device, if a backend has one.
    package let deviceUse: DeviceUse
    /// The bytes of device memory that a plan may take; nil where plans do not depend on it.
    package let deviceMemoryLimit: Int?
    /// The bytes from which on a copy of an output takes time that one notices. Steps write such outputs where the
    /// caller wants them.
    let largeOutputByteCount: Int
    /// The lowerings that may run each type of operator.
    let lowerings = LoweringIndex()

    /// The maximum bytes of a value: more than any machine has, and few enough that sums of them do not overflow.
    private static let maximumValueByteCount = 1 << 42

    package init(
        backends: [any Backend], threadCount: Int, division: BatchDivision? = nil,
        records: TuningCache = TuningCache(), deviceUse: DeviceUse = .cheapest, deviceMemoryLimit: Int? = nil,
        largeOutputByteCount: Int = 256 << 10
    ) {
        self.backends = backends
        self.threadCount = threadCount
        self.division = division
        self.records = records
        self.deviceUse = deviceUse
        self.deviceMemoryLimit = deviceMemoryLimit
        self.largeOutputByteCount = largeOutputByteCount
    }

    /// The backend whose device plans use: the first that has a device.
    var deviceBackend: (any Backend)? { backends.first { $0.device != nil } }

    /// A graph for one set of input extents, decluttered.
    struct Prepared {
        var graph: Graph
        var types: [TensorType?]
        /// The types for any batch size; nil where the graph has none.
        var batch: BatchTypes?
    }

    func prepare(
        _ graph: Graph, _ inputShapes: [[Int]], _ batch: BatchTypes?
    ) throws(PlanningError) -> Prepared {
        let prepared: Prepared
        do {
            let (specialized, _, symbolic) = try Rewrites.declutter(
                try graph.specialized(inputShapes: inputShapes), types: batch?.symbolic)
            prepared = Prepared(
                graph: specialized, types: try specialized.inferTypes(inputShapes: inputShapes),
                batch: batch?.adding(symbolic))
        } catch {
            throw .graph(error)
        }
        for (value, type) in zip(prepared.graph.values, prepared.types) {
            guard let type, type.byteCount > Self.maximumValueByteCount else { continue }
            throw .tooLarge(value: value.name, byteCount: type.byteCount)
        }
        return prepared
    }
}
