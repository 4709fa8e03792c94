import Apus
import Foundation
import Graphs
import Images
import TestSupport
import Testing

/// The rectangles of EAST.
@Suite("Rotated text")
struct RotatedTextTests {
    private static let side = 12

    /// `sin(i · factor + shift)`, made larger and moved, for every cell.
    private static func wave(_ factor: Double, _ shift: Double, times scale: Double, plus start: Double) -> [Float] {
        (0..<side * side).map { Float(start + scale * sin(Double($0) * factor + shift)) }
    }

    private static let scores = wave(0.35, 0, times: 0.5, plus: 0.5)
    private static let geometry = [
        wave(0.5, 1, times: 4, plus: 8), wave(0.3, 2, times: 5, plus: 14), wave(0.7, 3, times: 3, plus: 8),
        wave(0.4, 4, times: 6, plus: 14), wave(0.2, 5, times: 0.6, plus: 0),
    ]

    /// Made in Python by `restore_rectangle_rbox`, `nms_locality` and the mean of `detect` in
    /// https://github.com/argman/EAST, with shapely and OpenCV.
    private static let expected: [(corners: [Double], score: Float)] = [
        ([-6.8128, 2.8213, 28.0633, -1.4895, 29.7677, 16.5113, -5.1083, 20.8221], 0.531934),
        ([1.1927, 30.6795, 17.8797, 25.3172, 22.1544, 39.0629, 5.4673, 44.4252], 0.492391),
        ([27.8137, 17.7245, 45.7052, 23.9475, 42.4700, 35.9644, 24.5785, 29.7413], 0.472488),
        ([-5.9339, 19.6571, 18.5407, 11.5597, 24.3383, 26.3641, -0.1363, 34.4615], 0.502309),
        ([20.3007, 6.1258, 52.0318, 14.8570, 49.6562, 25.8244, 17.9251, 17.0931], 0.425169),
        ([30.8620, 29.1098, 54.0176, 35.8308, 49.6661, 50.6181, 26.5106, 43.8971], 0.509431),
        ([23.8936, -0.9606, 55.7752, -2.8098, 56.1886, 9.2142, 24.3070, 11.0634], 0.518311),
        ([10.8490, 27.2615, 29.4367, 22.0361, 35.5718, 43.8601, 16.9841, 49.0855], 0.472785),
        ([-15.4477, 39.2743, 10.6012, 39.5232, 10.4548, 54.8414, -15.5941, 54.5925], 0.496891),
    ]

    @Test("Rectangles of cells are merged and suppressed as the reference does")
    func equalsReference() {
        let words = RotatedTextDecoder().words(scores: Self.scores, geometry: Self.geometry, width: Self.side)
        #expect(words.count == Self.expected.count)
        for (word, (corners, score)) in zip(words, Self.expected) {
            for (found, wanted) in zip(word.corners.flatMap { [$0.x, $0.y] }, corners) {
                #expect(abs(found - wanted) < 1e-3)
            }
            #expect(abs(word.score - score) < 0.02, "\(word.score), not \(score)")
        }
    }

    @Test("Numbers of any size are no trap", arguments: [Float.greatestFiniteMagnitude, -1e30, 1e9, 0, -5])
    func extremes(number: Float) {
        let count = Self.side * Self.side
        let ones = [Float](repeating: 1, count: count)
        let geometry = [[Float]](repeating: [Float](repeating: number, count: count), count: 5)
        let words = RotatedTextDecoder().words(scores: ones, geometry: geometry, width: Self.side)
        #expect(words.count <= count)
        #expect(RotatedTextDecoder().words(scores: ones, geometry: [], width: Self.side).isEmpty)
        #expect(RotatedTextDecoder().words(scores: [], geometry: geometry, width: Self.side).isEmpty)
    }

