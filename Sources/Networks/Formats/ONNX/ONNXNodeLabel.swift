import Graphs

/// The name and operator of a node, for error messages.
struct ONNXNodeLabel {
    let name: String
    let operatorName: String

    /// An error for a node that contradicts the format.
    func invalid(_ message: String) -> FormatError {
        .graph(.node(name: name, operatorName: operatorName, message: message, isUnsupported: false))
    }

    /// An error for a node that may be valid but is not supported.
    func unsupported(_ message: String) -> FormatError {
        .graph(.node(name: name, operatorName: operatorName, message: message, isUnsupported: true))
    }

    /// An error in a part of the node.
    func adding(_ subject: String, to error: FormatError) -> FormatError {
        switch error {
        case .invalid(let message): invalid("\(subject): \(message)")
        case .unsupported(let message): unsupported("\(subject): \(message)")
        case .unreadable, .memory, .graph: error.about("node \"\(name)\" (\(operatorName)): \(subject)")
        }
    }
}
