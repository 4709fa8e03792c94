import Images
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A predictor that finds or reads text: what ``TextDetector`` and ``TextLineReader`` have in common.
package protocol TextPredictor: PictureReader where Answer == RecognizedText {}

extension TextPredictor {
    package var labels: Labels? { nil }
    package var rowShape: [Int]? { nil }
}

extension Preprocessing {
    /// The steps of PaddleOCR: blue, green and red from −1 to 1, or gray for networks that take one channel.
    ///
    /// Source: https://github.com/RapidAI/RapidOCR
    static func paddleOCR(_ input: ImageInput, _ resizing: Resizing) -> Preprocessing {
        var steps = Preprocessing()
        steps.resizing = resizing
        steps.filter = .linear
        steps.scale = 1 / 255
        (steps.mean, steps.standardDeviation) = ([0.5], [0.5])
        steps.channelOrder = input.preprocessing.channelOrder == .gray ? .gray : .bgr
        return steps
    }
}
