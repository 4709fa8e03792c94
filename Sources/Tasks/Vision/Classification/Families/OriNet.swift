import Images
import Models

/// OriNet of occular-deskew: how a page is turned clockwise, 0, 90, 180 or 270 degrees.
///
/// The package asks the network about all four directions of a page, and takes the mean.
///
/// Source: `orient_onnx.py` of occular-deskew, https://pypi.org/project/occular-deskew/
struct OriNet: ModelFamily {
    let name = "orinet"
    let title = "OriNet"
    let source = "https://pypi.org/project/occular-deskew/"
    let task = VisionTask.classify
    let labels: Labels? = Labels(["0", "90", "180", "270"])

    private static let size = ImageSize(width: 320, height: 320)

    func evidence(in signature: TaskSignature) -> String? {
        guard signature.takesColors(width: Self.size.width, height: Self.size.height), signature.outputs(are: [4]),
            signature.count(of: "Conv") == 8, (1_150_000...1_250_000).contains(signature.graph.parameterCount)
        else { return nil }
        return "its four classes behind 8 convolutions of 320x320 pixels"
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        let white = Preprocessing.Color(red: 255, green: 255, blue: 255)
        var steps = Preprocessing()
        steps.resizing = .letterbox(Self.size, color: white, .ultralytics)
        (steps.scale, steps.mean) = (1 / 255, Preprocessing.imageNetMean)
        steps.standardDeviation = Preprocessing.imageNetDeviation
        return steps
    }
}
