/// Makes the closure of an instruction.
struct PTXInstructionBuilder: Sendable {
    typealias Failure = PTXProgram.Failure

    let instruction: PTXProgram.Instruction
    var name: [String] { instruction.name }

    init(_ instruction: PTXProgram.Instruction) { self.instruction = instruction }

    /// The type at the end of the name, or before it.
    func type(fromEnd distance: Int = 0) throws -> PTXType {
        guard name.count > distance, let type = PTXType(name[name.count - 1 - distance]) else {
            throw Failure(description: "an unknown type")
        }
        return type
    }

    func has(_ part: String) -> Bool { name.contains(part) }

    func operand(_ index: Int) throws -> PTXProgram.Operand {
        guard instruction.operands.indices.contains(index) else { throw Failure(description: "too few operands") }
        return instruction.operands[index]
    }

    func source(_ index: Int) throws -> PTXCode.Source { try Self.source(try operand(index)) }

    static func source(_ operand: PTXProgram.Operand) throws -> PTXCode.Source {
        switch operand {
        case .register(let register): return { $0.registers[register] }
        case .number(let bits): return { _ in bits }
        case .special(let special): return { $0.special[special.index] }
        case .address(let base, let offset):
            let base = try source(base)
            return { try base($0) &+ UInt64(bitPattern: Int64(offset)) }
        case .vector, .place: throw Failure(description: "an operand of another kind")
        }
    }

    func destination(_ index: Int = 0) throws -> Int {
        guard case .register(let register) = try operand(index) else {
            throw Failure(description: "no register to write")
        }
        return register
    }

    /// The registers or numbers of an operand, which may be a vector.
    func elements(_ index: Int) throws -> [PTXProgram.Operand] {
        if case .vector(let elements) = try operand(index) { return elements }
        return [try operand(index)]
    }

    func step() throws -> PTXCode.Step {
        switch name[0] {
        case "bra":
            guard case .place(let place) = try operand(0) else { throw Failure(description: "no label") }
            return { $0.place = place - 1 }
        case "ret", "exit": return { $0.state = .ended }
        case "bar": return { $0.state = .atBarrier }
        case "ld": return try load()
        case "st": return try store()
        case "cp": return try copy()
        case "mov", "cvta": return try move()
        case "cvt": return try convert()
        case "setp": return try compare()
        case "selp":
            let (d, a, b, p) = (try destination(), try source(1), try source(2), try source(3))
            let type = try type()
            return { $0.registers[d] = type.bits(try p($0) == 1 ? a($0) : b($0)) }
        default: return try type().isFloat ? floatArithmetic() : integerArithmetic()
        }
    }

    private func move() throws -> PTXCode.Step {
        // Two words of 32 bits and one of 64, either way.
        if case .vector(let parts) = try operand(1) {
            let (d, type) = (try destination(), try type())
            let (sources, width) = (try parts.map { try Self.source($0) }, type.width / parts.count)
            return { thread in
                var bits: UInt64 = 0
                for (index, source) in sources.enumerated() {
                    bits |= (try source(thread) & (1 << width - 1)) << (index * width)
                }
                thread.registers[d] = bits
            }
        }
        if case .vector(let parts) = try operand(0) {
            let (a, width) = (try source(1), try type().width / parts.count)
            let registers = try parts.map { part -> Int in
                guard case .register(let register) = part else { throw Failure(description: "no register to write") }
                return register
            }
            return { thread in
                let bits = try a(thread)
                for (index, register) in registers.enumerated() {
                    thread.registers[register] = bits >> (index * width) & (1 << width - 1)
                }
            }
        }
        let (d, a, type) = (try destination(), try source(1), try type())
        return { $0.registers[d] = type.bits(try a($0)) }
    }

    private func load() throws -> PTXCode.Step {
        let (type, elements, address) = (try type(), try elements(0), try source(1))
        let registers = try elements.map { element -> Int in
            guard case .register(let register) = element else { throw Failure(description: "no register to write") }
            return register
        }
        let byteCount = type.width / 8
        let isParameter = has("param")
        // A narrow number fills a wider register with its sign.
        let store: @Sendable (PTXThread, Int, UnsafeRawPointer) -> Void = { thread, index, pointer in
            thread.registers[registers[index]] = type.read(pointer)
        }
        return { thread in
            let start = try address(thread)
            if isParameter {
                try thread.parameters.withUnsafeBytes { bytes in
                    for index in registers.indices {
                        let offset = Int(start) + index * byteCount
                        guard offset + byteCount <= bytes.count, let base = bytes.baseAddress else {
                            throw Failure(description: "a parameter outside the parameters")
                        }
                        store(thread, index, base + offset)
                    }
                }
                return
            }
            guard start % UInt64(byteCount * registers.count) == 0 else {
                throw Failure(description: "address \(start) is not aligned")
            }
            for index in registers.indices {
                store(
                    thread, index, try thread.pointer(start + UInt64(index * byteCount), byteCount: byteCount))
            }
        }
    }

    private func store() throws -> PTXCode.Step {
        let (type, address) = (try type(), try source(0))
        let sources = try elements(1).map { try Self.source($0) }
        let byteCount = type.width / 8
        return { thread in
            let start = try address(thread)
            guard start % UInt64(byteCount * sources.count) == 0 else {
                throw Failure(description: "address \(start) is not aligned")
            }
            for (index, source) in sources.enumerated() {
                let pointer = try thread.pointer(start + UInt64(index * byteCount), byteCount: byteCount)
                type.write(try source(thread), pointer)
            }
        }
    }

    /// Copies from global to shared memory while the program goes on.
    private func copy() throws -> PTXCode.Step {
        if has("commit_group") { return { $0.copies.append([]) } }
        if has("wait_group") {
            guard case .number(let count) = try operand(0) else { throw Failure(description: "no number of groups") }
            return { thread in
                let isOpen = thread.copies.removeLast()
                while thread.copies.count > Int(count) {
                    for copy in thread.copies.removeFirst() { try thread.copy(copy) }
                }
                thread.copies.append(isOpen)
            }
        }
        let (to, from, inside) = (try source(0), try source(1), try source(3))
        guard case .number(let count) = try operand(2) else { throw Failure(description: "no number of bytes") }
        let byteCount = Int(count)
        return { thread in
            let given = Int(try inside(thread))
            guard given <= byteCount else { throw Failure(description: "\(given) bytes of \(byteCount)") }
            var bytes = [UInt8](repeating: 0, count: byteCount)
            let start = try from(thread)
            guard start % count == 0 else { throw Failure(description: "address \(start) is not aligned") }
            for index in 0..<given {
                bytes[index] = try thread.pointer(start + UInt64(index), byteCount: 1).load(as: UInt8.self)
            }
            let copy = PTXThread.Copy(to: try to(thread), bytes: bytes)
            if thread.group.copiesLate {
                thread.copies[thread.copies.count - 1].append(copy)
            } else {
                try thread.copy(copy)
            }
        }
    }
}
