import Apus
import Foundation
import Graphs
import Images
import TestSupport
import Testing

/// Names of classes, from text of any line ends, and as many as there are classes.
@Suite("Labels")
struct LabelTests {
    /// Text of random lines, and the lines, by a generator whose seed is printed where they differ.
    private func cases(_ seed: UInt64) -> (text: String, lines: [String]) {
        var generator = SplitMix64(seed: seed)
        let pieces = ["cat", "é", "\u{301}", "👩‍👩‍👧", "\u{2028}", "\u{85}", "a,b", " ", "", "疗", "\u{B}"]
        let end = ["\n", "\r\n", "\r"][Int(generator.next() % 3)]
        let lines = (0...generator.next() % 6).map { _ in
            "x" + (0..<generator.next() % 4).map { _ in pieces[Int(generator.next() % UInt64(pieces.count))] }.joined()
        }
        let mark = generator.next() % 4 == 0 ? "\u{FEFF}" : ""
        return (mark + lines.joined(separator: end) + (generator.next() % 2 == 0 ? end : ""), lines)
    }

    @Test("An index that no network has is refused, however large it is", arguments: [5, Int.max])
    func largeIndex(_ index: Int) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "labels-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(#"{"\#(index)": "a"}"#.utf8).write(to: file)
        let labels = try Labels(contentsOf: file.path)
        #expect(throws: ApusError.self) { try labels.check(classCount: 5, model: "m", origin: nil) }
    }

    @Test("A line ends at a line feed, a carriage return, or both, and at nothing else")
    func lineEnds() throws {
        #expect("a\r\n\r\nb\rc\n\n".textLines == ["a", "", "b", "c", ""])
        let file = FileManager.default.temporaryDirectory.appending(path: "labels-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        for seed in 0..<300 as Range<UInt64> {
            let (text, lines) = cases(seed)
            #expect(text.textLines.map { Array($0.utf8) } == lines.map { Array($0.utf8) }, "seed \(seed)")
            try Data(text.utf8).write(to: file)
            let labels = try Labels(contentsOf: file.path)
            #expect((0..<labels.count).map { labels[$0] } == lines, "seed \(seed)")
            if lines.count > 1 {
                #expect(CharacterSet.named(in: ["character": text]) == lines, "seed \(seed)")
            }
        }
    }

    @Test("Parts of a path lie between slashes, whatever follows them")
    func paths() {
        #expect("../\u{301}x/a".pathParts() == ["..", "\u{301}x", "a"])
        #expect("a/\u{301}b".pathOfFolder == "a/" && "/\u{301}b".isAbsolutePath)
    }

    @Test(
        "Names in metadata are read as Python and JSON write them",
        arguments: [
            (#"{0: 'it\'s "both"', 1: 'x'}"#, [#"it's "both""#, "x"]),
            (#"{0: '\xa0nbsp', 1: 'a\\b', 2: 'tab\tline\n'}"#, ["\u{A0}nbsp", #"a\b"#, "tab\tline\n"]),
            (#"{0: '\u200b', 1: '\U0001f600'}"#, ["\u{200B}", "😀"]),
            (#"{"0": "na\u00efve", "1": "\ud83d\ude00"}"#, ["naïve", "😀"]),
            (#"["a", "b\/c"]"#, ["a", "b/c"]),
        ])
    func pythonNames(_ text: String, _ names: [String]) throws {
        let labels = try #require(Labels(pythonLiteral: text))
        #expect((0..<labels.count).map { labels[$0] } == names)
    }

    @Test(
        "Names of Ultralytics that cannot be read are an error, and other texts under that key are none",
        arguments: [#"{0: '\xg0'}"#, #"{0: '\ud800'}"#, #"{0: '\q'}"#, "{0: 'a", "{0: 5}", #"{0: 'a\"#, "cat, dog"])
    func damagedNames(_ text: String) throws {
        #expect(Labels(pythonLiteral: text) == nil)
        let error = #expect(throws: ApusError.self) {
            try Labels.named(in: ["names": text, "author": "Ultralytics"], model: "m.onnx")
        }
        #expect("\(error as Any)".contains("names"))
        #expect(try Labels.named(in: ["names": text], model: "m.onnx") == nil)
    }

    /// A classifier of three classes.
    private func model() throws -> Model { try PurposeTests.model([("y", [3])]) }

    @Test("As many names as classes are wanted: those of a file, of the model, and of each task")
    func counts() async throws {
        _ = try await Classifier(model(), labels: Labels(["a", "b", "c"]))
        let short = await #expect(throws: ApusError.self) {
            try await Classifier(model(), labels: Labels(["a", "b"]))
        }
        #expect("\(try #require(short))".contains("there are 2 labels for 3 classes"))
        let named = try PurposeTests.model([("y", [3])], labels: 4)
        await #expect(throws: ApusError.self) { try await Classifier(named) }
        // Labels that are given replace those of the model.
        _ = try await Classifier(named, labels: Labels(["a", "b", "c"]))

        let maps = try FixedOutputs.model([.init("maps", [5, 8, 8], [Float](repeating: 0, count: 320))])
        await #expect(throws: ApusError.self) { try await Segmenter(maps, labels: Labels(["a", "b"])) }
        let boxes = try FixedOutputs.model([.init("output0", [7, 84], [Float](repeating: 0, count: 588))])
        await #expect(throws: ApusError.self) { try await ObjectDetector(boxes, labels: Labels(["a", "b"])) }
        _ = try await ObjectDetector(boxes, labels: Labels(["a", "b", "c"]))
        let masks = try FixedOutputs.model([
            .init("output0", [9, 84], [Float](repeating: 0, count: 756)),
            .init("output1", [2, 16, 16], [Float](repeating: 0, count: 512)),
        ])
        await #expect(throws: ApusError.self) { try await InstanceSegmenter(masks, labels: Labels(["a", "b"])) }
    }

    @Test("Metadata name the classes: names of a classifier, and character where an output has as many numbers")
    func metadata() throws {
        let names = "{0: 'cat', 1: 'dog', 2: \"fox's\"}"
        let classifier = try FixedOutputs.model(
            [.init("y", [3], [0, 1, 0])],
            metadata: ["names": names, "task": "classify", "author": "Ultralytics", "imgsz": "[64, 64]"])
        #expect((0..<3).map { classifier.labels?[$0] } == ["cat", "dog", "fox's"])
        #expect(classifier.origins.labels == .metadata("names"))
        #expect(classifier.preprocessing?.resizing == .shortestEdge(64))
        #expect(classifier.preprocessing?.crop == ImageSize(width: 64, height: 64))
        let plain = try FixedOutputs.model([.init("y", [3], [0, 1, 0])], metadata: ["names": "['a', 'b', 'c']"])
        #expect(plain.labels == Labels(["a", "b", "c"]) && plain.preprocessing == nil)
        let turned = try FixedOutputs.model(
            [.init("y", [4], [0, 1, 0, 0])], metadata: ["character": "0\r\n90\r\n180\r\n270"])
        #expect(turned.labels == Labels(["0", "90", "180", "270"]) && turned.purpose.task == .classify)
        let other = try FixedOutputs.model([.init("y", [5], [0, 1, 0, 0, 0])], metadata: ["character": "0\n90"])
        #expect(other.labels == nil)
    }

    @Test("Only one output whose last axis is that of the characters and one or two more is text")
    func readers() throws {
        let characters = ["character": (0..<10).map { "c\($0)" }.joined(separator: "\n")]
        func purpose(_ extents: [[Int]]) throws -> VisionTask? {
            let outputs = extents.enumerated().map { index, shape in
                FixedOutputs.Output("o\(index)", shape, [Float](repeating: 0, count: shape.reduce(1, *)))
            }
            return try FixedOutputs.model(outputs, metadata: characters).purpose.task
        }
        for shape in [[9, 11], [9, 12]] { #expect(try purpose([shape]) == .text) }
        // The last is a PicoDet head: scores and distances for each stride.
        let others = [[[9, 10]], [[9, 32]], [[9, 11], [9, 11]], [[64, 10], [16, 10], [64, 32], [16, 32]]]
        for shapes in others { #expect(try purpose(shapes) != .text) }
    }

    @Test("Of several heads none is chosen in silence")
    func heads() async throws {
        let digits = (0..<5).map { FixedOutputs.Output("digit\($0)", [10], [Float](repeating: 0, count: 10)) }
        let model = try FixedOutputs.model(digits)
        let error = await #expect(throws: ApusError.self) { try await Classifier(model) }
        #expect("\(try #require(error))".contains("\"digit4\" [1, 10], and nothing says which"))
        await #expect(throws: ApusError.self) {
            try await Classifier(model, labels: Labels((0..<10).map { "\($0)" }))
        }
        var settings = TaskSettings()
        settings.outputName = "digit3"
        _ = try await VisionTask.classify.type.predictor(model, settings, options: Session.Options())
        let mixed = try FixedOutputs.model([
            .init("embedding", [4], [0, 0, 0, 0]), .init("scores", [3], [0, 9, 0]),
        ])
        let answer = try await Classifier(mixed).predict(try FixedOutputs.gray(8, 8))
        #expect(answer.confidences.count == 3 && answer.best.index == 1)
    }
}
