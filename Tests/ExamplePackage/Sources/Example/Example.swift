import Apus
import Foundation

/// Classifies a photo with the type that the plugin generates, in every way that it offers.
@main
struct Example {
    static func main() async throws {
        guard CommandLine.arguments.count > 1 else { throw ApusError.usage("usage: Example PHOTO") }
        let photo = ImageSource.file(CommandLine.arguments[1])
        let model = try await Squeezenet1_1()

        let output = try await model.prediction(image: photo)
        print(output.classLabel, String(format: "%.3f", output.classLabelProbs[output.classLabel] ?? 0))

        let batch = try await model.predictions([Squeezenet1_1.Input(data: photo), .init(data: photo)])
        print(batch.count, batch.allSatisfy { $0.classLabel == output.classLabel })

        let waited = try predictWaiting(photo)
        print(waited.classLabel == output.classLabel, waited.prob.shape)

        let cat = try await Cats().prediction(image: photo)
        print(cat.classLabel, cat.classLabelProbs.count)

        let hostile = try await HostileNames()
        let zeros = try Tensor(zeros: .float32, shape: [1, 4])
        let answer = try await hostile.prediction(input: .init(class_: zeros, class__2: zeros, _1_a_b: zeros))
        print(answer.self_.shape, answer.classLabel_2.shape)
    }

    /// Predicts without `await`, as in a synchronous program.
    private static func predictWaiting(_ photo: ImageSource) throws -> Squeezenet1_1.Output {
        try Squeezenet1_1.openSynchronously().predictionSynchronously(image: photo)
    }
}
