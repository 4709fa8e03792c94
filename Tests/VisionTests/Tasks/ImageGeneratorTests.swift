import Apus
import Foundation
import Images
import TestSupport
import Testing

@Suite("Pictures made of pictures")
struct ImageGeneratorTests {
    private static let folder = TestedNetworks.fixtures.appending(path: "tasks")

    private func model(_ name: String) throws -> Model {
        try Model(contentsOf: Self.folder.appending(path: "\(name).onnx").path)
    }

    private let picture = ImageSource.file(folder.appending(path: "small.png").path)

    private func expected() throws -> Image {
        try Image(decoding: Data(contentsOf: Self.folder.appending(path: "super.png")))
    }

    /// The largest difference between bytes of two pictures, and the share of those that differ.
    private func difference(_ image: Image, _ other: Image) -> (largest: Int, share: Double) {
        let differences = zip(image.pixels, other.pixels).map { abs(Int($0) - Int($1)) }
        let count = differences.count { $0 != 0 }
        return (differences.max() ?? 0, Double(count) / Double(max(1, differences.count)))
    }

    @Test("A whole picture is that of onnxruntime and Pillow")
    func whole() async throws {
        let generated = try await ImageGenerator(model("super_open")).predict(picture)
        #expect(generated.size == ImageSize(width: 122, height: 86) && generated.channelCount == 3)
        let found = difference(try generated.image(), try expected())
        #expect(found.largest <= 1 && found.share < 0.001)
    }

    @Test(
        "Tiles that share twice what the network sees give the whole picture",
        arguments: [(8, 6), (16, 6), (20, 9), (64, 32)])
    func tiles(_ tile: Int, _ overlap: Int) async throws {
        let whole = try await ImageGenerator(model("super_open")).predict(picture).image()
        let options = ImageGenerator.Options(tile: tile, overlap: overlap)
        let tiled = try await ImageGenerator(model("super_open"), image: options).predict(picture).image()
        let found = difference(tiled, whole)
        #expect(tiled.size == whole.size && found.largest <= 1 && found.share < 0.001)
    }

    @Test("Tiles that share less do not: what the test of tiles compares can differ")
    func seams() async throws {
        let whole = try await ImageGenerator(model("super_open")).predict(picture).image()
        let options = ImageGenerator.Options(tile: 16, overlap: 0)
        let tiled = try await ImageGenerator(model("super_open"), image: options).predict(picture).image()
        #expect(difference(tiled, whole).largest > 3)
    }

    @Test("A network of one size takes larger pictures in tiles, and smaller ones")
    func fixed() async throws {
        let generator = try await ImageGenerator(model("super_fixed"), image: .init(overlap: 6))
        let found = difference(try await generator.predict(picture).image(), try expected())
        #expect(found.largest <= 1 && found.share < 0.001)
        let dot = try Image(width: 1, height: 2, pixels: [10, 20, 30, 200, 100, 50])
        #expect(try await generator.predict(.image(dot)).size == ImageSize(width: 2, height: 4))
        let handler = try ImageRequestHandler(.image(dot))
        #expect(try await handler.perform(PredictionRequest(generator)).size == ImageSize(width: 2, height: 4))
    }

    @Test("Any size of a picture comes out twice as large", arguments: [(1, 1), (3, 50), (17, 16), (24, 16), (25, 33)])
    func sizes(_ width: Int, _ height: Int) async throws {
        let image = try Image(width: width, height: height, pixels: [UInt8](repeating: 77, count: width * height * 3))
        let double = ImageSize(width: width * 2, height: height * 2)
        for options in [ImageGenerator.Options(overlap: 6), .init(overlap: 4, multiple: 8)] {
            let generator = try await ImageGenerator(model("super_fixed"), image: options)
            #expect(try await generator.predict(.image(image)).size == double)
        }
        let open = try await ImageGenerator(model("super_open"), image: .init(multiple: 4))
        #expect(try await open.predict(.image(image)).size == double)
    }

    /// A network that gives `channels` times the mean of its input, from 0 to 1.
    private func constant(_ channels: Int, _ value: Float, stride: Int = 1) throws -> Model {
        let bias = try Tensor([Float](repeating: value, count: channels), shape: [1, channels, 1, 1])
        let zero = try Tensor([0] as [Float], shape: [1, 1, 1, 1])
        return try Model(
            try Graph.build("constant") { net in
                let made = net.input("image", .float32, [.batch, 3, 8, 8]).convolution(
                    channels, kernel: 1, stride: stride)
                net.output("y", made.multiplied(by: net.constant("zero", zero)).added(to: net.constant("bias", bias)))
            }.seeded(1))
    }

    @Test("Numbers become bytes by their range, clamped and rounded")
    func ranges() async throws {
        for (range, value, byte) in [
            (PixelRange.unit, 0.5, 128), (.unit, 2, 255), (.unit, -1, 0), (.bytes, 99.6, 100),
            (.signed, 0, 128), (.signed, -1, 0), (.signed, 1, 255), (.input, 0.25, 64),
        ] as [(PixelRange, Float, UInt8)] {
            let generator = try await ImageGenerator(constant(1, value), image: .init(range: range, overlap: 2))
            let made = try await generator.predict(picture)
            #expect(made.channelCount == 1 && Set(made.pixels) == [byte], "\(range) \(value)")
        }
    }

    @Test("Four channels have opacity, and a smaller output keeps the proportions")
    func channels() async throws {
        let made = try await ImageGenerator(constant(4, 1), image: .init(overlap: 2)).predict(picture)
        #expect(made.channelCount == 4 && made.size == ImageSize(width: 61, height: 43))
        #expect(Set(made.pixels) == [255])
        let half = try await ImageGenerator(constant(3, 1, stride: 2), image: .init(overlap: 4, multiple: 2))
        #expect(try await half.predict(picture).size == ImageSize(width: 31, height: 22))
        let odd = try await ImageGenerator(constant(3, 1, stride: 2), image: .init(overlap: 3))
        await #expect(throws: ApusError.self) { try await odd.predict(picture) }
    }

    @Test("Tiles that make no sense are refused")
    func refused() async throws {
        for options in [
            ImageGenerator.Options(tile: 32), .init(overlap: 16), .init(overlap: -1), .init(multiple: 0),
            .init(overlap: 6, multiple: 5), .init(overlap: 12, multiple: 8),
        ] {
            await #expect(throws: ApusError.self, "\(options)") {
                try await ImageGenerator(model("super_fixed"), image: options)
            }
        }
        await #expect(throws: ApusError.self) { try await ImageGenerator(constant(2, 1)) }
    }

    @Test("Turned pictures come out upright")
    func orientation() async throws {
        let image = try expected()
        let handler = try ImageRequestHandler(.image(image), orientation: .right)
        let generator = try await ImageGenerator(model("super_open"))
        #expect(try await handler.perform(PredictionRequest(generator)).size == ImageSize(width: 172, height: 244))
    }
}
