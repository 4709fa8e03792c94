import Apus
import Foundation
import Images
import TestSupport
import Testing

/// Ground truths, results and figures made by `Tests/Fixtures/make_evaluation_fixtures.py` with pycocotools.
@Suite("Evaluating objects")
struct DetectionEvaluationTests {
    private struct Expected: Decodable {
        let figures: [String: Double?]
        let classes: [String: Double?]
    }

    private static func path(_ name: String) -> String {
        TestedNetworks.fixtures.appending(path: "evaluation/\(name).json").path
    }

    @Test("Figures are those of pycocotools", arguments: DetectionEvaluation.Kind.allCases)
    func figures(kind: DetectionEvaluation.Kind) throws {
        let expected = try JSONDecoder().decode(
            Expected.self, from: Data(contentsOf: URL(filePath: Self.path("\(kind.rawValue).figures"))))
        let results = try COCOResults(contentsOf: Self.path("\(kind.rawValue).results"))
        #expect(results.kind == kind)
        let evaluation = try DetectionEvaluation(
            of: results, against: COCOGroundTruth(contentsOf: Self.path("\(kind.rawValue).truth")))
        #expect(Set(evaluation.figures.map(\.name)) == Set(expected.figures.keys))
        for (name, value) in expected.figures { compare(evaluation.figure(name), value, name) }
        #expect(evaluation.classes.count == expected.classes.count)
        for result in evaluation.classes {
            compare(result.averagePrecision, expected.classes["\(result.category)"] ?? nil, result.name)
        }
    }

    @Test("Boxes that the same network finds otherwise agree by their mean average precision")
    func agreement() throws {
        func object(_ left: Float, confidence: Float = 0.9, of index: Int = 0) -> ObjectCandidate {
            ObjectCandidate(
                left: left, top: 0.1, right: left + 0.2, bottom: 0.4, confidence: confidence, classIndex: index)
        }
        let reference = [[object(0.1), object(0.5, confidence: 0.6)], [object(0.3, of: 7)], []]
        func agreement(_ found: [[ObjectCandidate]]) throws -> Double? {
            try DetectionEvaluation.agreement(of: found, with: reference)
        }
        #expect(try agreement(reference) == 1)
        #expect(try agreement([reference[0].reversed(), reference[1], []]) == 1)
        // A box moved by a tenth of its width overlaps by 9/11, which counts at 7 of 10 thresholds.
        let moved = try #require(try agreement([reference[0], [object(0.32, of: 7)], []]))
        #expect(abs(moved - 0.85) < 1e-9)
        let missed = try #require(try agreement([[object(0.1)], reference[1], []]))
        #expect(missed > 0.7 && missed < 0.8)
        #expect(try agreement([[], [], [object(0.1)]]) == 0)
        #expect(try DetectionEvaluation.agreement(of: [[object(0.1)]], with: [[]]) == nil)
    }

    private func compare(_ found: Double?, _ expected: Double?, _ name: String) {
        #expect((found == nil) == (expected == nil), "\(name)")
        #expect(abs((found ?? 0) - (expected ?? 0)) < 1e-9, "\(name): \(found ?? .nan), not \(expected ?? .nan)")
    }

    private static let truth = """
        {"images":[{"id":1,"width":8,"height":8,"file_name":"a/first.jpg"},{"id":2,"file_name":"second.jpg"}],
         "categories":[{"id":5,"name":"cat"}],
         "annotations":[{"id":1,"image_id":1,"category_id":5,"bbox":[0,0,4,4],"area":16,"iscrowd":0},
          {"id":2,"image_id":2,"category_id":5,"bbox":[0,0,4,4]}]}
        """

    private func evaluation(
        _ results: String, truth: String = Self.truth, kind: DetectionEvaluation.Kind = .boxes
    ) async throws -> DetectionEvaluation {
        try await withTemporaryFolder { folder async throws in
            let files = ["truth.json", "results.json"].map { folder.appending(path: $0) }
            try truth.write(to: files[0], atomically: true, encoding: .utf8)
            try results.write(to: files[1], atomically: true, encoding: .utf8)
            return try DetectionEvaluation(
                of: COCOResults(contentsOf: files[1].path), against: COCOGroundTruth(contentsOf: files[0].path),
                kind: kind)
        }
    }

