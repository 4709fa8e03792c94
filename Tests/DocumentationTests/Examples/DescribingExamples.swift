import Apus
import Generation

extension SwiftExample {
    static let describing = [
        SwiftExample("networks in Swift") {
            let network = try Graph.build("tiny-fire") { net in
                let image = net.input("image", .float32, [.batch, 3, 64, 64])
                let features =
                    image
                    .convolution(32, kernel: 3, stride: 2).relu()
                    .maxPool(3, stride: 2)
                    .fire(squeeze: 16, expand: 64)
                    .residual { $0.convolution(128, kernel: 3, padding: .same).relu() }
                    .branches(
                        { $0.convolution(64, kernel: 1) },
                        { $0.convolution(48, kernel: 1).relu().convolution(64, kernel: 5, padding: .same) },
                        { $0.averagePool(3, padding: .same).convolution(32, kernel: 1) })
                net.output("probabilities", features.globalAveragePool().flatten().linear(10).softmax())
            }
            let session = try await Session(Model(network.seeded(7)))

            _ = session
        },
        SwiftExample("graphs") {
            let graph = try Graph.build("tiny") { net in
                let image = net.input("image", .float32, [.batch, 3, 32, 32])
                net.output(
                    "scores", image.convolution(8, kernel: 3).relu().globalAveragePool().flatten().linear(10).softmax())
            }
            let session = try await Session(Model(graph.seeded(1)))

            _ = session
        },
        SwiftExample("the zoo and exports") {
            let model = try Model(Networks.squeezeNet1_1().seeded(7))

            try model.export(to: "simpler.onnx", options: .init(batch: 8, isDecluttered: true))
        },
        SwiftExample("types for models") {
            var options = SwiftWrapper.Options()
            options.typeName = "SqueezeNet"
            try SwiftWrapper(Model(contentsOf: "squeezenet1_1.onnx"), options: options).write(to: "SqueezeNet.swift")
        },
        SwiftExample("tensors", prints: ["float32 [1, 1, 2, 2] 1.0"]) {
            let pixels = try Tensor([0, 0.5, 1, 0.25] as [Float], shape: [1, 1, 2, 2])
            print(pixels.elementType, pixels.shape, pixels.elements(as: Float.self).max() ?? 0)
        },
    ]
}
