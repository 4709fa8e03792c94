import Apus
import Foundation
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
