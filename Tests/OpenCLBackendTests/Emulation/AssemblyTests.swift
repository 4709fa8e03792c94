import Apus
import ConformanceCases
import CPUBackend
import Foundation
import Graphs
import OpenCLBackend
import Planning
import Testing
import TestSupport

/// Programs for an H100, compiled and assembled without one.
@Suite(
    "Programs for NVIDIA", .ownThreads,
    .enabled(
        if: PTXCompiler.shared != nil && PTXAssembler.shared != nil && TestDevice.isPresent,
        "make assembly installs a compiler and an assembler"))
struct AssemblyTests {
    /// A program, and the kernel that is called.
    private struct Program: Hashable {
        let text: String
        let kernel: String

        init(_ call: KernelCall) { (text, kernel) = (call.source.text(call.macros), call.kernel) }
    }

    private let compiler: PTXCompiler
    private let assembler: PTXAssembler
    private let information: DeviceInformation

    init() throws {
        compiler = try #require(PTXCompiler.shared)
        assembler = try #require(PTXAssembler.shared)
        information = try DeviceInformation.h100()
    }

    /// The calls of a graph that is planned for the device.
    private func calls(
        _ graph: Graph, _ shapes: [[Int]], _ precision: MatrixPrecision = .float32
    ) throws -> [KernelCall] {
        let backends: [any Backend] = [PlannedBackend(information, precision), CPUBackend(), ReferenceBackend()]
        let plan = try Planner(backends: backends, threadCount: 2, deviceUse: .wherePossible)
            .plan(graph, inputShapes: shapes, packedWeights: PackedWeights())
        return (plan.devicePart?.steps.compactMap { $0 as? KernelStep } ?? []).flatMap(\.calls)
    }

