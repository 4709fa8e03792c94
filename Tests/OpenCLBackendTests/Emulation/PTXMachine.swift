import Graphs

/// A multiprocessor that runs the groups of a kernel one after another, and checks every address.
///
/// Work-items run one after another up to a barrier or an instruction that all lanes of a warp take part in; warps in
/// an order that changes, so that a missing barrier gives wrong results. Copies to shared memory take place as late as
/// the program allows, or at once.
final class PTXMachine {
    /// Memory that kernels may read and write.
    private var ranges: [(start: UInt64, end: UInt64)] = []
    private var generator: SplitMix64
    private let copiesLate: Bool

    static let lanes = 32
    /// The instructions that a work-item may execute.
    static let maximumSteps = 50_000_000

    init(seed: UInt64, copiesLate: Bool) {
        generator = SplitMix64(seed: seed)
        self.copiesLate = copiesLate
    }

    func allow(_ memory: UnsafeRawBufferPointer) {
        guard let start = memory.baseAddress else { return }
        let address = UInt64(UInt(bitPattern: start))
        ranges.append((address, address + UInt64(memory.count)))
    }

    func pointer(_ address: UInt64, byteCount: Int) throws -> UnsafeMutableRawPointer {
        guard ranges.contains(where: { $0.start <= address && address + UInt64(byteCount) <= $0.end }),
            address % UInt64(byteCount) == 0, let pointer = UnsafeMutableRawPointer(bitPattern: UInt(address))
        else { throw PTXProgram.Failure(description: "\(byteCount) bytes at \(String(address, radix: 16))") }
        return pointer
    }

    /// Runs a kernel.
    ///
    /// - Parameters:
    ///   - groups: The number of groups along three axes.
    ///   - local: The work-items of a group along three axes.
    ///   - parameters: The bytes of the parameters, as the program lays them out.
    func run(_ code: PTXCode, groups: [Int], local: [Int], parameters: [UInt8]) throws {
        for z in 0..<groups[2] {
            for y in 0..<groups[1] {
                for x in 0..<groups[0] {
                    let group = PTXGroup(
                        self, code.program, place: [x, y, z], groups: groups, local: local, parameters: parameters,
                        copiesLate: copiesLate)
                    do {
                        try run(group, code)
                    } catch {
                        throw PTXProgram.Failure(description: "group \([x, y, z]): \(error)")
                    }
                }
            }
        }
    }

    private func run(_ group: PTXGroup, _ code: PTXCode) throws {
        let threads = group.threads
        var warps = stride(from: 0, to: threads.count, by: Self.lanes).map {
            Array(threads[$0..<min($0 + Self.lanes, threads.count)])
        }
        while true {
            warps.shuffle(using: &generator)
            for warp in warps { try run(warp, code) }
            let waiting = threads.filter { $0.state == .atBarrier }
            guard !waiting.isEmpty else { return }
            guard waiting.count == threads.count else {
                throw PTXProgram.Failure(description: "some work-items end, and others wait at a barrier")
            }
            for thread in waiting { thread.state = .running }
        }
    }

    /// Runs a warp until all of its lanes wait at a barrier or have ended.
    private func run(_ warp: [PTXThread], _ code: PTXCode) throws {
        while true {
            for thread in warp where thread.state == .running { try code.run(thread) }
            let together = warp.filter { $0.state == .withWarp }
            guard let first = together.first else { return }
            guard together.count == Self.lanes, together.allSatisfy({ $0.place == first.place }) else {
                throw PTXProgram.Failure(description: "lanes are apart at \(code.line(first.place))")
            }
            try code.runTogether(warp)
            for thread in warp {
                thread.place += 1
                thread.state = .running
            }
        }
    }
}

/// A group of work-items, and the memory that they share.
final class PTXGroup {
    let shared: UnsafeMutableRawBufferPointer
    let constants: UnsafeMutableRawBufferPointer
    let machine: PTXMachine
    let copiesLate: Bool
    fileprivate(set) var threads: [PTXThread] = []

    init(
        _ machine: PTXMachine, _ program: PTXProgram, place: [Int], groups: [Int], local: [Int], parameters: [UInt8],
        copiesLate: Bool
    ) {
        self.machine = machine
        self.copiesLate = copiesLate
        shared = .allocate(byteCount: program.sharedByteCount, alignment: 128)
        // Whatever is read before it is written is not a number.
        _ = shared.initializeMemory(as: UInt8.self, repeating: 0xff)
        constants = .allocate(byteCount: program.constants.count, alignment: 128)
        constants.copyBytes(from: program.constants)
        for index in 0..<local.reduce(1, *) {
            let within = [index % local[0], index / local[0] % local[1], index / local[0] / local[1]]
            threads.append(
                PTXThread(
                    self, program, special: (within + local + place + groups).map { UInt64($0) },
                    parameters: parameters))
        }
    }

    deinit {
        shared.deallocate()
        constants.deallocate()
    }
}

/// A work-item: its registers and its place in the program.
final class PTXThread {
    enum State {
        case running, atBarrier, withWarp, ended
    }

    /// A copy to shared memory that has not taken place.
    struct Copy {
        let to: UInt64
        let bytes: [UInt8]
    }

    unowned let group: PTXGroup
    let special: [UInt64]
    let registers: UnsafeMutableBufferPointer<UInt64>
    let local: UnsafeMutableRawBufferPointer
    let parameters: [UInt8]
    var place = 0
    var state = State.running
    var steps = 0
    /// Groups of copies, the oldest first; the last is still open.
    var copies: [[Copy]] = [[]]

    fileprivate init(_ group: PTXGroup, _ program: PTXProgram, special: [UInt64], parameters: [UInt8]) {
        self.group = group
        self.special = special
        self.parameters = parameters
        registers = .allocate(capacity: program.registerCount)
        registers.initialize(repeating: 0xdead_beef_dead_beef)
        local = .allocate(byteCount: program.localByteCount, alignment: 16)
    }

    deinit {
        registers.deallocate()
        local.deallocate()
    }

    /// The memory at an address of any space: shared memory begins at 0, that of a work-item at
    /// ``PTXProgram/localBase``.
    func pointer(_ address: UInt64, byteCount: Int) throws -> UnsafeMutableRawPointer {
        if address < PTXProgram.localBase {
            let offset = Int(address)
            guard offset % byteCount == 0, offset + byteCount <= group.shared.count, let base = group.shared.baseAddress
            else { throw PTXProgram.Failure(description: "\(byteCount) shared bytes at \(offset)") }
            return base + offset
        }
        if address >= PTXProgram.constantBase, address - PTXProgram.constantBase < group.constants.count,
            let base = group.constants.baseAddress
        {
            let offset = Int(address - PTXProgram.constantBase)
            guard offset % byteCount == 0, offset + byteCount <= group.constants.count else {
                throw PTXProgram.Failure(description: "\(byteCount) constant bytes at \(offset)")
            }
            return base + offset
        }
        let offset = Int(address - PTXProgram.localBase)
        if offset + byteCount <= local.count, let base = local.baseAddress { return base + offset }
        return try group.machine.pointer(address, byteCount: byteCount)
    }

    func copy(_ copy: Copy) throws {
        let to = try pointer(copy.to, byteCount: copy.bytes.count)
        for (index, byte) in copy.bytes.enumerated() { to.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
    }
}
