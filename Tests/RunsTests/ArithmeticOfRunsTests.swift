import Apus
import CPUBackend
import Foundation
import Graphs
import Planning
import TestSupport
import Testing

@Suite("Runs continue in the arithmetic in which they began", .timeLimit(.minutes(10)))
struct ArithmeticOfRunsTests {
    /// A classifier whose network runs on backends that options do not name.
    private struct OtherBackends: TaskPredictor {
        let classifier: Classifier
        let session: Session
        var core: PredictorCore<Classification> { PredictorCore(self) }

        var labels: Labels? { nil }
        var pictures: PicturePreparation { classifier.pictures }

        func answers(
            from outputs: [[String: Tensor]], to pictures: [PreparedPicture]
        ) async throws(ApusError) -> [Result<Classification, RecordError>] {
            try classifier.answers(from: outputs, to: pictures)
        }
    }

    /// A network of pictures of any size, so that no plan tells ahead of a run what its layers are computed in.
    private static func model() throws -> Model {
        var graph = try Graph.build("open") { net in
            let image = net.input("image", .float32, [.batch, 3, 16, 16])
            net.output(
                "scores", image.convolution(8, kernel: 5).relu().globalAveragePool().flatten().linear(5))
        }
        graph = try graph.seeded(7)
        graph.values[graph.inputs[0].index].shape = Shape([.batch, 3, .symbol("height"), .symbol("width")])
        return try Model(graph)
    }

    private static func predictor(
        _ precision: Precision, _ processor: ProductPrecision, choice: PrecisionChoice? = nil
    ) async throws -> OtherBackends {
        let model = try model()
        var options = Session.Options(threads: 1, tuning: .none)
        options.backends = [.cpu]
        let classifier = try await Classifier(model, options: options)
        options.precision = precision
        let backends: [any Backend] = [CPUBackend(precision: processor, choice: choice), ReferenceBackend()]
        return OtherBackends(
            classifier: classifier,
            session: try await Session(model, options: options, selection: BackendSelection(backends: backends)))
    }

    /// The run's rows and what its manifest calls the precision; a run that ended at its first error can be resumed.
    private static func run(
        _ predictor: OtherBackends, _ file: URL, resuming: Bool
    ) async throws -> (rows: String, precision: String?) {
        try await RunReservation.taking(file, resuming: resuming) { reservation in
            _ = try await BatchRunner(predictor, options: .init(batch: 1)).run(
                over: TestedDataset(count: 6), into: RunOutput(reservation, as: .csv),
                maximumErrors: resuming ? nil : 0)
        }
        let manifest = try RunManifest.read(besideOutput: file.path)
        return (try String(contentsOf: file, encoding: .utf8), manifest?.identity.options["precision"])
    }

    @Test(
        "A run in float16 is not continued in float32, whatever the size of pictures",
        .enabled("the processor converts float16") { ProductPrecision.emulatedFloat16.isSupported(by: .chosen) })
    func namesTheArithmetic() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "rows.csv")
            let inFloat16 = try await Self.predictor(.f16, .emulatedFloat16)
            let inFloat32 = try await Self.predictor(.f16, .float32)
            let begun = try await Self.run(inFloat16, file, resuming: false)
            #expect(begun.precision == "f16 (cpu in f16-emulated)")
            let error = await #expect(throws: ApusError.self) {
                try await Self.run(inFloat32, file, resuming: true)
            }
            let message = try #require(error.map { "\($0)" })
            #expect(
                message.contains("precision was f16 (cpu in f16-emulated) and is f16 (cpu in f32)"), "\(message)")
            let whole = try await Self.run(inFloat16, file, resuming: true)
            let other = try await Self.run(inFloat32, folder.appending(path: "other.csv"), resuming: false)
            #expect(other.precision == "f16 (cpu in f32)")
            #expect(whole.rows.hasPrefix(begun.rows) && whole.rows.count > begun.rows.count)
            #expect(!whole.rows.hasPrefix(other.rows), "both have the same bits")
        }
    }

    @Test("A precision that every backend has keeps its name, and one of chosen layers names them")
    func namesPrecisions() async throws {
        #expect(try await Self.predictor(.f16, .float16).session.arithmetic == "f16")
        #expect(try await Self.predictor(.tf32, .float32).session.arithmetic == "tf32")
        func choice(_ names: String...) -> BackendSelection {
            let layers = Dictionary(
                uniqueKeysWithValues: ["a", "b", "c"].map {
                    ($0, PrecisionChoice.Layer(isRounded: names.contains($0), error: nil))
                })
            let choice = PrecisionChoice(layers: layers, tolerance: 1, pictures: 1)
            return BackendSelection(backends: [CPUBackend(precision: .bfloat16, choice: choice), ReferenceBackend()])
        }
        let text = choice("a", "b").arithmetic(of: .automatic)
        #expect(text.hasPrefix("auto (bf16 in 2 of 3 layers, "), "\(text)")
        #expect(text == choice("b", "a").arithmetic(of: .automatic))
        #expect(text != choice("a", "c").arithmetic(of: .automatic))
    }
}
