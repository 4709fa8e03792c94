import Apus
import Foundation
import Images
import TestSupport
import Testing

@Suite("Files as YOLO's tools read them")
struct YOLOFolderTests {
    private static let size = ImageSize(width: 8, height: 4)

    /// The numbers of each line that a folder has for an answer; nil for none.
    private func lines(of answer: ImageAnswer) throws -> [[Float]]? {
        try withTemporaryFolder { folder in
            let files = try YOLOFolder(path: folder.appending(path: "labels").path)
            let record = PredictionRecord(id: "a.png", answer: .success(answer))
            return try files.content(of: record).map { content in
                String(decoding: content, as: UTF8.self).split(separator: "\n").map { line in
                    line.split(whereSeparator: \.isWhitespace).compactMap { Float($0) }
                }
            }
        }
    }

    @Test("A pose has its box and its points; without a box, that around its points")
    func poses() throws {
        let label = ClassificationObservation(index: 2, label: "cat", confidence: 0.75)
        let points = [Keypoint(x: 0.25, y: 0.5, confidence: 0.5), Keypoint(x: 0.75, y: 1)]
        let box = NormalizedBox(x: 0.125, y: 0.25, width: 0.5, height: 0.5)
        let poses = [
            Pose(confidence: 0.75, box: box, label: label, keypoints: points),
            Pose(confidence: 0.5, box: nil, label: nil, keypoints: points),
        ]
        let found = try lines(of: ImageAnswer(PoseEstimation(poses, imageSize: Self.size, skeleton: [])))
        let numbers: [Float] = [0.25, 0.5, 0.5, 0.75, 1, 1]
        #expect(found == [[2, 0.375, 0.5, 0.5, 0.5] + numbers + [0.75], [0, 0.5, 0.75, 0.5, 0.5] + numbers + [0.5]])
    }

    @Test("A point outside the picture lies on its edge, since readers of such files refuse others")
    func pointsOutside() throws {
        let points = [Keypoint(x: -0.25, y: 0.5, confidence: 0.5), Keypoint(x: 1.5, y: 1.125)]
        let pose = Pose(
            confidence: 0.5, box: NormalizedBox(x: 0, y: 0.25, width: 1, height: 0.5), label: nil, keypoints: points)
        let found = try lines(of: ImageAnswer(PoseEstimation([pose], imageSize: Self.size, skeleton: [])))
        #expect(found == [[0, 0.5, 0.5, 1, 0.5, 0, 0.5, 0.5, 1, 1, 1, 0.5]])
    }

    @Test("An object with a mask has its largest outline; without a pixel, its box")
    func instances() throws {
        // Columns 0 and 1 have the rows 1 to 3, and column 6 has row 0.
        let runs = RunLengths(size: Self.size, counts: [1, 3, 1, 3, 16, 1, 7])
        let label = ClassificationObservation(index: 1, label: nil, confidence: 0.5)
        let box = NormalizedBox(x: 0, y: 0.25, width: 0.25, height: 0.75)
        let instances = [runs, RunLengths(size: Self.size, counts: [32])].map { runs in
            Instance(label: label, box: box, runs: runs)
        }
        let found = try #require(
            try lines(of: ImageAnswer(InstanceSegmentation(instances, imageSize: Self.size))))
        #expect(found.count == 2 && found[0].first == 1 && found[0].last == 0.5)
        let corners = stride(from: 1, to: found[0].count - 1, by: 2).map { SIMD2(found[0][$0], found[0][$0 + 1]) }
        #expect(Set(corners) == [[0, 0.25], [0.25, 0.25], [0.25, 1], [0, 1]])
        #expect(found[1] == [1, 0, 0.25, 0.25, 0.25, 0.25, 1, 0, 1, 0.5])
        #expect(try lines(of: ImageAnswer(NetworkOutputs([]))) == nil)
    }
}
