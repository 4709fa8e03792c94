import Apus
import Foundation
import Measuring

extension SwiftExample {
    static let classifying = [
        SwiftExample("embedding", prints: ["espresso 0.99", "photos/chelsea.png Egyptian Mau"]) {
            let model = try Model(contentsOf: "squeezenet1_1.onnx")
            let classifier = try await Classifier(model)
            let answer = try await classifier.predict(.file("photos/coffee.png"))
            print(answer.label ?? "?", answer.confidence)  // espresso 0.99938

            for try await record in classifier.predictions(over: .imageFolder("photos"), batch: 8) {
                print(record.id, try record.answer.get().label ?? "?")
            }
        },
        SwiftExample("classifying", prints: ["espresso 0.99", "tray"]) {
            let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))
            let answer = try await classifier.predict(.file("photos/coffee.png"))
            for prediction in answer.top(5) { print(prediction.label ?? "?", prediction.confidence) }
        },
        SwiftExample("pictures", prints: ["600 400", "espresso"]) {
            let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))

            let image = try Image(decoding: Data(contentsOf: URL(fileURLWithPath: "photos/coffee.png")))
            print(image.width, image.height)

            let source = ImageSource.image(image)
            let answer = try await classifier.predict(source)

            print(answer.label ?? "?")
        },
        SwiftExample("requests", prints: ["espresso 0.99"]) {
            let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))

            let handler = try ImageRequestHandler(.file("photos/coffee.png"))
            let request = PredictionRequest(classifier)
            for observation in try await handler.perform(request).top(3) {
                print(observation.identifier, observation.confidence)
            }
        },
        SwiftExample("ported", prints: ["espresso 0.98"]) {
            let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))

            let request = PredictionRequest(classifier, cropAndScale: .centerCrop)

            let handler = try ImageRequestHandler(.file("photos/coffee.png"))
            for observation in try await handler.perform(request).top(5, minimumConfidence: 0.2) {
                print(observation.identifier, observation.confidence)  // espresso 0.98675
            }
        },
        SwiftExample("evaluating", prints: ["1.0 0.0"]) {
            let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))

            let evaluation = try await classifier.evaluate(.manifest("labels.csv"))
            print(evaluation.top1 ?? 0, evaluation.calibration.expectedError ?? 0)

            for mistake in evaluation.worstMistakes { print(mistake.id, mistake.confidence) }
            try EvaluationPage(evaluation, title: "Four photos").write(to: "evaluation.html")
        },
        SwiftExample("evaluation", prints: ["1.0"]) {
            let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))

            let evaluation = try await classifier.evaluate(.manifest("labels.csv"))
            print(evaluation.top1 ?? 0)
        },
    ]
}
