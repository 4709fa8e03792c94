import Apus
import Foundation
import Images
import Testing

@Suite("Another size than a network declares")
struct InputSizeTests {
    private let size = ImageSize(width: 24, height: 16)

    private func model(_ shape: Shape, _ finish: (GraphBuilder.Value) -> GraphBuilder.Value) throws -> Model {
        try Model(
            try Graph.build("sized") { net in
                net.output("y", finish(net.input("image", .float32, shape).convolution(4, kernel: 3)))
            }.seeded(1))
    }

    @Test("A network that pools takes another size, and any number of pictures", arguments: [1, 10])
    func pooled(_ count: Int) async throws {
        let declared = try model([.fixed(count), 3, 8, 8]) { $0.globalAveragePool().flatten().linear(5) }
        if count == 10 { #expect(throws: ApusError.self) { try declared.checkBatch() } }
        let changed = try declared.taking(size)
        try changed.checkBatch()
        let input = try #require(changed.graph[changed.graph.inputs[0]].shape)
        #expect(input.dimensions.dropFirst().map(\.value) == [3, 16, 24])
        #expect(input.dimensions[0].value == (count == 1 ? 1 : nil))
        // The same weights: what a network that declares the size gives.
        let other = try model([.batch, 3, 16, 24]) { $0.globalAveragePool().flatten().linear(5) }
        let pixels = try Tensor((0..<1152).map { Float($0 % 17) / 17 }, shape: [1, 3, 16, 24])
        let (first, second) = (
            try await Session(changed).predict(["image": pixels]), try await Session(other).predict(["image": pixels])
        )
        #expect(first["y"]?.elements(as: Float.self) == second["y"]?.elements(as: Float.self))
    }

    @Test("An operator that does not allow it is named")
    func refused() throws {
        let flat = try model([1, 3, 8, 8]) { $0.flatten().linear(5) }
        let error = #expect(throws: ApusError.self) { try flat.taking(size) }
        #expect("\(error as Any)".contains("Gemm"))
        #expect(throws: ApusError.self) { try flat.taking(ImageSize(width: 0, height: 4)) }
        // 4 × 6 × 6 numbers become one row; those of the other size would be several.
        let rows = try model([1, 3, 8, 8]) { $0.reshape([-1, 144]).linear(5) }
        let other = #expect(throws: ApusError.self) { try rows.taking(ImageSize(width: 14, height: 8)) }
        #expect("\(other as Any)".contains("Reshape"))
    }

    @Test("Preprocessing leads to the new size in the same way")
    func preprocessing() throws {
        var steps = Preprocessing(.fit, to: ImageSize(width: 8, height: 8))
        #expect(steps.leading(to: size).fixedOutputSize == size)
        #expect("\(steps.leading(to: size))".hasPrefix("fit into 24x16"))
        steps.setResizing(.fill, to: ImageSize(width: 8, height: 8))
        #expect(steps.leading(to: size).resizing == .exact(size))
        (steps.resizing, steps.crop) = (.shortestEdge(256), ImageSize(width: 224, height: 224))
        let square = ImageSize(width: 112, height: 112)
        #expect(steps.leading(to: square).resizing == .shortestEdge(128) && steps.leading(to: square).crop == square)
    }
}
