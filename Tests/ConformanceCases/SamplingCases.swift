import Graphs

extension ConformanceCases {
    /// Operators that read images between their elements or over regions.
    package static let samplings: [ConformanceCase] = grids + regions + columns

    private static let grids: [ConformanceCase] = [GridSample.Mode.linear, .nearest, .cubic].flatMap { mode in
        GridSample.Padding.allCases.flatMap { padding in
            [false, true].flatMap { alignsCorners in
                let operation = GridSample(mode: mode, padding: padding, alignsCorners: alignsCorners)
                let name = "\(mode), \(padding), \(alignsCorners ? "corners" : "edges")"
                return [
                    ConformanceCase(
                        "GridSample/\(name)", operation,
                        [.activation([2, 3, 5, 7]), .activation([2, 4, 6, 2], .float32, .uniform(-1.7, 1.7))]),
                    ConformanceCase(
                        "GridSample/volume, \(name)", operation,
                        [.activation([1, 2, 4, 5, 3]), .activation([1, 2, 3, 4, 3], .float32, .uniform(-1.7, 1.7))]),
                ]
            }
        }
    }

    private static let regions: [ConformanceCase] = [
        ConformanceCase(
            "AffineGrid/images", AffineGrid(), [.activation([2, 2, 3]), .integers([2, 3, 5, 4])]),
        ConformanceCase(
            "AffineGrid/volumes", AffineGrid(alignsCorners: true),
            [.activation([1, 3, 4]), .integers([1, 3, 2, 5, 4])]),
        ConformanceCase(
            "RoiAlign/mean", RoiAlign(outputHeight: 3, outputWidth: 2, spatialScale: 0.5),
            [.activation([2, 3, 9, 8]), corners, .activation([3], .int64, .whole(0, 1))]),
        ConformanceCase(
            "RoiAlign/max, two samples",
            RoiAlign(mode: .max, coordinates: .outputHalfPixel, outputHeight: 2, outputWidth: 3, samplingRatio: 2),
            [.activation([1, 2, 9, 8]), corners, .activation([3], .int64, .whole(0, 0))]),
        ConformanceCase(
            "MaxRoiPool", MaxRoiPool(pooledShape: [2, 3]),
            [.activation([1, 2, 9, 8]), .activation([2, 5], .float32, .values([0, 1, 2, 6, 8, 0, 3, 3, 4, 3]))]),
        ConformanceCase(
            "MaxUnpool", MaxUnpool(kernel: [2, 2], strides: [2, 2]),
            [.activation([1, 1, 2, 2]), .activation([1, 1, 2, 2], .int64, .values([1, 7, 8, 14]))]),
        ConformanceCase(
            "MaxUnpool/a larger shape", MaxUnpool(kernel: [2, 2], strides: [2, 2]),
            [
                .activation([1, 1, 2, 2]), .activation([1, 1, 2, 2], .int64, .values([1, 7, 8, 14])),
                .integers([1, 1, 5, 6]),
            ]),
    ]

    private static let corners = ConformanceCase.Input.activation(
        [3, 4], .float32, .values([0, 0, 7, 8, 1.5, 2.25, 5, 7.75, -2, 3, 11, 12]))

    private static let columns: [ConformanceCase] = [
        ConformanceCase(
            "DeformConv", DeformConv(strides: [2, 1], pads: [1, 1, 1, 1]),
            [
                .activation([2, 4, 7, 6]), .weights([5, 4, 3, 3]),
                .activation([2, 18, 4, 6], .float32, .uniform(-2, 2)), .weights([5]), .activation([2, 9, 4, 6]),
            ]),
        ConformanceCase(
            "DeformConv/groups", DeformConv(group: 2, offsetGroup: 2, dilations: [1, 2]),
            [.activation([1, 4, 6, 8]), .weights([6, 2, 2, 3]), .activation([1, 24, 5, 4])]),
        ConformanceCase(
            "Col2Im/overlapping", Col2Im(strides: [1, 2], pads: [1, 0, 0, 1]),
            [.activation([2, 18, 15]), .integers([5, 6]), .integers([2, 3])]),
        ConformanceCase("Col2Im/one axis", Col2Im(), [.activation([1, 6, 7]), .integers([9]), .integers([3])]),
    ]
}
