import Apus
import Foundation
import Testing

@Suite("Files of recipes")
struct RecipeFileTests {
    private static let detector = #"{"name": "a", "task": "text", "model": "detector.onnx"}"#
    private static let reader = #"{"name": "b", "task": "text", "model": "recognizer.onnx"}"#

    /// The message of the error for a file with some stages.
    private func message(_ stages: String...) throws -> String { try message(of: file(stages.joined(separator: ", "))) }

    private func file(_ stages: String) -> String { #"{"recipe": 1, "stages": [\#(stages)]}"# }

    private func message(of content: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).recipe.json")
        try Data(content.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        do {
            _ = try Recipe(contentsOf: file.path)
            return ""
        } catch {
            return "\(error)".replacing(file.deletingLastPathComponent().path + "/", with: "")
                .replacing(file.lastPathComponent, with: "FILE")
        }
    }

    @Test("What is no recipe is refused")
    func other() throws {
        #expect(try message(of: "text") == "FILE: is not JSON")
        #expect(try message(of: "[1]") == "FILE: the recipe is not an object")
        #expect(try message(of: "{}").contains("the key \"recipe\" with its version is missing"))
        #expect(try message(of: #"{"recipe": true, "stages": []}"#).contains("must be a whole number"))
        #expect(try message(of: #"{"recipe": 2, "stages": []}"#).contains("of a later Apus"))
        #expect(try message(of: #"{"recipe": 1}"#).contains("no list of \"stages\""))
        #expect(try message(of: #"{"recipe": 1, "stages": [], "x": 1}"#).contains("has the key \"x\""))
        #expect(try message(of: #"{"recipe": 1, "stages": []}"#) == "FILE: a recipe has at least two stages")
    }

    @Test("Unknown keys, and values of other types, are named with their stage")
    func keys() throws {
        #expect(try message(#"{"name": "a", "modle": 1}"#, Self.reader).contains("stage 1 has the key \"modle\""))
        #expect(try message(#"{"model": "a"}"#, Self.reader) == "FILE: stage 1 has no \"name\"")
        #expect(try message(#"{"name": "a"}"#, Self.reader) == "FILE: stage \"a\" has no \"model\"")
        #expect(try message(#"{"name": 1, "model": "a"}"#, Self.reader).contains("\"name\", which must be a text"))
        #expect(try message("7", Self.reader) == "FILE: stage 1 is not an object")
        let task = #"{"name": "a", "model": "a", "task": "fly"}"#
        #expect(try message(task, Self.reader).contains("must be one of classify, detect"))
        let confidence = #"{"name": "a", "model": "a", "minimum_confidence": "much"}"#
        #expect(try message(confidence, Self.reader).contains("must be a number from 0.0 to 1.0"))
        let margin = #"{"name": "b", "model": "a", "region": {"margin": 9}}"#
        #expect(try message(Self.detector, margin).contains("\"margin\", which must be a number"))
        let shape = #"{"name": "b", "model": "a", "region": {"shape": "round"}}"#
        #expect(try message(Self.detector, shape).contains("must be one of box, circle, corners, template"))
        let template = #"{"name": "b", "model": "a", "region": {"shape": "template", "points": [[1, 2]]}}"#
        #expect(try message(Self.detector, template).contains("no \"size\""))
        for (region, problem) in [
            (#"{"shape": "circle", "center": 0}"#, "needs the positions of two points, \"center\" and \"rim\""),
            (#"{"vertical_by": [0, -1]}"#, "\"vertical_by\", which must be the positions of two points"),
            (#"{"vertical_by": [0, 1], "upright_by": [0, 1]}"#, "both \"upright_by\" and \"vertical_by\""),
            (#"{"shift": [0, 5]}"#, "\"shift\", which must be two numbers"), (#"{"size": {"width": 5}}"#, "\"size\""),
            (#"{"resample": "box"}"#, "must be one of linear, cubic"),
            (#"{"around": [3]}"#, "\"around\", which must be the positions of 2 to 100 points"),
            (#"{"around": [3, 4], "shape": "box"}"#, "both \"shape\" and \"around\""),
            (#"{"shape": "corners", "mirrored": true}"#, "\"mirrored\", which only a box"),
        ] {
            let stage = #"{"name": "b", "model": "a", "region": \#(region)}"#
            #expect(try message(Self.detector, stage).contains(problem), "\(region)")
        }
        let square = #"{"name": "b", "model": "a", "region": {"square": 1}}"#
        #expect(try message(Self.detector, square).contains("must be true or false"))
    }

    @Test("Stages that do not fit together are refused before any model is read")
    func order() throws {
        func reading(_ extra: String) -> String {
            #"{"name": "b", "task": "text", "model": "x.onnx", \#(extra)}"#
        }
        #expect(try message(Self.detector, reading(#""from": "b""#)).contains("takes its regions from itself"))
        #expect(try message(Self.detector, reading(#""from": "z""#)).contains("\"z\", which is no stage"))
        let later = #"{"name": "c", "task": "text", "model": "x.onnx"}"#
        #expect(try message(Self.detector, reading(#""from": "c""#), later).contains("which runs behind it"))
        let second = #"{"name": "c", "task": "text", "model": "x.onnx", "from": "b"}"#
        let turning = #"{"name": "b", "task": "classify", "model": "x", "turn": {"180": 180}}"#
        #expect(try message(Self.detector, turning, second).contains("but only the first stage and those"))
        #expect(
            try message(Self.reader, #"{"name": "b", "task": "text", "model": "x"}"#).contains("\"b\" occurs twice"))
        let classify = #"{"name": "c", "task": "classify", "model": "x"}"#
        #expect(try message(classify, Self.reader).contains("its task must be text or detect"))
        let embed = #"{"name": "c", "task": "embed", "model": "x"}"#
        #expect(try message(Self.detector, embed, Self.reader).contains("neither turns lines of text nor reads"))
        #expect(try message(Self.detector, turning).contains("must read them"))
        #expect(try message(Self.detector, turning.replacing("180}", with: "45}")).contains("turns by 45°"))
        let first = #"{"name": "a", "task": "text", "model": "x", "region": {}}"#
        #expect(try message(first, Self.reader).contains("is the first: it looks at whole pictures"))
        let many = (0..<9).map { #"{"name": "\#($0)", "model": "x"}"# }.joined(separator: ", ")
        #expect(try message(of: file(many)).contains("has 9 stages; there are at most 8"))
    }

    @Test("A missing model is one line with its path beside the recipe")
    func missing() throws {
        let message = try message(Self.detector, Self.reader)
        #expect(message == "detector.onnx: no such file")
    }

    @Test("Three names of models are a recipe that reads text")
    func bare() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: TextFixtures.path("")), to: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stages = ["detector", "direction", "recognizer"].map { #"{"name": "\#($0)", "model": "\#($0).onnx"}"# }
        let own = folder.appending(path: "own.recipe.json")
        try Data(file(stages.joined(separator: ", ")).utf8).write(to: own)
        let recipe = try Recipe(contentsOf: own.path)
        #expect(recipe.stages.map(\.task) == [.text, .classify, .text])
        #expect(recipe.stages[1].turns == ["180": 180] && recipe.stages[1].minimumConfidence == 0.9)
        let text = try await TextRecognizer(recipe).predict(.file(TextFixtures.path("two.png")))
        #expect(text.lines.count == 2)
    }

    @Test("A recipe's files lie beneath its folder, unless the caller allows more")
    func places() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let own = folder.appending(path: "own")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("secret".utf8).write(to: folder.appending(path: "secret.txt"))
        try FileManager.default.createSymbolicLink(
            atPath: own.appending(path: "link.txt").path, withDestinationPath: "../secret.txt")
        let path = own.appending(path: "own.recipe.json")
        let outside = folder.appending(path: "secret.txt").path
        for named in [outside, "../secret.txt", "link.txt", "a/../../secret.txt", "../\u{301}x"] {
            for key in ["model", "labels", "preprocessing", "postprocess"] {
                let model = key == "model" ? "" : #""model": "zoo:squeezenet1_1", "#
                let stage = #"{"name": "a", "task": "detect", \#(model)"\#(key)": "\#(named)"}"#
                try Data(file(stage).utf8).write(to: path)
                let error = #expect(throws: ApusError.self) { try RecipeFile(contentsOf: path.path) }
                let text = error.map { "\($0)" } ?? ""
                #expect(text.contains("lies outside the recipe's folder") && !text.contains("secret\n"), "\(text)")
                _ = try RecipeFile(contentsOf: path.path, allowsFilesElsewhere: true)
            }
        }
    }

    @Test("Inputs of a stage are numbers, or files beside the recipe")
    func inputs() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: TextFixtures.path("")), to: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let own = folder.appending(path: "own.recipe.json")
        func write(_ inputs: String) throws {
            let reader = #"{"name": "b", "task": "text", "model": "recognizer.onnx", "inputs": \#(inputs)}"#
            try Data(file("\(Self.detector), \(reader)").utf8).write(to: own)
        }
        try Tensor([1, 2] as [Float], shape: [2]).write(toNumPyFile: folder.appending(path: "two.npy").path)
        try write(#"{"a": 0.5, "b": [1, 2], "c": "two.npy", "d": "two.png"}"#)
        let model = try Recipe(contentsOf: own.path).stages[1].model
        guard case .numbers([0.5])? = model.inputValues["a"], case .numbers([1, 2])? = model.inputValues["b"],
            case .tensor(let array)? = model.inputValues["c"], case .image? = model.inputValues["d"]
        else { throw ApusError.usage("\(model.inputValues)") }
        #expect(array.elements(as: Float.self) == [1, 2])
        await #expect {
            try await RecipeRunner(Recipe(contentsOf: own.path))
        } throws: {
            "\($0)".contains("there is no input \"a\"")
        }
        for (inputs, problem) in [
            ("1", "must be an object"), (#"{"a": {}}"#, "which must be 1 to"), (#"{"a": "../x.png"}"#, "lies outside"),
            (#"{"a": "no.png"}"#, "no.png: no such file"),
        ] {
            try write(inputs)
            #expect {
                try Recipe(contentsOf: own.path)
            } throws: {
                "\($0)".contains(problem)
            }
        }
    }

    @Test("Paths are those beside the recipe, and absolute ones stay")
    func paths() throws {
        let file = try RecipeFile(contentsOf: TextFixtures.path("text.recipe.json"))
        #expect(file.modelPaths == ["detector", "direction", "recognizer"].map { TextFixtures.path("\($0).onnx") })
        let recipe = try Recipe(contentsOf: TextFixtures.path("text.recipe.json"))
        #expect(recipe.stages.map(\.name) == ["lines", "direction", "text"])
        #expect(recipe.stages.map(\.task) == [.text, .classify, .text])
        #expect(recipe.stages[1].turns == ["180": 180] && recipe.stages[2].minimumConfidence == 0.5)
    }
}
