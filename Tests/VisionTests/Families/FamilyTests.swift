import Apus
import Foundation
import Graphs
import Images
import Platform
import TestSupport
import Testing

/// Families of networks: what tells them, and what they say.
@Suite("Families of networks")
struct FamilyTests {
    /// A network with maps of the picture's size, all with Sigmoid.
    static func maps(_ count: Int, side: Int = 32, metadata: [String: String] = [:]) throws -> Model {
        var graph = try Graph.build("maps") { net in
            let image = net.input("image", .float32, [.batch, 3, .fixed(side), .fixed(side)])
            for index in 0..<count { net.output("d\(index)", image.convolution(1, kernel: 1).sigmoid()) }
        }
        graph = try graph.seeded(1)
        graph.metadata = metadata
        return try Model(graph)
    }

    private struct Made: ModelFamily {
        let name: String
        var title: String { name }
        let source = "a test"
        let task = VisionTask.segment
        func evidence(in signature: TaskSignature) -> String? { "whatever" }
        func preprocessing(for signature: TaskSignature) -> Preprocessing? { nil }
    }

    @Test("Seven maps are U²-Net's, and their numbers are stretched")
    func matte() async throws {
        let model = try Self.maps(7).describedByFamily()
        #expect(model.familyName == "u2net")
        #expect(model.purpose.task == .segment)
        #expect(model.purpose.evidence == "it is of family U²-Net, by its seven maps")
        #expect(model.preprocessing?.dividesByMaximum == true && model.preprocessing?.filter == .lanczos)
        #expect(model.origins.preprocessing == .family("U²-Net"))
        let pixels = (0..<32 * 32 * 3).map { UInt8($0 * 7 % 251) }
        let picture = try Image(width: 32, height: 32, pixels: pixels)
        let matte = try #require(try await Segmenter(Self.maps(7)).predict(.image(picture)).matte)
        let levels = matte.elements(as: Int32.self)
        #expect(levels.min() == 0 && levels.max() == 255)
        // No family has six maps. The numbers of the map are then taken as they are, and Sigmoid gives no 0 or 1.
        let others = try Self.maps(6)
        #expect(others.describedByFamily().familyName == nil)
        let shares = try #require(try await Segmenter(others).predict(.image(picture)).matte).elements(as: Int32.self)
        #expect(shares.min() != 0 || shares.max() != 255)
    }

    @Test("What files and metadata state comes first")
    func statements() throws {
        var model = try Self.maps(7)
        model.preprocessing = Preprocessing(.fill, to: ImageSize(width: 32, height: 32), scale: 0.5)
        #expect(model.describedByFamily().preprocessing?.scale == 0.5)
        #expect(model.describedByFamily().familyName == "u2net")
        var other = try Self.maps(7)
        other.taskStatement = TaskStatement(.task(.depth), "made", .model)
        #expect(other.describedByFamily().familyName == nil)
        #expect(other.purpose.task == .depth)
    }

    @Test("A family is refused, named or unknown")
    func choice() throws {
        let none = try Self.maps(7).describedByFamily("none")
        #expect(none.purpose.task == nil && none.describedByFamily().familyName == nil)
        let named = try Self.maps(1).describedByFamily("u2net")
        #expect(named.familyName == "u2net" && named.purpose.task == .segment)
        #expect(named.purpose.evidence == "--family u2net says so")
        #expect(throws: ApusError.self) { try Self.maps(7).describedByFamily("u3net") }
        let decoder = try Self.maps(7).describedByFamily("yolox")
        #expect(decoder.detection?.decoder == "yolox" && decoder.purpose.task == .detect)
    }

    @Test("Of two families that fit, none is taken, and both are named")
    func several() throws {
        let families = [Made(name: "first"), Made(name: "second")]
        let model = try Self.maps(2)
        #expect(model.fittingFamilies(among: families).map(\.family.name) == ["first", "second"])
        #expect(model.fittingFamilies(among: families).map(\.evidence) == ["whatever", "whatever"])
    }

