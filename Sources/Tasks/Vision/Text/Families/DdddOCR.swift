import Images
import Models

/// The readers of captchas of ddddocr: one gray line, of which 8210 characters are told.
///
/// The package's list of characters, which is not in the file, begins with the one that stands for no character.
///
/// Source: `core/ocr_engine.py` of https://github.com/sml2h3/ddddocr
struct DdddOCR: ModelFamily {
    let name = "ddddocr"
    let title = "ddddocr"
    let source = "https://github.com/sml2h3/ddddocr"
    let task = VisionTask.text

    func evidence(in signature: TaskSignature) -> String? {
        guard signature.channelCount == 1, signature.inputSize == nil, signature.outputs.count == 1,
            signature.outputs[0].shape?.last == 8210, signature.count(of: "LSTM") > 0
        else { return nil }
        return "its 8210 characters of a gray line"
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        var steps = Preprocessing()
        (steps.resizing, steps.filter) = (.line(.init(height: 64)), .lanczos)
        (steps.scale, steps.channelOrder) = (1 / 255, .gray)
        return steps
    }
}
