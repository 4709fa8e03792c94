import Foundation
import Images
import Testing

/// Warped pictures, and pictures that are squares or gray before they are resized. Numbers are those of Pillow 13.
@Suite("Warped, square and gray pictures")
struct WarpingTests {
    /// Made by `zlib.crc32(picture.transform(size, Image.Transform.PERSPECTIVE, numbers, BILINEAR))`, with the numbers
    /// of the map from the corners of the result to these.
    @Test(
        "Bilinear warping equals Pillow's, black outside",
        arguments: [
            (24, 18, [5.5, -3.25, 44, 7.5, 33.25, 31, -2, 20.5], 0x3F36_E0E7),
            (30, 20, [30, 2, 4, 9, 8, 27, 36, 19], 0xB170_8C1C),
        ] as [(Int, Int, [Double], UInt32)])
    func bilinear(_ width: Int, _ height: Int, _ corners: [Double], _ checksum: UInt32) throws {
        let (right, bottom) = (Double(width), Double(height))
        func points(_ numbers: [Double]) -> [PixelPoint] {
            stride(from: 0, to: 8, by: 2).map { PixelPoint(x: numbers[$0], y: numbers[$0 + 1]) }
        }
        let places = try #require(
            PerspectiveTransform(from: points([0, 0, right, 0, right, bottom, 0, bottom]), to: points(corners)))
        let warped = try Fixtures.image("images/rgb-8.png").warped(
            to: ImageSize(width: width, height: height), by: places, interpolation: .bilinear)
        #expect(crc32(warped.pixels) == checksum)
        let far = try #require(
            PerspectiveTransform(
                from: points([0, 0, 1, 0, 1, 1, 0, 1]), to: points([1e300, 0, 2e300, 0, 2e300, 1, 1e300, 1])))
        let nothing = try warped.warped(to: ImageSize(width: 2, height: 2), by: far, interpolation: .bilinear)
        #expect(nothing.pixels.allSatisfy { $0 == 0 })
    }

    /// The numbers of steps as pixels, channel after channel within a pixel.
    private func pixels(_ steps: Preprocessing, _ picture: Image) throws -> [UInt8] {
        let tensor = try steps.tensor(from: picture)
        let (numbers, count) = (tensor.elements(as: Float.self), tensor.shape[2] * tensor.shape[3])
        return (0..<count * 3).map { UInt8(numbers[$0 % 3 * count + $0 / 3]) }
    }

    @Test("The square in the middle is cut out before it is resized, and points find back")
    func middleSquare() throws {
        let picture = try Fixtures.image("images/rgb-8.png")
        var steps = Preprocessing(.squareCrop, to: ImageSize(width: 12, height: 12), filter: .lanczos)
        #expect(crc32(try pixels(steps, picture)) == 0x274E_FE30)
        #expect(steps.fixedOutputSize == ImageSize(width: 12, height: 12))
        #expect(try Preprocessing(json: steps.json()) == steps)
        // 40 x 28 pixels: the square begins at column 6.
        let place = try steps.placement(of: picture.size).original(x: 0, y: 1)
        #expect(abs(place.x - 6.0 / 40) < 1e-9 && abs(place.y - 1) < 1e-9)
        steps.squareBorder = .init(isCentered: true)
        #expect(try steps.placement(of: picture.size).original(x: 0, y: 0).x == 0)
        #expect(steps.leading(to: ImageSize(width: 8, height: 8)).resizing == .middleSquare(.init(width: 8, height: 8)))
    }

    @Test("Gray in three channels is the luma in each, before the resize")
    func gray() throws {
        let picture = try Fixtures.image("images/rgb-8.png")
        let steps = Preprocessing(.fill, to: ImageSize(width: 16, height: 10), channelOrder: .grayRGB)
        #expect(crc32(try pixels(steps, picture)) == 0xBC02_2919)
        #expect(try Preprocessing(json: steps.json()) == steps && steps.description.hasSuffix("gray-rgb"))
    }
}
