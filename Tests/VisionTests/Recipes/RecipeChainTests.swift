import Apus
import Foundation
import Graphs
import Images
import TestSupport
import Testing

/// Chains of more than two stages, and what their files say.
@Suite("Chains of recipes")
struct RecipeChainTests {
    /// A detector with two boxes in a picture of 64 x 64: from (8, 8) to (40, 40), and from (40, 40) to (56, 56).
    private func detector() throws -> Model {
        var rows = [Float](repeating: 0, count: 252 * 7)
        rows.replaceSubrange(0..<7, with: [24, 24, 32, 32, 1, 0.75, 0])
        rows.replaceSubrange(7..<14, with: [48, 48, 16, 16, 1, 0.5, 0])
        let boxes = try Tensor(rows, shape: [1, 252, 7])
        let zero = try Tensor([0] as [Float], shape: [1, 1, 1])
        return try Model(
            try Graph.build("fixed") { net in
                let image = net.input("image", .float32, [.batch, 1, 64, 64])
                let nothing = image.globalAveragePool().reshape([0, 1, 1]).multiplied(by: net.constant("zero", zero))
                net.output("boxes", nothing.added(to: net.constant("rows", boxes)))
            })
    }

    /// The means of red, green and blue in the left and the right half of a picture.
    private func halves() throws -> Model {
        let half = HeightAndWidth(height: 8, width: 4)
        return try Model(
            try Graph.build("halves") { net in
                let image = net.input("image", .float32, [.batch, 3, 8, 8])
                net.output("embedding", image.averagePool(half, stride: half).reshape([0, 6]))
            })
    }

    private func points(_ numbers: [Float]) throws -> Model {
        try FixedOutputs.model([FixedOutputs.Output("landmarks", [numbers.count], numbers)])
    }

    private static func stage(_ name: String, _ extra: String) -> String { "{\"name\": \"\(name)\", \(extra)}" }

