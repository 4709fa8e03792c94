import ConformanceCases
import CPUBackend
import Graphs
import OpenCLBackend
import Planning
import Quantizing
import Tensors
import Testing
import TestSupport

/// Networks of 8-bit integers, as quantizing the zoo's networks gives them.
enum QuantizedZoo {
    /// A network, decluttered, whose values are rounded to their ranges on a random input.
    ///
    /// - Parameter extent: The height and width of images; nil for those of the network.
    /// - Parameter measuresRanges: Whether ranges are those of values, which do not matter where nothing is run.
    static func graph(_ name: String, extent: Int? = nil, measuresRanges: Bool) throws -> Graph {
        let network = try #require(Networks.find(name))
        let extent = extent ?? network.extent
        // As quantizing does; a file has activations as nodes of their own.
        let rewrites = Rewrites.exportable.filter {
            !($0 is FuseAddend) && !($0 is FuseProductAddend) && !($0 is FuseActivation)
        }
        let graph = try Rewrites.declutter(network.build(extent: extent).seeded(5), using: rewrites).graph
        let plan = QuantizationPlan(graph, floatLayerCount: 0)
        let owners = Set(plan.values.map(\.scaleOf)).sorted { $0.index < $1.index }
        var limits = Dictionary(uniqueKeysWithValues: owners.map { ($0, (low: Float(-1), high: Float(2))) })
        if measuresRanges {
            var observed = graph
            observed.outputs = owners.filter { !graph.inputs.contains($0) }
            let input = try image(extent: extent, batch: 1)
            let values = try run(observed, on: [CPUBackend(), ReferenceBackend()], [input]).outputs
            for (id, value) in zip(observed.outputs + graph.inputs, values + [input]) {
                let numbers = value.elements(as: Float.self)
                limits[id] = (min(numbers.min() ?? 0, 0), max(numbers.max() ?? 0, 0))
            }
        }
        return try Rewrites.declutter(graph.quantized(plan, limits: limits, means: [:])).graph
    }

    static func image(extent: Int, batch: Int) throws -> Tensor {
        try DeviceExecutionTests.input([batch, 3, extent, extent], seed: 4)
    }

    static func run(
        _ graph: Graph, on backends: [any Backend], _ inputs: [Tensor]
    ) throws -> (plan: Plan, outputs: [Tensor]) {
        let plan = try Planner(backends: backends, threadCount: 2, deviceUse: .wherePossible).plan(
            graph, inputShapes: inputs.map(\.shape), packedWeights: PackedWeights())
        return (plan, try Execution(workers: try #require(ThreadPool(count: 2))).run(plan, inputs: inputs))
    }
}

@Suite("Networks of 8-bit integers on a device", .ownThreads, .enabled(if: TestDevice.isPresent), .serialized)
struct QuantizedNetworkTests {
    /// The networks, the extents of their images, and whether all between the first and the last integers is exact.
    /// Sigmoids and batch normalisations in float32 are not, so that now and then a number is rounded to
    /// the integer beside.
    private static let networks = [
        ("mobilenet_v2", 64, true), ("resnet18", 64, true), ("squeezenet1_1", 64, true), ("mobilenet_v1", 64, true),
        ("densenet121", 64, false), ("inception_v1", 64, true), ("resnext50_32x4d", 64, true),
        ("efficientnet_b0", 64, false),
    ]

    @Test("All layers run on the device, and give the processor's integers", arguments: networks)
    func agrees(_ name: String, _ extent: Int, _ isExact: Bool) throws {
        let device = try #require(TestDevice.shared)
        var graph = try QuantizedZoo.graph(name, extent: extent, measuresRanges: true)
        let integers = graph.nodes.filter { $0.operation is IntegerConv || $0.operation is IntegerAdd }
        #expect(integers.count >= 18)
        let last = try #require(integers.last?.outputs.first ?? nil)
        graph.outputs.append(last)
        let image = try QuantizedZoo.image(extent: extent, batch: 2)
        let host: [any Backend] = [CPUBackend(), ReferenceBackend()]
        let (plan, outputs) = try QuantizedZoo.run(graph, on: [OpenCLBackend(device)] + host, [image])
        let expected = try QuantizedZoo.run(graph, on: host, [image]).outputs
        let left = plan.layers.filter { $0.space == .host && $0.lowering != "view" && $0.transferByteCount == 0 }
        #expect(left.isEmpty, "\(left.map { "\($0.name), \($0.operatorName), on \($0.backend)" })")
        let pairs = zip(outputs[1].elements(as: Int64.self), expected[1].elements(as: Int64.self))
        #expect(Set(expected[1].elements(as: Int64.self)).count > 20)
        if isExact {
            #expect(pairs.allSatisfy { $0 == $1 })
        } else {
            #expect(pairs.allSatisfy { abs($0 - $1) <= 6 })
        }
        let difference = TensorComparison(
            outputs[0], expected[0], relative: isExact ? 1e-3 : 0.1, absolute: isExact ? 1e-4 : 0.1
        ).difference
        #expect(difference == nil, "\(difference ?? "")")
    }
}

@Suite("Dot products of four bytes on a device", .ownThreads, .enabled(if: TestDevice.isPresent))
struct IntegerDotTests {
    @Test("Plain C is always right, and what the device chooses is")
    func isRight() throws {
        let device = try TestDevice.make()
        #expect(device.isRight(.plain))
        #expect(device.isRight(device.integerDot))
        #expect(IntegerDot.candidates(device.information).contains(device.integerDot))
    }

    @Test("Tiles of bytes are right, and those of tensor cores are not taken for right where there are none")
    func tilesAreRight() throws {
        let device = try TestDevice.make()
        let usual = TileShape.ofBytes(device.information)
        for tiles in usual { #expect(device.isRight(tiles), "\(tiles.name)") }
        guard device.information.maker != .nvidia else { return }
        let all = TileShape.ofBytes(device.information, onTensorCores: true)
        #expect(all.count > usual.count)
        for tiles in all.prefix(all.count - usual.count) { #expect(!device.isRight(tiles), "\(tiles.name)") }
        #expect(!device.multipliesBytesOnTensorCores)
    }

    @Test("What is tried first depends on who makes the device, and on its extensions")
    func suitsTheDevice() throws {
        var information = try #require(TestDevice.shared).information
        (information.kind, information.vendor, information.extensions) = (.gpu, "NVIDIA Corporation", [])
        #expect(IntegerDot.candidates(information) == [.dp4a, .plain])
        (information.vendor, information.extensions) = ("Intel", ["cl_khr_integer_dot_product"])
        #expect(IntegerDot.candidates(information) == [.packed, .plain])
        information.extensions = []
        #expect(IntegerDot.candidates(information) == [.plain])
        #expect(TileShape.ofBytes(information).first?.name == "128x128x8/8x8")
        (information.maximumWorkGroupSize, information.localMemoryByteCount) = (16, 1 << 10)
        #expect(TileShape.ofBytes(information).map(\.threadCount) == [16])
    }

    @Test("A device that lacks what is asked for says so by a wrong result or an error, and plain C is taken")
    func fallsBack() throws {
        let device = try TestDevice.make()
        guard device.information.maker != .nvidia else { return }
        #expect(!device.isRight(.dp4a))
    }
}
