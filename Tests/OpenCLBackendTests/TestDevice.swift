import CPUBackend
import Foundation
import Graphs
import OpenCLBackend
import Planning
import Tensors
import Testing

/// The device on which tests run.
enum TestDevice {
    /// The first device; nil when there is none, with the reason printed once.
    static let shared: OpenCLDevice? = {
        do {
            let device = try make()
            print("OpenCL tests run on \(device.information.description)")
            return device
        } catch {
            print("OpenCL tests are skipped: \(error)")
            return nil
        }
    }()

    static var isPresent: Bool { shared != nil }

    /// A separate device with its own context.
    static func make(
        _ library: OpenCLLibrary? = nil, memoryLimit: Int? = nil, programCache: ProgramCache? = .user
    ) throws -> OpenCLDevice {
        let library = try library ?? OpenCLLibrary.system.get()
        let devices = try OpenCLDevice.all(library, memoryLimit: memoryLimit, programCache: programCache)
        return try #require(devices.first)
    }

    /// Plans on the processor and a device.
    static func planner(_ device: OpenCLDevice, _ use: DeviceUse = .wherePossible, threads: Int = 2) -> Planner {
        Planner(
            backends: [OpenCLBackend(device), CPUBackend(), ReferenceBackend()], threadCount: threads, deviceUse: use)
    }
}
