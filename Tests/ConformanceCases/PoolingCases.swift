import Graphs

extension ConformanceCases {
    /// Pools: kernels, strides, padding, `ceil_mode`, `count_include_pad`, dilation, odd channel counts and other
    /// ranks.
    package static let pools: [ConformanceCase] =
        windows.flatMap { name, input, window in
            var maximum = MaxPool(kernel: window.kernel)
            maximum.window = window
            var mean = AveragePool(kernel: window.kernel)
            mean.window = window
            var norm = LpPool(kernel: window.kernel, power: 3)
            norm.window = window
            var padded = mean
            padded.countIncludePad = true
            return [
                ConformanceCase("MaxPool/\(name)", maximum, [.activation(input)], tolerance: .exact),
                ConformanceCase("AveragePool/\(name)", mean, [.activation(input)]),
                ConformanceCase("AveragePool/\(name), padding counts", padded, [.activation(input)]),
                ConformanceCase("LpPool/\(name)", norm, [.activation(input)]),
            ]
        }
        + [[1, 16, 7, 7], [3, 19, 5, 6], [1, 3, 1, 1], [2, 5, 9], [1, 4, 3, 4, 5]].flatMap { shape in
            [
                ConformanceCase("GlobalAveragePool/\(shape)", GlobalAveragePool(), [.activation(shape)]),
                ConformanceCase("GlobalMaxPool/\(shape)", GlobalMaxPool(), [.activation(shape)], tolerance: .exact),
                ConformanceCase("GlobalLpPool/\(shape)", GlobalLpPool(), [.activation(shape)]),
            ]
        }

    private static let windows: [(String, [Int], SpatialWindow)] = [
        ("2x2 stride 2", [1, 8, 12, 12], SpatialWindow(kernel: [2, 2], strides: [2, 2])),
        ("2x2 stride 2 on odd extents", [1, 5, 11, 13], SpatialWindow(kernel: [2, 2], strides: [2, 2])),
        ("3x3 stride 2", [1, 17, 13, 13], SpatialWindow(kernel: [3, 3], strides: [2, 2])),
        ("3x3 stride 2, ceil", [1, 16, 14, 14], SpatialWindow(kernel: [3, 3], strides: [2, 2], ceilMode: true)),
        ("3x3 padded", [1, 9, 8, 8], SpatialWindow(kernel: [3, 3], pads: [1, 1, 1, 1])),
        ("3x1 in the padding", [1, 8, 5, 15], SpatialWindow(kernel: [3, 1], strides: [2, 2], pads: [1, 1, 1, 1])),
        (
            "3x3 stride 2, end pads", [1, 8, 12, 12],
            SpatialWindow(kernel: [3, 3], strides: [2, 2], pads: [0, 0, 1, 1])
        ),
        (
            "3x3 stride 2, begin pads, ceil", [1, 8, 12, 11],
            SpatialWindow(kernel: [3, 3], strides: [2, 2], pads: [1, 1, 0, 0], ceilMode: true)
        ),
        (
            "3x3 stride 3, padded, ceil", [2, 4, 10, 8],
            SpatialWindow(kernel: [3, 3], strides: [3, 3], pads: [1, 1, 1, 1], ceilMode: true)
        ),
        (
            "1x1 stride 2, the last window dropped", [1, 4, 4, 4],
            SpatialWindow(kernel: [1, 1], strides: [2, 2], pads: [0, 0, 1, 1], ceilMode: true)
        ),
        ("dilation 2", [1, 4, 9, 9], SpatialWindow(kernel: [2, 3], dilations: [2, 2], pads: [1, 1, 1, 1])),
        ("same upper", [1, 4, 8, 9], SpatialWindow(kernel: [3, 2], strides: [2, 2], autoPad: .sameUpper)),
        ("same lower", [1, 4, 8, 9], SpatialWindow(kernel: [3, 2], strides: [2, 2], autoPad: .sameLower)),
        ("valid", [1, 4, 8, 9], SpatialWindow(kernel: [3, 2], strides: [2, 2], autoPad: .valid)),
        ("batch of 3", [3, 7, 6, 7], SpatialWindow(kernel: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1])),
        ("one pixel", [1, 3, 1, 1], SpatialWindow(kernel: [1, 1])),
        ("7x7 on 7x7", [1, 33, 7, 7], SpatialWindow(kernel: [7, 7])),
        ("1 axis", [2, 3, 11], SpatialWindow(kernel: [3], strides: [2], pads: [1, 0])),
        ("3 axes", [1, 3, 5, 6, 7], SpatialWindow(kernel: [2, 3, 2], strides: [2, 1, 2])),
    ]
}
