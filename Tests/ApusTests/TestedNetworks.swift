import Apus
import Foundation
import Graphs

/// Models that the tests of this room run.
enum TestedNetworks {
    static let fixtures = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures")

    static func photo(_ name: String) -> String { fixtures.appending(path: "photos/\(name)").path }

    /// The committed SqueezeNet, with its preprocessing and labels.
    static func squeezeNet() throws -> Model {
        try Model(contentsOf: fixtures.appending(path: "models/squeezenet1_1.onnx").path)
    }

    /// A network of three layers on pictures of 16 × 16.
    static func small() throws -> Model {
        let graph = try Graph.build("small") { net in
            let image = net.input("image", .float32, [.batch, 3, 16, 16])
            let features = image.convolution(8, kernel: 3).relu().globalAveragePool().flatten()
            net.output("scores", features.linear(5))
        }
        return try Model(graph.seeded(7))
    }

    /// A network of many layers that takes several seconds on the reference backend.
    static func slow() throws -> Model {
        let graph = try Graph.build("slow") { net in
            var value = net.input("image", .float32, [.batch, 16, 64, 64])
            for _ in 0..<200 { value = value.convolution(16, kernel: 3, padding: .same).relu() }
            net.output("features", value)
        }
        return try Model(graph.seeded(7))
    }
}

extension Tensor {
    /// A tensor of random numbers that a seed determines.
    static func random(_ shape: [Int], seed: UInt64) throws -> Tensor {
        var generator = SplitMix64(seed: seed)
        return try Tensor((0..<shape.reduce(1, *)).map { _ in Float(generator.nextUnit()) }, shape: shape)
    }

    /// The bits of the elements, so that equality means the same bits.
    var bits: [UInt32] { elements(as: Float.self).map(\.bitPattern) }
}
