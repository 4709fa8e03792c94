import Graphs

extension ConformanceCases {
    /// Operators that reduce axes to one number.
    package static let reductions: [ConformanceCase] =
        shapes.flatMap { axes, keeps in
            let reduction = ReductionAxes(axes: axes, keepsAxes: keeps)
            let operations: [any Operator] = [
                ReduceL1(axes: reduction), ReduceL2(axes: reduction), ReduceMax(axes: reduction),
                ReduceMean(axes: reduction), ReduceMin(axes: reduction), ReduceProd(axes: reduction),
                ReduceSum(axes: reduction), ReduceSumSquare(axes: reduction), ReduceLogSum(axes: reduction),
                ReduceLogSumExp(axes: reduction),
            ]
            return operations.map {
                ConformanceCase(
                    "\(type(of: $0).name)/axes \(axes), keepdims \(keeps)", $0,
                    [.activation([2, 5, 4, 3], .float32, .uniform(0.5, 1.5))])
            }
        }
        + ([
            ReduceL1(axes: withoutAxes), ReduceL2(axes: withoutAxes), ReduceMean(axes: withoutAxes),
            ReduceSumSquare(axes: withoutAxes), ReduceLogSum(axes: withoutAxes), ReduceLogSumExp(axes: withoutAxes),
        ] as [any Operator]).map {
            ConformanceCase("\(type(of: $0).name)/no axes, no operation", $0, [.activation([2, 5, 4])])
        }
        + [
            ConformanceCase("ReduceMean/axes input", ReduceMean(), [.activation([2, 5, 4, 3]), .integers([-1, -2])]),
            ConformanceCase(
                "ArgMax/axis 1", ArgMax(search: ExtremumAxis(axis: 1)), [.activation([2, 5, 4])], tolerance: .exact),
            ConformanceCase(
                "ArgMin/last axis", ArgMin(search: ExtremumAxis(axis: -1, keepsAxis: false)), [.activation([2, 5, 4])],
                tolerance: .exact),
        ]

    private static let withoutAxes = ReductionAxes(isIdentityWithoutAxes: true)

    /// Positions of extremes, and logarithms of sums, of long rows and of numbers that are none.
    package static let searches: [ConformanceCase] = [
        ConformanceCase(
            "ArgMax/a long row of equals", ArgMax(search: ExtremumAxis(axis: -1)),
            [.activation([3, 301], .float32, .whole(0, 5))], tolerance: .exact),
        ConformanceCase(
            "ArgMin/the last of equals", ArgMin(search: ExtremumAxis(axis: -1, selectsLast: true)),
            [.activation([3, 301], .float32, .whole(0, 5))], tolerance: .exact),
        ConformanceCase(
            "ArgMax/the last of equals, columns", ArgMax(search: ExtremumAxis(axis: 1, selectsLast: true)),
            [.activation([2, 21, 70], .float32, .whole(0, 5))], tolerance: .exact),
        ConformanceCase(
            "ArgMax/with NaN", ArgMax(search: ExtremumAxis(axis: 1)),
            [.activation([3, 70], .float32, .values(ofNumbersAndNaN))], tolerance: .exact),
        ConformanceCase(
            "ArgMax/classes of pixels", ArgMax(search: ExtremumAxis(axis: 1, keepsAxis: false)),
            [.activation([2, 21, 17, 19])], tolerance: .exact),
        ConformanceCase(
            "ReduceLogSumExp/a long row", ReduceLogSumExp(axes: ReductionAxes(axes: [-1])),
            [.activation([3, 301], .float32, .uniform(-60, 60))]),
        ConformanceCase(
            "ReduceLogSumExp/infinite", ReduceLogSumExp(axes: ReductionAxes(axes: [1])),
            [
                .activation(
                    [3, 2], .float32, .values([-.infinity, -.infinity, .infinity, 1, .nan, .infinity]))
            ]),
    ]

    private static let ofNumbersAndNaN: [Double] =
        (0..<70).map { $0 % 7 == 0 ? .nan : Double($0 % 11) } + (0..<70).map { $0 == 67 ? -1 : .nan }
        + [Double](repeating: .nan, count: 70)

    private static let shapes: [([Int], Bool)] = [([2, 3], true), ([2, 3], false), ([1], true), ([], false)]

    /// Images enlarged and shrunk.
    package static let resizes: [ConformanceCase] =
        modes.flatMap { name, interpolation in
            [
                ConformanceCase(
                    "Resize/\(name), up", Resize(interpolation: interpolation),
                    [.activation([1, 3, 4, 5]), nil, .weights([4], .values([1, 1, 2, 1.5]))]),
                ConformanceCase(
                    "Resize/\(name), down", Resize(interpolation: interpolation),
                    [.activation([2, 3, 9, 8]), nil, nil, .integers([2, 3, 4, 5])]),
            ]
        } + [
            ConformanceCase(
                "Resize/linear, to a large output", Resize(interpolation: Interpolation(mode: .linear)),
                [.activation([1, 3, 20, 14]), nil, nil, .integers([1, 3, 160, 140])])
        ]

    private static let modes: [(String, Interpolation)] = [
        ("nearest", Interpolation()),
        ("nearest asymmetric floor", Interpolation(mode: .nearest, coordinates: .asymmetric, nearest: .floor)),
        ("linear", Interpolation(mode: .linear)),
        ("linear align corners", Interpolation(mode: .linear, coordinates: .alignCorners)),
        ("linear asymmetric", Interpolation(mode: .linear, coordinates: .asymmetric)),
        ("linear antialiased", Interpolation(mode: .linear, isAntialiased: true)),
        ("cubic", Interpolation(mode: .cubic)),
    ]
}
