import Foundation

/// A kernel in PTX, NVIDIA's instructions for a virtual machine, as text that Clang writes.
///
/// Reference: https://docs.nvidia.com/cuda/parallel-thread-execution
struct PTXProgram: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// An instruction with its operands.
    struct Instruction: Sendable {
        /// The register that decides whether the instruction is executed.
        var predicate: Int?
        var isPredicateNegated = false
        /// The name's parts, such as `ld`, `global`, `v4` and `f32`.
        let name: [String]
        let operands: [Operand]
        let line: String
    }

    /// What an instruction reads or writes.
    indirect enum Operand: Sendable {
        case register(Int)
        /// The bits of a number, or the address of an array.
        case number(UInt64)
        case special(SpecialRegister)
        /// The sum of an operand's value and a number of bytes.
        case address(Operand, offset: Int)
        case vector([Operand])
        /// The place of an instruction.
        case place(Int)
    }

    /// A register that says which work-item this is: 0 to 2 its place in the group, 3 to 5 the group's extents, 6 to 8
    /// the place of the group, 9 to 11 the number of groups.
    struct SpecialRegister: Sendable {
        let index: Int
    }

    struct Parameter: Sendable {
        let offset: Int
        let byteCount: Int
    }

    private(set) var instructions: [Instruction] = []
    private(set) var parameters: [Parameter] = []
    private(set) var registerCount = 0
    /// The bytes of arrays that a group shares, and of those of a work-item. Addresses of the latter begin at
    /// ``localBase``.
    private(set) var sharedByteCount = 0
    private(set) var localByteCount = 0

    /// The bytes of arrays of numbers, whose addresses begin at ``constantBase``.
    private(set) var constants: [UInt8] = []

    static let localBase: UInt64 = 1 << 32
    static let constantBase: UInt64 = 1 << 33

    var parameterByteCount: Int { parameters.last.map { $0.offset + $0.byteCount } ?? 0 }

    private var registers: [String: Int] = [:]
    private var symbols: [String: UInt64] = [:]
    private var labels: [String: Int] = [:]

    /// Reads the kernel of a name.
    init(_ text: String, kernel: String) throws {
        let lines = text.split(separator: "\n").map { line in
            String(line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line)
                .trimmingCharacters(in: .whitespaces)
        }
        var isInKernel = false
        var statements: [String] = []
        for line in lines where !line.isEmpty {
            if line.hasPrefix(".entry") { isInKernel = line.contains(".entry \(kernel)(") }
            if line.hasPrefix(".const") || line.hasPrefix(".global") {
                try declareConstants(line)
                continue
            }
            if line.contains(".shared .align"), line.hasPrefix(".") {
                try declare(line)
                continue
            }
            guard isInKernel else { continue }
            if line.hasPrefix(".param") {
                try declareParameter(line)
            } else if line.hasPrefix(".local") {
                try declare(line)
            } else if line.hasSuffix(":") {
                labels[String(line.dropLast())] = statements.count
            } else if !line.hasPrefix("."), line.hasSuffix(";") {
                statements.append(String(line.dropLast()))
            }
        }
        guard !statements.isEmpty else { throw Failure(description: "there is no kernel \(kernel)") }
        instructions = try statements.map { try instruction($0) }
        registerCount = registers.count
    }

    private mutating func declareParameter(_ line: String) throws {
        guard let match = line.firstMatch(of: /(\w+?)(?:\[(\d+)\])?,?$/) else {
            throw Failure(description: "a parameter is \(line)")
        }
        let sizes = ["u8": 1, "u16": 2, "u32": 4, "f32": 4, "b32": 4, "u64": 8, "b64": 8, "f64": 8]
        let words = line.split(separator: " ")
        let element = words.dropFirst().first.flatMap { sizes[String($0.dropFirst())] } ?? 1
        let alignment = line.firstMatch(of: /^\.param \.align (\d+)/).flatMap { Int($0.1) } ?? element
        let count = match.2.flatMap { Int($0) } ?? element
        let offset = (parameterByteCount + alignment - 1) / alignment * alignment
        symbols[String(match.1)] = UInt64(offset)
        parameters.append(Parameter(offset: offset, byteCount: count))
    }

    private mutating func declareConstants(_ line: String) throws {
        guard
            let match = line.firstMatch(
                of: /\.align (?<alignment>\d+) \.b8 (?<name>[\w$]+)\[\d+\] = \{(?<bytes>[\d, ]+)\};/),
            let alignment = Int(match.alignment)
        else { throw Failure(description: "an array is \(line.prefix(100))") }
        while constants.count % alignment != 0 { constants.append(0) }
        symbols[String(match.name)] = Self.constantBase + UInt64(constants.count)
        constants += match.bytes.split(separator: ",").map { part in
            UInt8(part.trimmingPrefix(" ")) ?? 0
        }
    }

    private mutating func declare(_ line: String) throws {
        guard let match = line.firstMatch(of: /\.align (\d+) \.b8\s+([\w$]+)\[(\d+)\];/), let alignment = Int(match.1),
            let count = Int(match.3)
        else { throw Failure(description: "an array is \(line)") }
        if line.contains(".shared") {
            let offset = (sharedByteCount + alignment - 1) / alignment * alignment
            symbols[String(match.2)] = UInt64(offset)
            sharedByteCount = offset + count
        } else {
            let offset = (localByteCount + alignment - 1) / alignment * alignment
            symbols[String(match.2)] = Self.localBase + UInt64(offset)
            localByteCount = offset + count
        }
    }

    private mutating func instruction(_ statement: String) throws -> Instruction {
        var text = Substring(statement)
        var predicate: Int?
        var isNegated = false
        if text.first == "@" {
            text = text.dropFirst()
            isNegated = text.first == "!"
            if isNegated { text = text.dropFirst() }
            let end = text.firstIndex { $0 == " " || $0 == "\t" } ?? text.endIndex
            predicate = register(text[..<end])
            text = text[end...].drop { $0 == " " || $0 == "\t" }
        }
        let end = text.firstIndex { $0 == " " || $0 == "\t" } ?? text.endIndex
        let name = text[..<end].split(separator: ".").map(String.init)
        let operands = try Self.parts(text[end...]).map { try operand($0) }
        return Instruction(
            predicate: predicate, isPredicateNegated: isNegated, name: name, operands: operands, line: statement)
    }

    private mutating func register(_ name: Substring) -> Int {
        if let index = registers[String(name)] { return index }
        let index = registers.count
        registers[String(name)] = index
        return index
    }

    private mutating func operand(_ text: Substring) throws -> Operand {
        if text.first == "{" { return .vector(try Self.parts(text.dropFirst().dropLast()).map { try operand($0) }) }
        if text.first == "[" {
            let inner = text.dropFirst().dropLast()
            let plus = inner.lastIndex(of: "+")
            let base = try operand(inner[..<(plus ?? inner.endIndex)])
            let offset = plus.flatMap { Int(inner[inner.index(after: $0)...]) } ?? 0
            return .address(base, offset: offset)
        }
        if text.first == "%" {
            let names = ["%tid", "%ntid", "%ctaid", "%nctaid"]
            let parts = text.split(separator: ".")
            if parts.count == 2, let kind = names.firstIndex(of: String(parts[0])),
                let axis = ["x", "y", "z"].firstIndex(of: String(parts[1]))
            {
                return .special(SpecialRegister(index: kind * 3 + axis))
            }
            // What is added to the numbers of work-items, which is 0.
            if text.hasPrefix("%envreg") { return .number(0) }
            return .register(register(text))
        }
        if text.hasPrefix("0f"), let bits = UInt64(text.dropFirst(2), radix: 16) { return .number(bits) }
        if text.hasPrefix("0d"), let bits = UInt64(text.dropFirst(2), radix: 16) { return .number(bits) }
        if text.hasPrefix("0x"), let bits = UInt64(text.dropFirst(2), radix: 16) { return .number(bits) }
        // An address that every space has, of an array in one of them.
        if text.hasPrefix("generic("), text.last == ")" { return try operand(text.dropFirst(8).dropLast()) }
        if let number = Int64(text) { return .number(UInt64(bitPattern: number)) }
        if let number = UInt64(text) { return .number(number) }
        if let symbol = symbols[String(text)] { return .number(symbol) }
        if let place = labels[String(text)] { return .place(place) }
        throw Failure(description: "an operand is \(text)")
    }

    /// The parts between commas that no bracket encloses.
    private static func parts(_ text: Substring) -> [Substring] {
        var (parts, depth, start) = ([Substring](), 0, text.startIndex)
        for index in text.indices {
            switch text[index] {
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            case "," where depth == 0:
                parts.append(text[start..<index])
                start = text.index(after: index)
            default: break
            }
        }
        parts.append(text[start...])
        return parts.map { $0.trimmingPrefix { $0 == " " || $0 == "\t" } }
            .map { part in
                var part = part
                while part.last == " " || part.last == "\t" { part = part.dropLast() }
                return part
            }.filter { !$0.isEmpty }
    }
}
