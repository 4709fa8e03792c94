import Foundation

/// Clang's compiler for NVPTX, by which programs are compiled as for a GPU that is not there. NVIDIA's driver has a
/// compiler of its own.
struct PTXCompiler: Sendable {
    private static let clang = "/usr/bin/clang-15"
    /// OpenCL's functions in LLVM's bitcode.
    private static let functions = "/usr/lib/clc/nvptx64--nvidiacl.bc"

    /// The compiler; nil when a part of it is missing, with the reason printed once.
    static let shared: PTXCompiler? = {
        for file in [clang, functions] where !FileManager.default.isReadableFile(atPath: file) {
            print("nothing is compiled for NVIDIA: \(file) is missing; Debian has it in clang-15 and libclc-15")
            return nil
        }
        return PTXCompiler()
    }()

    /// Compiles a program for compute capability 8.0.
    func compile(_ text: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appending(path: "program.cl").path
        let instructions = folder.appending(path: "program.ptx").path
        try text.write(toFile: program, atomically: false, encoding: .utf8)
        let target = ["-target-cpu", "sm_80", "-target-feature", "+ptx72", "-finclude-default-header"]
        let library = ["-mlink-builtin-bitcode", Self.functions]
        _ = try Tool.run(
            Self.clang,
            ["-x", "cl", "-cl-std=CL1.2", "-w", "-O3", "-S", "-target", "nvptx64-nvidia-nvcl"]
                + (target + library).flatMap { ["-Xclang", $0] } + [program, "-o", instructions])
        return try String(contentsOfFile: instructions, encoding: .utf8)
    }
}

/// A command of the machine.
enum Tool {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a tool, and returns what it prints.
    static func run(_ tool: String, _ arguments: [String]) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: tool)
        process.arguments = arguments
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(tool) ends with \(process.terminationStatus): \(text.prefix(2000))")
        }
        return text
    }
}
