/// Layers along sequences, and those that run others.
extension LayerKind {
    static let recurrentKinds = [
        LayerKind(400, "simpleRecurrent", simpleRecurrent),
        LayerKind(410, "gru", gatedRecurrentUnit),
        LayerKind(420, "uniDirectionalLSTM", longShortTermMemory),
        LayerKind(430, "biDirectionalLSTM", bidirectionalLSTM),
    ]

    static let controlKinds = [
        LayerKind(500, "custom", refused: "custom layers are code of an app, which the file does not hold"),
        LayerKind(600, "copy", copy),
        LayerKind(605, "branch", branch),
        LayerKind(615, "loop", loop),
        LayerKind(620, "loopBreak", refused: "leaving a loop from within is not supported"),
        LayerKind(625, "loopContinue", refused: "going on with a loop from within is not supported"),
    ]

    /// Whether a layer goes along the sequence, so that the first axis of values is the sequence, not the batch.
    func isAlongSequence(_ parameters: CoreMLMessage) -> Bool {
        switch field {
        case 340, 400, 410, 420, 430: true
        case 310: ((try? parameters.decode(CoreMLShapeParameters.self).shape.first) ?? 0) != 0
        case 320: (try? parameters.decode(CoreMLSequenceConcatParameters.self).isSequenceConcat) ?? false
        default: false
        }
    }
}
