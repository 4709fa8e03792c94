import Graphs

extension ConformanceCases {
    /// Convolutions: kernels, strides, padding, dilation, groups, odd channel counts, batches, and 1 and 3 axes.
    package static let convolutions: [ConformanceCase] =
        kernels + channelCounts + strides + padding + dilations + groups + batches + otherRanks + activations + addends
        + minimalFilters

    /// A convolution of an input [N, C, …] with a kernel.
    private static func convolution(
        _ name: String, _ input: [Int], _ features: Int, _ kernel: [Int], group: Int = 1, strides: [Int] = [],
        dilations: [Int] = [], pads: [Int] = [], autoPad: SpatialWindow.AutoPad = .notSet, bias: Bool = true,
        activation: Activation? = nil, addend: ConformanceCase.Input? = nil
    ) -> ConformanceCase {
        let operation = Conv(
            group: group, kernel: kernel, strides: strides, dilations: dilations, pads: pads, autoPad: autoPad,
            activation: activation)
        let weights = ConformanceCase.Input.weights([features, input[1] / group] + kernel)
        var inputs: [ConformanceCase.Input?] = [.activation(input), weights] + (bias ? [.weights([features])] : [])
        if let addend { inputs += (bias ? [] : [nil]) + [addend] }
        return ConformanceCase("Conv/\(name)", operation, inputs)
    }

    private static let kernels: [ConformanceCase] = [
        convolution("kernel 1x1", [1, 8, 9, 9], 16, [1, 1]),
        convolution("kernel 1x1 without bias", [1, 8, 9, 9], 16, [1, 1], bias: false),
        convolution("kernel 1x1 on one pixel", [1, 32, 1, 1], 10, [1, 1]),
        convolution("kernel 1x1 on few planes of many pixels", [2, 4, 50, 47], 4, [1, 1]),
        convolution("kernel 1x1 on few planes of many pixels without bias", [2, 4, 50, 47], 5, [1, 1], bias: false),
        convolution("kernel 2x2", [1, 4, 8, 8], 8, [2, 2]),
        convolution("kernel 3x3", [1, 8, 12, 12], 16, [3, 3], pads: [1, 1, 1, 1]),
        convolution("kernel 3x3 without padding", [1, 8, 12, 12], 16, [3, 3]),
        convolution("kernel 3x3 without bias", [1, 8, 12, 12], 16, [3, 3], pads: [1, 1, 1, 1], bias: false),
        convolution("kernel 3x3 on 3x3", [1, 8, 3, 3], 16, [3, 3]),
        convolution("kernel 3x3 on 1x1", [1, 8, 1, 1], 16, [3, 3], pads: [1, 1, 1, 1]),
        convolution("kernel 3x3 on 2x7", [1, 5, 2, 7], 6, [3, 3], pads: [1, 1, 1, 1]),
        convolution("kernel 5x5", [1, 6, 14, 14], 8, [5, 5], pads: [2, 2, 2, 2]),
        convolution("kernel 7x7", [1, 3, 20, 20], 8, [7, 7], pads: [3, 3, 3, 3]),
        convolution("kernel 11x11", [1, 3, 23, 23], 8, [11, 11], strides: [4, 4]),
        convolution("kernel 1x7", [1, 8, 9, 17], 12, [1, 7], pads: [0, 3, 0, 3]),
        convolution("kernel 7x1", [1, 8, 17, 9], 12, [7, 1], pads: [3, 0, 3, 0]),
        convolution("kernel 1x3", [1, 8, 9, 9], 12, [1, 3], pads: [0, 1, 0, 1]),
        convolution("kernel 3x1", [1, 8, 9, 9], 12, [3, 1], pads: [1, 0, 1, 0]),
        convolution("kernel of the whole input", [1, 8, 6, 6], 10, [6, 6]),
    ]

    private static let channelCounts: [ConformanceCase] = [1, 2, 3, 5, 7, 9, 15, 17, 31, 33, 40].flatMap { count in
        [
            convolution("1x1 from \(count) channels", [1, count, 7, 5], 12, [1, 1]),
            convolution("1x1 to \(count) channels", [1, 12, 7, 5], count, [1, 1]),
            convolution("3x3 from and to \(count) channels", [1, count, 6, 7], count, [3, 3], pads: [1, 1, 1, 1]),
        ]
    }

