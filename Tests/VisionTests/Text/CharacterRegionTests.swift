import Apus
import Foundation
import Graphs
import Images
import TestSupport
import Testing

/// Words in the maps of CRAFT. Corners are those of `getDetBoxes_core` of CRAFT-pytorch with OpenCV 5.0.
@Suite("Words in maps of characters and links")
struct CharacterRegionTests {
    private static let (width, height) = (64, 48)

    /// Two linked characters, a slanting word, a square, a word at the edge, one that is too weak, and one too small.
    private static func region(_ x: Int, _ y: Int) -> Float {
        if y >= 45, x >= 56 { return 0.95 }
        if (4..<10).contains(y), (4..<9).contains(x) || (14..<20).contains(x) { return 0.9 }
        if abs(2 * (y - 28) - (x - 20)) <= 5, (6..<34).contains(x) { return 0.75 }
        if (30..<41).contains(y), (44..<55).contains(x) { return 0.8 }
        if (4..<9).contains(y), (40..<50).contains(x) { return 0.5 }
        return y == 20 && (50..<56).contains(x) ? 1 : 0
    }

    private static func link(_ x: Int, _ y: Int) -> Float {
        (6..<8).contains(y) && (9..<14).contains(x) ? 0.6 : 0
    }

    private static func map(_ value: (Int, Int) -> Float) -> [Float] {
        (0..<height).flatMap { y in (0..<width).map { x in value(x, y) } }
    }

    @Test("Components become the rectangles of OpenCV")
    func words() {
        let found = CharacterRegionDecoder().words(
            region: Self.map(Self.region), link: Self.map(Self.link), width: Self.width)
        let expected: [[[Double]]] = [
            [[2, 2], [21, 2], [21, 11], [2, 11]],
            [[5, 15], [38.6, 31.8], [34.2, 40.6], [0.6, 23.8]],
            [[41, 27], [57, 27], [57, 43], [41, 43]],
            [[55, 44], [63, 44], [63, 47], [55, 47]],
        ]
        #expect(found.count == expected.count)
        for (word, corners) in zip(found, expected) {
            for (corner, place) in zip(word.corners, corners) {
                #expect(abs(corner.x - place[0]) < 1e-4 && abs(corner.y - place[1]) < 1e-4, "\(word) \(corners)")
            }
        }
        #expect(found.map(\.score) == [0.9, 0.75, 0.8, 0.95])
    }

    @Test("Maps of any numbers give rectangles in the map", arguments: 0..<30)
    func anyNumbers(seed: Int) {
        var generator = SplitMix64(seed: UInt64(seed))
        let (width, height) = (Int.random(in: 1...40, using: &generator), Int.random(in: 0...40, using: &generator))
        func map() -> [Float] { (0..<width * height).map { _ in Float.random(in: -1...2, using: &generator) } }
        for word in CharacterRegionDecoder().words(region: map(), link: map(), width: width) {
            #expect(word.corners.count == 4)
            #expect(
                word.corners.allSatisfy {
                    (0...Double(width)).contains($0.x) && (0...Double(height)).contains($0.y)
                }, "seed \(seed)")
        }
        #expect(CharacterRegionDecoder().words(region: [1], link: [], width: 1).isEmpty)
    }

    @Test("A network with maps of characters, links and features is CRAFT, and its words lie in the picture")
    func network() async throws {
        let graph = try Graph.build("net") { net in
            let image = net.input("image", .float32, [1, 3, 64, 64])
            let small = image.convolution(8, kernel: 2, stride: 2)
            net.output("maps", small.convolution(2, kernel: 1))
            net.output("feature", small.convolution(32, kernel: 1))
        }
        let model = try Model(graph.seeded(2)).describedByFamily()
        #expect(model.familyName == "craft" && model.purpose.task == .text)
        #expect(model.preprocessing?.borderMultiple == 32)
        let detector = try await TextDetector(
            model, preprocessing: Preprocessing(.fill, to: ImageSize(width: 64, height: 64)))
        var generator = SplitMix64(seed: 3)
        let pixels = (0..<90 * 30 * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let found = try await detector.predict(.image(Image(width: 90, height: 30, pixels: pixels)))
        #expect(!found.lines.isEmpty)
        for line in found.lines {
            #expect((0...1).contains(line.confidence) && line.text == nil)
            #expect(line.box.corners.allSatisfy { (0...90).contains($0.x) && (0...30).contains($0.y) })
        }
        await #expect(throws: ApusError.self) {
            try await TextDetector(try Model(graph.seeded(2)).describedByFamily("none"))
        }
    }
}
