import Apus
import CApus
import Foundation
import Graphs
import Testing
import TestSupport

@Suite(.callerThreads) struct PredictorTests {
    private func answers(_ predictor: OpaquePointer, _ pictures: [OpaquePointer]) throws -> [OpaquePointer] {
        var answers = [OpaquePointer?](repeating: nil, count: pictures.count)
        let handles = pictures.map { Optional($0) }
        try Interface.call { apus_predictor_predict(predictor, handles, handles.count, &answers, $0) }
        return try answers.map { try #require($0) }
    }

    private func row(_ answer: OpaquePointer, _ id: String) throws -> String {
        try Interface.text { apus_answer_json(answer, id, $0, $1) }
    }

    /// The rows that a batch run writes for the photos.
    private func rows() async throws -> [String] {
        let classifier = try await Classifier(Model(contentsOf: Interface.classifier))
        let options = SinkKind.RowOptions()
        var rows: [String] = []
        for try await record in classifier.predictions(over: .imageFolder(Interface.photos), batch: 8) {
            rows.append(record.erased.jsonText(options))
        }
        return rows
    }

    @Test func answersAreTheRowsOfARun() async throws {
        let wanted = try await rows()
        let paths = try FileManager.default.contentsOfDirectory(atPath: Interface.photos).sorted()
            .filter { $0.hasSuffix(".png") || $0.hasSuffix(".jpg") }.map { "\(Interface.photos)/\($0)" }
        let predictor = try Interface.predictor(Interface.classifier, ["batch": "2"])
        let files = try paths.map { path in try Interface.handle { apus_picture_file(path, $0, $1) } }
        let contents = try paths.map { path in
            let data = try Data(contentsOf: URL(filePath: path))
            return try Interface.handle { handle, error in
                data.withUnsafeBytes { apus_picture_bytes($0.baseAddress, $0.count, handle, error) }
            }
        }
        for pictures in [files, contents] {
            let found = try zip(answers(predictor, pictures), paths).map { try row($0, $1) }
            #expect(found == wanted)
        }
    }

    @Test func inputsBesideThePictureAreThoseOfTheModel() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "strength.onnx").path
        try Model(
            Graph.build("strength") { net in
                let means = net.input("image", .float32, [.batch, 3, 8, 8]).globalAveragePool().flatten()
                net.output("means", means.multiplied(by: net.input("strength", .float32, [1])))
            }
        ).export(to: file)
        var model = try Model(contentsOf: file)
        model.inputValues["strength"] = .number(0.5)
        let photo = "\(Interface.photos)/coffee.png"
        let wanted = try await OutputReader(model).predict(.file(photo)).outputs[0].tensor.elements(as: Float.self)
        let predictor = try Interface.predictor(file, ["task": "raw", "input": "strength=0.5"])
        let picture = try Interface.handle { apus_picture_file(photo, $0, $1) }
        let found = try row(answers(predictor, [picture])[0], photo)
        #expect(found.contains("\"values\":[\(wanted.map { "\($0)" }.joined(separator: ","))]"), "\(found)")
        let failure = #expect(throws: Interface.Failure.self) {
            try Interface.predictor(file, ["task": "raw", "input": "power=0.5"])
        }
        #expect(failure.map { "\($0)".contains("there is no input") } ?? false)
    }

    @Test func rowsOfADatasetAreThoseOfARun() async throws {
        let predictor = try Interface.predictor(Interface.classifier)
        let list = try Interface.handle { handle, error in
            Interface.photos.withCString { photos in
                var inputs: [UnsafePointer<CChar>?] = [photos]
                return apus_rows_start(predictor, &inputs, 1, nil, handle, error)
            }
        }
        var found: [String] = []
        try Interface.call { apus_rows_wait(list, -1, $0) }
        let end = try #require(throws: Interface.Failure.self) {
            while true { found.append(try Interface.text { apus_rows_next(list, $0, nil, $1) }) }
        }
        #expect(Int(end.status) == APUS_END)
        #expect(try await found == rows())
        // The end stays.
        try Interface.call { apus_rows_wait(list, 0, $0) }
        #expect(throws: end) { try Interface.text { apus_rows_next(list, $0, nil, $1) } }
        Interface.release(list)
    }

    @Test func stagesOfARecipeSaySomethingAboutEachItem() throws {
        let recipe = try Interface.predictor(Interface.fixtures + "/parts/parts.recipe.json")
        let picture = try Interface.handle { apus_picture_file(Interface.fixtures + "/parts/squares.png", $0, $1) }
        let answer = try answers(recipe, [picture])[0]
        for (item, wanted) in ["red", "green"].enumerated() {
            var count = 0
            try Interface.call { apus_answer_part_count(answer, item, &count, $0) }
            #expect(count == 2)
            var stage: UnsafePointer<CChar>?
            let color = try Interface.handle { apus_answer_part(answer, item, 0, &stage, $0, $1) }
            #expect(String(cString: try #require(stage)) == "color")
            var found = apus_item()
            try Interface.call { apus_answer_item(color, 0, &found, $0) }
            #expect(String(cString: try #require(found.label)) == wanted)
            #expect(try row(color, "").contains("\"label\":\"\(wanted)\""))
            Interface.release(color)
        }
        #expect(throws: Interface.Failure.self) {
            try Interface.handle { apus_answer_part(answer, 0, 2, nil, $0, $1) }
        }
        for handle in [answer, picture, recipe] { Interface.release(handle) }
    }

    @Test func pixelsGiveTheAnswerOfTheirFile() throws {
        let image = try Image(decoding: Data(contentsOf: URL(filePath: Interface.photos + "/coffee.png")))
        let predictor = try Interface.predictor(Interface.classifier)
        let file = try Interface.handle { apus_picture_file(Interface.photos + "/coffee.png", $0, $1) }
        func picture(_ bytes: [UInt8], _ channels: Int32, _ stride: Int) throws -> OpaquePointer {
            try Interface.handle {
                apus_picture_pixels(
                    bytes, Int64(image.width), Int64(image.height), channels, stride, bytes.count, $0, $1)
            }
        }
        // With alpha, and rows that lie 5 bytes further apart than they are long.
        var wide: [UInt8] = []
        for row in 0..<image.height {
            for column in 0..<image.width {
                let pixel = (row * image.width + column) * 3
                wide += image.pixels[pixel..<pixel + 3] + [17]
            }
            wide += [1, 2, 3, 4, 5]
        }
        let pictures = [file, try picture(image.pixels, 3, 0), try picture(wide, 4, image.width * 4 + 5)]
        let found = try answers(predictor, pictures).map { try row($0, "x") }
        #expect(found[1] == found[0])
        #expect(found[2] == found[0])
    }

    @Test func itemsAndTensorsSayWhatTheRowSays() throws {
        let predictor = try Interface.predictor(Interface.classifier, ["top": "3"])
        let picture = try Interface.handle { apus_picture_file(Interface.photos + "/coffee.png", $0, $1) }
        let answer = try answers(predictor, [picture])[0]
        var count = 0
        try Interface.call { apus_answer_item_count(answer, &count, $0) }
        #expect(count == 3)
        var item = apus_item()
        try Interface.call { apus_answer_item(answer, 0, &item, $0) }
        #expect(item.index == 967)
        #expect(String(cString: try #require(item.label)) == "espresso")
        #expect(item.confidence > 0.99)
        #expect(item.box.0.isNaN)
        var name: UnsafePointer<CChar>?
        let confidences = try Interface.handle { apus_answer_tensor(answer, 0, &name, $0, $1) }
        #expect(String(cString: try #require(name)) == "confidences")
        #expect(try Interface.numbers(confidences, 1000)[967] == item.confidence)
    }

    @Test func aPictureThatFailsIsAnErrorAndTheOthersAreNot() throws {
        let predictor = try Interface.predictor(Interface.classifier)
        let paths = ["/no/such.jpg", Interface.photos + "/coffee.png"]
        let pictures = try paths.map { path in try Interface.handle { apus_picture_file(path, $0, $1) } }
        let found = try answers(predictor, pictures)
        let failure = try #require(throws: Interface.Failure.self) {
            try Interface.call { apus_answer_check(found[0], $0) }
        }
        #expect(Int(failure.status) == APUS_ERROR_PICTURE)
        #expect(failure.code == "unreadable")
        #expect(failure.place == "read")
        try Interface.call { apus_answer_check(found[1], $0) }
        var count = 1
        try Interface.call { apus_answer_item_count(found[0], &count, $0) }
        #expect(count == 0)
    }

    /// Maps and pictures that were made are tensors.
    @Test func depthIsATensor() throws {
        let predictor = try Interface.predictor(Interface.fixtures + "/tasks/depth.onnx", ["task": "depth"])
        let picture = try Interface.handle { apus_picture_file(Interface.photos + "/coffee.png", $0, $1) }
        let answer = try answers(predictor, [picture])[0]
        var (width, height): (Int64, Int64) = (0, 0)
        try Interface.call { apus_answer_size(answer, &width, &height, $0) }
        #expect(width == 600)
        #expect(height == 400)
        let depth = try Interface.handle { apus_answer_tensor(answer, 0, nil, $0, $1) }
        let elements = try Interface.elements(depth)
        #expect(elements.rank == 2)
        #expect(elements.extents.0 == height)
        #expect(elements.extents.1 == width)
        var kind: UnsafePointer<CChar>?
        try Interface.call { apus_answer_kind(answer, &kind, $0) }
        #expect(String(cString: try #require(kind)) == "depth")
    }

    /// A network whose classes are the colors of its picture: the largest of red, green and blue.
    private func withColors(_ body: (String) throws -> Void) throws {
        let graph = try Graph.build("colors") { net in
            let picture = net.input("image", .float32, [.batch, 3, 2, 4])
            net.output("y", picture.relu())
        }
        let path = FileManager.default.temporaryDirectory.appending(path: "colors-\(UUID().uuidString).onnx").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Model(graph).export(to: path)
        try body(path)
    }

    @Test func masksAndTheirRunsAgree() throws {
        try withColors { path in
            let predictor = try Interface.predictor(path, ["task": "segment", "resize": "fill"])
            let (red, green): ([UInt8], [UInt8]) = ([200, 0, 0], [0, 200, 0])
            let pixels = red + green + green + red + red + red + green + green
            let picture = try Interface.handle { apus_picture_pixels(pixels, 4, 2, 3, 0, pixels.count, $0, $1) }
            let answer = try answers(predictor, [picture])[0]
            var count = 0
            try Interface.call { apus_answer_item_count(answer, &count, $0) }
            #expect(count == 2)
            let wanted: [[UInt8]] = [[1, 0, 0, 1, 1, 1, 0, 0], [0, 1, 1, 0, 0, 0, 1, 1]]
            for index in 0..<count {
                var item = apus_item()
                try Interface.call { apus_answer_item(answer, index, &item, $0) }
                var mask = [UInt8](repeating: 9, count: 8)
                try Interface.call { apus_answer_mask(answer, index, &mask, 8, $0) }
                #expect(mask == wanted[Int(item.index)])
                #expect(item.area == 4)
                #expect(item.point_count == 0)
                let runs = UnsafeBufferPointer(start: item.runs, count: item.run_count)
                let columns = runs.enumerated().flatMap { [UInt8](repeating: UInt8($0 % 2), count: Int($1)) }
                let places = [0, 4, 1, 5, 2, 6, 3, 7]
                #expect(columns == places.map { mask[$0] })
            }
        }
    }
}