    /// Assembles programs, and returns the kernel that is called of each.
    private func assemble(_ programs: Set<Program>) async throws -> [(Program, PTXAssembler.Kernel)] {
        try await withThrowingTaskGroup(of: [(Program, PTXAssembler.Kernel)].self) { group in
            let all = Array(programs)
            let shareCount = 4
            for share in 0..<shareCount {
                group.addTask {
                    try stride(from: share, to: all.count, by: shareCount).map { index in
                        let program = all[index]
                        let kernels = try assembler.assemble(try compiler.compile(program.text))
                        return (
                            program,
                            try #require(kernels.first { $0.name == program.kernel }, "no kernel \(program.kernel)")
                        )
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    @Test("Every program of the cases is assembled", .timeLimit(.minutes(20)), arguments: MatrixPrecision.allCases)
    func assemblesCases(_ precision: MatrixPrecision) async throws {
        var programs: Set<Program> = []
        for conformanceCase in ConformanceCases.all {
            let shapes = zip(conformanceCase.inputs, try conformanceCase.makeInputs()).compactMap { input, tensor in
                input?.isConstant == false ? tensor?.shape : nil
            }
            guard let calls = try? calls(try conformanceCase.makeGraph(), shapes, precision) else { continue }
            programs.formUnion(calls.filter { precision == .float32 || $0.source.isOnTensorCores }.map(Program.init))
        }
        #expect(programs.count > (precision == .float32 ? 300 : 10))
        #expect(try await assemble(programs).count == programs.count)
    }

    /// The kernels that networks call, of one name and with tiles of one kind.
    private struct Row {
        var calls: [Program: KernelCall] = [:]
        var registers = 0
        var spilledByteCount = 0
        var localByteCount = 0
        var workItemCount = 0

        mutating func add(_ kernel: PTXAssembler.Kernel, _ call: KernelCall) {
            registers = max(registers, kernel.registers)
            spilledByteCount = max(spilledByteCount, kernel.spilledByteCount)
            localByteCount = max(localByteCount, kernel.localByteCount)
            workItemCount = max(workItemCount, call.local?.reduce(1, *) ?? 0)
        }

        /// The groups that a multiprocessor holds at the same time; nil where the driver chooses the work-items.
        var groupCount: Int? {
            guard workItemCount > 0 else { return nil }
            return Multiprocessor.ofH100.groupCount(
                registers: registers, workItemCount: workItemCount, localByteCount: localByteCount)
        }
    }

    private static let title = """
        # What NVIDIA's assembler makes of kernels

        The kernels that an H100 runs for networks of the zoo in batches of 1, 8 and 64, in float32, tf32, float16 and 8
        bits, as clang 15 compiles them and ptxas of CUDA 12.9 assembles them for compute capability 9.0; NVIDIA's
        driver has another compiler in front of the same assembler. Each line has the largest numbers of its programs,
        and the groups of that size that a multiprocessor holds at the same time. `make assembly` writes the table.

        | kernel | tile | programs | work-items | registers | spilled bytes | local bytes | groups that fit |
        | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |

        """

    /// The calls of networks, by kernel and tiles.
    private func rows() async throws -> [[String]: Row] {
        var rows: [[String]: Row] = [:]
        func add(_ graph: Graph, extent: Int, _ precision: MatrixPrecision) throws {
            for batch in [1, 8, 64] {
                for call in try calls(graph, [[batch, 3, extent, extent]], precision) {
                    rows[[call.kernelName, call.tiles], default: Row()].calls[Program(call)] = call
                }
            }
        }
        let names = [
            "squeezenet1_1", "resnet50", "inception_v3", "mobilenet_v2", "efficientnet_b0", "resnext50_32x4d",
            "yolov8n", "vit_b_16", "swin_t", "convnext_tiny", "unet",
        ]
        for name in names {
            let network = try #require(Networks.find(name))
            let graph = try network.build().seeded(0)
            for precision in MatrixPrecision.allCases { try add(graph, extent: network.extent, precision) }
        }
        for name in ["efficientnet_b0", "mobilenet_v2", "inception_v1", "densenet121"] {
            let network = try #require(Networks.find(name))
            try add(try QuantizedZoo.graph(name, measuresRanges: false), extent: network.extent, .float32)
        }
        for (key, row) in rows {
            let kernels = try await assemble(Set(row.calls.keys))
            for (program, kernel) in kernels { rows[key]?.add(kernel, try #require(row.calls[program])) }
        }
        return rows
    }

    @Test(
        "Kernels of networks spill hardly a register, and the committed table says what they need",
        .timeLimit(.minutes(20)))
    func assemblesNetworks() async throws {
        let rows = try await rows()
        // Four registers at the beginning of a product are of no account.
        let spilling = rows.filter { $0.value.spilledByteCount > 16 }
        #expect(spilling.keys.isEmpty, "\(spilling.keys.sorted { $0.lexicographicallyPrecedes($1) })")
        #expect(rows.values.allSatisfy { ($0.groupCount ?? 1) > 0 })
        let lines = rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, row in
            let counts = [row.calls.count, row.workItemCount, row.registers, row.spilledByteCount, row.localByteCount]
            let cells = key + counts.map(String.init) + [row.groupCount.map(String.init) ?? ""]
            return "| \(cells.joined(separator: " | ")) |"
        }
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Engine/OpenCLBackend/ASSEMBLY.md")
        let text = Self.title + lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["APUS_WRITE_TABLES"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text, "make assembly writes the table")
    }
}

extension KernelCall {
    /// The kernel's name, and the type of what products multiply.
    fileprivate var kernelName: String {
        guard source.isOnTensorCores else { return kernel }
        if macros["DOT"] != nil { return kernel + ", tensor cores" }
        return kernel + (macros["HALF"] == nil ? ", tf32" : ", float16")
    }

    /// The extents of a tile, then those that a work-item or a warp computes of it.
    fileprivate var tiles: String {
        func product(_ names: [String]) -> String { names.compactMap { macros[$0] }.joined(separator: "x") }
        let tile = product(["TILE_M", "TILE_N", "TILE_Q", "WARPS", "TILE_K"])
        let part = product(["ITEM_M", "ITEM_N", "WARP_M", "WARP_N"])
        return tile + (part.isEmpty ? "" : "/\(part)")
    }
}
