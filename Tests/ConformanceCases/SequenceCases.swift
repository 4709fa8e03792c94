import Graphs

extension ConformanceCases {
    /// Recurrent networks, attention and related operators.
    package static let sequences: [ConformanceCase] = recurrences + attentions

    private static let recurrences: [ConformanceCase] =
        [Recurrence.Direction.forward, .reverse, .bidirectional]
        .flatMap { direction in
            let directions = direction == .bidirectional ? 2 : 1
            let recurrence = Recurrence(direction: direction)
            func inputs(_ gates: Int) -> [ConformanceCase.Input?] {
                [
                    .activation([5, 3, 4]), .weights([directions, gates * 6, 4]), .weights([directions, gates * 6, 6]),
                    .weights([directions, gates * 12]), .activation([3], .int32, .values([5, 1, 4])),
                    .activation([directions, 3, 6]),
                ]
            }
            let cell: [ConformanceCase.Input?] = [.activation([directions, 3, 6]), .weights([directions, 18])]
            return [
                ConformanceCase("RNN/\(direction)", RNN(recurrence: recurrence), inputs(1)),
                ConformanceCase("GRU/\(direction)", GRU(recurrence: recurrence), inputs(3)),
                ConformanceCase(
                    "GRU/\(direction), linear before reset",
                    GRU(recurrence: recurrence, isLinearBeforeReset: true), Array(inputs(3).prefix(3))),
                ConformanceCase("LSTM/\(direction)", LSTM(recurrence: recurrence), inputs(4) + cell),
                ConformanceCase(
                    "LSTM/\(direction), coupled gates",
                    LSTM(recurrence: recurrence, couplesInputAndForget: true), Array(inputs(4).prefix(4))),
            ]
        }
        + [
            ConformanceCase(
                "LSTM/batch first", LSTM(recurrence: Recurrence(isBatchFirst: true)),
                [.activation([3, 5, 4]), .weights([1, 24, 4]), .weights([1, 24, 6])]),
            ConformanceCase(
                "LSTM/wide", LSTM(recurrence: Recurrence(direction: .bidirectional)),
                [
                    .activation([7, 2, 40]), .weights([2, 200, 40]), .weights([2, 200, 50], .uniform(-0.2, 0.2)),
                    .weights([2, 400]),
                ]),
            ConformanceCase(
                "GRU/wide, batch first",
                GRU(recurrence: Recurrence(direction: .reverse, isBatchFirst: true), isLinearBeforeReset: true),
                [
                    .activation([2, 7, 40]), .weights([1, 99, 40]), .weights([1, 99, 33], .uniform(-0.2, 0.2)),
                    .weights([1, 198]),
                ]),
        ]

    private static let attentions: [ConformanceCase] = [
        ConformanceCase(
            "Attention/four axes", Attention(),
            [.activation([2, 3, 5, 8]), .activation([2, 3, 7, 8]), .activation([2, 3, 7, 6])]),
        ConformanceCase(
            "Attention/three axes, shared keys, causal", Attention(isCausal: true, queryHeads: 4, keyHeads: 2),
            [.activation([2, 5, 32]), .activation([2, 5, 16]), .activation([2, 5, 12])]),
        ConformanceCase(
            "Attention/mask, past and softcap", Attention(scale: 0.3, softcap: 2),
            [
                .activation([1, 2, 4, 8]), .activation([1, 2, 3, 8]), .activation([1, 2, 3, 8]), .activation([4, 5]),
                .activation([1, 2, 2, 8]), .activation([1, 2, 2, 8]),
            ]),
        ConformanceCase(
            "Attention/windows", Attention(leftWindow: 1, rightWindow: 2),
            [.activation([1, 2, 6, 4]), .activation([1, 2, 6, 4]), .activation([1, 2, 6, 4])]),
        ConformanceCase(
            "CausalConvWithState/bias, state, swish", CausalConvWithState(isSwish: true),
            [.activation([2, 5, 7]), .weights([5, 1, 4]), .weights([5]), .activation([2, 5, 3])]),
        ConformanceCase(
            "LinearAttention/shared keys", LinearAttention(queryHeads: 4, keyHeads: 2, scale: 0.5, rule: .delta),
            [
                .activation([2, 5, 12]), .activation([2, 5, 6]), .activation([2, 5, 8]), .activation([2, 2, 3, 4]), nil,
                .activation([2, 5, 1], .float32, .uniform(0, 1)),
            ]),
        ConformanceCase(
            "LinearAttention/gates", LinearAttention(queryHeads: 2, keyHeads: 2),
            [
                .activation([1, 4, 6]), .activation([1, 4, 6]), .activation([1, 4, 10]), nil,
                .activation([1, 4, 6], .float32, .uniform(-1, 0)), .activation([1, 4, 2], .float32, .uniform(0, 1)),
            ]),
        ConformanceCase(
            "RotaryEmbedding/halves", RotaryEmbedding(),
            [
                .activation([2, 3, 5, 8]), .weights([9, 4]), .weights([9, 4]),
                .activation([2, 5], .int64, .whole(0, 8)),
            ]),
        ConformanceCase(
            "RotaryEmbedding/neighbours, partial", RotaryEmbedding(isInterleaved: true, headCount: 3, rotatedCount: 4),
            [.activation([2, 5, 24]), .weights([2, 5, 2]), .weights([2, 5, 2])]),
    ]
}
