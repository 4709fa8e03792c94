import Foundation

/// NVIDIA's assembler, which says what kernels need of a GPU.
struct PTXAssembler: Sendable {
    /// What the assembler makes of a kernel.
    struct Kernel: Sendable {
        let name: String
        /// The 32-bit registers of a work-item.
        let registers: Int
        /// The bytes of registers that are stored in memory for lack of room.
        let spilledByteCount: Int
        let localByteCount: Int
    }

    private let assembler: String

    /// The assembler that the environment names; nil when there is none, with the reason printed once.
    static let shared: PTXAssembler? = {
        guard let assembler = ProcessInfo.processInfo.environment["APUS_PTXAS"] else {
            print("nothing is assembled for NVIDIA: APUS_PTXAS names no assembler; make assembly installs it")
            return nil
        }
        guard FileManager.default.isExecutableFile(atPath: assembler) else {
            print("nothing is assembled for NVIDIA: APUS_PTXAS is \(assembler), which cannot be executed")
            return nil
        }
        return PTXAssembler(assembler: assembler)
    }()

    /// Assembles instructions for compute capability 9.0.
    func assemble(_ instructions: String) throws -> [Kernel] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "program.ptx").path
        let (text, byteCount) = Self.withoutLargeArrays(instructions)
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        let report = try Tool.run(
            assembler, ["-arch=sm_90", "-v", file, "-o", folder.appending(path: "program.cubin").path])
        return try Self.kernels(report, otherLocalByteCount: byteCount)
    }

    /// The instructions with arrays of more than 48 KiB in local memory as arrays whose size a launch gives, and the
    /// bytes of these. The driver takes them as they are, and the assembler alone does not.
    private static func withoutLargeArrays(_ text: String) -> (text: String, byteCount: Int) {
        let header = ".address_size 64\n"
        let declaration = /\.shared (?<alignment>\.align \d+) \.b8 (?<name>[\w$]+)\[(?<size>\d+)\];/
        var (total, declarations) = (0, header)
        let text = text.replacing(declaration) { match in
            guard let size = Int(match.size), size > 48 << 10 else { return String(match.0) }
            total += size
            declarations += ".extern .shared \(match.alignment) .b8 \(match.name)[];\n"
            return ""
        }
        return (text.replacing(header, with: declarations, maxReplacements: 1), total)
    }

    private static func kernels(_ report: String, otherLocalByteCount: Int) throws -> [Kernel] {
        let pattern =
            /Compiling entry function '(?<name>\w+)'[\s\S]*?(?<spilled>\d+) bytes spill stores[\s\S]*?Used (?<registers>\d+) registers(?<rest>[^\n]*)/
        return try report.matches(of: pattern).map { match in
            guard let registers = Int(match.registers), let spilled = Int(match.spilled) else {
                throw Tool.Failure(description: "the assembler's report is \(match.0)")
            }
            let local = match.rest.firstMatch(of: /(\d+) bytes smem/).flatMap { Int($0.1) } ?? 0
            return Kernel(
                name: String(match.name), registers: registers, spilledByteCount: spilled,
                localByteCount: local + otherLocalByteCount)
        }
    }
}
