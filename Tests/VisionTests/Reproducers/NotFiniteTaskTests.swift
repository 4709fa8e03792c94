import Apus
import Foundation
import Images
import TestSupport
import Testing

/// One rule for every task: an output with numbers that are not finite is the error `not-finite` of the picture.
@Suite("Outputs that are not finite")
struct NotFiniteTaskTests {
    private struct Form: Sendable, CustomTestStringConvertible {
        let task: VisionTask
        /// The outputs, with their extents and a number that is right everywhere.
        let outputs: [(name: String, shape: [Int], number: Float)]
        var decoder: String?
        var testDescription: String { "\(task.rawValue) \(decoder ?? "") \(outputs.map(\.shape))" }
    }

    private static let forms = [
        Form(task: .classify, outputs: [("y", [5], 0)]),
        Form(task: .embed, outputs: [("embedding", [5], 1)]),
        Form(task: .regress, outputs: [("aesthetic", [5], 1)]),
        Form(task: .segment, outputs: [("maps", [5, 8, 8], 0)]),
        Form(task: .segment, outputs: [("mask", [1, 8, 8], 0)]),
        Form(task: .depth, outputs: [("depth", [8, 8], 1)]),
        Form(task: .image, outputs: [("picture", [3, 8, 8], 0)]),
        Form(task: .text, outputs: [("map", [1, 8, 8], 0)]),
        Form(task: .detect, outputs: [("output0", [7, 84], 0)], decoder: "yolov8"),
        Form(task: .detect, outputs: [("output0", [7, 84], 0)], decoder: "yolo-obb"),
        Form(task: .detect, outputs: [("output0", [252, 7], 0)], decoder: "yolov5"),
        Form(task: .detect, outputs: [("output0", [84, 7], 0)], decoder: "yolox"),
        Form(task: .detect, outputs: [("a", [21, 2, 2], 0), ("b", [21, 4, 4], 0)], decoder: "yolov3"),
        Form(task: .detect, outputs: [("boxes", [6, 4], 0), ("scores", [6, 3], 0)], decoder: "ssd"),
        Form(
            task: .segment, outputs: [("output0", [9, 84], 0), ("output1", [2, 16, 16], 0)]),
        Form(task: .pose, outputs: [("output0", [11, 84], 0)], decoder: "yolo-pose"),
        Form(task: .pose, outputs: [("heatmaps", [17, 8, 8], 0)], decoder: "heatmaps"),
        Form(task: .pose, outputs: [("simcc_x", [17, 16], 0), ("simcc_y", [17, 16], 0)], decoder: "simcc"),
        Form(task: .landmarks, outputs: [("a", [1404], 0), ("b", [1], 9)], decoder: "mediapipe-face"),
    ]

    /// A predictor of the form whose output at `position` has one number in its middle, where one is given.
    private func predictor(
        _ form: Form, _ position: Int = 0, _ number: Float? = nil
    ) async throws -> any TaskPredictor {
        let outputs = form.outputs.enumerated().map { index, output in
            var values = [Float](repeating: output.number, count: output.shape.reduce(1, *))
            if let number, index == position { values[values.count / 2] = number }
            return FixedOutputs.Output(output.name, output.shape, values)
        }
        let model = try FixedOutputs.model(outputs)
        var settings = TaskSettings()
        var configuration = DetectionConfiguration()
        configuration.decoder = form.decoder
        if form.task == .detect {
            settings.detection = configuration
        } else {
            settings.decodingConfiguration = configuration
        }
        return try await form.task.type.predictor(model, settings, options: Session.Options())
    }

    private func code(_ form: Form, _ position: Int, _ number: Float?) async throws -> String? {
        let predictor = try await predictor(form, position, number)
        do {
            _ = try await AnyPredictor(predictor).predict(try FixedOutputs.gray(64, 64))
            return nil
        } catch let error as RecordError {
            #expect(number == nil || error.message.hasPrefix("1 of "), "\(error.message)")
            return error.code
        }
    }

    @Test("A NaN or an infinity anywhere in what is read is an error with the count", arguments: forms)
    private func anywhere(_ form: Form) async throws {
        #expect(try await code(form, 0, nil) == nil)
        for position in form.outputs.indices {
            for number in [Float.nan, .infinity, -.infinity] {
                #expect(try await code(form, position, number) == "not-finite", "output \(position), \(number)")
            }
        }
    }

    @Test("In a run the record alone has the error, and the others of its batch their answers", arguments: forms)
    private func records(_ form: Form) async throws {
        let runner = BatchRunner(AnyPredictor(try await predictor(form)), options: .init(batch: 3))
        let shape = [3, 64, 64]
        let records = try [Float(0), .nan, 1].enumerated().map { index, number in
            let numbers = [Float](repeating: number, count: shape.reduce(1, *))
            return ImageRecord(id: "\(index)", source: .array(try Tensor(numbers, shape: shape)))
        }
        let codes = try await runner.predict(records).map { record in
            if case .failure(let error) = record.answer { error.code } else { "" }
        }
        #expect(codes == ["", "not-finite", ""])
    }
}
