import Apus
import Foundation
import Generation
import TestSupport
import Testing

@Suite("Types in Swift for models")
struct WrapperTests {
    @Test("Names are identifiers, whatever the file holds")
    func identifiers() {
        var names = SwiftNames(reserving: ["classLabel"])
        let made = ["class", "class_", "1/a\0b", "", "classLabel", "😀", "a\"); evil(\"", "a-b", "a_b", "self", "__"].map
        {
            names.variable($0, otherwise: "input")
        }
        #expect(
            made == [
                "class_", "class__2", "_1_a_b", "input", "classLabel_2", "input_2", "a_evil", "a_b", "a_b_2", "self_",
                "input_3",
            ])
        #expect(Set(made).count == made.count)
        #expect(made.allSatisfy { $0.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil })
    }

    @Test("No variable hides what the text of a wrapper looks up")
    func hidesNothing() throws {
        let names = ["Apus", "Swift", "Foundation", "Input", "Output"]
        let graph = try Graph.build("hiding") { net in
            for name in names + ["features"] { net.output(name + ".", net.input(name, .float32, [.batch, 2]).relu()) }
            net.output("outputs", net.input("x", .float32, [.batch, 2]).relu())
        }
        let text = SwiftWrapper(try Model(graph)).text
        for name in names {
            #expect(
                text.contains("var \(name)_2: Apus.Tensor") && text.contains("let \(name)_2: Apus.Tensor"), "\(name)")
            #expect(!text.contains("var \(name): Apus.Tensor") && !text.contains("let \(name): Apus.Tensor"), "\(name)")
            #expect(text.contains("\"\(name)\": .tensor(\(name)_2)"))
        }
        #expect(text.contains("var features_2: Apus.Tensor") && text.contains("let features: Apus.Tensor"))
        #expect(text.contains("let outputs_2: Apus.Tensor"))
    }

    @Test(
        "Types are named after their models",
        arguments: [
            ("squeezenet1_1", "Squeezenet1_1"), ("SqueezeNet", "SqueezeNet"), ("my model (v2)", "My_model_v2"),
            ("2net", "Network_2net"), ("string", "StringModel"), ("Output", "OutputModel"), ("😀", "Network"),
        ])
    func types(_ stem: String, _ name: String) { #expect(SwiftNames.type(stem) == name) }

    @Test("Texts are escaped in literals, and stay on their lines in comments")
    func texts() {
        #expect("a\"\\(b)\n\u{1F600}".swiftLiteral == "\"a\\\"\\\\(b)\\u{a}\\u{1f600}\"")
        let lines = "one\r\ntwo\u{2028}three\u{0}\u{202E}\n\n*/ four".documentation(indentedBy: "  ")
        #expect(lines.allSatisfy { $0.hasPrefix("  ///") && !$0.contains(where: \.isNewline) })
        #expect(lines.contains("  /// */ four"))
        #expect(!lines.joined().unicodeScalars.contains { $0.value == 0 || $0.value == 0x202E })
    }

    @Test("A classifier takes a picture and gives labels; another network takes and gives arrays")
    func interfaces() throws {
        let classifier = SwiftWrapper(try TestedNetworks.squeezeNet())
        #expect(classifier.typeName == "Squeezenet1_1")
        for text in [
            "var data: Apus.ImageSource", "let classLabel: Swift.String", "func prediction(image:",
            "[\"data\": .image(data)]",
        ] {
            #expect(classifier.text.contains(text), "\(text)")
        }
        let graph = try Graph.build("sum") { net in
            net.output("sum", net.input("a", .float32, [.batch, 2]).added(to: net.input("b", .float32, [.batch, 2])))
        }
        let arrays = SwiftWrapper(try Model(graph), options: .init()).text
        #expect(arrays.contains("var a: Apus.Tensor"))
        #expect(!arrays.contains("prediction(image:"))
        #expect(!arrays.contains("classLabel"))
    }

    /// `apus generate Tests/Fixtures/models/squeezenet1_1.onnx -o Tests/TopLevelExamples/Squeezenet1_1.swift` writes
    /// it.
    @Test("The type that is compiled at the top level of a script is the one that is generated")
    func compiledText() throws {
        let file = URL(filePath: #filePath).appending(path: "../../TopLevelExamples/Squeezenet1_1.swift")
        let compiled = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        #expect(compiled == SwiftWrapper(try TestedNetworks.squeezeNet()).text)
    }

    @Test("Every class has an entry of its own, also where labels stand twice")
    func sharedLabels() async throws {
        var scores = [Float](repeating: 0, count: 6)
        scores[3] = 1
        let names = ["crane", "crane (3)", "fox", "crane", "crane", "fox"]
        let classes = Classification(confidences: scores, labels: Labels(names))
        #expect(classes.distinctNames == ["crane", "crane (3)", "fox", "crane (3) (3)", "crane (4)", "fox (5)"])

        let photo = ImageSource.file(TestedNetworks.photo("coffee.png"))
        let outputs = try await TypedModel(TestedNetworks.squeezeNet()).outputs(for: ["data": .image(photo)])
        let classifier = try await Classifier(TestedNetworks.squeezeNet())
        let expected = try await classifier.predict(photo)
        let confidences = try outputs.classLabelProbs()
        #expect(confidences.count == 1000)
        #expect(Float(confidences["sunglasses (837)"] ?? 0) == expected.confidences[837])
        #expect(Float(confidences["sunglasses"] ?? 0) == expected.confidences[836])
    }

    @Test("What runs behind a type gives what the classifier gives, for one picture and for several")
    func predictions() async throws {
        let photos = ["coffee.png", "rocket.jpg"].map { ImageSource.file(TestedNetworks.photo($0)) }
        let model = try await TypedModel(TestedNetworks.squeezeNet())
        let classifier = try await Classifier(TestedNetworks.squeezeNet())
        let together = try await model.outputs(for: photos.map { ["data": .image($0)] })
        for (photo, outputs) in zip(photos, together) {
            let expected = try await classifier.predict(photo)
            let alone = try await model.outputs(for: ["data": .image(photo)])
            #expect(try outputs.classLabel() == expected.label)
            #expect(try outputs.classLabelProbs()[expected.label ?? ""] == Double(expected.confidence))
            #expect(try alone.classLabelProbs() == outputs.classLabelProbs())
        }
        #expect(throws: ApusError.self) { try together[0].tensor("none") }
        await #expect(throws: ApusError.self) { try await model.outputs(for: ["other": .image(photos[0])]) }
    }
}
