import Images
import Models

/// MoveNet of several people, whose file leaves the extents of pictures open: they are multiples of 32.
///
/// Source: https://www.kaggle.com/models/google/movenet (MultiPose Lightning)
struct MoveNetMultipose: ModelFamily {
    let name = PointDecoderName.movenetMultipose.rawValue
    let title = "MoveNet MultiPose"
    let source = "https://www.kaggle.com/models/google/movenet"
    let task = VisionTask.pose

    /// The size that its makers recommend.
    private static let size = ImageSize(width: 256, height: 256)

    func evidence(in signature: TaskSignature) -> String? {
        guard signature.layout == .channelsLast, signature.channelCount == 3,
            MoveNetMultiposeDecoder.recognizes(signature.detector)
        else { return nil }
        return "its six rows of 17 points and a box"
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        MoveNetMultiposeDecoder.customaryPreprocessing(to: signature.inputSize ?? Self.size)
    }

    var configuration: DetectionConfiguration? {
        var configuration = DetectionConfiguration()
        configuration.decoder = name
        return configuration
    }
}
