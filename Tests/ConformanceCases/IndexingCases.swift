import Graphs

extension ConformanceCases {
    /// Operators that gather, scatter, sort and count elements by index.
    package static let indexing: [ConformanceCase] = (gathers + scatters + orders + patterns).map { original in
        var exact = original
        exact.tolerance = .exact
        return exact
    }

    private static func indices(_ shape: [Int], _ content: ConformanceCase.Content) -> ConformanceCase.Input {
        .activation(shape, .int64, content)
    }

    private static let gathers: [ConformanceCase] = [
        ConformanceCase(
            "Gather/computed indices along axis 1", Gather(axis: 1),
            [.activation([3, 7, 5]), indices([2, 4], .whole(-7, 6))]),
        ConformanceCase(
            "Gather/many rows", Gather(), [.activation([300, 96]), indices([1000], .whole(0, 299))]),
        ConformanceCase(
            "Gather/rows of constants", Gather(), [.weights([50, 6]), indices([2, 9], .whole(-50, 49))]),
        ConformanceCase(
            "Gather/one index along the last axis", Gather(axis: -1), [.activation([4, 5]), indices([], .values([3]))]),
        ConformanceCase(
            "Gather/int32 indices of int64", Gather(),
            [.activation([9, 2], .int64, .whole(-5, 5)), .activation([6], .int32, .whole(-9, 8))]),
        ConformanceCase(
            "Gather/Booleans", Gather(axis: 1),
            [.activation([4, 11], .bool, .whole(0, 1)), indices([20], .whole(0, 10))]),
        ConformanceCase(
            "GatherElements/many", GatherElements(axis: 2),
            [.activation([2, 70, 300]), indices([2, 70, 400], .whole(-300, 299))]),
        ConformanceCase(
            "GatherND/int32 indices, batched rows", GatherND(batchAxes: 1),
            [.activation([3, 20, 40]), .activation([3, 60, 1], .int32, .whole(-20, 19))]),
        ConformanceCase(
            "GatherElements/axis 1", GatherElements(axis: 1),
            [.activation([3, 5, 2]), indices([2, 7, 2], .whole(-5, 4))]),
        ConformanceCase(
            "GatherElements/last axis", GatherElements(axis: -1),
            [.activation([6, 9]), indices([6, 4], .whole(0, 8))]),
        ConformanceCase(
            "GatherND/elements", GatherND(), [.activation([3, 4]), indices([5, 2], .whole(-3, 2))]),
        ConformanceCase(
            "GatherND/slices", GatherND(), [.activation([4, 3, 2]), indices([2, 3, 1], .whole(0, 3))]),
        ConformanceCase(
            "GatherND/batched", GatherND(batchAxes: 1), [.activation([2, 4, 3]), indices([2, 5, 1], .whole(-4, 3))]),
        ConformanceCase("OneHot/last axis", OneHot(), [indices([2, 3], .whole(-6, 6)), depth, .weights([2])]),
        ConformanceCase("OneHot/axis 1", OneHot(axis: 1), [indices([2, 3], .whole(0, 4)), depth, .weights([2])]),
    ]

    private static let depth = ConformanceCase.Input.integers([5])

    private static let scatters: [ConformanceCase] =
        [
            ConformanceCase(
                "ScatterElements/the last update wins", ScatterElements(axis: -1),
                [.activation([6, 40]), indices([5, 90], .whole(-40, 39)), .activation([5, 90])]),
            ConformanceCase(
                "ScatterElements/int64", ScatterElements(),
                [
                    .activation([7, 2], .int64, .whole(-9, 9)), indices([3, 2], .whole(0, 6)),
                    .activation([3, 2], .int64, .whole(-9, 9)),
                ]),
            ConformanceCase(
                "ScatterND/columns of every row", ScatterND(),
                [.activation([2, 50, 8]), indices([2, 50, 3, 3], .whole(0, 1)), .activation([2, 50, 3])]),
            ConformanceCase(
                "ScatterND/maxima with NaN", ScatterND(reduction: .max),
                [
                    .activation([6], .float32, .values([.nan, 1, 2, -0.0, 0, 5])), indices([6, 1], .whole(0, 5)),
                    .activation([6], .float32, .values([3, .nan, 7, 0, -0.0, -.infinity])),
                ]),
            ConformanceCase(
                "ScatterElements/axis 0", ScatterElements(),
                [.activation([5, 3]), indices([2, 3], .values([0, 1, -1, 2, 0, 1])), .activation([2, 3])]),
            ConformanceCase(
                "ScatterND/slices", ScatterND(),
                [.activation([4, 3]), indices([2, 1], .values([3, 1])), .activation([2, 3])]),
            ConformanceCase(
                "TensorScatter/linear", TensorScatter(),
                [.activation([2, 3, 6, 4]), .activation([2, 3, 2, 4]), indices([2], .values([1, 4]))]),
            ConformanceCase(
                "TensorScatter/circular", TensorScatter(axis: 1, mode: .circular),
                [.activation([2, 6, 4]), .activation([2, 4, 4]), indices([2], .values([5, 0]))]),
        ]
        + [ScatterReduction.add, .mul, .max, .min].flatMap { reduction in
            [
                ConformanceCase(
                    "ScatterElements/\(reduction)", ScatterElements(axis: 1, reduction: reduction),
                    [.activation([4, 5]), indices([3, 7], .whole(-5, 4)), .activation([3, 7])]),
                ConformanceCase(
                    "ScatterND/\(reduction)", ScatterND(reduction: reduction),
                    [.activation([3, 4]), indices([9, 2], .whole(0, 2)), .activation([9])]),
            ]
        }

