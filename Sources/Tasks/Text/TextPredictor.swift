import Images
import Inference
import Platform
import Preparation
import Tensors

/// A predictor that finds or reads text: what ``TextDetector`` and ``TextLineReader`` have in common.
package protocol TextPredictor: PictureReader where Answer == RecognizedText {}

extension TextPredictor {
    package var labels: Labels? { nil }
    package var content: ImageAnswer.Content { .text }
    package var rowShape: [Int]? { nil }

    /// The output that is read, as the network gives it and as numbers.
    func scores(_ rows: [Tensor]) throws -> (row: Tensor, numbers: Tensor) {
        guard let row = rows.first else { throw ApusError.bug("no output") }
        return (row, try outputs.outputs.first?.quantization.map { try row.dequantized($0) } ?? row)
    }
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
