import Apus
import CPUBackend
import Foundation
import Graphs
import OpenCLBackend
import Planning
import Testing
import TestSupport

/// What the networks of the zoo ask of a GPU, as a committed table whose numbers may only become smaller.
@Suite(.ownThreads, .enabled(if: TestDevice.isPresent)) struct DeviceWorkTests {
    /// A network's work on the device in one run of a batch.
    private struct Row {
        let network: String
        let batch: Int
        /// The layers on the processor, the kernels, the bytes that are copied to the device and back, and the bytes of
        /// inputs, weights and outputs of all layers on the device.
        let counts: [Int]

        init(_ network: String, batch: Int, _ plan: Plan) {
            (self.network, self.batch) = (network, batch)
            let steps = plan.devicePart?.steps.compactMap { $0 as? KernelStep } ?? []
            let copies = plan.layers.filter { $0.transferByteCount > 0 }
            let layers = plan.layers.filter { $0.transferByteCount == 0 }
            func bytes(to space: MemorySpace) -> Int {
                copies.filter { $0.space == space }.reduce(0) { $0 + $1.transferByteCount }
            }
            let counts = [
                layers.count { $0.space == .host }, steps.reduce(0) { $0 + $1.calls.count }, bytes(to: .device),
                bytes(to: .host), layers.filter { $0.space == .device }.reduce(0) { $0 + $1.byteCount },
            ]
            self.counts = counts.map { $0 * plan.batching.runCount }
        }

        init?(line: Substring) {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 7, let batch = Int(cells[1]) else { return nil }
            (network, self.batch, counts) = (cells[0], batch, cells[2...].compactMap { Int($0) })
        }

        /// Whether the network has a larger number than before. Layers that moved to the device may add to the others.
        func isMore(than earlier: Row) -> Bool {
            guard network == earlier.network, batch == earlier.batch, counts.count == earlier.counts.count else {
                return false
            }
            if counts[0] != earlier.counts[0] { return counts[0] > earlier.counts[0] }
            return zip(counts, earlier.counts).contains { $0 > $1 }
        }

        var line: String { "| \(([network, "\(batch)"] + counts.map(String.init)).joined(separator: " | ")) |" }
    }

    private static let title = """
        # The work of a device

        What each network of the zoo, and some of them in 8 or 4 bits, ask of an H100 in one run, as it is planned: the
        layers that stay on the processor, the kernels that are enqueued, the bytes that are copied to the device and
        back, and the bytes of the inputs, weights and outputs of all layers on the device. Products of floats are those
        of float32. A test fails when a number becomes larger, and `make tables` writes the table when numbers became
        smaller.

        | network | batch | layers on the processor | kernels | bytes to the device | bytes back | bytes of all layers |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: |

        """

    @Test("No network asks more of a device than the committed table says", .timeLimit(.minutes(20)))
    func shrinks() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Engine/OpenCLBackend/WORK.md")
        let committed = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let earlier = committed.split(separator: "\n").compactMap(Row.init)
        let backend = PlannedBackend(try DeviceInformation.h100())
        let planner = Planner(
            backends: [backend, CPUBackend(), ReferenceBackend()], threadCount: 2, deviceUse: .wherePossible)
        var rows: [Row] = []
        func add(_ name: String, _ graph: Graph, extent: Int) throws {
            for batch in [1, 64] {
                let plan = try planner.plan(
                    graph, inputShapes: [[batch, 3, extent, extent]], packedWeights: PackedWeights())
                rows.append(Row(name, batch: batch, plan))
            }
        }
        for network in Networks.all { try add(network.name, try network.build().seeded(0), extent: network.extent) }
        for name in ["efficientnet_b0", "mobilenet_v2", "resnet18", "squeezenet1_1"] {
            let network = try #require(Networks.find(name))
            let graph = try QuantizedZoo.graph(name, measuresRanges: false)
            try add("\(name), 8 bits", graph, extent: network.extent)
        }
        for weights in NarrowWeights.allCases {
            let network = try #require(Networks.find("vit_ti_16"))
            try add("vit_ti_16, \(weights.rawValue)", try weights.graph("vit_ti_16"), extent: network.extent)
        }
        let grown = rows.filter { row in earlier.contains { row.isMore(than: $0) } }
        #expect(grown.isEmpty, "the work became more:\n\(grown.map(\.line).joined(separator: "\n"))")
        let text = Self.title + rows.map(\.line).joined(separator: "\n") + "\n"
        if grown.isEmpty, ProcessInfo.processInfo.environment["APUS_WRITE_TABLES"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text, "make tables writes the table")
    }
}
