/// A kind of layer: how it is told in a file, and what it becomes.
struct LayerKind: Sendable {
    /// Writes the nodes that a layer becomes.
    typealias Translator = @Sendable (Layer, NetworkTranslator) throws(FormatError) -> Void

    /// What is done with a kind.
    enum Support: Sendable {
        case translated(Translator)
        /// Why it is refused.
        case refused(String)
    }

    /// The number of its field in the layer's message.
    let field: Int
    /// The name of that field.
    let name: String
    let support: Support

    init(_ field: Int, _ name: String, _ translate: @escaping Translator) {
        self.field = field
        self.name = name
        support = .translated(translate)
    }

    init(_ field: Int, _ name: String, refused reason: String) {
        self.field = field
        self.name = name
        support = .refused(reason)
    }

    static func find(_ field: Int) -> LayerKind? { byField[field] }

    private static let byField = Dictionary(
        all.map { ($0.field, $0) }, uniquingKeysWith: { first, _ in first })

    /// Every kind of layer that the format has, in the order of the field numbers.
    static let all: [LayerKind] =
        (imageKinds + arithmeticKinds + rearrangingKinds + recurrentKinds + controlKinds + functionKinds
        + comparisonKinds
        + broadcastingKinds + indexingKinds + shapeKinds + randomKinds + reductionKinds + otherKinds)
        .sorted { $0.field < $1.field }
}
