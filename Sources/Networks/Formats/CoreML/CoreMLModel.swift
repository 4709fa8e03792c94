/// A model in a file. Its description is decoded, and its content is only located.
struct CoreMLModel {
    let specificationVersion: Int
    let description: CoreMLModelDescription
    /// The message that ``description`` was decoded from.
    let descriptionMessage: CoreMLMessage
    let kind: CoreMLModelKind
    /// The message of the model's kind.
    let content: CoreMLMessage

    /// The newest known version of the format.
    static let newestVersion = 9
    private enum Field: Int, MessageField {
        case version = 1, description
    }
    private static let maximumDescriptionBytes = 2 << 20

    /// - Throws: ``FormatError`` when the model is of a newer version, or of a kind that is refused.
    init(_ message: CoreMLMessage) throws(FormatError) {
        specificationVersion = Int(try message.decode(CoreMLModelHeader.self) { $0 == Field.version.rawValue }.version)
        guard specificationVersion > 0 else {
            throw .invalid("the model names no version of the format; the file may be damaged")
        }
        guard specificationVersion <= Self.newestVersion else {
            throw .unsupported(
                "the model needs version \(specificationVersion) of Core ML's format; Apus knows them up to "
                    + "\(Self.newestVersion)")
        }
        guard let field = message.fields.last(where: { $0.number >= CoreMLModelKind.firstField }) else {
            throw .invalid("the file holds no model; it may be cut short")
        }
        guard let kind = CoreMLModelKind(rawValue: field.number), field.wire == .lengthDelimited else {
            throw .unsupported("models of kind \(field.number) are not known")
        }
        if let refusal = kind.refusal { throw .unsupported(refusal) }
        self.kind = kind
        let descriptions = message.ranges(Field.description)
        guard let range = descriptions.last else { throw .invalid("the model has no description") }
        description = try message.decode(range, atMost: Self.maximumDescriptionBytes)
        descriptionMessage = try CoreMLMessage(message.content, range)
        content = try CoreMLMessage(message.content, field.value)
    }
}
