import Graphs

extension ConformanceCases {
    /// Operators that move elements and compute nothing.
    package static let rearrangements: [ConformanceCase] = (joins + views + selections).map { original in
        var exact = original
        exact.tolerance = .exact
        return exact
    }

    private static let joins: [ConformanceCase] = [
        ConformanceCase("Concat/channels", Concat(axis: 1), [.activation([1, 8, 5, 5]), .activation([1, 16, 5, 5])]),
        ConformanceCase(
            "Concat/odd channels, batch of 2", Concat(axis: 1),
            [.activation([2, 3, 4, 5]), .activation([2, 7, 4, 5]), .activation([2, 1, 4, 5])]),
        ConformanceCase("Concat/batch", Concat(axis: 0), [.activation([1, 3, 4, 4]), .activation([2, 3, 4, 4])]),
        ConformanceCase("Concat/height", Concat(axis: 2), [.activation([1, 3, 4, 4]), .activation([1, 3, 2, 4])]),
        ConformanceCase("Concat/width", Concat(axis: -1), [.activation([1, 3, 4, 4]), .activation([1, 3, 4, 3])]),
        ConformanceCase("Concat/one input", Concat(axis: 1), [.activation([1, 3, 4, 4])]),
        ConformanceCase("Concat/matrices", Concat(axis: 1), [.activation([2, 3]), .activation([2, 5])]),
        ConformanceCase("Split/equal", Split(axis: 1, partCount: 3), [.activation([2, 6, 4, 4])]),
        ConformanceCase("Split/sizes", Split(axis: 1), [.activation([2, 6, 4, 4]), .integers([1, 5])]),
        ConformanceCase("Split/a remainder", Split(axis: 0, partCount: 3), [.activation([7, 2])]),
        ConformanceCase(
            "Pad/constant", Pad(), [.activation([1, 3, 4, 5]), .integers([0, 0, 1, 2, 0, 0, 3, 0]), .weights([])]),
        ConformanceCase("Pad/attribute", Pad(pads: [0, 1, 1, 0], value: 3), [.activation([3, 4])]),
        ConformanceCase("Pad/crop", Pad(), [.activation([1, 3, 6, 5]), .integers([0, 0, -1, 0, 0, 0, -2, 1])]),
        ConformanceCase(
            "Pad/nothing is left of the input", Pad(),
            [.activation([1, 3, 6, 5]), .integers([0, 0, 9, 0, 0, 0, -9, 0])]),
        ConformanceCase(
            "Pad/cropped to its end", Pad(), [.activation([1, 3, 6, 5]), .integers([0, 0, 6, 0, 0, 0, -6, 0])]),
        ConformanceCase(
            "Pad/reflect", Pad(mode: .reflect), [.activation([1, 3, 6, 5]), .integers([0, 0, 2, 1, 0, 0, 1, 3])]),
        ConformanceCase(
            "Pad/edge", Pad(mode: .edge), [.activation([1, 3, 6, 5]), .integers([0, 0, 2, 1, 0, 0, 1, 3])]),
        ConformanceCase(
            "Pad/wrap", Pad(mode: .wrap), [.activation([1, 3, 6, 5]), .integers([0, 0, 2, 1, 0, 0, 1, 3])]),
    ]

    private static let views: [ConformanceCase] = [
        ConformanceCase("Flatten/axis 1", Flatten(), [.activation([2, 3, 4, 5])]),
        ConformanceCase("Flatten/axis 0", Flatten(axis: 0), [.activation([2, 3, 4, 5])]),
        ConformanceCase("Flatten/axis -1", Flatten(axis: -1), [.activation([2, 3, 4, 5])]),
        ConformanceCase("Reshape/rest", Reshape(), [.activation([2, 3, 4, 5]), .integers([0, -1])]),
        ConformanceCase(
            "Reshape/grouped channels", Reshape(), [.activation([1, 6, 4, 5]), .integers([1, 2, 3, 4, 5])]),
        ConformanceCase("Transpose/reversed", Transpose(), [.activation([2, 3, 4])]),
        ConformanceCase("Transpose/channels last", Transpose(permutation: [0, 2, 3, 1]), [.activation([2, 3, 4, 5])]),
        ConformanceCase(
            "Transpose/channels first", Transpose(permutation: [0, 3, 1, 2]), [.activation([2, 3, 4, 5])]),
        ConformanceCase("Transpose/squares", Transpose(permutation: [0, 2, 1]), [.activation([2, 35, 44])]),
        ConformanceCase("Transpose/swapped", Transpose(permutation: [2, 1, 0]), [.activation([33, 2, 24])]),
        ConformanceCase("Transpose/shuffle", Transpose(permutation: [0, 2, 1, 3, 4]), [.activation([1, 2, 3, 4, 5])]),
        ConformanceCase("Squeeze/all", Squeeze(), [.activation([1, 3, 1, 4])]),
        ConformanceCase("Squeeze/axes", Squeeze(), [.activation([1, 3, 1, 4]), .integers([-2])]),
        ConformanceCase("Unsqueeze/axes", Unsqueeze(), [.activation([3, 4]), .integers([0, -1])]),
        ConformanceCase("DepthToSpace/DCR", DepthToSpace(blockSize: 2), [.activation([2, 12, 3, 4])]),
        ConformanceCase(
            "DepthToSpace/CRD", DepthToSpace(blockSize: 2, isChannelFirst: true), [.activation([2, 12, 3, 4])]),
        ConformanceCase("BitCast", BitCast(to: .int32), [.activation([3, 5])]),
        ConformanceCase(
            "SpaceToDepth/CRD", SpaceToDepth(blockSize: 2, isChannelFirst: true), [.activation([2, 3, 6, 4])]),
        ConformanceCase("SpaceToDepth", SpaceToDepth(blockSize: 2), [.activation([2, 3, 6, 4])]),
        ConformanceCase("Expand", Expand(), [.activation([3, 1]), .integers([2, 1, 6])]),
        ConformanceCase("Tile", Tile(), [.activation([2, 3]), .integers([2, 3])]),
        ConformanceCase("Shape", ShapeOperator(start: 1), [.activation([2, 3, 4])]),
        ConformanceCase("Size", Size(), [.activation([2, 3, 4])]),
    ]

    private static let selections: [ConformanceCase] = [
        ConformanceCase("Gather/axis 0", Gather(), [.activation([5, 4]), .integers([4, 0, -1])]),
        ConformanceCase("Gather/axis 1", Gather(axis: 1), [.activation([2, 6, 3]), .integers([1, 1, 5])]),
        ConformanceCase(
            "Slice/attributes", Slice(starts: [1, 0], ends: [3, -1], axes: [2, 3]), [.activation([1, 3, 4, 5])]),
        ConformanceCase(
            "Slice/steps", Slice(),
            [
                .activation([1, 3, 9, 8]), .integers([0, 7]), .integers([9, 0]), .integers([2, 3]), .integers([2, -3]),
            ]),
        ConformanceCase(
            "Slice/steps beyond every extent", Slice(),
            [
                .activation([1, 3, 9, 8]), .integers([2, 3]), .integers([9, .min]), .integers([2, 3]),
                .integers([.max, .min]),
            ]),
    ]
}
