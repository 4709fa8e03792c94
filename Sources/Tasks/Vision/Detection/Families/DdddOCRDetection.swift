import Images
import Models

/// The detector of characters of ddddocr: a YOLOX of one class, whose boxes the package keeps from a confidence of 0.1.
/// The file does not differ from any other YOLOX-Tiny of one class, so that nothing tells it.
///
/// Source: `core/detection_engine.py` of https://github.com/sml2h3/ddddocr
struct DdddOCRDetection: ModelFamily {
    let name = "ddddocr-det"
    let title = "ddddocr's detection"
    let source = "https://github.com/sml2h3/ddddocr"
    let task = VisionTask.detect

    func evidence(in signature: TaskSignature) -> String? { nil }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        YOLOXDecoder.customaryPreprocessing(to: signature.inputSize ?? ImageSize(width: 416, height: 416))
    }

    var configuration: DetectionConfiguration? {
        var configuration = DetectionConfiguration()
        configuration.decoder = DecoderName.yolox.rawValue
        configuration.minimumConfidence = 0.1
        configuration.suppression = NonMaximumSuppression(threshold: 0.45, isClassAgnostic: true)
        return configuration
    }
}
