import Graphs
import SwiftProtobuf

/// One layer of a neural network, whose parameters are decoded when its kind's translator asks for them.
struct Layer {
    let name: String
    let inputs: [String]
    let outputs: [String]
    let kind: LayerKind
    /// The kind's message.
    let parameters: CoreMLMessage

    private enum Field: Int, MessageField {
        case name = 1, input, output
    }

    /// Kinds of layers have field numbers from here on.
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

    /// The parameters.
    func decode<Parameters: Message>(_: Parameters.Type) throws(FormatError) -> Parameters {
        try parameters.decode()
    }

    /// The parameters, without the weights and networks in the fields of `Field`.
    func decode<Parameters: Message, Field: MessageField>(
        _: Parameters.Type, without _: Field.Type
    ) throws(FormatError) -> Parameters {
        try parameters.decode(omitting: Set(Field.allCases.map(\.rawValue)))
    }

    /// The weights in a field of the parameters.
    func weights(_ field: some MessageField) throws(FormatError) -> CoreMLWeights {
        guard parameters.contains(field.rawValue) else { throw .invalid("weights are missing") }
        return try CoreMLWeights(try parameters.message(field))
    }
}
