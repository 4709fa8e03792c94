import Graphs

extension ConformanceCases {
    /// Normalisations over channels, rows and neighbours.
    package static let normalizations: [ConformanceCase] =
        [[1, 8, 6, 6], [3, 19, 5, 4], [2, 7], [1, 5, 9], [1, 3, 2, 3, 4]].map { shape in
            let channel = [shape[1]]
            return ConformanceCase(
                "BatchNormalization/\(shape)", BatchNormalization(),
                [
                    .activation(shape), .weights(channel), .weights(channel), .weights(channel),
                    .weights(channel, .uniform(0.1, 2)),
                ])
        }
        + [
            ConformanceCase("LRN/size 5", LRN(size: 5), [.activation([1, 16, 6, 6])]),
            ConformanceCase("LRN/size 4", LRN(size: 4, alpha: 0.5), [.activation([2, 9, 3, 4])]),
            ConformanceCase("LRN/size 6 of 600 channels", LRN(size: 6, alpha: 0.5), [.activation([1, 600, 2, 3])]),
            ConformanceCase("LRN/size 1", LRN(size: 1, alpha: 0.1, beta: 0.5, bias: 2), [.activation([1, 7, 4, 4])]),
            ConformanceCase("LRN/size beyond the channels", LRN(size: 9, alpha: 1), [.activation([1, 3, 4, 4])]),
            ConformanceCase(
                "LRN/size beyond all channels", LRN(size: Int(Int32.max), alpha: 1), [.activation([1, 3, 4, 4])]),
            ConformanceCase(
                "InstanceNormalization", InstanceNormalization(),
                [.activation([2, 5, 4, 6]), .weights([5]), .weights([5])]),
            ConformanceCase(
                "LayerNormalization/last axis", LayerNormalization(),
                [.activation([2, 5, 16]), .weights([16]), .weights([16])]),
            ConformanceCase(
                "LayerNormalization/no bias", LayerNormalization(epsilon: 1e-6),
                [.activation([1, 7, 200], .float32, .uniform(2, 5)), .weights([200])]),
            ConformanceCase(
                "LayerNormalization/many rows", LayerNormalization(),
                [.activation([3, 90, 65]), .weights([65]), .weights([1])]),
            ConformanceCase(
                "InstanceNormalization/planes", InstanceNormalization(),
                [.activation([2, 3, 300]), .weights([3]), .weights([3])]),
            ConformanceCase(
                "LayerNormalization/axis 1", LayerNormalization(axis: 1, epsilon: 0.01),
                [.activation([2, 5, 6]), .weights([5, 6])]),
        ]
        + [
            ConformanceCase(
                "GroupNormalization/two groups", GroupNormalization(groupCount: 2),
                [.activation([2, 6, 5, 4]), .weights([6]), .weights([6])]),
            ConformanceCase(
                "GroupNormalization/each channel", GroupNormalization(groupCount: 6, epsilon: 0.01),
                [.activation([2, 6, 5]), .weights([6]), .weights([6])]),
            ConformanceCase(
                "RMSNormalization/last axis", RMSNormalization(), [.activation([2, 5, 16]), .weights([16])]),
            ConformanceCase(
                "RMSNormalization/axis 1", RMSNormalization(axis: 1, epsilon: 0.01),
                [.activation([2, 5, 6]), .weights([5, 6])]),
            ConformanceCase(
                "MeanVarianceNormalization", MeanVarianceNormalization(), [.activation([2, 5, 4, 6])]),
            ConformanceCase(
                "MeanVarianceNormalization/axes", MeanVarianceNormalization(axes: [-1]), [.activation([2, 5, 4])]),
            ConformanceCase("LpNormalization/2", LpNormalization(axis: 1), [.activation([2, 5, 4])]),
            ConformanceCase("LpNormalization/1", LpNormalization(power: 1), [.activation([2, 5, 4])]),
            ConformanceCase("Hardmax", Hardmax(axis: 1), [.activation([2, 5, 4])], tolerance: .exact),
        ]
        + [
            ([1, 10], -1), ([3, 1000], -1), ([2, 5, 3, 4], 1), ([2, 5, 3, 4], -1), ([4], 0), ([2, 3, 1], 2),
            ([2, 181, 97], -1),
        ].flatMap { shape, axis in
            [
                ConformanceCase(
                    "Softmax/\(shape) axis \(axis)", Softmax(axis: axis), [.activation(shape, .float32, wide)]),
                ConformanceCase(
                    "LogSoftmax/\(shape) axis \(axis)", LogSoftmax(axis: axis), [.activation(shape, .float32, wide)]),
                ConformanceCase(
                    "Softmax/\(shape) from axis \(axis)", Softmax(axis: axis, flattensTrailingAxes: true),
                    [.activation(shape, .float32, wide)]),
            ]
        }

    private static let wide = ConformanceCase.Content.uniform(-20, 20)
}
