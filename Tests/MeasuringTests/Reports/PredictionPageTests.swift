import Apus
import Foundation
import Measuring
import TestSupport
import Testing

@Suite("Pages of predictions")
struct PredictionPageTests {
    private static let size = ImageSize(width: 200, height: 100)

    private static func label(_ name: String, _ confidence: Float) -> ClassificationObservation {
        ClassificationObservation(index: 0, label: name, confidence: confidence)
    }

    /// A line of text from pixel (20, 10) to (120, 30).
    private static let line = RecognizedTextLine(
        text: "EXIT", confidence: 0.75,
        box: Quadrilateral(
            topLeft: PixelPoint(x: 20, y: 10), topRight: PixelPoint(x: 120, y: 10),
            bottomRight: PixelPoint(x: 120, y: 30), bottomLeft: PixelPoint(x: 20, y: 30)))

    /// Answers with the entries that the page has for them: name, confidence and box in thousandths.
    private static func answers() throws -> [(ImageAnswer, name: String, rest: String)] {
        let cat = RecognizedObject(
            confidence: 0.5, box: NormalizedBox(x: 0.1, y: 0.2, width: 0.3, height: 0.4), labels: [label("cat", 0.5)])
        let dog = Instance(
            label: label("dog", 0.25), box: NormalizedBox(x: 0, y: 0, width: 0.5, height: 0.5),
            runs: RunLengths(size: size, counts: [0, 10, 19_990]))
        let pose = Pose(
            confidence: 0.9, box: nil, label: nil, keypoints: [Keypoint(x: 0.25, y: 0.5), Keypoint(x: 0.75, y: 0.75)])
        let sky = Segment(
            index: 0, label: "sky", box: NormalizedBox(x: 0, y: 0, width: 1, height: 1),
            runs: RunLengths(size: size, counts: [0, 5_000, 15_000]))
        let classes = try Tensor([UInt8](repeating: 0, count: 20_000), shape: [100, 200])
        let face = LandmarkDetection([Keypoint(x: 0.5, y: 0.5)], confidence: nil, imageSize: size, skeleton: [])
        return [
            (ImageAnswer(ObjectDetection([cat], imageSize: size)), "cat", "500,100,200,300,400"),
            (ImageAnswer(InstanceSegmentation([dog], imageSize: size)), "dog", "250,0,0,500,500"),
            (ImageAnswer(PoseEstimation([pose], imageSize: size, skeleton: [])), "pose", "900,250,500,500,250"),
            (ImageAnswer(face), "points", "1000,500,500,0,0"),
            (ImageAnswer(RecognizedText([line], imageSize: size)), "EXIT", "750,100,100,500,200"),
            (
                ImageAnswer(Segmentation(imageSize: size, classes: classes, matte: nil, segments: [sky])), "sky", "250"
            ),
        ]
    }

    private static func page(of answers: [ImageAnswer]) throws -> String {
        var page = PredictionPage(title: "answers")
        for (position, answer) in answers.enumerated() {
            page.add(PredictionRecord(id: "\(position).png", position: position, answer: .success(answer)))
        }
        return try withTemporaryFolder { folder in
            let file = folder.appending(path: "page.html")
            try page.write(to: file.path)
            return try String(contentsOf: file, encoding: .utf8)
        }
    }

    @Test("Answers that name nothing are told in a few words")
    func summaries() throws {
        let html = try Self.page(of: [ImageAnswer(ImageEmbedding([1, 2, 3]))])
        #expect(html.contains(#"["0.png",0,[],0,0,"3 numbers"]"#))
        #expect(html.contains("The network names nothing"))
    }

    @Test("Pages show what was found, whatever the task")
    func found() throws {
        let answers = try Self.answers()
        let html = try Self.page(of: answers.map(\.0))
        let names = answers.map { "\"\($0.name)\"" }.joined(separator: ",")
        #expect(html.contains("\"labels\":[\(names)]"))
        for (number, answer) in answers.enumerated() {
            #expect(html.contains("[\"\(number).png\",0,[[\(number),\(answer.rest)]],0]"), "\(answer.name)")
        }
    }
}
