import Apus

extension SwiftExample {
    static let otherTasks = [
        SwiftExample("comparing pictures", prints: ["classify output", "512 0."]) {
            let model = try Model(contentsOf: "squeezenet1_1.onnx")
            print(model.purpose.task ?? .raw, model.purpose.evidence)
            let embedder = try await Embedder(model, embedding: .init(output: "fire9"))
            let coffee = try await embedder.predict(.file("photos/coffee.png"))
            let rocket = try await embedder.predict(.file("photos/rocket.jpg"))
            print(coffee.vector.count, coffee.cosineSimilarity(to: rocket) ?? 0)
        },
        SwiftExample("segmenting", prints: ["[400, 600]"]) {
            let segmenter = try await Segmenter(Model(contentsOf: "segmenter.onnx"))
            let segmentation = try await segmenter.predict(.file("photos/coffee.png"))
            print(segmentation.classes.shape)
            for segment in segmentation.segments { print(segment.identifier, segment.area, segment.box) }
        },
        SwiftExample("people and objects with masks", prints: ["0.875 2", "cat", "dog"]) {
            let estimator = try await PoseEstimator(Model(contentsOf: "pose.onnx"))
            for pose in try await estimator.predict(.file("photos/coffee.png")).poses {
                print(pose.confidence, pose.keypoints.count)
            }
            let instances = try await InstanceSegmenter(Model(contentsOf: "instances.onnx"))
            for instance in try await instances.predict(.file("photos/coffee.png")).instances {
                print(instance.identifier, instance.box)
            }
        },
        SwiftExample("further inputs", prints: ["[3]", "photos/rocket.jpg+photos/coffee.png"]) {
            var model = try Model(contentsOf: "pairs.onnx")
            model.inputValues["second"] = try InputValue(contentsOf: "photos/chelsea.png")
            let fixed = try await OutputReader(model)
            print(try await fixed.predict(.file("photos/coffee.png")).outputs[0].tensor.shape)

            model.inputValues["second"] = .ofRecord
            let reader = try await OutputReader(model)
            let pair = try await reader.predict(
                .file("photos/coffee.png"), inputs: ["second": .file("photos/chelsea.png")])
            print(pair.outputs[0].tensor.shape)
            let pairs = ManifestDataset.Columns(inputs: ["second": "other"])
            for try await record in reader.predictions(over: .manifest("pairs.csv", columns: pairs)) {
                print(record.id)
            }
        },
        SwiftExample("depth and larger pictures", prints: ["[400, 600]", "1200x800"]) {
            let estimator = try await DepthEstimator(Model(contentsOf: "depth.onnx"))
            let depth = try await estimator.predict(.file("photos/coffee.png"))
            print(depth.values.shape, depth.minimum, depth.median, depth.maximum)
            let generator = try await ImageGenerator(
                Model(contentsOf: "super_resolution.onnx"), image: .init(tile: 256))
            let larger = try await generator.predict(.file("photos/coffee.png"))
            print(larger.size, try larger.image().pixels.count)
        },
        SwiftExample(
            "searching", prints: ["photos/astronaut.png 0.49", "[\"photos/astronaut.png\", \"photos/chelsea.png\""]
        ) {
            let embedder = try await Embedder(
                Model(contentsOf: "squeezenet1_1.onnx"), embedding: .init(output: "fire9"))
            _ = try await BatchRunner(embedder).run(
                over: .imageFolder("photos"), into: RunOutput(try RunReservation(path: "vectors.npy"), as: .numPy))
            let index = try EmbeddingIndex(contentsOf: "vectors.npy")
            for neighbor in try await index.neighbors(ofID: "photos/coffee.png", count: 2) {
                print(neighbor.id, neighbor.similarity)
            }
            for cluster in try await index.duplicates(minimumSimilarity: 0.4) { print(cluster.ids) }
        },
        SwiftExample("evaluating objects", prints: ["0.208"]) {
            let truth = try COCOGroundTruth(contentsOf: "instances.json")
            let evaluation = try DetectionEvaluation(of: COCOResults(contentsOf: "results.json"), against: truth)
            print(evaluation.averagePrecision ?? 0, evaluation.figure("AP50") ?? 0)
        },
    ]
}
