import CPUBackend
import Graphs
import OpenCLBackend
import Planning
import Tensors
import Testing

/// Backends in order of preference, as a session would use them; the reference comes last.
struct BackendChain: Sendable, CustomTestStringConvertible {
    let backends: [any Backend]

    /// Every chain that has to agree with the operators' own evaluation. A new backend is one line.
    static let all = [
        BackendChain([ReferenceBackend()]),
        openBLAS,
        cpu,
    ] + [opencl].compactMap { $0 }

    static let openBLAS = BackendChain([OpenBLASBackend(), ReferenceBackend()])
    static let cpu = BackendChain([CPUBackend(), ReferenceBackend()])
    /// All that the first device has a kernel for, on the device; nil where there is none.
    static let opencl: BackendChain? = openCLDevice.map {
        BackendChain([OpenCLBackend($0), CPUBackend(), ReferenceBackend()])
    }

    static let openCLDevice: OpenCLDevice? = {
        guard let library = try? OpenCLLibrary.system.get() else { return nil }
        return try? OpenCLDevice.all(library).first
    }()

    init(_ backends: [any Backend]) { self.backends = backends }

    var name: String { backends.first?.name ?? "" }
    var testDescription: String { name }

    /// Plans a graph for given inputs.
    func plan(
        _ graph: Graph, for inputs: [Tensor], threads: Int = 2, division: BatchDivision? = nil
    ) throws -> Plan {
        try Planner(backends: backends, threadCount: threads, division: division, deviceUse: .wherePossible)
            .plan(graph, inputShapes: inputs.map(\.shape), packedWeights: PackedWeights())
    }
}

extension Plan {
    /// Runs the plan on threads of its own.
    func outputs(_ inputs: [Tensor]) throws -> [Tensor] {
        let pool = try #require(ThreadPool(count: threadCount))
        return try Execution(workers: pool).run(self, inputs: inputs)
    }
}
