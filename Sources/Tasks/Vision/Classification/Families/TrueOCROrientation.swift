import Images
import Models

/// How a page is turned, as TrueOCR tells it: 0, 90, 180 or 270 degrees, or text that runs downwards.
///
/// Source: `page.py` of TrueOCR, https://pypi.org/project/trueocr/
struct TrueOCROrientation: ModelFamily {
    let name = "trueocr-orient"
    let title = "TrueOCR's orientation of pages"
    let source = "https://pypi.org/project/trueocr/"
    let task = VisionTask.classify
    let labels: Labels? = Labels(["0", "90", "180", "270", "vertical"])

    private static let size = ImageSize(width: 768, height: 768)

    func evidence(in signature: TaskSignature) -> String? {
        guard signature.channelCount == 1, signature.inputSize == Self.size, signature.outputs(are: [5]),
            signature.count(of: "Conv") == 26, signature.graph.parameterCount < 100_000
        else { return nil }
        return "its five classes behind 26 convolutions of 768x768 gray pixels"
    }

    /// The network takes the share of ink in each pixel: 1 for black.
    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        var steps = Preprocessing()
        (steps.resizing, steps.longEdgeRounding, steps.padding) = (.within(Self.size), .nearest, Self.size)
        (steps.filter, steps.scale, steps.channelOrder) = (.area, 1 / 255, .gray)
        (steps.mean, steps.standardDeviation) = ([1], [-1])
        return steps
    }
}
