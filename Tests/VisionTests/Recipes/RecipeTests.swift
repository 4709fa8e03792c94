import Apus
import Foundation
import Images
import SQLite
import TestSupport
import Testing

@Suite("Recipes")
struct RecipeTests {
    private static let pages = ["columns", "empty", "turned", "two", "upside_down"]

    private func recipe() throws -> Recipe { try Recipe(contentsOf: TextFixtures.path("text.recipe.json")) }

    private func page(_ name: String) -> ImageSource { .file(TextFixtures.path("\(name).png")) }

    @Test("Lines are found, turned upright and read")
    func texts() async throws {
        let recognizer = try await TextRecognizer(recipe())
        var texts: [String] = []
        for name in Self.pages { texts.append(try await recognizer.predict(page(name)).string) }
        #expect(texts == ["AB BA\nCC BB", "", "BAC", "ABC\nCCAB", "AB\nACB"])
        let lines = try await recognizer.predict(page("upside_down")).lines
        #expect(lines.map { $0.direction?.degrees } == [0, 180])
        // The band lies from (30, 30) to (150, 54), and boxes grow.
        let edges = lines[0].box.edges
        #expect(edges.left < 30 && edges.left > 10 && edges.right > 130 && edges.right < 170)
        #expect(edges.top < 30 && edges.bottom > 54 && lines.allSatisfy { $0.confidence > 0.5 })
    }

    @Test("A recipe of models does what its file does")
    func models() async throws {
        let recipe = try Recipe.text(
            detector: TextFixtures.model("detector"), direction: TextFixtures.model("direction"),
            recognizer: TextFixtures.model("recognizer"), detection: .init(limit: .init(.longest, 960)))
        let (made, read) = (try await RecipeRunner(recipe), try await RecipeRunner(self.recipe()))
        for name in Self.pages {
            guard let first = try await made.predict(page(name)).text,
                let second = try await read.predict(page(name)).text
            else { throw ApusError.usage("no text") }
            #expect(first == second)
        }
    }