    @Test("A map of scores and five of geometry are EAST's")
    func family() throws {
        func model(_ channels: Int, stride: Int = 4) throws -> Model {
            let graph = try Graph.build("maps") { net in
                let image = net.input("image", .float32, [.batch, 3, 64, 64])
                net.output("scores", image.convolution(1, kernel: stride, stride: stride).sigmoid())
                net.output("geometry", image.convolution(channels, kernel: stride, stride: stride))
            }
            return try Model(graph.seeded(1)).describedByFamily()
        }
        let east = try model(5)
        #expect(east.familyName == "east" && east.purpose.task == .text)
        #expect(east.preprocessing?.mean == [123.68, 116.78, 103.94])
        #expect(TextTask.reading(of: east) == "words by a map of scores and the rectangles of cells (EAST)")
        #expect(try model(4).familyName == nil && model(5, stride: 8).familyName == nil)
    }

    @Test("Words are where they are in the picture, channels first or last", arguments: [false, true])
    func places(isChannelsLast: Bool) async throws {
        // A word of 32 × 16 pixels, told by one cell in its middle: at (32, 24).
        var (scores, geometry) = ([Float](repeating: 0, count: 256), [Float](repeating: 0, count: 5 * 256))
        let cell = 6 * 16 + 8
        scores[cell] = 0.9
        for (channel, number) in [8, 16, 8, 16, 0].enumerated() {
            geometry[isChannelsLast ? cell * 5 + channel : channel * 256 + cell] = Float(number)
        }
        let shapes = isChannelsLast ? [[16, 16, 1], [16, 16, 5]] : [[1, 16, 16], [5, 16, 16]]
        let model = try FixedOutputs.model(
            [.init("scores", shapes[0], scores), .init("geometry", shapes[1], geometry)],
            isChannelsLast: isChannelsLast)
        let detector = try await TextDetector(model.describedByFamily("east"))
        let lines = try await detector.predict(FixedOutputs.gray(128, 64)).lines
        // The mean over 9 × 5 cells is below 0.1; a wider score is needed.
        #expect(lines.isEmpty)
        let full = [Float](repeating: 0.9, count: 256)
        var fixed = geometry
        for place in 0..<256 where place != cell {
            for channel in 0..<5 { fixed[isChannelsLast ? place * 5 + channel : channel * 256 + place] = 0 }
        }
        let other = try FixedOutputs.model(
            [.init("scores", shapes[0], full), .init("geometry", shapes[1], fixed)], isChannelsLast: isChannelsLast)
        let found = try await TextDetector(other.describedByFamily("east")).predict(FixedOutputs.gray(128, 64)).lines
        let line = try #require(found.first)
        #expect(found.count == 1 && abs(line.confidence - 0.9) < 1e-5)
        let corners = line.box.corners.flatMap { [$0.x, $0.y] }
        #expect(corners == [32, 16, 96, 16, 96, 32, 32, 32])
    }

    @Test("Maps that do not fit, and numbers that are none, are errors")
    func damaged() async throws {
        let plain = [Float](repeating: 0.5, count: 256)
        var broken = [Float](repeating: 1, count: 5 * 256)
        broken[7] = .nan
        let model = try FixedOutputs.model([
            .init("scores", [1, 16, 16], plain), .init("geometry", [5, 16, 16], broken),
        ])
        let detector = try await TextDetector(model.describedByFamily("east"))
        await #expect(throws: RecordError.self) { try await detector.predict(FixedOutputs.gray(64, 64)) }
        let small = [Float](repeating: 1, count: 5 * 64)
        let other = try FixedOutputs.model([.init("scores", [1, 16, 16], plain), .init("geometry", [5, 8, 8], small)])
        let unlike = try await TextDetector(other.describedByFamily("east"))
        await #expect(throws: RecordError.self) { try await unlike.predict(FixedOutputs.gray(64, 64)) }
        let none = try FixedOutputs.model([.init("scores", [1, 16, 16], plain)])
        await #expect(throws: ApusError.self) { try await TextDetector(none.describedByFamily("east")) }
    }
}
