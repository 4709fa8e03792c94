import Graphs
import Planning
import Tensors
import Testing

@Suite("Choosing by measured times")
struct TuningTests {
    private static let key = "device 1"

    /// Three lowerings of hyperbolic tangents and convolutions that are expected to take 10, 20 and 90 µs for each
    /// image, and do nothing.
    private static let device = ScriptedBackend(
        "device",
        [("favourite", 10.0), ("rival", 20.0), ("outsider", 90.0)].map { name, microseconds in
            .init(name: name) { request in
                .accept(
                    Candidate(
                        microseconds: microseconds * Double(request.outputs[0].shape[0]),
                        inputLayouts: request.inputs.map { _ in nil }, outputLayouts: [.rowMajor]
                    ) { _ in NothingStep() })
            }
        }, measurementKey: key)

    private func network() throws -> Graph {
        try Graph.build("small") { net in
            let image = net.input("image", .float32, [.batch, 2, 5, 5])
            let features = image.convolution(3, kernel: 3).convolution(3, kernel: 3, padding: .same)
            net.output("scores", features.convolution(3, kernel: 3, padding: .same))
        }.seeded(3)
    }

    private func layers(_ planner: Planner, images: Int = 1, of graph: Graph? = nil) throws -> [TunableLayer] {
        let graph = try graph ?? network()
        let shapes = graph.inputs.map { graph[$0].shape?.binding(["N": images]) ?? [] }
        return try planner.tunableLayers(graph, inputShapes: shapes, packedWeights: PackedWeights()).layers
    }

    private func choices(_ records: TuningCache, images: Int = 1, threads: Int = 1) throws -> [String] {
        let graph = try network()
        let planner = Planner(backends: [Self.device, ReferenceBackend()], threadCount: threads, records: records)
        return try planner.plan(graph, inputShapes: [[images, 2, 5, 5]], packedWeights: PackedWeights())
            .layers.map(\.lowering)
    }

    /// The same times for every layer of ``network()``.
    private func records(_ microseconds: [String: Double], key: String = key) throws -> TuningCache {
        var records = TuningCache()
        for layer in try layers(Planner(backends: [Self.device], threadCount: 1)) {
            records[key, layer.signature] = .init(microseconds: microseconds, threads: 2, images: 1)
        }
        return records
    }

    @Test("The fastest of those measured is chosen when the favourite is among them")
    func choosesMeasured() throws {
        #expect(try choices(TuningCache()) == ["favourite", "favourite", "favourite"])
        #expect(try choices(records(["favourite": 30, "rival": 25])) == ["rival", "rival", "rival"])
        #expect(try choices(records(["favourite": 30, "rival": 31]))[0] == "favourite")
        // The difference is too small to trust.
        #expect(try choices(records(["favourite": 30, "rival": 29.5]))[0] == "favourite")
        // Slower than the estimate for an unmeasured lowering: once there are measurements, estimates do not count.
        #expect(try choices(records(["favourite": 3000, "rival": 2500]))[0] == "rival")
        // A measurement of the rival alone tells nothing about the favourite.
        #expect(try choices(records(["rival": 1]))[0] == "favourite")
        #expect(try choices(records(["favourite": 30, "rival": 25], key: "device 2"))[0] == "favourite")
    }

    @Test("A choice against the expected times is kept only when a second measurement makes it again")
    func confirms() throws {
        let layer = try #require(try layers(Planner(backends: [Self.device], threadCount: 1)).first)
        let agreeing = try records(["favourite": 30, "rival": 31])
        let contrary = try records(["favourite": 30, "rival": 20])
        let contraryAgain = try records(["favourite": 28, "rival": 22])
        #expect(layer.replacement(by: agreeing) == nil)
        let replacement = try #require(layer.replacement(by: contrary))
        #expect(replacement.way == "rival" && replacement.favourite == "favourite")
        #expect(abs(replacement.gain - 1.0 / 3) < 1e-9)
        #expect(abs(layer.gain(of: "device", "rival", by: agreeing) + 1.0 / 30) < 1e-9)

        let (kept, isConfirmed) = layer.confirmed(contrary, contraryAgain)
        #expect(isConfirmed)
        #expect(kept[Self.key, layer.signature]?.microseconds == ["favourite": 28, "rival": 20])
        #expect(layer.replacement(by: kept)?.way == "rival")

        let (left, isConfirmedByNoise) = layer.confirmed(contrary, agreeing)
        #expect(!isConfirmedByNoise)
        #expect(left[Self.key, layer.signature]?.microseconds == ["favourite": 30, "rival": 31])
        #expect(layer.replacement(by: left) == nil)
        #expect(try choices(left)[0] == "favourite")
    }

