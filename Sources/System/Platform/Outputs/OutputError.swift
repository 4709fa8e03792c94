/// Why answers could not be written.
public enum OutputError: Error, Sendable, Equatable {
    /// The reader of the output has closed it.
    case readerGone
    /// The system refused to write to the output called `name`; `message` says why.
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
    /// Makes the error for an output that could not be written.
    public init(_ error: OutputError) {
        switch error {
        case .readerGone: self = .file(path: "output", message: "its reader is gone")
        case .failed(let name, let message): self = .file(path: name, message: message)
        }
    }
}
