import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing

@Suite("Products of rows that have elements of all images")
struct ImagesAlongDepthTests {
    @Test("A matrix times its transpose is complete", arguments: [(2, 5), (3, 7), (5, 4)])
    func isComplete(images: Int, columns: Int) throws {
        let graph = try Graph.build("products") { net in
            let rows = net.input("rows", .float32, [.fixed(images), .fixed(columns)])
            net.output("result", rows.transpose([1, 0]).matrixProduct(with: rows))
        }
        var generator = SplitMix64(seed: 5)
        let input = try Tensor(
            (0..<images * columns).map { _ in Float.random(in: -1...1, using: &generator) }, shape: [images, columns])
        let check = NetworkCheck(backend: CPUBackend(), precision: 1e-5)
        #expect(check.failure(GivenGraph(graph, [input])) == nil)
    }
}
