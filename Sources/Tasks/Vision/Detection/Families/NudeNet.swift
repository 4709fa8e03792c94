import Images
import Models

/// NudeNet 3: parts of bodies, by a YOLOv8. Its class names are in the metadata of newer files; older ones have to be
/// named.
///
/// Source: `nudenet.py` of https://github.com/notAI-tech/NudeNet
struct NudeNet: ModelFamily {
    let name = "nudenet"
    let title = "NudeNet"
    let source = "https://github.com/notAI-tech/NudeNet"
    let task = VisionTask.detect
    let labels: Labels? = Labels([
        "FEMALE_GENITALIA_COVERED", "FACE_FEMALE", "BUTTOCKS_EXPOSED", "FEMALE_BREAST_EXPOSED",
        "FEMALE_GENITALIA_EXPOSED", "MALE_BREAST_EXPOSED", "ANUS_EXPOSED", "FEET_EXPOSED", "BELLY_COVERED",
        "FEET_COVERED", "ARMPITS_COVERED", "ARMPITS_EXPOSED", "FACE_MALE", "BELLY_EXPOSED", "MALE_GENITALIA_EXPOSED",
        "ANUS_COVERED", "FEMALE_BREAST_COVERED", "BUTTOCKS_COVERED",
    ])

    /// The size of the smaller of its two networks, which the file leaves open.
    private static let size = ImageSize(width: 320, height: 320)

    func evidence(in signature: TaskSignature) -> String? {
        let isNamed = signature.graph.metadata["names"]?.contains("'FEMALE_GENITALIA_COVERED'") ?? false
        return isNamed ? "the names of its classes" : nil
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        // The package turns the order of colors twice.
        var steps = Preprocessing(
            .fill, to: signature.inputSize ?? Self.size, filter: .linear, scale: 1 / 255, channelOrder: .bgr)
        steps.squareBorder = .init(isCentered: false)
        return steps
    }

    var configuration: DetectionConfiguration? {
        var configuration = DetectionConfiguration()
        configuration.decoder = DecoderName.yolov8.rawValue
        configuration.inputSize = Self.size
        configuration.minimumConfidence = 0.25
        configuration.suppression = NonMaximumSuppression(threshold: 0.45, isClassAgnostic: true)
        return configuration
    }
}
