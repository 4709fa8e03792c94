/// Layers that run along sequences, and layers that run other layers.
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
        LayerKind(.loopContinue, refused: "continuing a loop from within is not supported"),
    ]

    /// Whether a layer runs along the sequence, so that the first axis of values is the sequence instead of the batch.
    func isAlongSequence(_ parameters: CoreMLMessage) -> Bool {
        switch field {
        case .sequenceRepeat, .simpleRecurrent, .gru, .uniDirectionalLSTM, .biDirectionalLSTM: true
        case .permute: ((try? parameters.decode(CoreMLShapeParameters.self).shape.first) ?? 0) != 0
        case .concat: (try? parameters.decode(CoreMLSequenceConcatParameters.self).isSequenceConcat) ?? false
        default: false
        }
    }
}
