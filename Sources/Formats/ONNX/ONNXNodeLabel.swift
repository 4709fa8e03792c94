import Graphs

/// What error messages call a node.
struct ONNXNodeLabel {
    let name: String
    let operatorName: String

    /// The node contradicts the format.
    func invalid(_ message: String) -> FormatError {
        .graph(.node(name: name, operatorName: operatorName, message: message, isUnsupported: false))
    }

    /// The node may be right, but Apus does not do what it asks for.
    func unsupported(_ message: String) -> FormatError {
        .graph(.node(name: name, operatorName: operatorName, message: message, isUnsupported: true))
    }

    /// An error in something that belongs to the node.
    func adding(_ subject: String, to error: FormatError) -> FormatError {
        switch error {
        case .invalid(let message): invalid("\(subject): \(message)")
        case .unsupported(let message): unsupported("\(subject): \(message)")
        case .unreadable, .graph: error.about("node \"\(name)\" (\(operatorName)): \(subject)")
        }
    }
}
