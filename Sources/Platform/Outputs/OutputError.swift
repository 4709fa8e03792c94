/// Why answers could not be written.
public enum OutputError: Error, Sendable, Equatable {
    /// Whoever read the output has closed it and wants no more.
    case readerGone
    /// The system refused; says what is wrong with which output.
    case failed(name: String, message: String)
}

extension OutputError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .readerGone: "the reader of the output is gone"
        case .failed(let name, let message): "\(name): \(message)"
        }
    }
}

extension ApusError {
    /// An error of writing.
    public init(_ error: OutputError) {
        switch error {
        case .readerGone: self = .file(path: "output", message: "its reader is gone")
        case .failed(let name, let message): self = .file(path: name, message: message)
        }
    }
}