    /// A lowering with three candidates, estimated at 10, 12 and 14 µs.
    private static let ways = ScriptedBackend(
        "device",
        [
            .init(name: "product") { request in
                let candidates = ["a", "b", "c"].enumerated().map { index, variant in
                    Candidate(
                        microseconds: Double((10 + 2 * index) * request.outputs[0].shape[0]),
                        inputLayouts: request.inputs.map { _ in nil }, outputLayouts: [.rowMajor], variant: variant
                    ) { _ in NothingStep() }
                }
                return .accept(candidates[0], alternatives: Array(candidates.dropFirst()))
            }
        ], measurementKey: key)

    @Test("Of the ways of a lowering the fastest is chosen, and none that was refused")
    func choosesAmongWays() throws {
        func chosen(_ times: [String: Double], refused: [String] = [], images: Int = 1) throws -> [PlannedLayer] {
            var records = TuningCache()
            for layer in try layers(Planner(backends: [Self.ways], threadCount: 1)) {
                var entry = TuningCache.Entry(microseconds: times, threads: 1, images: 1)
                entry.refusals = Dictionary(uniqueKeysWithValues: refused.map { ($0, "wrong") })
                records[Self.key, layer.signature] = entry
            }
            let planner = Planner(backends: [Self.ways, ReferenceBackend()], threadCount: 1, records: records)
            return try planner.plan(
                network(), inputShapes: [[images, 2, 5, 5]], packedWeights: PackedWeights()
            ).layers
        }
        for images in [1, 4] {
            func variants(_ times: [String: Double], _ refused: [String] = []) throws -> [String?] {
                try chosen(times, refused: refused, images: images).map(\.variant)
            }
            #expect(try variants([:]) == ["a", "a", "a"])
            #expect(try variants(["product a": 30, "product b": 25, "product c": 20]) == ["c", "c", "c"])
            #expect(try variants(["product a": 30, "product b": 25], ["product c"]) == ["b", "b", "b"])
            #expect(try variants(["product b": 25, "product c": 30], ["product a"]) == ["b", "b", "b"])
        }
        let layer = try #require(try chosen(["product b": 25], refused: ["product a"]).first)
        let refusal = layer.considered.first { $0.variant == "a" }
        #expect(refusal?.reason == "refused when it was measured: wrong" && refusal?.microseconds == nil)
        #expect(layer.considered.contains { $0.variant == "b" && $0.measured?.microseconds == 25 })
        #expect(
            try chosen([:], refused: ["product a", "product b", "product c"]).allSatisfy { $0.backend == "reference" })
    }

    @Test("A device's times are those of the nearest batch")
    func findsTheNearestBatch() throws {
        let layer = try #require(try layers(Planner(backends: [Self.device], threadCount: 1)).first)
        var records = TuningCache()
        for images in [2, 64] {
            records[Self.key, layer.signature.ofBatch(images)] = .init(
                microseconds: ["favourite": 1], threads: 1, images: images)
        }
        for (images, nearest) in [(1, 2), (2, 2), (8, 2), (32, 64), (64, 64), (1000, 64)] {
            #expect(records.entry(Self.key, layer.signature, images: images)?.images == nearest)
        }
        #expect(records[Self.key, layer.signature] == nil)
    }

    @Test("Times that cannot be measurements are left out", arguments: [0, -1, .infinity, .nan])
    func ignoresNonsense(time: Double) throws {
        let layer = try #require(try layers(Planner(backends: [Self.device], threadCount: 1)).first)
        let entry = TuningCache.Entry(microseconds: ["favourite": 30, "rival": time], threads: 1, images: 1)
        let records = TuningCache(entries: [Self.key: [layer.signature.text: entry]])
        #expect(records.isEmpty)
        #expect(try choices(records)[0] == "favourite")
    }

    @Test("Signatures and choices are the same for every batch and number of threads")
    func doesNotDependOnBatch() throws {
        let planner = Planner(backends: [Self.device], threadCount: 1)
        let signatures = try layers(planner).map(\.signature)
        // The two equal convolutions have one signature.
        #expect(signatures.count == 2)
        #expect(try layers(planner).map(\.count) == [1, 2])
        let measured = try records(["favourite": 30, "rival": 25])
        for images in [1, 2, 3, 8] {
            #expect(try layers(planner, images: images).map(\.signature) == signatures)
            for threads in [1, 2, 3] {
                let names = try choices(measured, images: images, threads: threads)
                #expect(names == ["rival", "rival", "rival"], "\(images) images, \(threads) threads")
            }
        }
    }

    @Test("Extents, attributes, activations, constants and layouts make different signatures")
    func distinguishesLayers() throws {
        func signature(
            _ shape: [Int] = [1, 2, 6, 6], pads: [Int] = [], _ activation: Activation? = nil, constant: Bool = true
        ) throws -> LayerSignature {
            let weights = try Tensor([Float](repeating: 1, count: 2 * shape[1]), shape: [2, shape[1], 1, 1])
            let graph = try Graph.wired(
                inputs: [("x", shape)] + (constant ? [] : [("w", weights.shape)]),
                constants: constant ? [("w", weights)] : [],
                nodes: [("y", Conv(kernel: [1, 1], pads: pads, activation: activation), reads: ["x", "w"])],
                outputs: ["y"])
            let planner = Planner(backends: [Self.device], threadCount: 1)
            return try #require(try layers(planner, of: graph).first).signature
        }
        let signatures = [
            try signature(), try signature([1, 2, 6, 7]), try signature([1, 3, 6, 6]),
            try signature(pads: [1, 1, 1, 1]), try signature(pads: [1, 1, 0, 0]), try signature(constant: false),
            try signature([1, 2, 6, 6], .relu),
        ]
        #expect(Set(signatures).count == signatures.count)
        #expect(try signature() == signature())
    }

    @Test("Nothing is measured where there is nothing to choose")
    func skipsLonelyLowerings() throws {
        let lonely = ScriptedBackend("lonely", [], measurementKey: "lonely")
        #expect(try layers(Planner(backends: [lonely, ReferenceBackend()], threadCount: 1)).isEmpty)
        let unmeasurable = ScriptedBackend(
            "unmeasurable", Self.device.lowerings.compactMap { $0 as? ScriptedBackend.Scripted })
        #expect(try layers(Planner(backends: [unmeasurable], threadCount: 1)).isEmpty)
    }

    @Test("Every contender is run, with inputs as it wants them, and its time is recorded")
    func measures() throws {
        let planner = Planner(backends: [Self.device], threadCount: 1)
        let tuner = try LayerTuner(planner: planner, workers: SerialWorkers(), networkByteCount: 1000)
        for layer in try layers(planner, images: 2) {
            let records = try tuner.measure(layer, images: 2)
            let entry = try #require(records[Self.key, layer.signature])
            #expect(Set(entry.microseconds.keys) == ["favourite", "rival"])
            #expect(entry.microseconds.values.allSatisfy { $0 > 0 && $0 < 1e6 })
            #expect((entry.threads, entry.images) == (1, 2))
        }
        let flag = CancellationFlag()
        flag.set()
        let error = #expect(throws: PlanningError.self) {
            try tuner.measure(try layers(planner)[0], images: 1, cancellation: flag)
        }
        guard case .cancelled? = error else {
            Issue.record("not cancelled")
            return
        }
    }

    @Test("Newer records replace older ones of the same layer and keep the others")
    func merges() {
        func records(_ times: [String: Double]) -> TuningCache {
            TuningCache(
                entries: ["a": times.mapValues { .init(microseconds: ["x": $0], threads: 1, images: 1) }])
        }
        var all = records(["first": 1, "second": 2])
        all.merge(records(["second": 3, "third": 4]))
        #expect(all == records(["first": 1, "second": 3, "third": 4]))
    }
}
