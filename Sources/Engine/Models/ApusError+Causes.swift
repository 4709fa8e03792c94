import Formats
import Graphs
import Planning
import Platform
import Tensors

extension ApusError {
    /// Makes the error for a model file that could not be read.
    package init(_ error: FormatError, path: String) {
        switch error.kind {
        case .invalid: self = .invalidModel(path: path, message: "\(error)")
        case .unsupported: self = .unsupportedModel(path: path, message: "\(error)")
        case .unreadable: self = .file(path: path, message: "\(error)")
        case .memory: self = .memory("\(path): \(error)")
        }
    }

    /// Makes the error for one that a lower module threw, with the model's name.
    package init(_ error: any Error, model: String) {
        switch error {
        case let error as ApusError: self = error
        case PlanningError.cancelled, is CancellationError: self = .cancelled
        case PlanningError.device(let error, _):
            self = .backend(name: "opencl", message: "\(model): \(error)")
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
