import Apus

extension SwiftExample {
    static let detecting = [
        SwiftExample("requesting objects", prints: ["red 1.0", "green 0.90"]) {
            let detector = try await ObjectDetector(Model(contentsOf: "Squares.mlmodel"))
            let handler = try ImageRequestHandler(.file("scene.png"))
            for object in try await handler.perform(PredictionRequest(detector)).objects {
                print(object.identifier, object.confidence, object.box)
            }
        },
        SwiftExample("tracking", prints: ["1 red", "2 green"]) {
            let detector = try await ObjectDetector(Model(contentsOf: "Squares.mlmodel"))

            var tracker = ObjectTracker()
            for frame in ["scene.png", "scene.png"] {
                for object in tracker.update(try await detector.predict(.file(frame)).objects) {
                    print(object.trackID ?? 0, object.identifier)
                }
            }
        },
        SwiftExample("finding objects", prints: ["red 1.0 0.25 0.25"]) {
            let detector = try await ObjectDetector(Model(contentsOf: "Squares.mlmodel"))
            for object in try await detector.predict(.file("scene.png")).objects {
                print(object.identifier, object.confidence, object.box.x, object.box.y)
            }
        },
        SwiftExample("several requests", prints: ["Egyptian", "2"]) {
            let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))
            let detector = try await ObjectDetector(Model(contentsOf: "Squares.mlmodel"))
            let handler = try ImageRequestHandler(.file("photos/chelsea.png"))

            let (classes, objects) = try await handler.perform(
                PredictionRequest(classifier), PredictionRequest(detector))

            print(classes.best.identifier, objects.objects.count, 2)
        },
    ]
}
