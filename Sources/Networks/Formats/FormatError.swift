import Graphs
import Tensors

/// Why a model file could not be turned into a graph.
///
/// Its description is one line of limited length for any file, and does not repeat the file's name.
package enum FormatError: Error, Sendable {
    /// The file is not a model, is damaged, or contradicts its format.
    case invalid(String)
    /// The file may be valid, but it needs a feature that Apus lacks.
    case unsupported(String)
    /// The file, or one it refers to, could not be read.
    case unreadable(String)
    /// What the file holds does not fit in memory, or in its limit.
    case memory(String)
    /// The network in the file is not valid, or needs a feature that Apus lacks.
    case graph(GraphError)

    /// What a caller can do about an error.
    package enum Kind: Sendable {
        /// No program will read this file.
        case invalid
        /// Another program, or a later version of Apus, may run this model.
        case unsupported
        /// The same file may load once it can be read.
        case unreadable
        /// The same file may load with more memory.
        case memory
    }

    /// What a caller can do about the error.
    package var kind: Kind {
        switch self {
        case .invalid: .invalid
        case .unsupported: .unsupported
        case .unreadable: .unreadable
        case .memory: .memory
        case .graph(.tensor(let error)), .graph(.memory(_, _, let error)): FormatError(error).kind
        case .graph(let error): error.isUnsupported ? .unsupported : .invalid
        }
    }

    /// Makes the error of a tensor that could not be made.
    package init(_ error: TensorError) {
        switch error {
        case .overBudget, .outOfMemory: self = .memory(error.description)
        case .unreadable: self = .unreadable(error.description)
        default: self = .invalid(error.description)
        }
    }

    /// Makes the error for any error that was thrown while bytes were read into tensors.
    init(_ error: any Error) {
        switch error {
        case let error as FormatError: self = error
        case let error as TensorError: self.init(error)
        default: self = .invalid("\(error)")
        }
    }

    /// Makes the error of a node whose operator rejects its attributes or inputs.
    init(_ error: OperatorError, node: String, operatorName: String) {
        if case .tensor(let error) = error, error.isLackOfMemory {
            self = .graph(.memory(node: node, operatorName: operatorName, error))
            return
        }
        self = .graph(
            .node(
                name: node, operatorName: operatorName, message: error.description,
                isUnsupported: error.isUnsupported))
    }

    /// The same error, preceded by its subject: `initializer "conv1_w": …`.
    package func about(_ subject: String) -> FormatError {
        switch self {
        case .invalid(let message): .invalid("\(subject): \(message)")
        case .unsupported(let message): .unsupported("\(subject): \(message)")
        case .unreadable(let message): .unreadable("\(subject): \(message)")
        case .memory(let message): .memory("\(subject): \(message)")
        case .graph: self
        }
    }
}

extension OperatorError {
    /// Whether the operator's definition allows the feature that Apus lacks.
    var isUnsupported: Bool { if case .unsupported = self { true } else { false } }
}

extension FormatError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalid(let message), .unsupported(let message), .unreadable(let message), .memory(let message):
            message.oneLine
        case .graph(let error): error.description.oneLine
        }
    }
}

extension String {
    /// The text on one line, with control characters escaped and the middle of very long texts left out, since names in
    /// a file may hold anything.
    fileprivate var oneLine: String {
        let limit = 600
        var text = ""
        for scalar in unicodeScalars.count > limit ? shortened(to: limit).unicodeScalars : unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: text += scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private func shortened(to limit: Int) -> String {
        String(unicodeScalars.prefix(limit / 2)) + " … " + String(unicodeScalars.suffix(limit / 2))
    }
}
