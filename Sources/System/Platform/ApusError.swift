/// Why Apus could not do what was asked. The description is one line that names the file, node or input.
public enum ApusError: Error, Sendable {
    /// A file could not be read or written.
    case file(path: String, message: String)
    /// A model file is damaged, contradicts its format, or is not a model.
    case invalidModel(path: String, message: String)
    /// A model is valid but uses something that Apus does not support.
    case unsupportedModel(path: String, message: String)
    /// Inputs do not fit the network, or options contradict one another.
    case usage(String)
    /// A backend or device that was asked for is not available.
    case backend(name: String, message: String)
    /// More memory is needed than the budget allows.
    case memory(String)
    /// The work was cancelled.
    case cancelled
    /// Apus has an internal error.
    case bug(String)

    /// The kinds of errors.
    public enum Kind: String, Sendable {
        case file, invalidModel, unsupportedModel, usage, backend, memory, cancelled, bug
    }

    /// The kind of error, without the path and the message.
    public var kind: Kind {
        switch self {
        case .file: .file
        case .invalidModel: .invalidModel
        case .unsupportedModel: .unsupportedModel
        case .usage: .usage
        case .backend: .backend
        case .memory: .memory
        case .cancelled: .cancelled
        case .bug: .bug
        }
    }

    /// The node of a network that is at fault, as the message names it; nil when it names none.
    package var node: String? {
        let message =
            switch self {
            case .file(_, let message), .invalidModel(_, let message), .unsupportedModel(_, let message),
                .backend(_, let message), .usage(let message), .memory(let message), .bug(let message):
                message
            case .cancelled: ""
            }
        // The form that errors of graphs and of plans have: node "conv1" (Conv).
        return message.firstMatch(of: /(?:node|layer) "([^"]+)" \(/).map { String($0.1) }
    }

    /// The exit code of the command for this error.
    @available(*, deprecated, message: "exit codes belong to the command; use kind")
    public var exitCode: Int32 {
        switch self {
        case .usage: 2
        case .invalidModel, .unsupportedModel: 3
        case .backend: 4
        case .file, .memory: 5
        case .cancelled: 6
        case .bug: 70
        }
    }
}

extension ApusError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .file(let path, let message), .invalidModel(let path, let message),
            .unsupportedModel(let path, let message):
            "\(path): \(message)"
        case .usage(let message), .memory(let message): message
        case .backend(let name, let message): "backend \(name): \(message)"
        case .cancelled: "cancelled"
        case .bug(let message): "this is a bug in Apus: \(message)"
        }
    }
}
