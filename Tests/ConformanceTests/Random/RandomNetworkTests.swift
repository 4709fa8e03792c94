import ConformanceCases
import CPUBackend
import Formats
import Foundation
import Graphs
import Planning
import Testing

/// `APUS_RANDOM_NETWORKS` is the number of networks, and `APUS_RANDOM_SEED` the first seed.
@Suite("Random networks, rewritten and planned", .serialized)
struct RandomNetworkTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = UInt64(environment["APUS_RANDOM_SEED"] ?? "") ?? 0

    /// The seeds to try: those of the test, or as many as the environment asks for.
    private static func seeds(_ count: Int) -> Range<UInt64> {
        first..<first + (UInt64(environment["APUS_RANDOM_NETWORKS"] ?? "") ?? UInt64(count))
    }

    /// Checks networks; of those that fail, it reports the first few as small as they get.
    private static func check(
        _ name: String, _ check: NetworkCheck, _ seeds: Range<UInt64>, _ network: (UInt64) throws -> GivenGraph
    ) throws {
        print("RandomNetworkTests: \(name), seeds \(seeds.lowerBound) to \(seeds.upperBound - 1)")
        var failures: [UInt64] = []
        for seed in seeds {
            let given = try network(seed)
            guard let failure = check.failure(given) else { continue }
            failures.append(seed)
            guard failures.count <= 5 else { continue }
            let smallest = given.reduced { check.failure($0) != nil }
            Issue.record(
                "\(name), seed \(seed): \(failure)\nreduced: \(check.failure(smallest) ?? "")\n\(smallest.listing)")
        }
        #expect(failures.isEmpty, "\(name): \(failures.count) of \(seeds.count) networks fail: \(failures.prefix(50))")
    }

    @Test("In float32")
    func floats() throws {
        try Self.check("float32", NetworkCheck(backend: CPUBackend(), precision: 1e-4), Self.seeds(400)) { seed in
            let random = try RandomGraph(seed: seed)
            return GivenGraph(random.graph, random.inputs)
        }
    }

    @Test(
        "In bfloat16",
        .enabled("the processor multiplies bfloat16") { ProductPrecision.bfloat16.isSupported(by: .chosen) })
    func bfloat16() throws {
        let check = NetworkCheck(backend: CPUBackend(precision: .bfloat16), precision: 0x1p-8)
        try Self.check("bfloat16", check, Self.seeds(200)) { seed in
            let random = try RandomGraph(seed: seed)
            return GivenGraph(random.graph, random.inputs)
        }
    }

    @Test("In 8 bits")
    func quantized() throws {
        try Self.check("8 bits", NetworkCheck(backend: CPUBackend(), precision: 1e-4), Self.seeds(200)) { seed in
            try RandomQuantizedGraph(seed: seed).given
        }
    }

    private static let folder = environment["APUS_RANDOM_FILES"].map { URL(fileURLWithPath: $0) }

    /// `APUS_RANDOM_FILES` is a folder of networks that `Tests/Parity/random_networks.py` has written, and
    /// `APUS_RANDOM_PRECISION` the precision to try them in: float32 unless it is `bfloat16`.
    @Test("Files beside onnxruntime's outputs", .enabled("APUS_RANDOM_FILES names a folder") { folder != nil })
    func files() throws {
        let folder = try #require(Self.folder)
        let isBFloat16 = Self.environment["APUS_RANDOM_PRECISION"] == "bfloat16"
        let check = NetworkCheck(
            backend: CPUBackend(precision: isBFloat16 ? .bfloat16 : .float32), precision: isBFloat16 ? 0x1p-8 : 1e-4)
        var (count, refused, failures) = (0, [String](), [String]())
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            let test = folder.appending(path: name)
            let graph: Graph
            do {
                graph = try ONNXFormat().read(Data(contentsOf: test.appending(path: "model.onnx")), folder: nil)
            } catch {
                refused.append("\(name): \(error)")
                continue
            }
            let data = test.appending(path: "test_data_set_0")
            let given = GivenGraph(graph, try ONNXNodeTest.tensors(data, "input"))
            count += 1
            guard let failure = check.failure(given, expected: try ONNXNodeTest.tensors(data, "output")) else {
                continue
            }
            failures.append(name)
            guard failures.count <= 5 else { continue }
            let smallest = given.reduced { check.failure($0) != nil }
            Issue.record("\(name): \(failure)\nreduced: \(check.failure(smallest) ?? "")\n\(smallest.listing)")
        }
        print("RandomNetworkTests: \(count) files, \(isBFloat16 ? "bfloat16" : "float32"), \(failures.count) failures")
        print("RandomNetworkTests: \(refused.count) files are refused: \(refused.prefix(5))")
        #expect(count > 0 && failures.isEmpty, "\(failures.prefix(50))")
    }
}