    @Test("Names of families are unlike, and none says it by the file's name")
    func namesOfFamilies() throws {
        #expect(Set(Catalog.familyNames).count == Catalog.familyNames.count)
        #expect(!Catalog.familyNames.contains("none"))
        let graph = try Graph.build("u2net") { net in
            net.output("y", net.input("image", .float32, [.batch, 3, 32, 32]).convolution(1, kernel: 1))
        }
        #expect(try Model(try graph.seeded(1), name: "u2net.onnx").describedByFamily().familyName == nil)
    }

    /// A network with as many convolutions as a classifier's, behind them a row of numbers.
    private static func classifier(
        side: Int, channels: Int, widths: [Int], classes: Int
    ) throws -> Model {
        let graph = try Graph.build("classifier") { net in
            var image = net.input("x", .float32, [.batch, .fixed(channels), .fixed(side), .fixed(side)])
            for width in widths { image = image.convolution(width, kernel: 3, stride: 2, padding: .same).relu() }
            net.output("y", image.globalAveragePool().flatten().linear(classes))
        }
        return try Model(graph.seeded(1))
    }

    @Test("Classifiers of pages are told by their classes, their convolutions and their size")
    func pages() throws {
        let widths = [16, 32, 64, 96, 128, 160, 256, 208]
        let page = try Self.classifier(side: 320, channels: 3, widths: widths, classes: 4).describedByFamily()
        #expect(page.familyName == "orinet" && page.purpose.task == .classify)
        #expect(page.labels.map { labels in (0..<4).map { labels[$0] } } == ["0", "90", "180", "270"])
        #expect(page.preprocessing?.fixedOutputSize == ImageSize(width: 320, height: 320))
        let small = try Self.classifier(side: 320, channels: 3, widths: Array(widths.dropLast()), classes: 4)
        #expect(small.describedByFamily().familyName == nil)
        let gray = try Self.classifier(
            side: 768, channels: 1, widths: [Int](repeating: 8, count: 26), classes: 5
        ).describedByFamily()
        #expect(gray.familyName == "trueocr-orient" && gray.labels?.count == 5)
        #expect(gray.preprocessing?.padding == ImageSize(width: 768, height: 768))
        #expect(gray.preprocessing?.filter == .area && gray.preprocessing?.channelOrder == .gray)
    }

    /// A network with these names of input, layer and output.
    private static func named(_ input: String, _ layer: String, _ output: String, isMap: Bool) throws -> Model {
        let one = try Tensor([1 as Float], shape: [1])
        let graph = try Graph.build("named") { net in
            let image = net.input(input, .float32, [.batch, 3, 32, 32])
            let map = (image * net.constant(layer, one)).convolution(1, kernel: 1)
            net.output(output, isMap ? map.sigmoid() : map.globalAveragePool().flatten().linear(8))
        }
        return try Model(graph.seeded(1))
    }

    @Test("Names of inputs, layers and outputs tell families that their shapes do not")
    func names() throws {
        let layer = "vision_model.pre_layrnorm.weight"
        let clip = try Self.named("pixel_values", layer, "image_embeds", isMap: false).describedByFamily()
        #expect(clip.familyName == "clip" && clip.purpose.task == .embed)
        #expect(clip.preprocessing?.crop == ImageSize(width: 32, height: 32) && clip.preprocessing?.filter == .bicubic)
        let siglip = try Self.named("pixel_values", "weight", "image_embeds", isMap: false).describedByFamily()
        #expect(siglip.familyName == nil && siglip.purpose.task == .embed && siglip.preprocessing == nil)
        let focus = try Self.named("x", "weight", "output_importance", isMap: true).describedByFamily()
        #expect(focus.familyName == "img-focus" && focus.purpose.task == .segment)
        #expect(try Self.named("x", "weight", "map", isMap: true).describedByFamily().familyName == nil)
    }

    @Test("An exported model keeps its family")
    func export() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("exported.onnx")
            try Self.maps(7).describedByFamily().export(to: file.path)
            let model = try Model(contentsOf: file.path)
            #expect(model.familyName == "u2net" && model.purpose.task == .segment)
            #expect(model.preprocessing?.dividesByMaximum == true)
        }
    }
}
