import Apus
import Graphs
import TestSupport
import Testing

@Suite("Classes of several outputs")
struct HeadClassifierTests {
    /// A network of three classes by logits, two by Softmax, and the index of the largest of the logits. The logits are
    /// the means of red, green and blue.
    private static func model(batch: Tensors.Dimension = .batch, onlyIndex: Bool = false) throws -> Model {
        try Model(
            Graph.build("heads") { net in
                let means = net.input("image", .float32, [batch, 3, 4, 4]).globalAveragePool().reshape([0, 3])
                let index = net.append(ArgMax(search: ExtremumAxis(axis: 1, keepsAxis: false)), kind: "index", [means])
                guard !onlyIndex else { return net.output("class", index) }
                net.output("color", means)
                net.output("kind", means.slice(0..<2, axis: 1).softmax())
                net.output("largest", index)
            })
    }

    private static func picture(_ red: UInt8, _ green: UInt8, _ blue: UInt8) throws -> ImageSource {
        .image(try Image(width: 4, height: 4, pixels: (0..<16).flatMap { _ in [red, green, blue] }))
    }

    @Test("Each output gives classes, in batches of any size", arguments: [Tensors.Dimension.batch, 1])
    func heads(batch: Tensors.Dimension) async throws {
        let classifier = try await HeadClassifier(
            Self.model(batch: batch), labels: Labels(["red", "green", "blue"]))
        #expect(classifier.headNames == ["color", "kind", "largest"])
        let records = try [(255, 0, 0), (0, 51, 102), (0, 255, 0)].enumerated().map { index, color in
            ImageRecord(
                id: "\(index)", source: try Self.picture(UInt8(color.0), UInt8(color.1), UInt8(color.2)))
        }
        for count in [1, 4] {
            let runner = BatchRunner(classifier, options: BatchOptions(batch: count))
            let answers = try await runner.predict(records).map { try $0.answer.get() }
            #expect(answers.map { $0["color"]?.label } == ["red", "blue", "green"])
            #expect(answers.map { $0["largest"]?.label } == ["red", "blue", "green"])
            #expect(answers.map { $0["kind"]?.best.index } == [0, 1, 1])
            #expect(answers[1]["kind"]?.label == nil && answers[1]["largest"]?.confidence == 1)
            // The softmax of 0, 0.2 and 0.4, and of 0 and 0.2.
            #expect(abs((answers[1]["color"]?.confidence ?? 0) - 0.4017595) < 1e-6)
            #expect(abs((answers[1]["kind"]?.confidence ?? 0) - 0.5498340) < 1e-6)
        }
        let row = try #require(try await BatchRunner(classifier).predict([records[0]]).first)
        let text = ImageAnswer(try row.answer.get()).base.jsonMembers(
            RowContext(RowOptions(top: 1, content: .heads), files: [:], timestamp: nil))
        #expect(
            text.hasPrefix(
                #""heads":[{"name":"color","predictions":[{"index":0,"label":"red","confidence":0.576"#), "\(text)")
    }

    @Test("The task takes a single index, one output by its name, and refuses indices that are no classes")
    func task() async throws {
        func predictor(_ model: Model, _ output: String? = nil, _ labels: Labels? = nil) async throws -> AnyPredictor {
            var settings = TaskSettings()
            (settings.outputName, settings.labels) = (output, labels)
            let found = try await VisionTask.classify.type.predictor(model, settings, options: Session.Options())
            return AnyPredictor(found)
        }
        let picture = try Self.picture(0, 0, 200)
        let index = try await predictor(Self.model(onlyIndex: true)).predict(picture)
        #expect(index.heads?.heads[0].classification.best.index == 2)
        let color = try await predictor(Self.model(), "color").predict(picture)
        #expect(color.classes?.best.index == 2 && color.heads == nil)
        let all = try await predictor(Self.model()).predict(picture)
        #expect(all.heads?.heads.count == 3)
        await #expect {
            try await predictor(Self.model(onlyIndex: true), nil, Labels(["a", "b"])).predict(picture)
        } throws: {
            "\($0)".contains("output \"class\" gives 2, which is no class of 2")
        }
    }

    @Test("Beside one output of scores, an index is no head")
    func besideScores() throws {
        let model = try Model(
            Graph.build("one head") { net in
                let means = net.input("image", .float32, [.batch, 3, 4, 4]).globalAveragePool().reshape([0, 3])
                net.output("probabilities", means.softmax())
                net.output("label", net.append(ArgMax(search: ExtremumAxis(axis: 1)), kind: "index", [means]))
            })
        #expect(!HeadClassifier.reads(model))
        #expect(HeadClassifier.reads(try Self.model()))
    }
}
