import Apus
import Foundation
import Images
import TestSupport
import Testing

@Suite("Regions of recipes")
struct RegionTests {
    private let picture = ImageSize(width: 200, height: 100)

    private func subject(_ points: [[Double]] = []) -> Region.Subject {
        let corners = Quadrilateral(TextFixtures.points([[40, 20], [80, 20], [80, 40], [40, 40]]))
        return Region.Subject(
            corners: corners ?? Quadrilateral(wholeOf: picture), points: TextFixtures.points(points))
    }

    /// A box from (40, 40) to (60, 80), with points.
    private func tall(_ points: [[Double]]) -> Region.Subject {
        let corners = Quadrilateral(TextFixtures.points([[40, 40], [60, 40], [60, 80], [40, 80]]))
        return Region.Subject(
            corners: corners ?? Quadrilateral(wholeOf: picture), points: TextFixtures.points(points))
    }

    @Test("Boxes get margins, end at the picture's edges, and become squares")
    func boxes() throws {
        let plain = try #require(Region(.box).cut(around: subject(), in: picture))
        #expect(plain.size == ImageSize(width: 40, height: 20))
        #expect(plain.places.applied(to: PixelPoint(x: 3, y: 4)).distance(to: PixelPoint(x: 43, y: 24)) < 1e-6)
        let wide = try #require(Region(.box, margin: 2).cut(around: subject(), in: picture))
        #expect(wide.size == ImageSize(width: 160, height: 80))
        let square = try #require(Region(.box, isSquare: true).cut(around: subject(), in: picture))
        #expect(square.size == ImageSize(width: 40, height: 40))
        #expect(square.places.applied(to: PixelPoint(x: 0, y: 0)).distance(to: PixelPoint(x: 40, y: 10)) < 1e-6)
    }

    @Test("A square is that of the whole box, and a plain box that of its part in the picture")
    func wholeBoxes() throws {
        let corners = try #require(Quadrilateral(TextFixtures.points([[0, 20], [20, 20], [20, 60], [0, 60]])))
        let whole = try #require(Quadrilateral(TextFixtures.points([[-20, 20], [20, 20], [20, 60], [-20, 60]])))
        let subject = Region.Subject(corners: corners, whole: whole)
        let square = try #require(Region(.box, isSquare: true).cut(around: subject, in: picture))
        #expect(square.size == ImageSize(width: 40, height: 40))
        #expect(square.places.applied(to: PixelPoint(x: 0, y: 0)).distance(to: PixelPoint(x: -20, y: 20)) < 1e-6)
        let plain = try #require(Region(.box).cut(around: subject, in: picture))
        #expect(plain.size == ImageSize(width: 20, height: 40))
    }

    @Test("A square is turned by two points, and points go to those of a template")
    func points() throws {
        // The right point lies below the left one: a turn by 90° clockwise.
        let turned = Region(.box, isSquare: true, baseline: [0, 1])
        let cut = try #require(turned.cut(around: subject([[60, 20], [60, 40]]), in: picture))
        #expect(cut.places.applied(to: PixelPoint(x: 0, y: 0)).distance(to: PixelPoint(x: 80, y: 10)) < 1e-6)
        #expect(turned.cut(around: subject([[60, 20]]), in: picture) == nil)
        let size = ImageSize(width: 32, height: 32)
        let template = Region(.template(TextFixtures.points([[10, 10], [22, 10]]), size))
        let aligned = try #require(template.cut(around: subject([[50, 30], [74, 30]]), in: picture))
        #expect(aligned.size == size)
        #expect(aligned.places.applied(to: PixelPoint(x: 16, y: 10)).distance(to: PixelPoint(x: 62, y: 30)) < 1e-6)
        #expect(template.cut(around: subject(), in: picture) == nil)
    }

    @Test("Tall corners are turned counterclockwise, and every pixel keeps its place")
    func turns() throws {
        let corners = try #require(Quadrilateral(TextFixtures.points([[40, 20], [60, 20], [60, 80], [40, 80]])))
        let cut = try #require(Region(.corners).cut(around: .init(corners: corners), in: picture))
        var pixels: [UInt8] = []
        for row in 0..<100 {
            for column in 0..<200 { pixels += [UInt8(column), UInt8(row), 0] }
        }
        let crop = try cut.crop(of: try Image(width: 200, height: 100, pixels: pixels), .cubic)
        #expect(crop.image.size == ImageSize(width: 60, height: 20))
        for degrees in [0, 90, 180, 270] {
            let turned = crop.turned(by: degrees)
            for (column, row) in [(0, 0), (5, 2), (turned.image.width - 1, turned.image.height - 1)] {
                let place = turned.places.applied(to: PixelPoint(x: Double(column), y: Double(row)))
                let start = (row * turned.image.width + column) * 3
                #expect(abs(Double(turned.image.pixels[start]) - place.x) < 1)
                #expect(abs(Double(turned.image.pixels[start + 1]) - place.y) < 1)
            }
        }
    }

