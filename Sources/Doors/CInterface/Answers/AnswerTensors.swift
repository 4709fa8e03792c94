import Apus

/// The numbers of an answer, by name.
final class AnswerTensors: Sendable {
    /// The tensors with their names.
    let tensors: [(name: CString, tensor: TensorObject)]

    /// - Throws: `TensorError`; ``InterfaceError`` for elements that tensors of the interface do not have.
    init(_ answer: ImageAnswer?) throws {
        let named = try answer?.base.namedTensors() ?? []
        tensors = try named.map { (CString($0.0), try TensorObject($0.1)) }
    }
}
