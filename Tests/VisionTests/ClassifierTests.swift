import Apus
import Foundation
import TestSupport
import Testing

@Suite("Classifying photos")
struct ClassifierTests {
    private static let photos = ["astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg"]

    private struct Answer: Equatable {
        let index: Int
        let label: String
        let confidence: Double
    }

    /// Another engine's five most probable classes for a photo.
    private func reference(_ photo: String) throws -> [Answer] {
        let data = try Data(contentsOf: TestedNetworks.fixtures.appending(path: "reference_top5.json"))
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
        let rows = try #require(json[photo]?["squeezenet1_1"] as? [[Any]])
        return try rows.map { row in
            Answer(
                index: try #require(row[0] as? Int), label: try #require(row[1] as? String),
                confidence: try #require(row[2] as? Double))
        }
    }

    private func check(_ classification: Classification, _ photo: String) throws {
        let expected = try reference(photo)
        let top = classification.top(5)
        #expect(top.map(\.index) == expected.map(\.index), "\(photo)")
        #expect(top.map(\.label) == expected.map(\.label), "\(photo)")
        for (found, expected) in zip(top, expected) {
            #expect(abs(Double(found.confidence) - expected.confidence) < 0.002, "\(photo): \(expected.label)")
        }
        #expect(abs(classification.confidences.reduce(0, +) - 1) < 1e-4)
    }

    @Test("Labels and confidences are those of the reference", arguments: photos)
    func matchesReference(_ photo: String) async throws {
        let classifier = try await Classifier(TestedNetworks.squeezeNet())
        #expect(!classifier.isPreprocessingGuessed)
        try check(try await classifier.predict(.file(TestedNetworks.photo(photo))), photo)
    }

    @Test("A batch of photos gives the same answers, bit by bit, as one after the other")
    func batchEqualsSingle() async throws {
        let classifier = try await Classifier(TestedNetworks.squeezeNet())
        let files = Self.photos.map(TestedNetworks.photo)
        var together: [Classification] = []
        for try await record in classifier.predictions(over: .files(files), batch: 4) {
            #expect(record.id == files[together.count])
            together.append(try record.classification.get())
        }
        #expect(together.count == 4)
        for (photo, answer) in zip(Self.photos, together) {
            try check(answer, photo)
            let single = try await classifier.predict(.file(TestedNetworks.photo(photo)))
            #expect(single.confidences.map(\.bitPattern) == answer.confidences.map(\.bitPattern), "\(photo)")
        }
    }

    @Test("A picture at fault is an error of its own, and the classifier goes on")
    func reportsBadPictures() async throws {
        let classifier = try await Classifier(TestedNetworks.squeezeNet())
        let error = await #expect(throws: RecordError.self) {
            try await classifier.predict(.file(TestedNetworks.fixtures.appending(path: "images/bad/zeros.png").path))
        }
        #expect(error?.stage == "decode")
        let missing = await #expect(throws: RecordError.self) { try await classifier.predict(.file("/no/such.png")) }
        #expect(missing?.stage == "read")
        try check(try await classifier.predict(.file(TestedNetworks.photo("coffee.png"))), "coffee.png")
    }
}