    /// Whether a place of the part, in pixels, is that in the picture.
    private func shows(_ cut: RegionCut, _ x: Double, _ y: Double, at place: (Double, Double)) -> Bool {
        let found = cut.places.applied(to: PixelPoint(x: x, y: y))
        return abs(found.x - place.0) < 1e-6 && abs(found.y - place.1) < 1e-6
    }

    @Test("A circle has its center and a point on it, and a line turns it upright")
    func circle() throws {
        let size = ImageSize(width: 30, height: 30)
        let region = Region(.circle(center: 0, rim: 1), margin: 0.25, verticalLine: [0, 1], size: size)
        let above = try #require(region.cut(around: tall([[50, 60], [50, 40]]), in: picture))
        #expect(above.size == size && shows(above, 0, 0, at: (20, 30)) && shows(above, 30, 30, at: (80, 90)))
        // What points to the right in the picture points up in the part.
        let right = try #require(region.cut(around: tall([[50, 60], [70, 60]]), in: picture))
        #expect(shows(right, 15, 0, at: (80, 60)) && shows(right, 0, 15, at: (50, 30)))
        #expect(region.cut(around: tall([[50, 60]]), in: picture) == nil)
        #expect(region.cut(around: tall([[50, 60], [50, 60]]), in: picture) == nil)
    }

    @Test("A box is shifted by its own extents along the edges of the upright part, before it grows")
    func shift() throws {
        let region = Region(.box, margin: 0.8, isSquare: true, verticalLine: [0, 1], shift: [0, -0.5])
        let upright = try #require(region.cut(around: tall([[50, 80], [50, 40]]), in: picture))
        #expect(upright.size == ImageSize(width: 104, height: 104) && shows(upright, 0, 0, at: (-2, -12)))
        let turned = try #require(region.cut(around: tall([[50, 60], [90, 60]]), in: picture))
        #expect(shows(turned, 52, 52, at: (70, 60)) && shows(turned, 52, 0, at: (122, 60)))
        #expect(region.cut(around: tall([]), in: picture) == nil)
    }

    @Test("Linear interpolation takes four pixels")
    func interpolation() throws {
        let picture = try Image(width: 3, height: 1, pixels: [0, 0, 0, 100, 100, 100, 50, 50, 50])
        let places = try #require(
            PerspectiveTransform(
                from: [(0, 0), (4, 0), (4, 1), (0, 1)].map { PixelPoint(x: $0.0, y: $0.1) },
                to: [(0, 0), (2, 0), (2, 1), (0, 1)].map { PixelPoint(x: $0.0, y: $0.1) }))
        let warped = try picture.warped(to: ImageSize(width: 5, height: 1), by: places, interpolation: .linear)
        #expect(stride(from: 0, to: 15, by: 3).map { warped.pixels[$0] } == [0, 50, 100, 75, 50])
    }

    @Test("The recipes of the project are those of Swift", arguments: ["faces", "hands", "people"])
    func recipes(_ name: String) throws {
        try withTemporaryFolder { folder in
            let root = TestedNetworks.fixtures.deletingLastPathComponent().deletingLastPathComponent()
            let file = root.appending(path: "Documentation/Recipes/\(name).recipe.json")
            let text = try String(contentsOf: file, encoding: .utf8).replacing(".tflite", with: ".onnx")
            let (count, edge, numbers) =
                ["faces": (896, 128, 16), "hands": (2016, 192, 18), "people": (2254, 224, 12)][name] ?? (0, 0, 0)
            let detector = try FixedOutputs.model(
                [
                    .init("boxes", [count, numbers], [Float](repeating: 0, count: count * numbers)),
                    .init("scores", [count, 1], [Float](repeating: -9, count: count)),
                ], size: ImageSize(width: edge, height: edge), isChannelsLast: true)
            func zeros(_ counts: Int...) -> [FixedOutputs.Output] {
                counts.enumerated().map {
                    .init("o\($0.offset)", [$0.element], [Float](repeating: 0, count: $0.element))
                }
            }
            let (outputs, size) =
                switch name {
                case "faces": (zeros(1404, 1), 192)
                case "hands": (zeros(63, 1, 1, 63), 224)
                default: (zeros(195, 1), 256)
                }
            let points = try FixedOutputs.model(
                outputs, size: ImageSize(width: size, height: size), isChannelsLast: true)
            for match in text.matches(of: /"model": "([^"]+)"/) {
                let model = match.output.1.contains("detection") ? detector : points
                try model.export(to: folder.appending(path: String(match.output.1)).path)
            }
            let path = folder.appending(path: "\(name).recipe.json")
            try Data(text.utf8).write(to: path)
            let read = try Recipe(contentsOf: path.path)
            let made =
                switch name {
                case "faces": try Recipe.faces(detector: detector, mesh: points)
                case "hands": try Recipe.hands(detector: detector, points: points)
                default: try Recipe.people(detector: detector, pose: points)
                }
            #expect(read.stages.map(\.name) == made.stages.map(\.name))
            #expect(read.stages.map(\.task) == made.stages.map(\.task))
            #expect(read.stages.map(\.region) == made.stages.map(\.region))
        }
    }
}