    private static let strides: [ConformanceCase] =
        (2...4).flatMap { stride in
            [
                convolution("1x1 stride \(stride)", [1, 6, 13, 11], 9, [1, 1], strides: [stride, stride]),
                convolution(
                    "3x3 stride \(stride)", [1, 6, 13, 11], 9, [3, 3], strides: [stride, stride], pads: [1, 1, 1, 1]),
                convolution("5x5 stride \(stride)", [1, 3, 16, 19], 9, [5, 5], strides: [stride, stride]),
            ]
        } + [
            convolution("3x3 stride 1x2", [1, 6, 9, 12], 9, [3, 3], strides: [1, 2], pads: [1, 1, 1, 1]),
            convolution("3x3 stride 3x1", [1, 6, 12, 9], 9, [3, 3], strides: [3, 1], pads: [1, 1, 1, 1]),
            convolution("stride beyond the kernel", [1, 4, 13, 13], 6, [2, 2], strides: [4, 3]),
        ]

    private static let padding: [ConformanceCase] = [
        convolution("pads at the end", [1, 4, 8, 8], 6, [3, 3], strides: [2, 2], pads: [0, 0, 1, 1]),
        convolution("pads at the begin", [1, 4, 8, 8], 6, [3, 3], pads: [2, 1, 0, 0]),
        convolution("four different pads", [1, 4, 8, 8], 6, [3, 5], pads: [0, 1, 2, 3]),
        convolution("pads beyond the kernel", [1, 2, 4, 4], 3, [2, 2], pads: [3, 3, 4, 4]),
        convolution("same upper", [1, 4, 8, 9], 6, [3, 3], strides: [2, 2], autoPad: .sameUpper),
        convolution("same lower", [1, 4, 8, 9], 6, [3, 3], strides: [2, 2], autoPad: .sameLower),
        convolution("same upper, even kernel", [1, 4, 8, 9], 6, [4, 2], autoPad: .sameUpper),
        convolution("same lower, even kernel", [1, 4, 8, 9], 6, [4, 2], autoPad: .sameLower),
        convolution("same upper, dilated", [1, 4, 9, 9], 6, [3, 3], dilations: [2, 2], autoPad: .sameUpper),
        convolution(
            "same upper, stride beyond the kernel", [1, 4, 9, 9], 6, [1, 1], strides: [2, 2], autoPad: .sameUpper),
        convolution("valid", [1, 4, 8, 9], 6, [3, 3], strides: [2, 2], autoPad: .valid),
    ]

    private static let dilations: [ConformanceCase] = [
        convolution("dilation 2", [1, 4, 11, 11], 6, [3, 3], dilations: [2, 2], pads: [2, 2, 2, 2]),
        convolution("dilation 3x1", [1, 4, 13, 9], 6, [3, 3], dilations: [3, 1], pads: [3, 1, 3, 1]),
        convolution("dilation 2 of 14x13", [2, 24, 14, 13], 40, [3, 3], dilations: [2, 2], pads: [2, 2, 2, 2]),
        convolution("dilation 3x4", [1, 16, 19, 22], 32, [3, 3], dilations: [3, 4], pads: [4, 2, 1, 6]),
        convolution("dilation 2 without padding", [1, 16, 20, 20], 32, [3, 3], dilations: [2, 2]),
        convolution(
            "dilation 2, addend", [1, 16, 12, 12], 16, [3, 3], dilations: [2, 2], pads: [2, 2, 2, 2],
            activation: .relu, addend: .activation([1, 16, 12, 12])),
        convolution(
            "dilation 12 of 20x20", [2, 16, 20, 20], 32, [3, 3], dilations: [12, 12], pads: [12, 12, 12, 12]),
        convolution("dilation 9 of 5x7", [1, 8, 5, 7], 12, [3, 3], dilations: [9, 9], pads: [9, 9, 9, 9]),
        convolution("1x7 dilated", [1, 16, 20, 20], 32, [1, 7], dilations: [1, 2], pads: [0, 6, 0, 6]),
        convolution("7x1 dilated", [1, 16, 20, 20], 32, [7, 1], dilations: [2, 1], pads: [6, 0, 6, 0]),
        convolution("dilation 2, stride 2", [1, 4, 13, 13], 6, [3, 3], strides: [2, 2], dilations: [2, 2]),
        convolution(
            "dilated depthwise", [1, 6, 11, 11], 6, [3, 3], group: 6, dilations: [2, 2], pads: [2, 2, 2, 2]),
    ]

