import Graphs
import SwiftProtobuf

/// A layer of a neural network. Its parameters are decoded when the translator of its kind needs them.
struct Layer {
    let name: String
    let inputs: [String]
    let outputs: [String]
    let kind: LayerKind
    /// The message of the layer's kind.
    let parameters: CoreMLMessage

    private enum Field: Int, MessageField {
        case name = 1, input, output
    }

    /// The smallest field number of a kind of layer.
    private static let firstKindField = 100

    /// - Throws: ``FormatError`` naming the layer when its kind is not known.
    init(_ message: CoreMLMessage) throws(FormatError) {
        let names: CoreMLLayer = try message.decode { Field(rawValue: $0) != nil }
        name = names.name
        inputs = names.input
        outputs = names.output
        guard let field = message.fields.last(where: { $0.number >= Self.firstKindField }) else {
            throw .invalid("layer \"\(names.name)\": names no kind of layer")
        }
        guard let kind = LayerKind.find(field.number) else {
            throw .unsupported("layer \"\(names.name)\": kind \(field.number) of layers is not known")
        }
        guard field.wire == .lengthDelimited else { throw .invalid("layer \"\(names.name)\": is damaged") }
        self.kind = kind
        do throws(FormatError) {
            parameters = try CoreMLMessage(message.content, field.value)
        } catch {
            throw error.about("layer \"\(names.name)\" (\(kind.name))")
        }
    }

    /// Decodes the parameters.
    func decode<Parameters: Message>(_: Parameters.Type) throws(FormatError) -> Parameters {
        try parameters.decode()
    }

    /// Decodes the parameters without the weights and networks in the fields of `Field`.
    func decode<Parameters: Message, Field: MessageField>(
        _: Parameters.Type, without _: Field.Type
    ) throws(FormatError) -> Parameters {
        try parameters.decode(omitting: Field.numbers)
    }

    /// The weights in a field of the parameters.
    func weights(_ field: some MessageField) throws(FormatError) -> CoreMLWeights {
        guard parameters.contains(field.rawValue) else { throw .invalid("weights are missing") }
        return try CoreMLWeights(try parameters.message(field))
    }
}