    @Test("Results may name their picture by its file, and those of unknown classes are counted and left out")
    func names() async throws {
        let result = try await evaluation(
            """
            [{"image_id":"photos/first.jpg","category_id":5,"bbox":[0,0,4,4],"score":0.9},
             {"image_id":2,"category_id":5,"bbox":[4,4,4,4],"score":0.8},
             {"image_id":2,"category_id":9,"bbox":[0,0,4,4],"score":0.8}]
            """)
        #expect(result.resultCount == 2 && result.unknownClassCount == 1 && result.objectCount == 2)
        // Half of the objects are found, before anything is wrong: precision 1 for the recalls 0 to 0.5.
        #expect(abs((result.averagePrecision ?? 0) - 51 / 101) < 1e-12)
        #expect(result.figure("APlarge") == nil && result.figure("AR1") == 0.5)
        let worst = try #require(result.worstPictures.first)
        #expect(worst.picture == 2 && worst.missedCount == 1 && worst.wrongCount == 1 && worst.foundCount == 0)
    }

    /// A network for people that finds one of them in the middle of a picture of 64 × 64, with a confidence of 0.01.
    private func people() throws -> Model {
        let points: [Float] = (0..<17).flatMap { [Float(24 + $0), Float(20 + $0), 1] }
        var values = [Float](repeating: 0, count: 56 * 84)
        for (row, number) in ([32, 32, 24, 32, 0.01] as [Float] + points).enumerated() { values[row * 84] = number }
        return try FixedOutputs.model(
            [.init("output0", [56, 84], values)],
            metadata: ["task": "pose", "kpt_shape": "[17, 3]", "names": "{0: 'person'}"])
    }

    /// A folder with a gray picture of 64 × 64, and what is marked in it: the person of ``people()`` and another one.
    private func withPerson<Result>(_ body: (URL, COCOGroundTruth) async throws -> Result) async throws -> Result {
        try await withTemporaryFolder { folder async throws in
            let picture = Data("P6 64 64 255\n".utf8) + Data(repeating: 128, count: 64 * 64 * 3)
            try picture.write(to: folder.appending(path: "a.ppm"))
            let annotations = [0, 30].enumerated().map { number, shift in
                let points = (0..<17).map { "\(24 + $0 - shift),\(20 + $0),2" }.joined(separator: ",")
                return """
                    {"id":\(number + 1),"image_id":7,"category_id":1,"bbox":[\(20 - shift),16,24,32],"area":768,\
                    "iscrowd":0,"num_keypoints":17,"keypoints":[\(points)]}
                    """
            }
            let truth = """
                {"images":[{"id":7,"file_name":"a.ppm","width":64,"height":64}],
                 "categories":[{"id":1,"name":"person"}],"annotations":[\(annotations.joined(separator: ","))]}
                """
            let file = folder.appending(path: "truth.json")
            try truth.write(to: file, atomically: true, encoding: .utf8)
            return try await body(folder, try COCOGroundTruth(contentsOf: file.path))
        }
    }

    @Test("The points that a network finds are compared with marked ones, those of little confidence too")
    func poses() async throws {
        try await withPerson { folder, truth in
            var configuration = DetectionConfiguration()
            configuration.minimumConfidence = 0.001
            let estimator = try await PoseEstimator(people(), configuration: configuration)
            var options = Evaluation.Options()
            options.keepsThumbnails = true
            let path = folder.appending(path: "a.ppm").path
            let evaluation = try await estimator.evaluate(.files([path]), against: truth, options: options)
            #expect(evaluation.kind == .keypoints && evaluation.objectCount == 2 && evaluation.resultCount == 1)
            // One of two people is found exactly.
            #expect(abs((evaluation.averagePrecision ?? 0) - 51 / 101) < 1e-12 && evaluation.figure("AR") == 0.5)
            #expect(evaluation.thumbnails[7]?.isEmpty == false && evaluation.unknownClassCount == 0)
        }
    }

