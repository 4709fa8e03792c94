/// Layers along sequences, and those that run others.
extension LayerKind {
    static let recurrentKinds = [
        LayerKind(.simpleRecurrent, simpleRecurrent),
        LayerKind(.gru, gatedRecurrentUnit),
        LayerKind(.uniDirectionalLSTM, longShortTermMemory),
        LayerKind(.biDirectionalLSTM, bidirectionalLSTM),
    ]

    static let controlKinds = [
        LayerKind(.custom, refused: "custom layers are code of an app, which the file does not hold"),
        LayerKind(.copy, copy),
        LayerKind(.branch, branch),
        LayerKind(.loop, loop),
        LayerKind(.loopBreak, refused: "leaving a loop from within is not supported"),
        LayerKind(.loopContinue, refused: "going on with a loop from within is not supported"),
    ]

    /// Whether a layer goes along the sequence, so that the first axis of values is the sequence, not the batch.
    func isAlongSequence(_ parameters: CoreMLMessage) -> Bool {
        switch field {
        case .sequenceRepeat, .simpleRecurrent, .gru, .uniDirectionalLSTM, .biDirectionalLSTM: true
        case .permute: ((try? parameters.decode(CoreMLShapeParameters.self).shape.first) ?? 0) != 0
        case .concat: (try? parameters.decode(CoreMLSequenceConcatParameters.self).isSequenceConcat) ?? false
        default: false
        }
    }
}
