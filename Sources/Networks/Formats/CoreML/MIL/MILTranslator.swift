import Graphs
import Tensors

/// Translates the operations of an ML program into nodes, in order.
final class MILTranslator {
    var writer: LayerWriter
    let constants: MILConstants
    /// The classes, where the program ends in a classifier.
    var labels: [String]?
    /// The name of the operator set, such as `CoreML6`.
    var operatorSet = ""
    private var operands: [String: MILOperand] = [:]

    init(name: String, constants: MILConstants) {
        writer = LayerWriter(name: name)
        self.constants = constants
    }

    /// The number of the operator set; nil where its name has none.
    var operatorSetVersion: Int? { operatorSet.hasPrefix("CoreML") ? Int(operatorSet.dropFirst(6)) : nil }

    func define(_ name: String, _ operand: MILOperand) { operands[name] = operand }

    func operand(_ name: String) throws(FormatError) -> MILOperand {
        guard let operand = operands[name] else {
            throw .invalid("reads \"\(name)\", which nothing before it provides")
        }
        return operand
    }

    /// A value of the graph. Numbers become a constant.
    func value(_ operand: MILOperand) throws(FormatError) -> Graph.ValueID {
        switch operand {
        case .value(let id): return id
        case .tensor(let tensor): return writer.constant(tensor)
        case .text, .list: throw .invalid("a text or a list stands where numbers are expected")
        }
    }

    func translate(_ operation: MILOperation) throws(FormatError) {
        guard let operatorKind = MILOperatorKind.find(operation.kind) else {
            throw .unsupported(
                "operation \"\(operation.name)\": \(operation.kind) is not supported; "
                    + MILOperatorKind.remedy(operation.kind)
            )
        }
        do throws(FormatError) {
            writer.scope = operation.name
            try operatorKind.translate(operation, self)
        } catch {
            throw error.about("operation \"\(operation.name)\" (\(operation.kind))")
        }
    }

    /// Records the outputs of an operation.
    func output(_ operation: MILOperation, _ ids: Graph.ValueID...) throws(FormatError) {
        try output(operation, ids)
    }

    func output(_ operation: MILOperation, _ ids: [Graph.ValueID]) throws(FormatError) {
        guard operation.outputs.count <= ids.count else {
            throw .invalid("has \(operation.outputs.count) outputs; \(ids.count) are expected")
        }
        for (name, id) in zip(operation.outputs, ids) {
            writer.rename(id, name)
            define(name, .value(id))
        }
    }

    func shape(_ id: Graph.ValueID) throws(FormatError) -> [Int] { try writer.shape(of: id) }

    /// Whether a value holds floating-point numbers; true where the type is not known.
    func isFloatingPoint(_ id: Graph.ValueID) -> Bool { writer.type(of: id)?.elementType.isFloatingPoint ?? true }
}

/// An operation of an ML program, with its arguments resolved.
struct MILOperation {
    let kind: String
    let name: String
    let outputs: [String]
    let message: CoreMLMILOperation
    private let translator: MILTranslator

    init(_ message: CoreMLMILOperation, _ translator: MILTranslator) {
        kind = message.type
        outputs = message.outputs.map(\.name)
        name = outputs.first ?? message.type
        self.message = message
        self.translator = translator
    }

    func has(_ argument: String) -> Bool { message.inputs[argument].map { !$0.bindings.isEmpty } ?? false }

    /// An argument, or an attribute of the same name; nil where it is absent.
    func operand(_ argument: String) throws(FormatError) -> MILOperand? {
        if let bindings = message.inputs[argument]?.bindings, !bindings.isEmpty {
            var parts: [MILOperand] = []
            for binding in bindings {
                switch binding.binding {
                case .name(let name): parts.append(try translator.operand(name))
                case .value(let value): parts.append(try translator.constants.operand(value))
                case nil: throw .invalid("argument \"\(argument)\" is bound to nothing")
                }
            }
            return parts.count == 1 ? parts[0] : .list(parts)
        }
        guard let attribute = message.attributes[argument] else { return nil }
        return try translator.constants.operand(attribute)
    }

    func required(_ argument: String) throws(FormatError) -> MILOperand {
        guard let operand = try operand(argument) else { throw .invalid("argument \"\(argument)\" is missing") }
        return operand
    }

    func value(_ argument: String) throws(FormatError) -> Graph.ValueID {
        try translator.value(try required(argument))
    }

    /// The arguments of an operator on two values.
    var operands: [Graph.ValueID] {
        get throws(FormatError) { [try value("x"), try value("y")] }
    }

    func optionalValue(_ argument: String) throws(FormatError) -> Graph.ValueID? {
        guard let operand = try operand(argument) else { return nil }
        return try translator.value(operand)
    }

    /// The elements of a list.
    func values(_ argument: String) throws(FormatError) -> [Graph.ValueID] {
        guard case .list(let parts) = try required(argument) else { return [try value(argument)] }
        var ids: [Graph.ValueID] = []
        for part in parts { ids.append(try translator.value(part)) }
        return ids
    }

    /// Numbers that are part of the program; nil where the argument is absent.
    func tensor(_ argument: String) throws(FormatError) -> Tensor? {
        switch try operand(argument) {
        case .tensor(let tensor): return tensor
        case .value(let id):
            // Values computed from constants are known too.
            guard let constant = translator.writer.content(of: id) else {
                throw .unsupported("argument \"\(argument)\" is known only while the program runs")
            }
            return constant
        case nil: return nil
        case .text, .list: throw .invalid("argument \"\(argument)\" is not one array of numbers")
        }
    }

    /// Numbers that are part of the program.
    func requiredTensor(_ argument: String) throws(FormatError) -> Tensor {
        guard let tensor = try tensor(argument) else { throw .invalid("argument \"\(argument)\" is missing") }
        return tensor
    }

    func ints(_ argument: String) throws(FormatError) -> [Int]? {
        guard let tensor = try tensor(argument) else { return nil }
        guard tensor.elementCount <= 1 << 16 else { throw .invalid("argument \"\(argument)\" is too long") }
        return tensor.elements(as: Int64.self).map { Int($0) }
    }

    /// Integers that are part of the program, nil where they follow from an open axis of an input.
    func openInts(_ argument: String) throws(FormatError) -> [Int?]? {
        if case .value(let id)? = try operand(argument), let integers = translator.writer.integers(of: id) {
            return integers
        }
        return try ints(argument)
    }

    /// An argument of integers as a vector of int64; nil where none of `known` is open.
    func vector(_ argument: String, _ known: [Int?]) throws(FormatError) -> Graph.ValueID? {
        guard known.contains(nil) else { return nil }
        let wide = try translator.writer.cast(try value(argument), to: .int64)
        return try translator.writer.reshaped(wide, [-1])
    }

    func bools(_ argument: String) throws(FormatError) -> [Bool] { (try ints(argument) ?? []).map { $0 != 0 } }

    func int(_ argument: String) throws(FormatError) -> Int? { try ints(argument)?.first }

    func bool(_ argument: String, default fallback: Bool = false) throws(FormatError) -> Bool {
        try int(argument).map { $0 != 0 } ?? fallback
    }

    func float(_ argument: String) throws(FormatError) -> Float? {
        try tensor(argument)?.elements(as: Float.self).first
    }

    func text(_ argument: String) throws(FormatError) -> String? {
        guard let operand = try operand(argument) else { return nil }
        guard case .text(let text) = operand else { throw .invalid("argument \"\(argument)\" is not a text") }
        return text
    }
}