    private static let groups: [ConformanceCase] = [
        convolution("2 groups", [1, 8, 9, 9], 12, [3, 3], group: 2, pads: [1, 1, 1, 1]),
        convolution("3 groups of 1x1", [1, 9, 6, 6], 15, [1, 1], group: 3),
        convolution("4 groups of 5x5", [1, 8, 9, 9], 4, [5, 5], group: 4, pads: [2, 2, 2, 2]),
        convolution("3 groups, odd counts", [2, 21, 5, 5], 33, [3, 3], group: 3, pads: [1, 1, 1, 1]),
        convolution("depthwise 3x3", [1, 16, 12, 12], 16, [3, 3], group: 16, pads: [1, 1, 1, 1]),
        convolution("depthwise 3x3, 19 channels", [1, 19, 7, 9], 19, [3, 3], group: 19, pads: [1, 1, 1, 1]),
        convolution(
            "depthwise 3x3 stride 2", [1, 16, 13, 12], 16, [3, 3], group: 16, strides: [2, 2], pads: [1, 1, 1, 1]),
        convolution("depthwise 5x5", [1, 16, 12, 12], 16, [5, 5], group: 16, pads: [2, 2, 2, 2]),
        convolution(
            "depthwise 5x5 stride 2, end pads", [1, 8, 14, 14], 8, [5, 5], group: 8, strides: [2, 2],
            pads: [1, 1, 2, 2]),
        convolution("depthwise 7x7", [1, 4, 9, 9], 4, [7, 7], group: 4, pads: [3, 3, 3, 3]),
        convolution("depthwise without bias", [1, 8, 9, 9], 8, [3, 3], group: 8, bias: false),
        convolution("depthwise, 2 features a channel", [1, 6, 9, 9], 12, [3, 3], group: 6, pads: [1, 1, 1, 1]),
        convolution("depthwise on 2x2", [1, 8, 2, 2], 8, [3, 3], group: 8, pads: [1, 1, 1, 1]),
        convolution("depthwise 11x11", [1, 20, 13, 14], 20, [11, 11], group: 20, pads: [5, 5, 5, 5]),
        convolution(
            "depthwise 7x7 stride 2, 2 features a channel", [2, 20, 15, 15], 40, [7, 7], group: 20, strides: [2, 2],
            pads: [3, 3, 3, 3]),
        convolution("2 from 2 channels", [1, 34, 9, 9], 34, [3, 3], group: 17, pads: [1, 1, 1, 1]),
        convolution("4 from 4 channels", [2, 64, 13, 11], 64, [3, 3], group: 16, pads: [1, 1, 1, 1]),
        convolution(
            "4 from 4 channels, stride 2", [1, 64, 14, 14], 64, [3, 3], group: 16, strides: [2, 2], pads: [1, 1, 1, 1]),
        convolution("3 from 2 channels", [1, 20, 9, 9], 30, [5, 3], group: 10, pads: [2, 1, 2, 1], bias: false),
        convolution("1 from 4 channels", [1, 64, 9, 9], 16, [3, 3], group: 16, pads: [1, 1, 1, 1]),
        convolution(
            "2 from 1 channel, dilated", [1, 16, 13, 13], 32, [3, 3], group: 16, dilations: [2, 2], pads: [2, 2, 2, 2]),
    ]

