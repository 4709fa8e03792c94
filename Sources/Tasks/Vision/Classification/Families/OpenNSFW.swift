import Images
import Models

/// Open NSFW of Yahoo: whether a picture is not suitable for work.
///
/// Yahoo's code compresses the resized picture as JPEG again before the network sees it.
///
/// Source: `classify_nsfw.py` of https://github.com/yahoo/open_nsfw
struct OpenNSFW: ModelFamily {
    let name = "open-nsfw"
    let title = "Open NSFW"
    let source = "https://github.com/yahoo/open_nsfw"
    let task = VisionTask.classify
    let labels: Labels? = Labels(["sfw", "nsfw"])

    /// ResNet-50 thin has as many convolutions as ResNet-50, but a quarter of its parameters.
    func evidence(in signature: TaskSignature) -> String? {
        let isThin = (5_500_000...6_300_000).contains(signature.graph.parameterCount)
        guard signature.takesColors(width: 224, height: 224), signature.outputs(are: [2]), isThin,
            signature.count(of: "Conv") == 53
        else { return nil }
        return "its two classes and a ResNet-50 of a quarter of the width"
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        var steps = Preprocessing(
            .fill, to: ImageSize(width: 256, height: 256), mean: [123, 117, 104], channelOrder: .bgr)
        steps.crop = ImageSize(width: 224, height: 224)
        steps.jpegQuality = 75
        return steps
    }
}
