import Apus
import CApus

/// Why a function of the interface failed.
struct InterfaceError: Error {
    let status: Int
    /// A short name for programs.
    var code: String
    /// The file, backend or stage that is at fault, and behind it the node of a network; empty when there is none.
    var place = ""
    /// One line for people.
    var message: String

    /// An argument, an option or an input that does not fit.
    static func argument(_ message: String, code: String = "argument") -> InterfaceError {
        InterfaceError(status: APUS_ERROR_ARGUMENT, code: code, message: message)
    }

    /// The end of a wait, which is no failure.
    static func timeout(_ message: String) -> InterfaceError {
        InterfaceError(status: APUS_TIMEOUT, code: "timeout", message: message)
    }

    /// A mistake of the library.
    static func bug(_ message: String) -> InterfaceError {
        InterfaceError(status: APUS_ERROR_BUG, code: "bug", message: message)
    }
}

extension InterfaceError {
    /// Describes any error that the modules below throw.
    init(_ error: any Error) {
        switch error {
        case let error as InterfaceError: self = error
        case let error as ApusError: self.init(error)
        case let error as OutputError: self.init(ApusError(error))
        case let error as RecordError:
            self.init(
                status: error.isCancellation ? APUS_ERROR_CANCELLED : APUS_ERROR_PICTURE, code: error.code,
                place: error.stage, message: error.message)
        case let error as TensorError:
            let isMemory = error.isLackOfMemory
            self.init(
                status: isMemory ? APUS_ERROR_MEMORY : APUS_ERROR_ARGUMENT, code: isMemory ? "memory" : "tensor",
                message: "\(error)")
        case let error as ImageError:
            self.init(status: APUS_ERROR_PICTURE, code: error.code, place: "decode", message: "\(error)")
        case is CancellationError: self.init(ApusError.cancelled)
        default: self.init(status: APUS_ERROR_BUG, code: "bug", message: "\(error)")
        }
    }

    private init(_ error: ApusError) {
        (code, message) = (error.kind.code, "\(error)")
        status =
            switch error.kind {
            case .file: APUS_ERROR_FILE
            case .invalidModel: APUS_ERROR_INVALID_MODEL
            case .unsupportedModel: APUS_ERROR_UNSUPPORTED_MODEL
            case .usage: APUS_ERROR_ARGUMENT
            case .backend: APUS_ERROR_BACKEND
            case .memory: APUS_ERROR_MEMORY
            case .cancelled: APUS_ERROR_CANCELLED
            case .bug: APUS_ERROR_BUG
            }
        switch error {
        case .file(let path, _), .invalidModel(let path, _), .unsupportedModel(let path, _): place = path
        case .backend(let name, _): place = name
        default: break
        }
        if let node = error.node { place += (place.isEmpty ? "" : ": ") + "node \"\(node.printable)\"" }
    }
}

extension RecordError {
    fileprivate var isCancellation: Bool { self == .cancelled }
}

extension ApusError.Kind {
    /// The name in errors of the interface.
    fileprivate var code: String {
        switch self {
        case .file: "file"
        case .invalidModel: "invalid-model"
        case .unsupportedModel: "unsupported-model"
        case .usage: "argument"
        case .backend: "backend"
        case .memory: "memory"
        case .cancelled: "cancelled"
        case .bug: "bug"
        }
    }
}

extension apus_error {
    /// Says that nothing failed.
    mutating func clear() {
        status = apus_status(APUS_OK)
        (code.0, place.0, message.0) = (0, 0, 0)
    }

    /// Fills the error; text that is too long is cut between characters.
    mutating func fill(_ error: InterfaceError) {
        status = apus_status(error.status)
        withUnsafeMutableBytes(of: &code) { $0.fill(error.code) }
        withUnsafeMutableBytes(of: &place) { $0.fill(error.place) }
        // Names in files could steer a terminal.
        withUnsafeMutableBytes(of: &message) { $0.fill(error.message.printable) }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes as much of a text as fits before a zero byte, without a part of a character.
    fileprivate func fill(_ text: String) {
        var length = 0
        for scalar in text.unicodeScalars where scalar.value != 0 {
            let units = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            guard length + units.count < count else { break }
            for unit in units {
                self[length] = unit
                length += 1
            }
        }
        self[length] = 0
    }
}
