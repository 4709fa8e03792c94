import Apus
import Foundation
import Images
import Testing

@Suite("Geometry of lines of text")
struct TextGeometryTests {
    @Test("The hull has the corners alone, in one direction")
    func hull() {
        let square = TextFixtures.points([[0, 0], [4, 0], [4, 4], [0, 4]])
        let inner = TextFixtures.points([[2, 0], [1, 1], [4, 2], [2, 4], [2, 2]])
        let hull = ConvexHull.corners(of: inner + square + inner)
        #expect(hull.count == 4 && Set(hull) == Set(square))
        #expect(PolygonOffset.area(hull) == 16)
    }

    @Test("Rectangles have the least area, as OpenCV finds it")
    func rectangles() throws {
        for reference in try TextFixtures.references().rectangles {
            let found = try #require(MinimumAreaRectangle(around: TextFixtures.points(reference.points)))
            let corners = found.corners
            let area = corners[0].distance(to: corners[1]) * corners[1].distance(to: corners[2])
            #expect(abs(area - reference.area) < 0.01)
        }
    }

    @Test("Rectangles have OpenCV's bits, around polygons, regions, holes and points in no order")
    func bits() throws {
        for reference in try TextFixtures.bits() {
            let outline: MinimumAreaRectangle.Outline =
                switch reference.kind {
                case "polygon": .polygon
                case "region": .region
                case "hole": .hole(first: TextFixtures.points([reference.points[0]])[0])
                default: .points
                }
            let points = TextFixtures.points(reference.points)
            let found = try #require(MinimumAreaRectangle(around: points.reversed(), of: outline))
            #expect(found.corners == TextFixtures.points(reference.corners), "\(reference)")
            #expect(found.shortSide == reference.side)
        }
        #expect(MinimumAreaRectangle(around: TextFixtures.points([[0, 0], [.nan, 5], [9, 0], [3, 3]])) == nil)
        #expect(MinimumAreaRectangle(around: TextFixtures.points([[0, 0], [.infinity, 5], [9, 0]])) == nil)
    }

    @Test("A turned rectangle is found, with its corners clockwise from the upper left")
    func turned() throws {
        let corners = TextFixtures.points([[10, 20], [50, 5], [56, 21], [16, 36]])
        let found = try #require(MinimumAreaRectangle(around: corners + [PixelPoint(x: 30, y: 20)]))
        for (corner, expected) in zip(found.corners, corners) { #expect(corner.distance(to: expected) < 0.001) }
        #expect(MinimumAreaRectangle(around: TextFixtures.points([[0, 0], [5, 5], [9, 9]])) == nil)
        #expect(MinimumAreaRectangle(around: []) == nil)
    }

    @Test("Grown polygons lie as far out as pyclipper's")
    func grown() throws {
        for reference in try TextFixtures.references().grown {
            let path = TextFixtures.points(reference.path)
            let points = PolygonOffset.grown(path, by: reference.distance)
            // The library leaves out points on straight edges.
            let corners = Set(ConvexHull.corners(of: points))
            #expect(corners == Set(ConvexHull.corners(of: TextFixtures.points(reference.points))))
            #expect(Set(PolygonOffset.grown(path.reversed(), by: reference.distance)) == Set(points))
        }
        #expect(PolygonOffset.grown(TextFixtures.points([[0, 0], [1, 1]]), by: 3).isEmpty)
    }

    @Test("A part of a picture has OpenCV's pixels")
    func warped() throws {
        let reference = try TextFixtures.references().warped
        let picture = try Image(decoding: Data(contentsOf: URL(fileURLWithPath: TextFixtures.path("turned.png"))))
        let size = ImageSize(width: reference.width, height: reference.height)
        let (width, height) = (Double(size.width), Double(size.height))
        let places = try #require(
            PerspectiveTransform(
                from: TextFixtures.points([[0, 0], [width, 0], [width, height], [0, height]]),
                to: TextFixtures.points(reference.corners)))
        let pixels = try picture.warped(to: size, by: places).pixels
        let differing = zip(pixels, reference.pixels).filter { abs(Int($0) - Int($1)) > 0 }
        #expect(pixels.count == reference.pixels.count && differing.count <= 8)
        #expect(differing.allSatisfy { abs(Int($0) - Int($1)) == 1 })
    }

    @Test("A map and its inverse bring points back, and points on a line have no map")
    func transforms() throws {
        let from = TextFixtures.points([[0, 0], [30, 0], [30, 9], [0, 9]])
        let to = TextFixtures.points([[20, 44], [150, 20], [156, 52], [26, 77]])
        let places = try #require(PerspectiveTransform(from: from, to: to))
        let back = try #require(places.inverse)
        for (point, image) in zip(from, to) {
            #expect(places.applied(to: point).distance(to: image) < 1e-6)
            #expect(back.applied(to: image).distance(to: point) < 1e-6)
        }
        #expect(PerspectiveTransform(from: from, to: TextFixtures.points([[0, 0], [1, 1], [2, 2], [0, 9]])) != nil)
        #expect(PerspectiveTransform(from: TextFixtures.points([[0, 0], [1, 1], [2, 2], [0, 9]]), to: from) == nil)
        #expect(PerspectiveTransform(from: Array(from.prefix(3)), to: to) == nil)
    }

    @Test("Points are turned, scaled and shifted onto others")
    func similarity() throws {
        let points = TextFixtures.points([[0, 0], [10, 0], [5, 8]])
        // A turn by 90° clockwise, twice the size, and a shift.
        let images = points.map { PixelPoint(x: 7 - 2 * $0.y, y: 3 + 2 * $0.x) }
        let places = try #require(PerspectiveTransform(turning: points, onto: images))
        for (point, image) in zip(points, images) { #expect(places.applied(to: point).distance(to: image) < 1e-9) }
        #expect(PerspectiveTransform(turning: [points[0], points[0]], onto: [points[1], points[2]]) == nil)
    }
}
