import Apus

// The blocks of EmbeddingInSwift at the top level of a script, where Swift prefers what need not be awaited.

let model = try Model(contentsOf: "squeezenet1_1.onnx")
let classifier = try await Classifier(model)
let answer = try await classifier.predict(.file("photos/coffee.png"))
print(answer.label ?? "?", answer.confidence)  // espresso 0.99938

for try await record in classifier.predictions(over: .imageFolder("photos"), batch: 8) {
    print(record.id, try record.answer.get().label ?? "?")
}

let pixels = try Tensor(zeros: .float32, shape: [1, 3, 227, 227])
let session = try await Session(model, options: .init(threads: 2, streams: 1))
let outputs = try await session.predict(["data": pixels])  // [String: Tensor]
let plan = try await session.plan(forBatch: 8)  // what runs where, and why
print(outputs.count, plan.layers.count)

// What `apus generate` writes, beside this file.
let generated = try await Squeezenet1_1(contentsOf: "squeezenet1_1.onnx")
let output = try await generated.prediction(image: .file("photos/coffee.png"))
let batch = try await generated.predictions([.init(data: .file("photos/coffee.png"))])
print(output.classLabel, output.classLabelProbs.count, batch.count)

do {
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
    print(try await session.predict(["image": Tensor(zeros: .float32, shape: [1, 3, 64, 64])]).count)
}