    private static let batches: [ConformanceCase] = [
        convolution("batch of 3, 1x1", [3, 7, 6, 5], 9, [1, 1]),
        convolution("batch of 3, 3x3", [3, 7, 6, 5], 9, [3, 3], pads: [1, 1, 1, 1]),
        convolution("batch of 3, depthwise", [3, 7, 6, 5], 7, [3, 3], group: 7, pads: [1, 1, 1, 1]),
        convolution("batch of 3, 7x7 stride 2", [3, 3, 21, 21], 10, [7, 7], strides: [2, 2], pads: [3, 3, 3, 3]),
    ]

    private static let otherRanks: [ConformanceCase] = [
        convolution("1 axis", [2, 4, 20], 6, [5], strides: [2], pads: [2, 1]),
        convolution("1 axis, depthwise", [1, 6, 15], 6, [3], group: 6, dilations: [2]),
        convolution("3 axes", [1, 3, 6, 7, 8], 5, [3, 3, 3], pads: [1, 1, 1, 1, 1, 1]),
        convolution("3 axes, strides and groups", [2, 4, 7, 6, 5], 6, [2, 3, 1], group: 2, strides: [2, 1, 2]),
    ]

    private static let activations: [ConformanceCase] = [
        convolution("1x1 and Relu", [1, 8, 7, 7], 13, [1, 1], activation: .relu),
        convolution("3x3 and Relu", [1, 8, 7, 7], 13, [3, 3], pads: [1, 1, 1, 1], activation: .relu),
        convolution("3x3 without bias and Relu", [1, 8, 7, 7], 13, [3, 3], bias: false, activation: .relu),
        convolution(
            "3x3 and Clip", [1, 8, 7, 7], 13, [3, 3], pads: [1, 1, 1, 1], activation: .clip(low: 0, high: 6)),
        convolution("1x1 and LeakyRelu", [1, 8, 7, 7], 13, [1, 1], activation: .leakyRelu(slope: 0.1)),
        convolution("depthwise and Clip", [1, 8, 7, 7], 8, [3, 3], group: 8, activation: .clip(low: 0, high: 1)),
    ]

    private static let addends: [ConformanceCase] = [
        convolution("1x1 and Add", [1, 8, 7, 7], 13, [1, 1], addend: .activation([1, 13, 7, 7])),
        convolution(
            "1x1 without bias, Add and Relu", [3, 8, 9, 9], 70, [1, 1], bias: false, activation: .relu,
            addend: .activation([3, 70, 9, 9])),
        convolution(
            "1x1 of one pixel, Add and Clip", [2, 8, 1, 1], 5, [1, 1], activation: .clip(low: -0.5, high: 0.5),
            addend: .activation([2, 5, 1, 1])),
        convolution(
            "3x3, Add and Relu", [2, 8, 7, 6], 13, [3, 3], pads: [1, 1, 1, 1], activation: .relu,
            addend: .activation([2, 13, 7, 6])),
        convolution(
            "3x3 of few channels stride 2 and Add", [2, 3, 9, 9], 8, [3, 3], strides: [2, 2],
            addend: .activation([2, 8, 4, 4])),
        convolution(
            "3x3 in 2 groups, Add and LeakyRelu", [2, 8, 7, 6], 12, [3, 3], group: 2, pads: [1, 1, 1, 1],
            activation: .leakyRelu(slope: 0.1), addend: .activation([2, 12, 7, 6])),
        convolution(
            "depthwise, Add and Relu", [2, 37, 7, 6], 37, [3, 3], group: 37, pads: [1, 1, 1, 1], activation: .relu,
            addend: .activation([2, 37, 7, 6])),
        convolution(
            "depthwise stride 2 without bias and Add", [1, 8, 8, 8], 8, [3, 3], group: 8, strides: [2, 2], bias: false,
            addend: .activation([1, 8, 3, 3])),
        convolution("1x1 and Add of a constant", [1, 8, 7, 7], 13, [1, 1], addend: .weights([1, 13, 7, 7])),
        convolution("1 axis and Add", [2, 4, 20], 6, [5], addend: .activation([2, 6, 16])),
    ]

