// Written by "apus generate"; changes are lost.

import Apus
import Foundation

/// The model of a file.
///
///     let model = try await Squeezenet1_1(contentsOf: path)
///     let output = try await model.prediction(image: .file("picture.jpg"))
final class Squeezenet1_1: Swift.Sendable {
    /// The inputs of the model.
    struct Input: Swift.Sendable {
        /// A picture: float32 [N, 3, 227, 227]
        var data: Apus.ImageSource

        /// Makes an input.
        init(data: Apus.ImageSource) {
            self.data = data
        }

        fileprivate var features: [Swift.String: Apus.TypedModel.Feature] {
            ["data": .image(data)]
        }
    }

    /// The outputs of the model.
    struct Output: Swift.Sendable {
        /// The class with the most confidence.
        let classLabel: Swift.String
        /// The confidence in every class, from 0 to 1.
        let classLabelProbs: [Swift.String: Swift.Double]
        /// float32 [N, 1000]
        let prob: Apus.Tensor

        fileprivate init(_ outputs: Apus.TypedModel.Outputs) throws {
            classLabel = try outputs.classLabel()
            classLabelProbs = try outputs.classLabelProbs()
            prob = try outputs.tensor("prob")
        }
    }

    /// The model that runs.
    let model: Apus.TypedModel

    /// Reads the model from a file, and the files beside it.
    init(contentsOf path: Swift.String, options: Apus.Session.Options = .init()) async throws {
        model = try await Apus.TypedModel(contentsOf: path, options: options)
    }

    /// Reads the model and its files; blocks the thread, so do not call it from asynchronous code.
    static func openSynchronously(
        contentsOf path: Swift.String, options: Apus.Session.Options = .init()
    ) throws -> Squeezenet1_1 {
        try Apus.TypedModel.waiting { try await Squeezenet1_1(contentsOf: path, options: options) }
    }

    /// Predicts one input.
    func prediction(input: Input) async throws -> Output {
        try Output(try await model.outputs(for: input.features))
    }

    /// Predicts several inputs together.
    func predictions(_ batch: [Input]) async throws -> [Output] {
        try await model.outputs(for: batch.map(\.features)).map { try Output($0) }
    }

    /// Predicts one input; blocks the thread, so do not call it from asynchronous code.
    func predictionSynchronously(input: Input) throws -> Output {
        try Apus.TypedModel.waiting { try await self.prediction(input: input) }
    }

    /// Predicts several inputs together; blocks the thread, so do not call it from asynchronous code.
    func predictionsSynchronously(_ batch: [Input]) throws -> [Output] {
        try Apus.TypedModel.waiting { try await self.predictions(batch) }
    }

    /// Predicts one picture.
    func prediction(image: Apus.ImageSource) async throws -> Output {
        try await prediction(input: Input(data: image))
    }

    /// Predicts one picture; blocks the thread, so do not call it from asynchronous code.
    func predictionSynchronously(image: Apus.ImageSource) throws -> Output {
        try predictionSynchronously(input: Input(data: image))
    }
}
