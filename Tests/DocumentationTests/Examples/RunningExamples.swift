import Apus

extension SwiftExample {
    static let running = [
        SwiftExample("arrays", prints: ["[1, 1000]"]) {
            let model = try Model(contentsOf: "squeezenet1_1.onnx")

            let pixels = try Tensor(zeros: .float32, shape: [1, 3, 227, 227])
            let session = try await Session(model, options: .init(threads: 2, streams: 1))
            let outputs = try await session.predict(["data": pixels])  // [String: Tensor]
            let plan = try await session.plan(forBatch: 8)  // what runs where, and why

            print(outputs["prob"]?.shape ?? [], plan.layers.count)
        },
        SwiftExample("sessions", prints: ["[1, 1000]"]) {
            let model = try Model(contentsOf: "squeezenet1_1.onnx")
            let session = try await Session(model, options: .init(backends: [.cpu], threads: 2))
            let outputs = try await session.predict(["data": try Tensor(zeros: .float32, shape: [1, 3, 227, 227])])
            print(outputs["prob"]?.shape ?? [])
        },
        SwiftExample("plans", prints: ["conv1", "cpu"]) {
            let session = try await Session(Model(contentsOf: "squeezenet1_1.onnx"))

            let plan = try await session.plan(forBatch: 1)
            for layer in plan.layers { print(layer.name, layer.backend, layer.lowering) }
        },
        SwiftExample("batch runs") {
            let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))

            let runner = BatchRunner(classifier, options: .init(batch: 32))
            let output = RunOutput(try RunReservation(path: "results.jsonl", resuming: true), as: .jsonLines)
            let summary = try await runner.run(over: .imageFolder("photos"), into: output)

            print(summary.succeeded)
        },
        SwiftExample("runs", prints: ["4 0"]) {
            let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))

            let runner = BatchRunner(classifier, options: .init(batch: 4))
            let reservation = try RunReservation(path: "run.jsonl", resuming: true)
            let summary = try await runner.run(
                over: .imageFolder("photos"), into: RunOutput(reservation, as: .jsonLines))
            print(summary.succeeded, summary.failed)
        },
        SwiftExample("datasets", prints: ["photos/coffee.png espresso", "scene.png"]) {
            let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))

            for try await record in classifier.predictions(over: .imageFolder("photos")) {
                print(record.id, try record.answer.get().label ?? "?")
            }

            let photos: some Dataset = .joined([.imageFolder("photos"), .files(["scene.png"])])
            for try await record in classifier.predictions(over: photos) { print(record.id) }
        },
        SwiftExample("rows") {
            let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))

            var sink: any Sink = .csv(to: try OutputFile(path: "rows.csv"))
            for try await record in classifier.predictions(over: .imageFolder("photos")) { try sink.write(record) }
            try sink.finish()
        },
        SwiftExample("features", prints: ["int"]) {
            let model = try FeatureModel(contentsOf: "tree_classifier.mlmodel")
            let session = try await FeatureSession(model)
            let outputs = try await session.predict(["c0": 3, "c1": 0.5, "c2": 1, "c3": 2])
            print(outputs["label"] ?? .string("?"))

            let squares = try await FeatureSession(FeatureModel(contentsOf: "Squares.mlmodel"))
            let found = try await squares.predict(images: ["image": .file("scene.png")])

            print(found.keys.sorted(), "int")
        },
    ]
}