    /// Convolutions large enough for Winograd's transforms to pay, each with two ways of dividing the work.
    private static let minimalFilters: [ConformanceCase] = [
        convolution("3x3 of 4x4 tiles", [2, 32, 16, 15], 32, [3, 3], pads: [1, 1, 1, 1], activation: .relu),
        convolution(
            "3x3 of 4x4 tiles and Add", [1, 32, 52, 50], 32, [3, 3], pads: [1, 1, 1, 1], activation: .relu,
            addend: .activation([1, 32, 52, 50])),
        convolution("3x3 of 2x2 tiles", [1, 128, 10, 10], 128, [3, 3], pads: [1, 1, 1, 1], bias: false),
        convolution("5x5 of 2x2 tiles", [1, 32, 14, 15], 32, [5, 5], pads: [2, 2, 2, 2]),
        convolution("1x3 of 4 outputs", [1, 64, 24, 26], 64, [1, 3], pads: [0, 1, 0, 1]),
        convolution(
            "3x1 of 4 outputs and Add", [3, 64, 13, 12], 64, [3, 1], pads: [1, 0, 1, 0],
            addend: .activation([3, 64, 13, 12])),
        convolution("1x7 of 2 outputs", [1, 64, 17, 16], 64, [1, 7], pads: [0, 3, 0, 3]),
        convolution("7x1 of 2 outputs", [2, 64, 13, 14], 64, [7, 1], pads: [3, 0, 3, 0]),
        convolution("4x4 of 3x3 tiles", [1, 32, 15, 16], 32, [4, 4], pads: [1, 2, 2, 1], activation: .relu),
        convolution("3x3 stride 2 of 5x5 tiles", [2, 32, 27, 30], 32, [3, 3], strides: [2, 2], pads: [1, 1, 1, 1]),
        convolution(
            "3x3 stride 2 of 5x5 tiles and Add", [1, 40, 22, 20], 32, [3, 3], strides: [2, 2], activation: .relu,
            addend: .activation([1, 32, 10, 9])),
        convolution("7x7 stride 2", [2, 3, 30, 33], 40, [7, 7], strides: [2, 2], pads: [3, 3, 3, 3]),
        convolution(
            "6x5 stride 2 and Add", [1, 4, 25, 24], 32, [6, 5], strides: [2, 2], pads: [2, 0, 1, 3],
            addend: .activation([1, 32, 12, 12])),
        convolution("8x8 stride 2 without padding", [1, 1, 21, 20], 35, [8, 8], strides: [2, 2], bias: false),
    ]

    /// Transposed convolutions.
    package static let transposedConvolutions: [ConformanceCase] = [
        transposed("3x3", [1, 3, 5, 5], [3, 4, 3, 3], ConvTranspose()),
        transposed("2x2 stride 2", [1, 4, 5, 6], [4, 3, 2, 2], ConvTranspose(strides: [2, 2])),
        transposed(
            "3x3 stride 2, pads", [2, 4, 5, 6], [4, 3, 3, 3], ConvTranspose(strides: [2, 2], pads: [1, 0, 1, 1])),
        transposed("groups", [1, 4, 5, 5], [4, 3, 3, 3], ConvTranspose(group: 2, pads: [1, 1, 1, 1])),
        transposed("dilation", [1, 2, 5, 5], [2, 3, 2, 2], ConvTranspose(dilations: [2, 2])),
        transposed(
            "output padding", [1, 2, 4, 4], [2, 3, 3, 3], ConvTranspose(strides: [2, 2], outputPadding: [1, 1])),
        transposed("output shape", [1, 2, 4, 4], [2, 3, 3, 3], ConvTranspose(strides: [2, 2], outputShape: [8, 9])),
        transposed("1 axis", [1, 2, 7], [2, 3, 4], ConvTranspose(strides: [3])),
    ]

    private static func transposed(
        _ name: String, _ input: [Int], _ weights: [Int], _ operation: ConvTranspose
    ) -> ConformanceCase {
        ConformanceCase(
            "ConvTranspose/\(name)", operation,
            [.activation(input), .weights(weights), .weights([weights[1] * operation.group])])
    }
}
