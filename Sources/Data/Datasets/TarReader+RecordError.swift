import Platform
import Preparation

extension TarReader.Damage {
    /// The error record for the rest of the archive, which is missing.
    var recordError: RecordError {
        switch self {
        case .stream(let damage):
            RecordError(stage: "read", code: damage.code, message: "the archive \(damage.message)")
        case .cutOff(let place):
            RecordError(stage: "read", code: "truncated", message: "the archive is cut off: \(place)")
        case .corrupt(let message):
            RecordError(stage: "read", code: "corrupt", message: "the archive is damaged: \(message)")
        }
    }
}