    private static let faces = stage("faces", #""model": "detector.onnx", "task": "detect""#)
    private static let mesh = stage(
        "mesh", #""model": "points.onnx", "task": "landmarks", "postprocess": {"point_units": "normalized"}"#)
    private static func eye(_ name: String, _ region: String) -> String {
        let model = #""model": "halves.onnx", "task": "embed", "normalize": false, "from": "mesh""#
        return stage(name, model + ", \"region\": {\(region)}")
    }

    /// Calls `body` with a folder that has the models.
    private func withModels(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try detector().export(to: folder.appending(path: "detector.onnx").path)
            try halves().export(to: folder.appending(path: "halves.onnx").path)
            try points([0.25, 0.5, 0.75, 0.5]).export(to: folder.appending(path: "points.onnx").path)
            try await body(folder)
        }
    }

    private func recipe(_ stages: [String], in folder: URL, _ name: String = "a", more: String = "") throws -> Recipe {
        let file = folder.appending(path: "\(name).recipe.json")
        try Data("{\"recipe\": 1, \"stages\": [\(stages.joined(separator: ", "))]\(more)}".utf8).write(to: file)
        return try Recipe(contentsOf: file.path)
    }

    /// A picture that is red left of column 24 and green from there on.
    private func picture() throws -> ImageSource {
        var pixels = [UInt8](repeating: 0, count: 64 * 64 * 3)
        for place in 0..<64 * 64 { pixels[place * 3 + (place % 64 < 24 ? 0 : 1)] = 255 }
        return .image(try Image(width: 64, height: 64, pixels: pixels))
    }

    @Test("A third stage looks around points of the second, also in a mirror")
    func around() async throws {
        try await withModels { folder in
            // The points of the first face are (16, 24) and (32, 24).
            let around = #""around": [0, 1], "square": true"#
            let stages = [
                Self.faces, Self.mesh, Self.eye("left", around), Self.eye("right", around + #", "mirrored": true"#),
                Self.eye("wide", around + #", "margin": 0.5"#),
            ]
            let runner = try await RecipeRunner(try recipe(stages, in: folder))
            let answer = try #require(try await runner.predict(picture()).parts)
            let part = try #require(answer.parts.first)
            #expect(part["mesh"]?.landmarks?.points.map(\.x) == [0.25, 0.5] && answer.parts.count == 2)
            let left = try #require(part["left"]?.embedding?.vector)
            let right = try #require(part["right"]?.embedding?.vector)
            let wide = try #require(part["wide"]?.embedding?.vector)
            // Red left, red right, green left, green right, blue left, blue right.
            func near(_ vector: [Float], _ expected: [Float]) -> Bool {
                zip(vector, expected).allSatisfy { abs($0 - $1) < 0.15 }
            }
            #expect(near(left, [1, 0, 0, 1, 0, 0]), "\(left)")
            #expect(near(right, [0, 1, 1, 0, 0, 0]), "\(right)")
            #expect(near(wide, [1, 0, 0, 1, 0, 0]), "\(wide)")
            #expect(answer.parts[1]["left"] != nil)
            #expect(runner.settings["left: from"] == "mesh" && runner.settings["faces: from"] == nil)
        }
    }

    @Test("Where a stage finds no points, those behind it say nothing")
    func nothing() async throws {
        let mesh = try FixedOutputs.model(
            [
                FixedOutputs.Output("a", [1, 1, 1404], (0..<1404).map { Float($0 % 64) }),
                FixedOutputs.Output("b", [1, 1, 1], [-3]),
            ], metadata: ["name": "Face landmarks detection"], isChannelsLast: true)
        let recipe = try Recipe([
            try Recipe.Stage("faces", detector(), task: .detect), try Recipe.Stage("mesh", mesh),
            try Recipe.Stage(
                "eye", halves(), task: .embed, region: Region(.points([0, 1]), isSquare: true), origin: "mesh"),
        ])
        let answer = try await RecipeRunner(recipe).predict(picture())
        #expect(answer.parts?.parts.map { $0.answers.map(\.stage) } == [["mesh"], ["mesh"]])
    }

    @Test("Points that are missing are an error of the picture, which names the stage")
    func missing() async throws {
        try await withModels { folder in
            let stages = [Self.faces, Self.mesh, Self.eye("left", #""around": [0, 7]"#)]
            let runner = try await RecipeRunner(try recipe(stages, in: folder))
            let error = try await #require(throws: RecordError.self) { try await runner.predict(picture()) }
            #expect("\(error)".contains("stage left") && "\(error)".contains("around 0,7"), "\(error)")
        }
    }

    @Test("A stage looks only around points of a stage before it that gives some")
    func origins() throws {
        let embed = try Recipe.Stage("faces", detector(), task: .detect)
        func message(_ origin: String, _ task: VisionTask) throws -> String {
            let last = try Recipe.Stage("last", halves(), task: .embed, origin: origin)
            let middle = try Recipe.Stage("middle", halves(), task: task)
            let error = try #require(throws: ApusError.self) { try Recipe([embed, middle, last]) }
            return "\(error)"
        }
        #expect(
            try message("middle", .embed).contains("only the first stage and those with the task landmarks or pose"))
        #expect(try message("last", .landmarks).contains("\"last\", which is no stage before it"))
        #expect(try message("none", .landmarks).contains("\"none\", which is no stage before it"))
    }

    @Test("A recipe begins with the stages of another, which lies beneath its folder")
    func nested() async throws {
        try await withModels { folder in
            _ = try recipe([Self.faces, Self.mesh], in: folder, "faces")
            let eye = Self.eye("eye", #""around": [0, 1], "square": true"#)
            let chain = try recipe([#"{"recipe": "faces.recipe.json"}"#, eye], in: folder)
            #expect(chain.stages.map(\.name) == ["faces", "mesh", "eye"])
            let file = try RecipeFile(contentsOf: folder.appending(path: "a.recipe.json").path)
            #expect(file.paths.contains { $0.hasSuffix("faces.recipe.json") })
            func message(_ stages: [String]) throws -> String {
                "\(try #require(throws: ApusError.self) { try recipe(stages, in: folder, "b") })"
            }
            let late = try message([Self.faces, #"{"recipe": "faces.recipe.json"}"#])
            #expect(late.contains("stage 2 names a recipe, with which only the first stage"))
            #expect(try message([#"{"recipe": "b.recipe.json"}"#, eye]).contains("of up to 3 recipes may begin"))
            #expect(try message([#"{"recipe": "../faces.recipe.json"}"#, eye]).contains("outside the recipe's folder"))
            #expect(try message([#"{"recipe": "faces.recipe.json", "name": "x"}"#]).contains("has the key \"name\""))
        }
    }

    @Test("Stages say all steps in Apus's own form, gray, square crops and borders")
    func steps() async throws {
        try await withModels { folder in
            func steps(_ preprocessing: String) throws -> Preprocessing {
                let model = #""model": "detector.onnx", "task": "detect", "preprocessing": "#
                let stage = Self.stage("faces", model + preprocessing)
                let mesh = Self.mesh
                return try #require(try recipe([stage, mesh], in: folder).stages[0].settings.preprocessing)
            }
            let own = try steps(
                #"{"resize": {"mode": "exact", "size": {"width": 64, "height": 64}}, "filter": "area", "scale": 2}"#)
            #expect(own.resizing == .exact(ImageSize(width: 64, height: 64)) && own.filter == .area && own.scale == 2)
            #expect(throws: ApusError.self) { try steps(#"{"resize": {"mode": "exact"}}"#) }
            #expect(throws: ApusError.self) { try steps(#"{"resize": {"mode": "none"}, "modle": 1}"#) }
            let short = try steps(
                #"""
                {"resize": "square-crop", "size": {"width": 8, "height": 8}, "channels": "gray-rgb",
                 "square_border": {"color": [1, 2, 3], "centered": false}}
                """#)
            #expect(short.resizing == .middleSquare(ImageSize(width: 8, height: 8)) && short.channelOrder == .grayRGB)
            #expect(short.squareBorder == .init(.init(red: 1, green: 2, blue: 3), isCentered: false))
            #expect(throws: ApusError.self) { try steps(#"{"square_border": {"color": [1, 2, 300]}}"#) }
        }
    }

    @Test("What is read in objects becomes one text")
    func text() async throws {
        try await withModels { folder in
            try FileManager.default.copyItem(
                atPath: TextFixtures.path("recognizer.onnx"), toPath: folder.appending(path: "reader.onnx").path)
            let read = Self.stage("text", #""model": "reader.onnx", "task": "text""#)
            let recipe = try recipe([Self.faces, read], in: folder, more: #", "answer": "text""#)
            let runner = try await RecipeRunner(recipe)
            #expect(recipe.joinsText && runner.content == .text)
            let text = try #require(try await runner.predict(picture()).text)
            #expect(text.lines.map { $0.box.topLeft } == [PixelPoint(x: 8, y: 8), PixelPoint(x: 40, y: 40)])
            #expect(throws: ApusError.self) {
                try self.recipe([Self.faces, Self.mesh], in: folder, more: #", "answer": "text""#)
            }
            #expect(throws: ApusError.self) {
                try self.recipe([Self.faces, read], in: folder, more: #", "answer": "song""#)
            }
        }
    }
}
