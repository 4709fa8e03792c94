import Apus
import COpenCL
import CPUBackend
import Logging
import OpenCLBackend
import OpenCLFaults
import Planning
import Synchronization
import Tensors

/// A device whose calls can be made to fail, with sessions on it.
struct FaultyDevice {
    let device: OpenCLDevice
    let log = Log()

    init(memoryLimit: Int? = nil, programCache: ProgramCache? = .user) throws {
        var system = try OpenCLLibrary.system.get().functions
        var table = apus_opencl()
        apus_faults_clear()
        apus_faults_wrap(&table, &system)
        device = try TestDevice.make(
            OpenCLLibrary(functions: table), memoryLimit: memoryLimit, programCache: programCache)
    }

    /// - Parameter isDemanded: Whether the device is required, as with the name `opencl`.
    func session(_ model: Model, isDemanded: Bool = false, streams: Int = 1) async throws -> Session {
        let options = Session.Options(
            threads: 2, streams: streams, tuning: .none, logger: Logger(label: "test") { _ in log })
        return try await Session(
            model, options: options,
            selection: BackendSelection(
                backends: [OpenCLBackend(device), CPUBackend(), ReferenceBackend()], deviceUse: .wherePossible,
                isDeviceDemanded: isDemanded))
    }

    /// The outputs of a session on the processor.
    static func expected(_ model: Model, _ inputs: [String: Tensor]) async throws -> [String: Tensor] {
        try await Session(model, options: .init(backends: [.cpu], threads: 2, tuning: .none)).predict(inputs)
    }

    static func agrees(_ found: [String: Tensor], _ expected: [String: Tensor]) -> Bool {
        found.count == expected.count
            && expected.allSatisfy { name, tensor in
                guard let other = found[name], other.shape == tensor.shape else { return false }
                return zip(other.elements(as: Double.self), tensor.elements(as: Double.self))
                    .allSatisfy { abs($0 - $1) <= 1e-5 + 1e-3 * abs($1) }
            }
    }
}

/// A log handler that keeps messages.
final class Log: LogHandler, @unchecked Sendable {
    // Metadata and level are not changed by these tests.
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .debug
    private let kept = Mutex<[String]>([])

    var messages: [String] { kept.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { kept.withLock { $0.append("\(event.message)") } }
}
