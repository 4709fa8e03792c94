/// A kind of layer: its field in a file, and its translation.
struct LayerKind: Sendable {
    /// Writes the nodes of a layer.
    typealias Translator = @Sendable (Layer, NetworkTranslator) throws(FormatError) -> Void

    /// Whether a kind is translated or refused.
    enum Support: Sendable {
        case translated(Translator)
        /// The reason why the kind is refused.
        case refused(String)
    }

    /// The kind's field in the layer's message.
    let field: LayerField
    let support: Support

    init(_ field: LayerField, _ translate: @escaping Translator) {
        self.field = field
        support = .translated(translate)
    }

    init(_ field: LayerField, refused reason: String) {
        self.field = field
        support = .refused(reason)
    }

    /// The name of its field.
    var name: String { field.name }

    /// The kind whose field has this number.
    static func find(_ number: Int) -> LayerKind? { LayerField(rawValue: number).flatMap { byField[$0] } }

    private static let byField = Dictionary(
        all.map { ($0.field, $0) }, uniquingKeysWith: { first, _ in first })

    /// Every kind of layer in the format, in the order of the field numbers.
    static let all: [LayerKind] =
        (imageKinds + arithmeticKinds + rearrangingKinds + recurrentKinds + controlKinds + functionKinds
        + comparisonKinds
        + broadcastingKinds + indexingKinds + shapeKinds + randomKinds + reductionKinds + otherKinds)
        .sorted { $0.field.rawValue < $1.field.rawValue }
}
