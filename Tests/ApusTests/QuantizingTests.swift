import Foundation
import Graphs
import Tensors
import Testing

import Apus

@Suite("Quantizing networks")
struct QuantizingTests {
    private static let photos = TestedNetworks.fixtures.appending(path: "photos").path

    @Test("SqueezeNet keeps what it says about the photos, and parts of a concatenation have its scale")
    func squeezeNet() async throws {
        let (quantized, report) = try await TestedNetworks.squeezeNet().quantized(
            calibratingWith: .imageFolder(Self.photos))
        #expect(report.pictureCount == 4)
        #expect(report.agreementCount == 4)
        #expect(report.layers.allSatisfy { $0.relativeError < 0.5 })

        let graph = quantized.source
        var scales: [Graph.ValueID: Float] = [:]
        for node in graph.nodes where node.operation is DequantizeLinear {
            guard let scale = node.inputs[1].flatMap({ graph.initializers[$0] }), scale.shape.isEmpty else { continue }
            scales[try #require(node.outputs[0])] = scale.elements(as: Float.self)[0]
        }
        let rounding = Dictionary(
            graph.nodes.filter { $0.operation is QuantizeLinear }.map { ($0.inputs[0], $0) },
            uniquingKeysWith: { first, _ in first })
        var count = 0
        for node in graph.nodes where node.operation is Concat {
            let rounded = try #require(rounding[node.outputs[0]])
            let scale = try #require(rounded.inputs[1].flatMap { graph.initializers[$0] }).elements(as: Float.self)[0]
            #expect(node.inputs.allSatisfy { $0.flatMap { scales[$0] } == scale }, "\(node.name)")
            count += 1
        }
        #expect(count == 8)
    }
}
