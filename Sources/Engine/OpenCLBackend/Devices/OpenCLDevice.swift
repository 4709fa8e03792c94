import COpenCL
import Planning
import Synchronization
import Tensors

/// An OpenCL device.
///
/// Its context is created at first use, shared by all streams, and created again after it was dropped.
package final class OpenCLDevice: Device {
    private let handle: DeviceHandle
    private let current = Mutex<OpenCLContext?>(nil)
    /// How products of four bytes are added, once a kernel has been tried.
    let knownDot = Mutex<IntegerDot?>(nil)
    /// Whether tensor cores multiply bytes, once kernels have been tried.
    let knownTensorCoresOfBytes = Mutex<Bool?>(nil)

    init(
        _ id: cl_device_id, _ information: DeviceInformation, _ library: OpenCLLibrary, memoryLimit: Int? = nil,
        programCache: ProgramCache?
    ) {
        handle = DeviceHandle(
            id: id, library: library, information: information,
            memoryBudget: MemoryBudget(limit: memoryLimit ?? information.memoryByteCount / 8 * 7),
            programCache: programCache)
    }

    package var information: DeviceInformation { handle.information }

    /// Why programs that were built before are not used; nil where they are.
    package var programProblem: String? { handle.programCache?.problem }

    /// The limit on all buffers of the device together.
    package var memoryBudget: MemoryBudget { handle.memoryBudget }

    package var name: String { information.name }
    package var memoryByteCount: Int { handle.memoryBudget.limit }
    package var maximumBlockByteCount: Int { information.maximumAllocationByteCount }

    /// The number of buffers in existence.
    package var bufferCount: Int { current.withLock { $0?.bufferCount ?? 0 } }

    package func transferMicroseconds(byteCount: Int) -> Double {
        OpenCLSpeed(information).transferMicroseconds(byteCount: byteCount)
    }

    package func makeStream(recordingTimes recordsTimes: Bool) throws(DeviceError) -> any DeviceStream {
        let context = try current.withLock { (current) throws(DeviceError) -> OpenCLContext in
            if let context = current { return context }
            let context = try OpenCLContext(handle)
            current = context
            return context
        }
        return try OpenCLStream(context, recordsTimes: recordsTimes) { self.drop(context) }
    }

    /// Drops a context, so that the next stream creates another.
    private func drop(_ context: OpenCLContext) {
        current.withLock { if $0 === context { $0 = nil } }
    }

    /// The devices of a library, in the order of its platforms.
    ///
    /// - Parameters:
    ///   - memoryLimit: The maximum bytes of all buffers; nil for the device's own limit.
    ///   - programCache: Where built programs are kept.
    /// - Throws: ``OpenCLLibrary/Absence`` with what is missing.
    package static func all(
        _ library: OpenCLLibrary, memoryLimit: Int? = nil, programCache: ProgramCache? = .user
    ) throws(OpenCLLibrary.Absence) -> [OpenCLDevice] {
        let functions = library.functions
        var platformCount: cl_uint = 0
        // Without a platform, loaders return an extension's error code.
        guard functions.clGetPlatformIDs(0, nil, &platformCount) == CL_SUCCESS, platformCount > 0 else {
            let reason = library.refusal ?? "no driver is installed"
            throw OpenCLLibrary.Absence(description: "an OpenCL loader, but no platform: \(reason)")
        }
        var platforms = [cl_platform_id?](repeating: nil, count: Int(platformCount))
        guard functions.clGetPlatformIDs(platformCount, &platforms, nil) == CL_SUCCESS else { return [] }
        var devices: [OpenCLDevice] = []
        for case let platform? in platforms {
            var count: cl_uint = 0
            let all = cl_device_type(CL_DEVICE_TYPE_ALL)
            guard functions.clGetDeviceIDs(platform, all, 0, nil, &count) == CL_SUCCESS, count > 0 else { continue }
            var ids = [cl_device_id?](repeating: nil, count: Int(count))
            guard functions.clGetDeviceIDs(platform, all, count, &ids, nil) == CL_SUCCESS else { continue }
            for case let id? in ids {
                guard let information = try? DeviceInformation(id, platform, library), information.hasCompiler else {
                    continue
                }
                devices.append(
                    OpenCLDevice(id, information, library, memoryLimit: memoryLimit, programCache: programCache))
            }
        }
        guard devices.isEmpty else { return devices }
        let names = platforms.compactMap { $0.flatMap { try? library.platformName($0) } }
        throw OpenCLLibrary.Absence(description: "a platform (\(names.joined(separator: ", "))), but no device")
    }
}
