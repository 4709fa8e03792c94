import CPUBackend
import Graphs
import OpenCLBackend
import Planning
import Tensors
import Testing

/// Backends in order of preference, as a session would use them; the reference comes last.
struct BackendChain: Sendable, CustomTestStringConvertible {
    let backends: [any Backend]
    let deviceUse: DeviceUse

    /// Every chain that must agree with the operators' own evaluation. A new backend is one line.
    static let all =
        [
            BackendChain([ReferenceBackend()]),
            cpu,
        ] + openBLAS + openCL

    /// The first OpenCL device, for all operators that it has kernels for; empty without a device.
    static let openCL: [BackendChain] = {
        do {
            let devices = try OpenCLDevice.all(try OpenCLLibrary.system.get())
            return devices.prefix(1).map { onDevice($0, .wherePossible) }
        } catch {
            print("Nothing is tested on OpenCL: \(error)")
            return []
        }
    }()

    static func onDevice(_ device: OpenCLDevice, _ use: DeviceUse) -> BackendChain {
        BackendChain([OpenCLBackend(device), CPUBackend(), ReferenceBackend()], use)
    }

    /// OpenBLAS; empty where the library is not there.
    static let openBLAS: [BackendChain] = {
        do {
            return [BackendChain([try OpenBLASBackend.system.get(), ReferenceBackend()])]
        } catch {
            print("Nothing is tested on OpenBLAS: \(error)")
            return []
        }
    }()
    static let cpu = BackendChain([CPUBackend(), ReferenceBackend()])

    init(_ backends: [any Backend], _ deviceUse: DeviceUse = .cheapest) {
        self.backends = backends
        self.deviceUse = deviceUse
    }

    /// Whether layers run on a device, whose rounding may differ from the processor's.
    var usesDevice: Bool { backends.contains { $0.device != nil } }

    var name: String { backends.first?.name ?? "" }
    var testDescription: String { name }

    /// Plans a graph for given inputs.
    func plan(
        _ graph: Graph, for inputs: [Tensor], threads: Int = 2, division: BatchDivision? = nil
    ) throws -> Plan {
        try Planner(backends: backends, threadCount: threads, division: division, deviceUse: deviceUse)
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