    @Test("The detector and the reader alone give boxes and one text")
    func alone() async throws {
        let detector = try await TextDetector(
            TextFixtures.model("detector"), detection: .init(limit: .init(.longest, 960)))
        let lines = try await detector.predict(page("two")).lines
        #expect(lines.count == 2 && lines.allSatisfy { $0.text == nil && $0.direction == nil })
        let reader = try await TextLineReader(TextFixtures.model("recognizer"))
        let picture = try Image(decoding: Data(contentsOf: URL(fileURLWithPath: TextFixtures.path("two.png"))))
        let band = try picture.warped(
            to: ImageSize(width: 162, height: 24),
            by: #require(
                PerspectiveTransform(
                    from: TextFixtures.points([[0, 0], [162, 0], [162, 24], [0, 24]]),
                    to: TextFixtures.points([[88, 100], [250, 100], [250, 124], [88, 124]]))))
        let text = try await reader.predict(.image(band))
        #expect(text.string == "CCAB" && text.lines[0].box == Quadrilateral(wholeOf: band.size))
        #expect(try TextFixtures.model("recognizer").purpose.task == .text)
        #expect(try TextFixtures.model("detector").purpose.task == nil)
        await #expect(throws: ApusError.self) { try await TextDetector(TextFixtures.model("recognizer")) }
        await #expect(throws: ApusError.self) { try await TextLineReader(TextFixtures.model("detector")) }
    }

    @Test("Answers do not depend on the pictures that run together", arguments: [1, 2, 8])
    func batches(_ batch: Int) async throws {
        let runner = try await RecipeRunner(recipe())
        let paths = (Self.pages + Self.pages.reversed()).enumerated().map { index, name in
            ("\(index)", TextFixtures.path("\(name).png"))
        }
        var alone: [RecognizedText] = []
        for (_, path) in paths {
            guard let text = try await runner.predict(.file(path)).text else { continue }
            alone.append(text)
        }
        var together: [RecognizedText] = []
        for try await record in runner.predictions(over: .files(paths.map(\.1).unique), batch: batch) {
            together.append(try record.text.get())
        }
        #expect(together == Array(alone.prefix(Self.pages.count)))
    }

    @Test("An array has no parts, and a damaged picture is its own error")
    func errors() async throws {
        let runner = try await RecipeRunner(recipe())
        let array = try Tensor([Float](repeating: 0, count: 3 * 32 * 32), shape: [3, 32, 32])
        await #expect(throws: RecordError.self) { try await runner.predict(.array(array)) }
        await #expect(throws: RecordError.self) { try await runner.predict(.data(Data([1, 2, 3]))) }
    }

    @Test("A request, a run over pictures and a prediction give the same lines")
    func request() async throws {
        let handler = try ImageRequestHandler(page("two"))
        let recognizer = try await TextRecognizer(recipe())
        let text = try await handler.perform(PredictionRequest(recognizer))
        #expect(text.string == "ABC\nCCAB")
        #expect(try await recognizer.predict(page("two")) == text)
    }

    /// A detector with three boxes in a gray picture of 64 × 32, the form of YOLOv5.
    private func detector() throws -> Model {
        var rows = [Float](repeating: 0, count: 126 * 7)
        rows.replaceSubrange(0..<7, with: [16, 16, 16, 16, 1, 0.75, 0])
        rows.replaceSubrange(7..<14, with: [48, 16, 16, 16, 1, 0.5, 0])
        let values = rows
        return try Model(
            try Graph.build("fixed") { net in
                let image = net.input("image", .float32, [.batch, 1, 32, 64])
                guard let zero = try? Tensor([0] as [Float], shape: [1, 1, 1]),
                    let boxes = try? Tensor(values, shape: [1, 126, 7])
                else { return }
                let nothing = image.globalAveragePool().reshape([0, 1, 1]).multiplied(by: net.constant("zero", zero))
                net.output("boxes", nothing.added(to: net.constant("rows", boxes)))
            })
    }

    @Test("Stages behind a detector see its boxes, with their margins")
    func parts() async throws {
        // The mean of red, green and blue.
        let mean = try Model(
            try Graph.build("mean") { net in
                net.output("embedding", net.input("image", .float32, [.batch, 3, 8, 8]).globalAveragePool().flatten())
            })
        var pixels = [UInt8](repeating: 0, count: 64 * 32 * 3)
        for row in 8..<24 {
            for column in 8..<24 { pixels[(row * 64 + column) * 3] = 255 }
            for column in 40..<56 { pixels[(row * 64 + column) * 3 + 1] = 255 }
        }
        let picture = try Image(width: 64, height: 32, pixels: pixels)
        func vectors(_ region: Region) async throws -> [[Float]] {
            var color = try Recipe.Stage("color", mean, task: .embed, region: region)
            color.settings.embedding.isNormalized = false
            let recipe = try Recipe([try Recipe.Stage("things", detector(), task: .detect), color])
            let runner = try await RecipeRunner(recipe)
            guard let parts = try await runner.predict(.image(picture)).parts else { return [] }
            #expect(parts.parts.map(\.object.confidence) == [0.75, 0.5])
            return parts.parts.compactMap { $0["color"]?.embedding?.vector }
        }
        #expect(try await vectors(Region(.box)) == [[1, 0, 0], [0, 1, 0]])
        let wide = try await vectors(Region(.box, margin: 0.5))
        #expect(abs(wide[0][0] - 0.25) < 0.02 && wide[0][1] == 0)
        let square = try await vectors(Region(.box, isSquare: true))
        #expect(square.count == 2 && square[0][0] > 0.95)
    }

    @Test("A file that fits pictures into another size keeps the border of the detector's family")
    func border() throws {
        try withTemporaryFolder { folder in
            try detector().export(to: folder.appending(path: "detector.onnx").path)
            let file = folder.appending(path: "a.recipe.json")
            let stage = #"{"name": "a", "task": "detect", "model": "detector.onnx", "preprocessing": "#
            let fit = #"{"resize": "fit", "size": {"width": 64, "height": 32}}}"#
            let second = #"{"name": "b", "task": "embed", "model": "detector.onnx", "output_name": "boxes"}"#
            try Data("{\"recipe\": 1, \"stages\": [\(stage)\(fit), \(second)]}".utf8).write(to: file)
            let steps = try #require(try Recipe(contentsOf: file.path).stages[0].settings.preprocessing)
            guard case .letterbox(let size, let color, let letterbox) = steps.resizing else {
                Issue.record("\(steps)")
                return
            }
            #expect(size == ImageSize(width: 64, height: 32) && color == .gray && letterbox == .ultralytics)
        }
    }

    @Test("CSV and databases have a row for each object and stage")
    func rowsOfParts() async throws {
        try await withTemporaryFolder { folder in
            let mean = try Model(
                try Graph.build("mean") { net in
                    let image = net.input("image", .float32, [.batch, 3, 8, 8])
                    net.output("scores", image.globalAveragePool().flatten())
                })
            let picture = folder.appending(path: "picture.ppm")
            try (Data("P6 64 32 255\n".utf8) + Data(repeating: 255, count: 64 * 32 * 3)).write(to: picture)
            let stages = try ["first", "second"].map { name in
                var stage = try Recipe.Stage(name, mean, task: .embed, region: Region(.box))
                stage.settings.embedding.isNormalized = false
                return stage
            }
            let recipe = try Recipe([try Recipe.Stage("things", detector(), task: .detect)] + stages)
            let runner = BatchRunner(try await RecipeRunner(recipe))
            func write(_ kind: SinkKind) async throws -> String {
                let path = folder.appending(path: "rows.\(kind.name)").path
                let output = RunOutput(try RunReservation(path: path), as: kind)
                #expect(try await runner.run(over: .files([picture.path]), into: output).succeeded == 1)
                return path
            }
            let csv = try String(contentsOfFile: try await write(.csv), encoding: .utf8).split(separator: "\r\n")
            let json = "\"{\"\"embedding\"\":[1.0,1.0,1.0]}\""
            let box = ["0.125,0.25,0.25,0.5", "0.625,0.25,0.25,0.5"]
            #expect(
                csv.map(String.init) == [
                    "id,error,part,index,label,confidence,x,y,width,height,stage,kind,value,value_confidence,json,warning",
                    "\(picture.path),,1,0,,0.75,\(box[0]),first,embeddings,,,\(json),",
                    "\(picture.path),,1,0,,0.75,\(box[0]),second,embeddings,,,\(json),",
                    "\(picture.path),,2,0,,0.5,\(box[1]),first,embeddings,,,\(json),",
                    "\(picture.path),,2,0,,0.5,\(box[1]),second,embeddings,,,\(json),",
                ])
            let path = try await write(.sqlite)
            let manifest = try #require(try RunManifest.read(besideOutput: path))
            try manifest.verify(output: path)
            let database = try Database(path: path)
            let query = "SELECT row, part, class, label, confidence, x, width, stage, kind, value, json FROM parts"
            let rows = try database.rows(query + " ORDER BY row") { $0 }
            #expect(rows.count == 4)
            let expected: [DatabaseValue] = [
                .integer(3), .integer(2), .integer(0), .null, .real(0.5), .real(0.625), .real(0.25), .text("first"),
                .text("embeddings"), .null, .text("{\"embedding\":[1.0,1.0,1.0]}"),
            ]
            #expect(rows[2] == expected)
            #expect(
                try database.rows("SELECT width, height, warning, time FROM records") { $0 } == [
                    [.integer(64), .integer(32), .null, .null]
                ])
            // A changed number is found.
            try database.execute("UPDATE parts SET x = 0.5 WHERE row = 2")
            try database.close()
            #expect(throws: ApusError.self) { try manifest.verify(output: path) }
        }
    }
}

extension [String] {
    /// The elements without repetition, in their order.
    fileprivate var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
