import Images
import Models

/// A family that reads its outputs as a decoder of objects does. The outputs tell it (``DetectTask``).
struct DecoderFamily: ModelFamily {
    let decoder: any ObjectDecoder.Type

    var name: String { decoder.name.rawValue }
    var title: String { "decoder \(name)" }
    var source: String { decoder.summary }
    var task: VisionTask { .detect }
    var configuration: DetectionConfiguration? {
        var configuration = DetectionConfiguration()
        configuration.decoder = name
        return configuration
    }

    func evidence(in signature: TaskSignature) -> String? { nil }
    func preprocessing(for signature: TaskSignature) -> Preprocessing? { nil }
}
