import Formats
import Graphs
import Planning
import Tensors

/// Why Apus could not do what was asked. The description is one line that names the file, node or input.
public enum ApusError: Error, Sendable {
    /// A file could not be read or written.
    case file(path: String, message: String)
    /// A model file is damaged, contradicts its format, or is no model.
    case invalidModel(path: String, message: String)
    /// A model is valid but uses something that Apus does not do.
    case unsupportedModel(path: String, message: String)
    /// Inputs do not fit the network, or options contradict one another.
    case usage(String)
    /// A backend or device that was asked for is not there.
    case backend(name: String, message: String)
    /// More memory is needed than the budget allows.
    case memory(String)
    /// The work was cancelled.
    case cancelled
    /// Apus contradicts itself.
    case bug(String)

    /// The exit code of the command for this error.
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

extension ApusError {
    /// An error of reading a model file.
    init(_ error: FormatError, path: String) {
        switch error.kind {
        case .invalid: self = .invalidModel(path: path, message: "\(error)")
        case .unsupported: self = .unsupportedModel(path: path, message: "\(error)")
        case .unreadable: self = .file(path: path, message: "\(error)")
        }
    }

    /// An error of the rooms below, with the model's name.
    init(_ error: any Error, model: String) {
        switch error {
        case let error as ApusError: self = error
        case PlanningError.cancelled, is CancellationError: self = .cancelled
        case PlanningError.device(let error, _):
            self = .backend(name: BackendName.opencl.rawValue, message: "\(model): \(error)")
        case PlanningError.tooLarge, PlanningError.arena, PlanningError.memory, GraphError.memory:
            self = .memory("\(model): \(error)")
        case PlanningError.tensor(let error): self.init(error, model: model)
        case PlanningError.graph(let error): self.init(error, model: model)
        case GraphError.tensor(let error) where error.isLackOfMemory: self = .memory("\(model): \(error)")
        case let error as GraphError:
            if case .input = error {
                self = .usage("\(model): \(error)")
            } else if error.isUnsupported {
                self = .unsupportedModel(path: model, message: "\(error)")
            } else {
                self = .invalidModel(path: model, message: "\(error)")
            }
        case let error as PlanningError: self = .unsupportedModel(path: model, message: "\(error)")
        case TensorError.overBudget, TensorError.outOfMemory: self = .memory("\(model): \(error)")
        case TensorError.unreadable(let message): self = .file(path: model, message: message)
        case is TensorError: self = .usage("\(model): \(error)")
        default: self = .bug("\(model): \(error)")
        }
    }
}
