import COpenCL
import Planning
import Tensors

/// A plan's kernels with their arguments set, on one stream.
final class PreparedKernels: PreparedDevicePart {
    private let context: OpenCLContext
    private let queue: OpenCLQueue
    private let arena: OpenCLBuffer
    private let stagingMemory: StagingMemory
    private var launches: [KernelLaunch] = []
    /// The launches of each step.
    private var launchesOfStep: [Range<Int>] = []
    private var constants: [OpenCLConstant] = []
    private let times: CommandTimes
    var isRecording: Bool {
        get { times.isKept }
        set { times.isKept = newValue && queueRecordsTimes }
    }
    private let queueRecordsTimes: Bool

    var staging: UnsafeMutableRawPointer { stagingMemory.base }

    init(
        _ part: DevicePart, _ stream: OpenCLStream, arena: OpenCLBuffer, staging: StagingMemory
    ) throws(DeviceError) {
        context = stream.context
        queue = stream.queue
        self.arena = arena
        stagingMemory = staging
        queueRecordsTimes = stream.recordsTimes
        times = CommandTimes(stream.context.library)
        for step in part.steps {
            let first = launches.count
            guard let step = step as? KernelStep else {
                throw DeviceError(.failed, "\(context.device.name): a step is made of no kernels")
            }
            for call in step.calls { launches.append(try launch(call)) }
            launchesOfStep.append(first..<launches.count)
        }
    }

    func enqueue(step: Int) throws(DeviceError) {
        for index in launchesOfStep[step] {
            try times.recording { event throws(DeviceError) in try launches[index].enqueue(queue.handle, event) }
        }
    }

    func upload(stagingOffset: Int, arenaOffset: Int, byteCount: Int) throws(DeviceError) {
        try times.recording { event throws(DeviceError) in
            try context.library.check(
                context.library.functions.clEnqueueWriteBuffer(
                    queue.handle, arena.memory, cl_bool(CL_FALSE), arenaOffset, byteCount, staging + stagingOffset, 0,
                    nil, event),
                "clEnqueueWriteBuffer")
        }
    }

    func download(arenaOffset: Int, stagingOffset: Int, byteCount: Int) throws(DeviceError) {
        try times.recording { event throws(DeviceError) in
            try context.library.check(
                context.library.functions.clEnqueueReadBuffer(
                    queue.handle, arena.memory, cl_bool(CL_FALSE), arenaOffset, byteCount, staging + stagingOffset, 0,
                    nil, event),
                "clEnqueueReadBuffer")
        }
    }

    func flush() throws(DeviceError) {
        try context.library.check(context.library.functions.clFlush(queue.handle), "clFlush")
    }

    func finish() throws(DeviceError) {
        try context.library.check(context.library.functions.clFinish(queue.handle), "clFinish")
    }

    var recordedCommandCount: Int { times.count }

    func takeTimes() throws(DeviceError) -> [DeviceTime] { try times.take() }

    private func launch(_ call: KernelCall) throws(DeviceError) -> KernelLaunch {
        let program = try context.program(call.source, call.macros)
        let launch = KernelLaunch(context.library, call, try program.makeKernel(call.kernel))
        for argument in call.arguments {
            switch argument {
            case .int(let value): try launch.append(value)
            case .long(let value): try launch.append(Int64(value))
            case .float(let value): try launch.append(value)
            case .local(let byteCount): try launch.append(localByteCount: byteCount)
            case .constant(let tensor, let packing, let pack):
                try append(try context.constant(tensor, packing: packing, pack: pack), to: launch)
            case .operand(let operand): try append(operand, to: launch)
            case .vectors(let operand, let count): try append(operand, of: count, to: launch)
            case .axes(let values):
                var vector = SIMD8<Int32>()
                for (index, value) in values.prefix(8).enumerated() { vector[index] = Int32(truncatingIfNeeded: value) }
                try launch.append(vector)
            case .floats(let values):
                var vector = SIMD8<Float>()
                for (index, value) in values.prefix(8).enumerated() { vector[index] = value }
                try launch.append(vector)
            case .absent:
                try launch.append(cl_mem?.none)
                try launch.append(UInt64(0))
            }
        }
        return launch
    }

    private func append(_ operand: Operand, of count: Int = 1, to launch: KernelLaunch) throws(DeviceError) {
        switch operand.place {
        case .device(let offset):
            try launch.append(arena.memory)
            try launch.append(UInt64(offset / operand.elementType.byteCount / count))
        case .constant(let tensor):
            let constant = try context.constant(tensor, packing: "as it lies") { tensor in
                let count = tensor.elementCount
                return Tensor(
                    elementType: tensor.elementType, shape: [count], strides: [1], offset: tensor.offset,
                    storage: tensor.storage)
            }
            try append(constant, to: launch)
        case .arena, .input, .output:
            throw DeviceError(.failed, "\(context.device.name): a kernel reads the processor's memory")
        }
    }

    private func append(_ constant: OpenCLConstant, to launch: KernelLaunch) throws(DeviceError) {
        constants.append(constant)
        try launch.append(constant.buffer.memory)
        try launch.append(UInt64(0))
    }
}

/// A kernel with its arguments and extents.
private final class KernelLaunch {
    private let library: OpenCLLibrary
    private let kernel: cl_kernel
    private let name: String
    private var argumentCount: cl_uint = 0
    private let axisCount: cl_uint
    /// The global extents, then the extents of a group.
    private let extents: UnsafeMutablePointer<Int>
    private let hasGroups: Bool

    init(_ library: OpenCLLibrary, _ call: KernelCall, _ kernel: cl_kernel) {
        self.library = library
        self.kernel = kernel
        name = call.kernel
        axisCount = cl_uint(call.global.count)
        hasGroups = call.local != nil
        let sizes = call.global + (call.local ?? [])
        extents = .allocate(capacity: sizes.count)
        for (index, size) in sizes.enumerated() { extents[index] = size }
    }

    deinit {
        extents.deallocate()
        _ = library.functions.clReleaseKernel(kernel)
    }

    func append<Value: BitwiseCopyable>(_ value: Value) throws(DeviceError) {
        let status = withUnsafeBytes(of: value) { bytes -> cl_int in
            library.functions.clSetKernelArg(kernel, argumentCount, bytes.count, bytes.baseAddress)
        }
        try library.check(status, "clSetKernelArg \(argumentCount) of \(name)")
        argumentCount += 1
    }

    func append(localByteCount: Int) throws(DeviceError) {
        try library.check(
            library.functions.clSetKernelArg(kernel, argumentCount, localByteCount, nil),
            "clSetKernelArg \(argumentCount) of \(name)")
        argumentCount += 1
    }

    func enqueue(_ queue: cl_command_queue, _ event: UnsafeMutablePointer<cl_event?>?) throws(DeviceError) {
        let status: cl_int = library.functions.clEnqueueNDRangeKernel(
            queue, kernel, axisCount, nil, extents, hasGroups ? extents + Int(axisCount) : nil, 0, nil, event)
        if status != CL_SUCCESS { throw DeviceError(status: status, "clEnqueueNDRangeKernel of \(name)") }
    }
}
