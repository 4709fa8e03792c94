import Images
import Models

/// Whether a line of text stands on its head, as PaddleOCR tells it: 0 or 180 degrees.
///
/// Source: `ch_ppocr_cls/main.py` of https://github.com/RapidAI/RapidOCR
struct PaddleTextDirection: ModelFamily {
    let name = "paddleocr-cls"
    let title = "PaddleOCR's direction of lines"
    let source = "https://github.com/RapidAI/RapidOCR"
    let task = VisionTask.classify
    let labels: Labels? = Labels(["0", "180"])

    private static let size = ImageSize(width: 192, height: 48)

    func evidence(in signature: TaskSignature) -> String? {
        // The network is the MobileNet v3 that all versions up to the fifth have.
        guard signature.isFromPaddle, signature.channelCount == 3, signature.outputs(are: [2]),
            signature.inputSize.map({ $0 == Self.size }) ?? true, signature.count(of: "Conv") == 53
        else { return nil }
        return "its two classes behind 53 convolutions, from PaddlePaddle"
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        let line = Preprocessing.Line(
            height: Self.size.height, minimumWidth: Self.size.width, maximumWidth: Self.size.width)
        var steps = Preprocessing()
        (steps.resizing, steps.filter) = (.line(line), .linear)
        (steps.scale, steps.channelOrder) = (1 / 255, .bgr)
        (steps.mean, steps.standardDeviation) = ([0.5], [0.5])
        return steps
    }
}
