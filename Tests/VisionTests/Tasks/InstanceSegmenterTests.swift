import Apus
import Foundation
import Images
import TestSupport
import Testing

@Suite("Objects with masks")
struct InstanceSegmenterTests {
    private typealias Output = FixedOutputs.Output

    /// A network with two classes and two prototypes of 4 × 4 cells: the left half, and the upper half.
    private static func model(_ columns: [[Float]]) throws -> Model {
        var values = [Float](repeating: 0, count: 8 * 84)
        for (anchor, column) in columns.enumerated() {
            for (row, number) in column.enumerated() { values[row * 84 + anchor] = number }
        }
        let left: [Float] = (0..<16).map { $0 % 4 < 2 ? 1 : -1 }
        let upper: [Float] = (0..<16).map { $0 < 8 ? 1 : -1 }
        return try FixedOutputs.model(
            [Output("output0", [8, 84], values), Output("output1", [2, 4, 4], left + upper)],
            metadata: ["task": "segment", "names": "{0: 'cat', 1: 'dog'}"])
    }

    @Test("A mask is the sum of the prototypes within the box, at the picture's size")
    func masks() async throws {
        let cat: [Float] = [32, 32, 64, 64, 0.9, 0, 1, 0]
        let dog: [Float] = [48, 16, 16, 16, 0, 0.5, 0, 1]
        let model = try Self.model([dog, cat, [32, 33, 64, 64, 0.8, 0, 0, 1]])
        #expect(model.purpose.task == .segment)
        let segmenter = try await InstanceSegmenter(model)
        let answer = try await segmenter.predict(FixedOutputs.gray(8, 8))
        #expect(
            answer.instances.map(\.identifier) == ["cat", "dog"] && answer.imageSize == ImageSize(width: 8, height: 8))
        #expect(answer.instances[0].runs.counts == [0, 32, 32] && answer.instances[0].area == 32)
        // The box goes from column 5 to 7 and from row 1 to 3.
        #expect(answer.instances[1].runs.counts == [41, 2, 6, 2, 13])
        #expect(answer.instances[1].box == NormalizedBox(x: 0.625, y: 0.125, width: 0.25, height: 0.25))
        let numbers = answer.numbers
        #expect(numbers[0] == 1 && numbers[8 + 5] == 2 && numbers[7] == 0)
    }

    /// What PyTorch and pycocotools give for made up prototypes.
    struct Reference: Decodable, Sendable, CustomTestStringConvertible {
        let prototypes, weights, box: [Float]
        let width, height, area: Int
        let counts: String

        var testDescription: String { "\(weights.count) prototypes for \(width)x\(height)" }

        static let all: [Reference] = {
            let file = TestedNetworks.fixtures.appending(path: "segmentation/instances.json")
            let data = (try? Data(contentsOf: file)) ?? Data()
            return (try? JSONDecoder().decode([Reference].self, from: data)) ?? []
        }()
    }

    @Test("Masks are those of Ultralytics' formula in PyTorch", arguments: Reference.all)
    func references(_ reference: Reference) async throws {
        let box = reference.box
        let center = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2, box[2] - box[0], box[3] - box[1]]
        let column = center + [0.9] + reference.weights
        var values = [Float](repeating: 0, count: column.count * 84)
        for (row, number) in column.enumerated() { values[row * 84] = number }
        let model = try FixedOutputs.model(
            [
                Output("output0", [column.count, 84], values),
                Output("output1", [reference.weights.count, 16, 16], reference.prototypes),
            ], metadata: ["task": "segment"])
        let answer = try await InstanceSegmenter(model).predict(FixedOutputs.gray(reference.width, reference.height))
        #expect(answer.instances.map(\.runs.compressed) == [reference.counts])
        #expect(answer.instances.map(\.area) == [reference.area])
    }

    @Test("All references are read")
    func count() { #expect(Reference.all.count == 7) }

    @Test("Borders that the picture does not fill have no pixels")
    func letterboxed() async throws {
        let answer = try await InstanceSegmenter(Self.model([[32, 32, 64, 64, 0.9, 0, 0, 1]])).predict(
            FixedOutputs.gray(8, 4))
        // The picture lies in rows 16 to 48 of the input; its upper half is above the middle.
        #expect(answer.instances.map(\.area) == [16] && answer.instances[0].runs.counts.prefix(3) == [0, 2, 2])
    }

    @Test("Other outputs and numbers that are not finite are refused")
    func refused() async throws {
        let other = try FixedOutputs.model([
            Output("a", [8, 84], [Float](repeating: 0, count: 672)),
            Output("b", [9, 4, 4], [Float](repeating: 0, count: 144)),
        ])
        await #expect(throws: ApusError.self) { try await InstanceSegmenter(other) }
        let broken = try await InstanceSegmenter(
            Self.model([[.nan, 32, 64, 64, 0.9, 0, 0, 1], [32, 32, 64, 64, .nan, .nan, 0, 1]]))
        let masks = try await InstanceSegmenter(Self.model([[32, 32, 64, 64, 0.9, 0, .nan, 1]]))
        for segmenter in [broken, masks] {
            let error = await #expect(throws: RecordError.self) {
                try await segmenter.predict(FixedOutputs.gray(8, 8))
            }
            #expect(error?.code == "not-finite")
        }
    }

    @Test("Requests and drawings show the objects")
    func requests() async throws {
        let segmenter = try await InstanceSegmenter(Self.model([[32, 32, 64, 64, 0.9, 0, 1, 0]]))
        let image = try Image(width: 64, height: 64, pixels: [UInt8](repeating: 128, count: 64 * 64 * 3))
        let found = try await ImageRequestHandler(.image(image)).perform(PredictionRequest(segmenter)).instances
        #expect(found.count == 1 && found[0].area == 64 * 32)
        let drawn = try image.drawing(try await segmenter.predict(.image(image)))
        #expect(
            drawn.size == image.size && drawn.pixels[(40 * 64 + 10) * 3] != 128
                && drawn.pixels[(40 * 64 + 50) * 3] == 128)
    }

    /// A mask from rows of text, in which `#` is inside.
    private static func runs(_ rows: [String]) -> RunLengths {
        let cells = rows.map { $0.map { $0 == "#" } }
        var (counts, isInside) = ([0], false)
        for column in cells[0].indices {
            for row in cells.indices {
                if cells[row][column] != isInside { (isInside, counts) = (!isInside, counts + [0]) }
                counts[counts.count - 1] += 1
            }
        }
        return RunLengths(size: ImageSize(width: cells[0].count, height: cells.count), counts: counts)
    }

    @Test("Outlines go along the borders of pixels, clockwise, and around holes the other way")
    func outlines() {
        #expect(Self.runs(["....", ".##.", "...."]).outline.polygons == [[3, 1, 3, 2, 1, 2, 1, 1]])
        let ring = Self.runs(["###", "#.#", "###"]).outline
        #expect(ring.polygons == [[3, 0, 3, 3, 0, 3, 0, 0]] && ring.holes == [[2, 2, 2, 1, 1, 1, 1, 2]])
        let corner = Self.runs(["#.", ".#"]).outline
        #expect(corner.polygons == [[1, 0, 1, 1, 0, 1, 0, 0], [2, 1, 2, 2, 1, 2, 1, 1]] && corner.holes.isEmpty)
        let touching = Self.runs(["####", "#.##", "##.#", "####"]).outline
        #expect(touching.polygons.count == 1 && touching.holes.count == 1)
        let nothing = Self.runs(["..", ".."]).outline
        #expect(nothing.polygons.isEmpty && nothing.holes.isEmpty)
        // Runs beyond the picture are left out.
        let beyond = RunLengths(size: ImageSize(width: 2, height: 2), counts: [3, 100, 5, 7])
        #expect(beyond.outline.polygons == [[2, 1, 2, 2, 1, 2, 1, 1]])
    }

    @Test("The area within outlines is that of the mask", arguments: 1...20)
    func areas(_ seed: UInt64) {
        var state = seed
        let rows = (0..<9).map { _ in
            String(
                (0..<11).map { _ -> Character in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return state >> 60 < 9 ? "#" : "."
                })
        }
        let runs = Self.runs(rows)
        func doubledArea(_ line: [Int]) -> Int {
            stride(from: 0, to: line.count, by: 2).reduce(0) { sum, place in
                let next = (place + 2) % line.count
                return sum + line[place] * line[next + 1] - line[next] * line[place + 1]
            }
        }
        let outline = runs.outline
        #expect((outline.polygons + outline.holes).reduce(0) { $0 + doubledArea($1) } == 2 * runs.area)
        #expect(outline.polygons.allSatisfy { doubledArea($0) > 0 } && outline.holes.allSatisfy { doubledArea($0) < 0 })
    }
}
