import Apus
import ConformanceCases
import CPUBackend
import Foundation
import Graphs
import Measuring
import OpenCLBackend
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Tiles of matrix products on a device", .ownThreads, .enabled(if: TestDevice.isPresent), .serialized)
struct TileShapeTests {
    /// The device's information with another vendor and kind.
    private static func information(_ vendor: String, _ kind: DeviceInformation.Kind = .gpu) throws -> DeviceInformation
    {
        var information = try #require(TestDevice.shared).information
        (information.vendor, information.kind) = (vendor, kind)
        (information.maximumWorkGroupSize, information.localMemoryByteCount) = (1024, 48 << 10)
        return information
    }

    @Test("What is tried depends on who makes the device, and fits it")
    func suitsTheDevice() throws {
        let makers = [
            ("NVIDIA Corporation", DeviceInformation.Maker.nvidia), ("Advanced Micro Devices, Inc.", .amd),
            ("AMD", .amd),
            ("Intel(R) Corporation", .intel), ("Somebody", .other),
        ]
        for (vendor, maker) in makers { #expect(try Self.information(vendor).maker == maker) }
        let lists = try ["NVIDIA", "AMD", "Intel"].map { TileShape.candidates(try Self.information($0)) }
        let processor = TileShape.candidates(try Self.information("GenuineIntel", .processor))
        #expect(Set((lists + [processor]).map { $0.map(\.name) }).count == 4)
        for list in lists + [processor] { #expect(Set(list.map(\.name)).count == list.count) }
        var small = try Self.information("NVIDIA")
        (small.maximumWorkGroupSize, small.localMemoryByteCount) = (64, 16 << 10)
        let fitting = TileShape.candidates(small)
        #expect(!fitting.isEmpty && fitting.allSatisfy { $0.threadCount <= 64 })
        (small.maximumWorkGroupSize, small.localMemoryByteCount) = (16, 4 << 10)
        #expect(TileShape.candidates(small).map(\.threadCount) == [16])
    }

    /// All tiles for processors, and the smallest for GPUs: PoCL compiles the others for minutes.
    private static let tiles: [TileShape] = {
        let processor = (try? information("", .processor)).map { TileShape.candidates($0) } ?? []
        let smallest = (try? information("Intel")).flatMap { TileShape.candidates($0).last }
        return processor + [smallest].compactMap { $0 }
    }()

    /// A grouped and a padded convolution, products of several heights, and a stack.
    private static func network() throws -> Graph {
        try Graph.build("products") { net in
            let image = net.input("image", .float32, [.batch, 5, 11, 9])
            let features = image.convolution(36, kernel: 3, padding: .same).relu()
            let wide = features.convolution(140, kernel: 1).convolution(12, kernel: 3, stride: 2, groups: 4)
            net.output("classes", wide.globalAveragePool().flatten().linear(70))
            net.output("features", wide)
        }.seeded(9)
    }

    @Test("Whatever the tiles, products are those of the reference", arguments: tiles)
    func agrees(_ tiles: TileShape) throws {
        let device = try #require(TestDevice.shared)
        let graph = try Self.network()
        let image = try DeviceExecutionTests.input([2, 5, 11, 9])
        let backends: [any Backend] = [OpenCLBackend(device, tiles: [tiles]), CPUBackend(), ReferenceBackend()]
        let workers = try #require(ThreadPool(count: 2))
        let plan = try Planner(backends: backends, threadCount: 2, deviceUse: .wherePossible)
            .plan(graph, inputShapes: [image.shape], packedWeights: PackedWeights())
        #expect(plan.layers.filter { $0.variant == tiles.name }.count >= 4)
        let outputs = try Execution(workers: workers).run(plan, inputs: [image])
        let expected = try ReferenceEvaluation.run(graph, [image])
        for (output, expected) in zip(outputs, expected) {
            let difference = TensorComparison(output, expected, relative: 1e-3, absolute: 1e-4).difference
            #expect(difference == nil, "\(tiles.name): \(difference ?? "")")
        }
    }

    /// A device with one candidate that computes wrong results and another that fails to build.
    private struct SpoiledBackend: Backend {
        let name = "opencl"
        let deviceDescription = "a device with wrong kernels"
        let lowerings: [any Lowering]
        let measurementKey: String? = "spoiled"
        let device: (any Device)?

        init(_ backend: OpenCLBackend, wrong: String, failing: String) {
            lowerings = backend.lowerings.map { Spoiled(lowering: $0, wrong: wrong, failing: failing) }
            device = backend.device
        }

        private struct Spoiled: Lowering {
            let lowering: any Lowering
            let wrong: String
            let failing: String
            var name: String { lowering.name }

            func lower(_ request: LoweringRequest) -> LoweringResponse {
                guard case .accept(let usual, let alternatives) = lowering.lower(request) else {
                    return lowering.lower(request)
                }
                return .accept(spoiled(usual), alternatives: alternatives.map(spoiled))
            }

            private func spoiled(_ candidate: Candidate) -> Candidate {
                guard let variant = candidate.variant, [wrong, failing].contains(variant) else { return candidate }
                let calls =
                    variant == wrong ? [] : [KernelCall(.gemm, kernel: "none", arguments: [], global: [1])]
                return Candidate(
                    microseconds: candidate.microseconds, inputLayouts: candidate.inputLayouts,
                    outputLayouts: candidate.outputLayouts, readsSlices: candidate.readsSlices,
                    writesSlices: candidate.writesSlices, sharing: candidate.sharing,
                    scratchByteCount: candidate.scratchByteCount, variant: variant,
                    makeDeviceStep: { _ in KernelStep(calls) })
            }
        }
    }

    @Test("A way that gives wrong numbers or fails is refused, reported, and never chosen")
    func refusesWrongKernels() async throws {
        let device = try TestDevice.make()
        let names = TileShape.candidates(device.information).map(\.name)
        try #require(names.count > 2)
        let spoiled = SpoiledBackend(OpenCLBackend(device), wrong: names[0], failing: names[1])
        let selection = BackendSelection(
            backends: [spoiled, CPUBackend(), ReferenceBackend()], deviceUse: .wherePossible)
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json").path
        defer { for name in [path, path + ".lock"] { try? FileManager.default.removeItem(atPath: name) } }
        let options = Session.Options(threads: 2, tuning: .file(path))
        let model = try Model(Self.network())
        let report = try await model.tune(options: options, batch: 2, selection: selection)
        #expect(report.refusals.contains { $0.reason.hasPrefix("it gives ") })
        #expect(
            report.refusals.contains { $0.reason.contains("does not build") || $0.reason.contains("clCreateKernel") })
        #expect(report.refusals.allSatisfy { $0.backend == "opencl" && !$0.layer.isEmpty })
        // Refused candidates are recorded, and not measured again.
        #expect(try await model.tune(options: options, batch: 2, selection: selection).measuredCount == 0)
        let session = try await Session(model, options: options, selection: selection)
        let plan = try await session.plan(forBatch: 2)
        let products = plan.layers.filter { $0.variant != nil }
        #expect(session.notices.isEmpty)
        #expect(!products.isEmpty && products.allSatisfy(\.isMeasured))
        let reasons = products.flatMap(\.candidates).compactMap(\.reason)
        #expect(reasons.contains { $0.hasPrefix("refused when it was measured: it gives") })
        let image = ["image": try DeviceExecutionTests.input([2, 5, 11, 9])]
        let expected = try await FaultyDevice.expected(model, image)
        #expect(FaultyDevice.agrees(try await session.predict(image), expected))
    }

    @Test("Each tile of the device is measured, and plans say which was chosen and how long each took")
    func measuresTiles() async throws {
        let device = try #require(TestDevice.shared)
        let selection = BackendSelection(
            backends: [OpenCLBackend(device), CPUBackend(), ReferenceBackend()], deviceUse: .wherePossible)
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json").path
        defer { for name in [path, path + ".lock"] { try? FileManager.default.removeItem(atPath: name) } }
        let options = Session.Options(threads: 2, tuning: .file(path))
        let model = try Model(Self.network())
        let report = try await model.tune(options: options, selection: selection)
        #expect(report.refusals.isEmpty)
        let names = Set(TileShape.candidates(device.information).map(\.name))
        let measured = report.layers.flatMap(\.candidates).filter { $0.backend == "opencl" }
        #expect(Set(measured.compactMap(\.variant)) == names)
        #expect(measured.allSatisfy { $0.measuredMicroseconds ?? 0 > 0 })
        let plan = try await Session(model, options: options, selection: selection).plan(forBatch: 1)
        for layer in plan.layers where layer.variant != nil {
            let times = layer.candidates.filter { $0.lowering == layer.lowering && $0.variant != nil }
            #expect(times.count >= 2 && times.allSatisfy { $0.measuredMicroseconds != nil })
        }
    }
}