    @Test("The points that a recipe finds in each object are those of the object's box in COCO's form")
    func recipe() async throws {
        try await withPerson { folder, truth in
            var rows = [Float](repeating: 0, count: 252 * 6)
            rows.replaceSubrange(0..<6, with: [32, 32, 24, 32, 0.9, 1])
            let detector = try FixedOutputs.model([.init("boxes", [252, 6], rows)])
            var pose = try Recipe.Stage("pose", people(), task: .pose, region: Region(.box))
            pose.minimumConfidence = 0.001
            pose.settings.minimumConfidence = 0.001
            let recipe = try Recipe([try Recipe.Stage("people", detector, task: .detect), pose])
            let runner = try await RecipeRunner(recipe)
            let picture = folder.appending(path: "a.ppm").path
            let evaluation = try await DetectionEvaluation(
                of: runner, on: .files([picture]), against: truth, kind: .keypoints)
            #expect(evaluation.objectCount == 2 && evaluation.resultCount == 1)
            let path = folder.appending(path: "results.json").path
            let output = RunOutput(try RunReservation(path: path), as: .coco)
            #expect(try await BatchRunner(runner).run(over: .files([picture]), into: output).succeeded == 1)
            let results = try COCOResults(contentsOf: path)
            #expect(results.kind == .keypoints)
            let written = try DetectionEvaluation(of: results, against: evaluationTruth(folder))
            #expect(written.figures == evaluation.figures && written.resultCount == 1)
        }
    }

    private func evaluationTruth(_ folder: URL) throws -> COCOGroundTruth {
        try COCOGroundTruth(contentsOf: folder.appending(path: "truth.json").path)
    }

    @Test("Damaged files end with one line that names the place")
    func damaged() async throws {
        func message(_ results: String, truth: String = Self.truth, kind: DetectionEvaluation.Kind = .boxes) async
            -> String
        {
            do {
                _ = try await evaluation(results, truth: truth, kind: kind)
                return "none"
            } catch { return "\(error)" }
        }
        let good = "[{\"image_id\":1,\"category_id\":5,\"bbox\":[0,0,4,4],\"score\":0.9}]"
        #expect(await message(good) == "none")
        #expect(await message("{").hasSuffix("results.json: is not JSON"))
        #expect(await message("[{\"image_id\":1}]").contains("[0]: has no \"category_id\""))
        #expect(await message(good.replacing("0.9", with: "\"a\"")).contains("[0].score: is of another type"))
        #expect(await message(good.replacing("[0,0,4,4]", with: "[0,0,4]")).contains("[0] has a box of 3 numbers"))
        #expect(await message(good.replacing("\"image_id\":1", with: "\"image_id\":77")).contains("is of image 77"))
        #expect(await message(good, kind: .masks).contains("annotations[0] has no segmentation"))
        #expect(
            await message(good, truth: Self.truth.replacing("\"id\":2,\"file", with: "\"id\":1,\"file")).contains(
                "two images"))
        for (shape, flaw) in [
            ("{\"size\":[8,8],\"counts\":[10,60]}", "beyond the end"),
            ("{\"size\":[8,8],\"counts\":[10,-1]}", "beyond"),
            ("{\"size\":[8,8],\"counts\":[10]}", "runs of 10 pixels"), ("{\"size\":[8,8],\"counts\":\"~\"}", "no runs"),
            ("{\"size\":[9223372036854775807,9],\"counts\":[1]}", "a mask of"), ("[[1,2,3]]", "a polygon of 3"),
            ("[[1e300,0,1,1,2,2]]", "far outside"), ("{\"size\":[8,8],\"counts\":\"ooooooooooooooo\"}", "no runs"),
        ] {
            let truth = Self.truth.replacing("\"area\":16", with: "\"segmentation\":\(shape)")
            let text = await message(good, truth: truth, kind: .masks)
            #expect(text.contains("annotations[0] has a segmentation with") && text.contains(flaw), "\(text)")
        }
    }

    @Test("Masks of polygons, their unions and shared areas are those of pixels")
    func masks() throws {
        let size = ImageSize(width: 10, height: 8)
        let square = try RunLengths(polygon: [2, 2, 6, 2, 6, 5, 2, 5], size: size)
        #expect(square.area == 12)
        let other = try RunLengths(polygon: [4, 3, 9, 3, 9, 8, 4, 8], size: size)
        #expect(square.intersectionArea(with: other) == 4)
        let union = square.union(other)
        #expect(union.area == square.area + other.area - 4 && union.counts.reduce(0, +) == 80)
        #expect(try RunLengths(compressed: union.compressed, size: size) == union)
        #expect(square.union(square) == square)
    }
}
