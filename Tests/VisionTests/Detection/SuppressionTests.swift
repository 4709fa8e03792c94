import Apus
import Foundation
import Images
import Testing

@Suite("Boxes")
struct SuppressionTests {
    private func candidate(_ left: Float, _ confidence: Float, class index: Int = 0) -> ObjectCandidate {
        ObjectCandidate(
            left: left, top: 0, right: left + 0.2, bottom: 0.2, confidence: confidence, classIndex: index)
    }

    @Test("The best of boxes that overlap too much are kept, class by class or across them")
    func suppression() {
        // Shifted by 0.05, boxes of 0.2 overlap by 0.15 / 0.25 = 0.6; by 0.1, by a third.
        let candidates = [
            candidate(0.1, 0.5), candidate(0.15, 0.9), candidate(0.25, 0.8), candidate(0.15, 0.7, class: 1),
        ]
        var suppression = NonMaximumSuppression(threshold: 0.5)
        #expect(suppression(candidates).map(\.confidence) == [0.9, 0.8, 0.7])
        suppression.isClassAgnostic = true
        #expect(suppression(candidates).map(\.confidence) == [0.9, 0.8])
        suppression.threshold = 0.2
        #expect(suppression(candidates).map(\.confidence) == [0.9])
        suppression.threshold = 1
        suppression.maximumCount = 2
        #expect(suppression(candidates).map(\.confidence) == [0.9, 0.8])
    }

    @Test("Faces are means of the boxes and points that overlap, weighted by their confidence")
    func weighted() {
        // Shifted by 0.05, boxes of 0.2 overlap by 0.6; by 0.1, by a third; by 0.15, by a seventh.
        var candidates = [candidate(0.1, 0.9), candidate(0.15, 0.6), candidate(0.25, 0.8), candidate(0.2, 0.3)]
        for index in candidates.indices { candidates[index].points = [SIMD2(candidates[index].left, 0.5)] }
        var suppression = NonMaximumSuppression(threshold: 0.3)
        let found = suppression.weighted(candidates)
        #expect(found.map(\.confidence) == [0.9, 0.8])
        // (0.1 × 0.9 + 0.15 × 0.6 + 0.2 × 0.3) ÷ 1.8
        #expect(abs(found[0].left - 0.24 / 1.8) < 1e-6 && abs(found[0].points[0].x - 0.24 / 1.8) < 1e-6)
        #expect(abs(found[0].right - found[0].left - 0.2) < 1e-6 && found[0].points[0].y == 0.5)
        #expect(abs(found[1].left - 0.25) < 1e-6)
        suppression.maximumCount = 1
        #expect(suppression.weighted(candidates).count == 1)
        suppression = NonMaximumSuppression(threshold: 1)
        #expect(suppression.weighted(candidates).map(\.left) == [0.1, 0.25, 0.15, 0.2])
    }

    @Test("Boxes that are none, or no numbers, are dropped")
    func unsound() {
        var bad = candidate(0.1, 0.9)
        bad.right = bad.left
        var worse = candidate(0.1, 0.9)
        worse.top = .nan
        #expect(NonMaximumSuppression()([bad, worse, candidate(0.5, 0.1)]).map(\.confidence) == [0.1])
    }

    @Test("Intersection over union, and the other origin")
    func overlap() {
        let box = NormalizedBox(x: 0.1, y: 0.2, width: 0.4, height: 0.2)
        #expect(abs(box.intersectionOverUnion(with: box) - 1) < 1e-6)
        let shifted = NormalizedBox(x: 0.3, y: 0.2, width: 0.4, height: 0.2)
        #expect(abs(box.intersectionOverUnion(with: shifted) - 1 / 3) < 1e-6)
        #expect(box.intersectionOverUnion(with: NormalizedBox(x: 0.5, y: 0.2, width: 0.1, height: 0.1)) == 0)
        #expect(abs(box.fromLowerLeft.y - 0.6) < 1e-6)
    }

    @Test(
        "A place in the input is found again in the picture, whatever the preprocessing",
        arguments: [Preprocessing.ResizeMode.centerCrop, .fit, .fill],
        [ImageSize(width: 300, height: 100), ImageSize(width: 80, height: 200), ImageSize(width: 64, height: 64)])
    func placement(_ mode: Preprocessing.ResizeMode, _ size: ImageSize) throws {
        let input = ImageSize(width: 128, height: 96)
        let steps = Preprocessing(mode, to: input, filter: .nearest)
        let placement = try steps.placement(of: size)
        // A white pixel block in a black picture, near the middle so that every mode sees it.
        let block = (x: size.width / 2 - 4, y: size.height / 2 - 6, extent: 10)
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * 3)
        for row in block.y..<block.y + block.extent {
            for column in block.x..<block.x + block.extent {
                for channel in 0..<3 { pixels[(row * size.width + column) * 3 + channel] = 255 }
            }
        }
        let placed = steps.placed(
            try Image(width: size.width, height: size.height, pixels: pixels), try steps.geometry(for: size))
        let white = (0..<input.width * input.height).filter { placed.pixels[$0 * 3] > 127 }
        let columns = white.map { $0 % input.width }, rows = white.map { $0 / input.width }
        let start = placement.original(
            x: Double(columns.min() ?? 0) / Double(input.width), y: Double(rows.min() ?? 0) / Double(input.height))
        let end = placement.original(
            x: Double((columns.max() ?? 0) + 1) / Double(input.width),
            y: Double((rows.max() ?? 0) + 1) / Double(input.height))
        // A pixel of the input may cover three of the picture.
        #expect(abs(start.x * Double(size.width) - Double(block.x)) < 3)
        #expect(abs(start.y * Double(size.height) - Double(block.y)) < 3)
        #expect(abs(end.x * Double(size.width) - Double(block.x + block.extent)) < 3)
        #expect(abs(end.y * Double(size.height) - Double(block.y + block.extent)) < 3)
    }

    @Test("A border is outside of the picture")
    func border() throws {
        let steps = Preprocessing(.fit, to: ImageSize(width: 100, height: 100))
        let placement = try steps.placement(of: ImageSize(width: 200, height: 100))
        // The picture lies in rows 25 to 75.
        #expect(abs(placement.original(x: 0, y: 0.25).y) < 1e-9)
        #expect(abs(placement.original(x: 1, y: 0.75).y - 1) < 1e-9)
        #expect(placement.original(x: 0.5, y: 0).y < 0)
    }
}
