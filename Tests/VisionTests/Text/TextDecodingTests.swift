import Apus
import Images
import Testing

@Suite("Decoding of text")
struct TextDecodingTests {
    /// A map in which pixels within polygons have 0.9, and others 0.1.
    private func map(width: Int, height: Int, _ isInside: (Double, Double) -> Bool) -> [Float] {
        (0..<width * height).map { isInside(Double($0 % width), Double($0 / width)) ? 0.9 : 0.1 }
    }

    @Test("A rectangle of the map grows by its area times 1.6 divided by its circumference")
    func rectangle() throws {
        let map = map(width: 100, height: 60) { x, y in (20...70).contains(x) && (20...30).contains(y) }
        let boxes = TextMapDecoder().boxes(in: map, width: 100, height: 60, of: ImageSize(width: 200, height: 120))
        let box = try #require(boxes.first)
        // The mask gets a column and a row more: 51 × 11, a distance of 561 × 1.6 ÷ 124 = 7.24, at twice the size.
        let expected = TextFixtures.points([[26, 26], [156, 26], [156, 76], [26, 76]])
        #expect(boxes.count == 1)
        for (corner, point) in zip(box.corners, expected) { #expect(corner.distance(to: point) <= 1) }
        #expect(box.score > 0.8 && box.score < 0.9)
    }

    @Test("Regions that are not dilated are outlined as they are")
    func exactRegions() throws {
        let map = map(width: 100, height: 60) { x, y in (20...70).contains(x) && (20...30).contains(y) }
        var decoder = TextMapDecoder()
        decoder.dilatesRegions = false
        let boxes = decoder.boxes(in: map, width: 100, height: 60, of: ImageSize(width: 200, height: 120))
        // 50 × 10, a distance of 500 × 1.6 ÷ 120 = 6.67, which becomes 7 whole pixels of the map, at twice the size.
        let expected = TextFixtures.points([[26, 26], [154, 26], [154, 74], [26, 74]])
        let box = try #require(boxes.first)
        #expect(boxes.count == 1)
        #expect(box.corners == expected)
        #expect(abs(box.score - 0.9) < 1e-4)
    }

    @Test("A turned rectangle of the map keeps its angle")
    func turned() throws {
        // 60 × 12 around (60, 50), turned by atan(3 ÷ 4).
        let map = map(width: 120, height: 100) { x, y in
            let (u, v) = ((x - 60) * 0.8 + (y - 50) * 0.6, (y - 50) * 0.8 - (x - 60) * 0.6)
            return abs(u) <= 30 && abs(v) <= 6
        }
        let size = ImageSize(width: 120, height: 100)
        let box = try #require(TextMapDecoder().boxes(in: map, width: 120, height: 100, of: size).first)
        let (a, b) = (box.corners[0], box.corners[1])
        #expect(abs((b.y - a.y) / (b.x - a.x) - 0.75) < 0.08)
        let middle = PixelPoint(
            x: box.corners.reduce(0) { $0 + $1.x } / 4, y: box.corners.reduce(0) { $0 + $1.y } / 4)
        #expect(middle.distance(to: PixelPoint(x: 60.5, y: 50.5)) < 1.5)
    }

    @Test("What is too faint, too small or beyond the largest number is left out")
    func limits() {
        let size = ImageSize(width: 100, height: 60)
        func boxes(_ decoder: TextMapDecoder, _ map: [Float]) -> Int {
            decoder.boxes(in: map, width: 100, height: 60, of: size).count
        }
        var decoder = TextMapDecoder()
        let faint = map(width: 100, height: 60) { x, y in (20...70).contains(x) && (20...30).contains(y) }
            .map { $0 > 0.5 ? Float(0.4) : 0.1 }
        #expect(boxes(decoder, faint) == 0)
        let small = map(width: 100, height: 60) { x, y in x == 20 && (20...30).contains(y) }
        #expect(boxes(decoder, small) == 0)
        let two = map(width: 100, height: 60) { x, y in
            (10...30).contains(x) && ((10...20).contains(y) || (40...50).contains(y))
        }
        #expect(boxes(decoder, two) == 2)
        decoder.maximumCount = 1
        #expect(boxes(decoder, two) == 1)
        #expect(boxes(decoder, [Float](repeating: .nan, count: 6000)) == 0)
        #expect(boxes(decoder, [Float](repeating: .infinity, count: 6000)) == 1)
    }

    @Test("Repeated characters count once, unless a blank parts them")
    func sequences() throws {
        let characters = try CharacterSet(["a", "b"], count: 4, model: "m")
        let decoder = SequenceDecoder(characters, .probabilities)
        func text(_ places: [Int]) -> (text: String, confidence: Float) {
            let scores = places.flatMap { place in (0..<4).map { $0 == place ? Float(0.7) : 0.1 } }
            return decoder.text(of: scores, count: 4)
        }
        #expect(text([0, 1, 1, 0, 1, 2, 2, 0]).text == "aab")
        #expect(text([1, 3, 3, 2]).text == "a b")
        #expect(text([2, 1, 2]).text == "bab")
        #expect(text([0, 0]).text == "" && text([0, 0]).confidence == 0 && text([]).text == "")
        #expect(abs(text([1, 2]).confidence - 0.7) < 1e-6)
        // Of the same character at consecutive places, the confidence of the first counts.
        let scores: [Float] = [0, 0.6, 0.4, 0, 0, 0.9, 0.1, 0]
        #expect(decoder.text(of: scores, count: 4).confidence == 0.6)
    }

    @Test("Scores that are no probabilities become some")
    func scales() throws {
        let characters = try CharacterSet(["a"], count: 2, model: "m")
        let logits = SequenceDecoder(characters, .logits).text(of: [0, 2], count: 2)
        #expect(logits.text == "a" && abs(logits.confidence - 0.880797) < 1e-5)
        let logarithms = SequenceDecoder(characters, .logarithms).text(of: [-3, -0.5], count: 2)
        #expect(abs(logarithms.confidence - 0.606531) < 1e-5)
    }

    @Test("Characters are those of the metadata, with one for none and perhaps a space")
    func characters() throws {
        #expect(CharacterSet.named(in: ["character": "a\nb\r\n \nc\n"]) == ["a", "b", " ", "c"])
        #expect(CharacterSet.named(in: [:]) == nil)
        #expect(try CharacterSet(["a", "b"], count: nil, model: "m")[3] == " ")
        let spaces = try CharacterSet(["a"], count: 4, model: "m")
        #expect((0..<4).map { spaces[$0] } == ["", "a", " ", " "])
        #expect(throws: ApusError.self) { try CharacterSet(["a"], count: 5, model: "m") }
        // The last name may stand for no character.
        let last = try CharacterSet(["a", "b", "<blank>"], count: 3, model: "m")
        let scores: [Float] = [9, 0, 0, 0, 0, 9, 9, 0, 0, 0, 9, 0, 0, 0, 9]
        #expect(SequenceDecoder(last, .logits).text(of: scores, count: 3).text == "aab")
        #expect(throws: ApusError.self) { try CharacterSet(["a", "b", "-"], count: 3, model: "m") }
        #expect(try CharacterSet(["", "a", "b"], count: 3, model: "m")[1] == "a")
        #expect(try CharacterSet(["a"], count: 2, model: "m")[99] == "")
        #expect(throws: ApusError.self) { try CharacterSet(["a", "b"], count: 9, model: "m") }
        #expect(throws: ApusError.self) { try CharacterSet(["a", "b"], count: 1, model: "m") }
        #expect(throws: ApusError.self) { try CharacterSet(["a", "b"], count: 2, model: "m") }
        #expect(try CharacterSet(["<blank>", "b"], count: 2, model: "m")[1] == "b")
    }

    @Test("Lines are read from top to bottom, and those side by side from left to right")
    func order() {
        func box(_ x: Double, _ y: Double, height: Double = 20) -> Quadrilateral {
            Quadrilateral(
                topLeft: PixelPoint(x: x, y: y), topRight: PixelPoint(x: x + 50, y: y),
                bottomRight: PixelPoint(x: x + 50, y: y + height), bottomLeft: PixelPoint(x: x, y: y + height))
        }
        let boxes = [box(200, 8), box(10, 12), box(100, 10), box(10, 60), box(90, 52), box(10, 100)]
        let sorted = ReadingOrder.sorted(boxes) { $0 }
        #expect(sorted.map(\.topLeft.x) == [10, 100, 200, 10, 90, 10])
        #expect(ReadingOrder.rows(of: sorted) == [[0, 1, 2], [3, 4], [5]])
        #expect(ReadingOrder.rows(of: []).isEmpty)
        // Lines that only touch are not side by side.
        #expect(ReadingOrder.rows(of: [box(0, 0), box(0, 20)]) == [[0], [1]])
    }

    @Test("Pages are neither too large nor too small, and low pictures get rows")
    func pages() throws {
        let plain = try TextPage(of: ImageSize(width: 640, height: 480))
        #expect(plain.size == ImageSize(width: 640, height: 480) && plain.border == 0)
        let large = try TextPage(of: ImageSize(width: 4000, height: 3000))
        #expect(large.size == ImageSize(width: 1984, height: 1504))
        let point = large.original(PixelPoint(x: 992, y: 2000))
        #expect(abs(point.x - 2000) < 0.01 && point.y == 3000)
        let low = try TextPage(of: ImageSize(width: 260, height: 24))
        #expect(low.resized == ImageSize(width: 320, height: 32) && low.border == 24)
        let wide = try TextPage(of: ImageSize(width: 1000, height: 90))
        #expect(wide.border == 80 && wide.size.height == 250)
    }

    @Test("Lines take the height, and zeros fill them up to the least width")
    func lines() throws {
        var steps = Preprocessing()
        steps.resizing = .line(Preprocessing.Line(height: 48, minimumWidth: 320))
        #expect(try steps.outputSize(for: ImageSize(width: 100, height: 48)) == ImageSize(width: 320, height: 48))
        #expect(try steps.outputSize(for: ImageSize(width: 285, height: 22)) == ImageSize(width: 621, height: 48))
        steps.resizing = .line(Preprocessing.Line(height: 48, minimumWidth: 192, maximumWidth: 192))
        #expect(steps.fixedOutputSize == ImageSize(width: 192, height: 48))
        (steps.mean, steps.filter) = ([255], .linear)
        let white = try Image(width: 10, height: 24, pixels: [UInt8](repeating: 0, count: 720))
        let numbers = try steps.tensor(from: white)
        let row = numbers.elements(as: Float.self).prefix(192)
        #expect(row.prefix(20).allSatisfy { $0 == -255 } && row.dropFirst(20).allSatisfy { $0 == 0 })
        steps.resizing = .limited(Preprocessing.SideLimit(.shortest, 736))
        #expect(try steps.outputSize(for: ImageSize(width: 384, height: 191)) == ImageSize(width: 1472, height: 736))
        steps.resizing = .limited(Preprocessing.SideLimit(.longest, 960))
        #expect(try steps.outputSize(for: ImageSize(width: 1000, height: 10)) == ImageSize(width: 960, height: 32))
        #expect(try Preprocessing(json: steps.json()) == steps)
    }
}
