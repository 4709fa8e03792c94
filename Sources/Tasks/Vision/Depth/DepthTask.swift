import Images
import Inference
import Models
import Platform
import Predicting
import Preparation

/// The depth of each pixel: how far away the thing is that the pixel shows.
package enum DepthTask: PictureTask {
    package static let task = VisionTask.depth
    package static let summary = "the depth of each pixel"
    package static let answersParts = false
    package static let content = ImageAnswer.Content.depth

    package static func evidence(in signature: TaskSignature) -> String? {
        guard let output = signature.outputs.first(where: { $0.isCalled("depth", "disparity") && $0.isOneMap }) else {
            return nil
        }
        return "output \"\(output.name.printable)\" has the name of a map of depth"
    }

    package static func canRead(_ signature: TaskSignature) -> Bool { signature.outputs.contains(where: \.isOneMap) }

    package static func reading(of model: Model) -> String? {
        guard let input = try? ImageInput(model, preprocessing: nil),
            let name = DepthEstimator.output(of: model, input.layout)
        else { return nil }
        return "output \"\(name.printable)\", brought to the picture's size by bicubic interpolation "
            + "(align_corners=False), as DPT, Depth Anything and MiDaS do"
    }

    package static func preprocessing(
        of model: Model, _ settings: TaskSettings
    ) throws(ApusError) -> Preprocessing? { try Segmenter.customaryPreprocessing(of: model) }

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor {
        var depth = settings.depth
        depth.output = settings.outputName ?? depth.output
        return try await DepthEstimator(
            model, options: options, depth: depth, preprocessing: settings.preprocessing, decoding: settings.decoding)
    }
}

extension TaskSignature.Output {
    /// Whether the output is one map of numbers: [N, H, W], [N, 1, H, W] or [N, H, W, 1]. Extents may be unknown.
    fileprivate var isOneMap: Bool {
        guard let shape, elementType?.isFloatingPoint ?? false || elementType == .uint8 || elementType == .int8 else {
            return false
        }
        let extents = shape.count == 4 ? (shape[1] == 1 ? shape[2...3] : shape[3] == 1 ? shape[1...2] : []) : shape[...]
        if shape.count == 4 { return extents.count == 2 && extents.allSatisfy { $0 != 1 } }
        return shape.count == 3 && extents.dropFirst().allSatisfy { $0 != 1 }
    }
}

extension TaskSettings {
    /// Which output becomes depth, and the range of its files.
    package var depth: DepthEstimator.Options {
        get { self[DepthEstimator.Options()] }
        set { self[DepthEstimator.Options()] = newValue }
    }
}
