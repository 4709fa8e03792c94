import COpenCL
import Planning
import Synchronization
import Tensors

/// The state that all streams of a device share: programs, and the weights that plans have uploaded.
final class OpenCLContext: @unchecked Sendable {
    // Any thread may use OpenCL's handles. This one never changes.
    let handle: cl_context
    let device: DeviceHandle
    var library: OpenCLLibrary { device.library }

    private struct ProgramKey: Hashable {
        let source: KernelSource
        let macros: [String: String]
    }

    private struct ConstantKey: Hashable {
        let storage: ObjectIdentifier
        let offset: Int
        let shape: [Int]
        let strides: [Int]
        let packing: String
    }

    private struct WeakConstant {
        weak var constant: OpenCLConstant?
    }

    /// A program, or the place of one that is being built. Programs are built at the same time, each once.
    private final class ProgramPlace: Sendable {
        let program = Mutex<OpenCLProgram?>(nil)
    }

    private let programs = Mutex<[ProgramKey: ProgramPlace]>([:])
    private let constants = Mutex<[ConstantKey: WeakConstant]>([:])
    private let buffers = Atomic<Int>(0)

    init(_ device: DeviceHandle) throws(DeviceError) {
        self.device = device
        var status: cl_int = 0
        var id: cl_device_id? = device.id
        let handle = device.library.functions.clCreateContext(nil, 1, &id, nil, nil, &status)
        guard status == CL_SUCCESS, let handle else { throw DeviceError(status: status, "clCreateContext") }
        self.handle = handle
    }

    deinit { _ = library.functions.clReleaseContext(handle) }

    /// The number of buffers in existence.
    var bufferCount: Int { buffers.load(ordering: .relaxed) }

    func countBuffers(by change: Int) { buffers.add(change, ordering: .relaxed) }

    /// Returns a program, which the first call builds.
    func program(_ source: KernelSource, _ macros: [String: String]) throws(DeviceError) -> OpenCLProgram {
        let key = ProgramKey(source: source, macros: macros)
        let place = programs.withLock { programs in
            let place = programs[key] ?? ProgramPlace()
            programs[key] = place
            return place
        }
        return try place.program.withLock { (program) throws(DeviceError) -> OpenCLProgram in
            if let program { return program }
            let built = try OpenCLProgram(self, text: source.text(macros))
            program = built
            return built
        }
    }

    /// Returns a part of the network on the device, and uploads it when it is not there.
    func constant(
        _ tensor: Tensor, packing: String, pack: (Tensor) throws -> Tensor
    ) throws(DeviceError) -> OpenCLConstant {
        try constants.withLock { (constants) throws(DeviceError) -> OpenCLConstant in
            let key = ConstantKey(
                storage: ObjectIdentifier(tensor.storage), offset: tensor.offset, shape: tensor.shape,
                strides: tensor.strides, packing: packing)
            if let constant = constants[key]?.constant { return constant }
            constants = constants.filter { $0.value.constant != nil }
            let packed: Tensor
            do {
                packed = try ScratchMemory().withElements(of: tensor, pack)
            } catch {
                throw DeviceError(.outOfMemory, "\(device.name): weights could not be rearranged: \(error)")
            }
            let constant = OpenCLConstant(
                original: tensor.storage,
                buffer: try OpenCLBuffer(
                    self, byteCount: packed.byteCount, flags: CL_MEM_READ_ONLY, content: packed.firstElement))
            withExtendedLifetime(packed) {}
            constants[key] = WeakConstant(constant: constant)
            return constant
        }
    }
}

/// A part of the network on the device. It lives as long as a prepared plan uses it.
final class OpenCLConstant: Sendable {
    /// Keeps the storage alive, so that the identity by which it is found is not used for another.
    private let original: Storage
    let buffer: OpenCLBuffer

    init(original: Storage, buffer: OpenCLBuffer) {
        self.original = original
        self.buffer = buffer
    }
}
