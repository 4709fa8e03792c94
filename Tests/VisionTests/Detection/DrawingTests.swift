import Apus
import Foundation
import Images
import Testing

@Suite("Drawing objects")
struct DrawingTests {
    @Test("A box's edges are colored, its inside is not, and its caption stands above it")
    func boxes() throws {
        let gray = try Image(width: 100, height: 80, pixels: [UInt8](repeating: 128, count: 100 * 80 * 3))
        let object = RecognizedObject(
            confidence: 0.9, box: NormalizedBox(x: 0.2, y: 0.5, width: 0.4, height: 0.25),
            labels: [ClassificationObservation(index: 0, label: "cat", confidence: 0.9)])
        let drawn = try gray.drawing([object])
        func pixel(_ x: Int, _ y: Int) -> [UInt8] { Array(drawn.pixels[(y * 100 + x) * 3..<(y * 100 + x) * 3 + 3]) }
        let background: [UInt8] = [128, 128, 128]
        for (x, y) in [(20, 40), (59, 40), (20, 59), (59, 59), (40, 40), (20, 50)] {
            #expect(pixel(x, y) == [230, 25, 75], "\(x), \(y)")
        }
        for (x, y) in [(40, 50), (21, 41), (19, 50), (60, 50), (40, 60), (5, 5)] {
            #expect(pixel(x, y) == background, "\(x), \(y)")
        }
        // The caption's box lies on the upper edge, with letters in white.
        let caption = (31..<40).flatMap { y in (20..<60).map { x in pixel(x, y) } }
        #expect(caption.contains([255, 255, 255]))
        #expect(!caption.contains(background))
    }

    @Test("Boxes at and beyond the edges of small pictures are drawn as far as they go", arguments: [1, 2, 9, 40])
    func edges(_ extent: Int) throws {
        let image = try Image(width: extent, height: extent, pixels: [UInt8](repeating: 0, count: extent * extent * 3))
        let boxes = [
            NormalizedBox(x: 0, y: 0, width: 1, height: 1), NormalizedBox(x: 0.99, y: 0.99, width: 0.01, height: 0.01),
            NormalizedBox(x: -1, y: -1, width: 5, height: 5),
        ]
        let objects = boxes.map {
            RecognizedObject(
                confidence: 0.5, box: $0,
                labels: [ClassificationObservation(index: 3, label: "Ünïcode 😀 and long", confidence: 0.5)])
        }
        #expect(try image.drawing(objects).size == image.size)
    }

    @Test("Classes are written one below the other in the upper left corner")
    func classes() throws {
        let gray = try Image(width: 120, height: 90, pixels: [UInt8](repeating: 128, count: 120 * 90 * 3))
        let classes = [(0, "cat"), (1, "tea cup")].map {
            ClassificationObservation(index: $0, label: $1, confidence: 0.5)
        }
        let drawn = try gray.drawing(classes)
        func pixel(_ x: Int, _ y: Int) -> [UInt8] { Array(drawn.pixels[(y * 120 + x) * 3..<(y * 120 + x) * 3 + 3]) }
        #expect(pixel(0, 0) == [230, 25, 75])
        let second = try #require((0..<40).first { pixel(0, $0) == [60, 180, 75] })
        #expect((0..<second).allSatisfy { pixel(0, $0) != [128, 128, 128] })
        #expect(pixel(119, 89) == [128, 128, 128])
        #expect(try gray.drawing([ClassificationObservation]()) == gray)
        let tiny = try Image(width: 1, height: 1, pixels: [1, 2, 3])
        #expect(try tiny.drawing(classes).size == tiny.size)
    }

    @Test(
        "Ids become names of files that stay within the folder",
        arguments: [
            ("a.jpg", "a.jpg"), ("photos/a.png", "photos/a.png.jpg"), ("/etc/passwd", "etc/passwd.jpg"),
            ("../../x", "x.jpg"), ("", "picture.jpg"), ("..", "picture.jpg"), ("a\u{1}b", "a_b.jpg"),
        ])
    func names(_ id: String, _ name: String) { #expect(DrawingFolder.fileName(of: id) == name) }
}
