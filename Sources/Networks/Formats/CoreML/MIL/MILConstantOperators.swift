import Graphs
import Tensors

/// Constants and classes.
extension MILOperatorKind {
    static func constant(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let name = operation.outputs.first else { throw .invalid("gives nothing") }
        program.define(name, try operation.required("val"))
    }

    /// Reads the classes, whose names are part of the program. The input holds their probabilities, from which the
    /// class follows.
    static func classify(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let name = operation.outputs.last else { throw .invalid("gives nothing") }
        switch try operation.required("classes") {
        case .list(let parts):
            program.labels = parts.flatMap { part -> [String] in
                switch part {
                case .text(let text): [text]
                case .tensor(let tensor): tensor.elements(as: Int64.self).map(String.init)
                case .value, .list: []
                }
            }
        case .text(let text): program.labels = [text]
        case .tensor(let tensor): program.labels = tensor.elements(as: Int64.self).map(String.init)
        case .value: throw .invalid("its classes are computed")
        }
        program.define(name, .value(try operation.value("probabilities")))
    }

    static func castConstant(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let name = operation.outputs.first else { throw .invalid("gives nothing") }
        program.define(name, try operation.required("source_val"))
    }
}
