import Images
import Models

/// The characters of a line at its places, as PaddleOCR exports its recognisers. The metadata of some name the
/// characters; for others, labels must be given.
///
/// Source: `ch_ppocr_rec/main.py` of https://github.com/RapidAI/RapidOCR
struct PaddleTextRecognition: ModelFamily {
    let name = "paddleocr-rec"
    let title = "PaddleOCR's recognition"
    let source = "https://github.com/RapidAI/RapidOCR"
    let task = VisionTask.text

    /// The least number of characters: digits, letters of both cases, and none.
    private static let minimumCount = 63

    func evidence(in signature: TaskSignature) -> String? {
        guard signature.isFromPaddle, signature.channelCount == 3, signature.outputs.count == 1,
            let shape = signature.outputs[0].shape, shape.count == 3, let count = shape[2],
            count >= Self.minimumCount, signature.inputSize.map({ $0.width > $0.height }) ?? true,
            let output = signature.graph.outputs.first, signature.graph.ends(in: ["Softmax"], at: output)
        else { return nil }
        return "the shares of \(count) characters at each place, from PaddlePaddle"
    }

    /// The steps follow the height of the network.
    func preprocessing(for signature: TaskSignature) -> Preprocessing? { nil }
}