    private static let orders: [ConformanceCase] = [
        ConformanceCase("TopK/largest", TopK(), [.activation([3, 20]), .integers([7])]),
        ConformanceCase(
            "TopK/smallest along axis 1", TopK(axis: 1, isLargest: false), [.activation([2, 9, 3]), .integers([4])]),
        ConformanceCase(
            "TopK/equal integers", TopK(axis: 0), [.activation([12, 2], .int32, .whole(0, 3)), .integers([5])]),
        ConformanceCase(
            "TopK/equals, NaN and zeros of both signs", TopK(),
            [
                .activation(
                    [1, 12], .float32, .values([1, .nan, 0, -0.0, 5, 5, -.infinity, .infinity, 0, -3, .nan, 5])),
                .integers([11]),
            ]),
        ConformanceCase(
            "TopK/smallest of a long row", TopK(isLargest: false),
            [.activation([2, 1999], .float32, .whole(0, 99)), .integers([300])]),
        ConformanceCase(
            "CumSum/from the end of columns", CumSum(order: RunningOrder(isReverse: true)),
            [.activation([3, 5, 40], .float32, .whole(-9, 9)), .integers([1])]),
        ConformanceCase(
            "CumProd/exclusive", CumProd(order: RunningOrder(isExclusive: true)),
            [.activation([3, 7], .float32, .whole(-3, 3)), .integers([-1])]),
        ConformanceCase(
            "ReverseSequence/time first", ReverseSequence(),
            [.activation([5, 3, 2]), indices([3], .values([5, 1, 3]))]),
        ConformanceCase(
            "ReverseSequence/batch first", ReverseSequence(batchAxis: 0, timeAxis: 1),
            [.activation([3, 4, 2]), indices([3], .whole(0, 4))]),
        ConformanceCase("CumSum/axis 1", CumSum(), [.activation([2, 9, 3]), .integers([1])]),
        ConformanceCase("CumProd/axis 1", CumProd(), [.activation([2, 9, 3]), .integers([1])]),
        ConformanceCase(
            "CumSum/exclusive, from the end", CumSum(order: RunningOrder(isExclusive: true, isReverse: true)),
            [.activation([2, 9], .int32, .whole(-9, 9)), .integers([-1])]),
    ]

    private static let patterns: [ConformanceCase] = [
        ConformanceCase("Trilu/upper", Trilu(), [.activation([2, 4, 5])]),
        ConformanceCase("Trilu/lower, shifted", Trilu(isUpper: false), [.activation([5, 4]), .integers([-2])]),
        ConformanceCase("EyeLike", EyeLike(diagonal: 1), [.activation([3, 5])]),
        ConformanceCase("EyeLike/another type", EyeLike(elementType: .int32, diagonal: -1), [.activation([3, 5])]),
        ConformanceCase("CenterCropPad/all", CenterCropPad(), [.activation([5, 8, 3]), .integers([8, 5, 3])]),
        ConformanceCase(
            "CenterCropPad/axes", CenterCropPad(axes: [-1, 1]), [.activation([2, 5, 6]), .integers([3, 8])]),
        ConformanceCase("CastLike", CastLike(), [.activation([4], .float32, .uniform(-9, 9)), .integers([1])]),
    ]
}
