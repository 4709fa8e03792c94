import OpenCLBackend
import Planning
import Synchronization
import Tensors

/// A GPU of NVIDIA whose instructions are interpreted: programs are compiled to PTX, and ``PTXMachine`` runs them.
final class EmulatedDevice: Device {
    let name = "emulated"
    private let compiler: PTXCompiler
    private let seed: UInt64
    private let codes = Mutex<[String: PTXCode]>([:])

    /// - Parameter seed: What the order of warps comes from; with an odd number, copies to shared memory take place as
    ///   late as possible, otherwise at once.
    init(_ compiler: PTXCompiler, seed: UInt64) { (self.compiler, self.seed) = (compiler, seed) }

    func transferMicroseconds(byteCount: Int) -> Double { 15 + Double(byteCount) / 12_000 }

    func makeStream(recordingTimes recordsTimes: Bool) -> any DeviceStream { Stream(self) }

    /// The program of a call, which the first call compiles.
    private func code(_ call: KernelCall) throws -> PTXCode {
        let text = call.source.text(call.macros)
        let key = call.kernel + "\n" + text
        if let code = codes.withLock({ $0[key] }) { return code }
        let code = try PTXCode(try PTXProgram(try compiler.compile(text), kernel: call.kernel))
        codes.withLock { $0[key] = code }
        return code
    }

    private final class Stream: DeviceStream {
        let recordsTimes = false
        private let device: EmulatedDevice

        init(_ device: EmulatedDevice) { self.device = device }

        func prepare(_ part: DevicePart) -> any PreparedDevicePart { Part(part, device) }
        func abandon() {}
    }

    private final class Part: PreparedDevicePart {
        private let part: DevicePart
        private let device: EmulatedDevice
        private let arena: UnsafeMutableRawBufferPointer
        let staging: UnsafeMutableRawPointer
        var isRecording = false
        let recordedCommandCount = 0

        init(_ part: DevicePart, _ device: EmulatedDevice) {
            (self.part, self.device) = (part, device)
            arena = .allocate(byteCount: max(part.arenaByteCount, 1), alignment: 128)
            // Whatever is read before it is written is not a number.
            _ = arena.initializeMemory(as: UInt8.self, repeating: 0xff)
            staging = .allocate(byteCount: max(part.stagingByteCount, 1), alignment: 128)
        }

        deinit {
            arena.deallocate()
            staging.deallocate()
        }

        func enqueue(step: Int) throws(DeviceError) {
            for call in (part.steps[step] as? KernelStep)?.calls ?? [] {
                do {
                    try run(call)
                } catch {
                    throw DeviceError(.failed, "\(call.kernel): \(error)")
                }
            }
        }

        func upload(stagingOffset: Int, arenaOffset: Int, byteCount: Int) {
            UnsafeMutableRawBufferPointer(rebasing: arena[arenaOffset..<arenaOffset + byteCount])
                .copyMemory(from: UnsafeRawBufferPointer(start: staging + stagingOffset, count: byteCount))
        }

        func download(arenaOffset: Int, stagingOffset: Int, byteCount: Int) {
            UnsafeMutableRawBufferPointer(start: staging + stagingOffset, count: byteCount)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: arena[arenaOffset..<arenaOffset + byteCount]))
        }

        func flush() {}
        func finish() {}
        func takeTimes() -> [DeviceTime] { [] }

        private func run(_ call: KernelCall) throws {
            let code = try device.code(call)
            let machine = PTXMachine(seed: device.seed, copiesLate: device.seed % 2 == 1)
            machine.allow(UnsafeRawBufferPointer(arena))
            var arguments = Arguments(code.program, arena)
            for argument in call.arguments { try arguments.append(argument) }
            for constant in arguments.constants {
                machine.allow(UnsafeRawBufferPointer(start: constant.firstElement, count: constant.byteCount))
            }
            let global = call.global + [Int](repeating: 1, count: 3 - call.global.count)
            let local = call.local.map { $0 + [Int](repeating: 1, count: 3 - $0.count) } ?? Self.local(global)
            try withExtendedLifetime(arguments.constants) {
                try machine.run(
                    code, groups: zip(global, local).map { $0 / $1 }, local: local,
                    parameters: try arguments.complete())
            }
        }

        /// Groups of up to 64 work-items along the first axis.
        private static func local(_ global: [Int]) -> [Int] {
            [(1...64).last { global[0] % $0 == 0 } ?? 1, 1, 1]
        }
    }

    /// The bytes of a kernel's parameters.
    private struct Arguments {
        private let program: PTXProgram
        private let arena: UnsafeMutableRawBufferPointer
        private var bytes: [UInt8]
        private var count = 0
        private(set) var constants: [Tensor] = []

        init(_ program: PTXProgram, _ arena: UnsafeMutableRawBufferPointer) {
            (self.program, self.arena) = (program, arena)
            bytes = [UInt8](repeating: 0, count: program.parameterByteCount)
        }

        func complete() throws -> [UInt8] {
            guard count == program.parameters.count else {
                throw Tool.Failure(description: "\(count) arguments of \(program.parameters.count)")
            }
            return bytes
        }

        mutating func append(_ argument: KernelCall.Argument) throws {
            switch argument {
            case .int(let value): try append(value)
            case .long(let value): try append(Int64(value))
            case .float(let value): try append(value)
            case .absent:
                try append(UInt64(0))
                try append(UInt64(0))
            case .axes(let values):
                var vector = SIMD8<Int32>()
                for (index, value) in values.prefix(8).enumerated() { vector[index] = Int32(truncatingIfNeeded: value) }
                try append(vector)
            case .floats(let values):
                var vector = SIMD8<Float>()
                for (index, value) in values.prefix(8).enumerated() { vector[index] = value }
                try append(vector)
            case .constant(let tensor, _, let pack): try append(constant: try pack(tensor))
            case .operand(let operand): try append(operand, of: 1)
            case .vectors(let operand, let count): try append(operand, of: count)
            case .local: throw Tool.Failure(description: "local memory as an argument")
            }
        }

        private mutating func append(_ operand: Operand, of count: Int) throws {
            switch operand.place {
            case .device(let offset):
                try append(UInt64(UInt(bitPattern: arena.baseAddress)))
                try append(UInt64(offset / operand.elementType.byteCount / count))
            case .constant(let tensor): try append(constant: tensor)
            case .arena, .input, .output: throw Tool.Failure(description: "a kernel reads the processor's memory")
            }
        }

        /// The elements in the order in which they lie in memory.
        private mutating func append(constant tensor: Tensor) throws {
            let lying = Tensor(
                elementType: tensor.elementType, shape: [tensor.elementCount], strides: [1], offset: tensor.offset,
                storage: tensor.storage)
            constants.append(lying)
            try append(UInt64(UInt(bitPattern: lying.firstElement)))
            try append(UInt64(0))
        }

        private mutating func append<Value: BitwiseCopyable>(_ value: Value) throws {
            guard count < program.parameters.count, program.parameters[count].byteCount == MemoryLayout<Value>.size
            else { throw Tool.Failure(description: "argument \(count) is of another size") }
            let offset = program.parameters[count].offset
            withUnsafeBytes(of: value) { source in
                for (index, byte) in source.enumerated() { bytes[offset + index] = byte }
            }
            count += 1
        }
    }
}
