import Graphs

/// Layers of values with any number of axes, introduced with version 4 of the format.
extension LayerKind {
    private static let functions: [(LayerField, any Operator)] = [
        (.ceil, Ceil()), (.floor, Floor()), (.sign, Sign()), (.round, Round()), (.sin, Sin()), (.cos, Cos()),
        (.tan, Tan()), (.asin, Asin()), (.acos, Acos()), (.atan, Atan()), (.sinh, Sinh()), (.cosh, Cosh()),
        (.tanh, Tanh()), (.asinh, Asinh()), (.acosh, Acosh()), (.atanh, Atanh()), (.erf, Erf()),
    ]

    static let functionKinds =
        functions.map { LayerKind($0.0, function($0.1)) } + [
            LayerKind(.clip, clip),
            LayerKind(.exp2, exp2),
            LayerKind(.gelu, gelu),
            LayerKind(.clampedReLU, clampedReLU),
        ]

    static let comparisonKinds =
        [
            LayerKind(.equal, equality(isNegated: false)),
            LayerKind(.notEqual, equality(isNegated: true)),
            LayerKind(.lessThan, order(Less())),
            LayerKind(.lessEqual, order(LessOrEqual())),
            LayerKind(.greaterThan, order(Greater())),
            LayerKind(.greaterEqual, order(GreaterOrEqual())),
            LayerKind(.logicalOr, logic(Or())),
            LayerKind(.logicalXor, logic(Xor())),
            LayerKind(.logicalNot, logic(Not())),
            LayerKind(.logicalAnd, logic(And())),
        ]

    static let broadcastingKinds = [
        LayerKind(.modBroadcastable, modulo),
        LayerKind(.minBroadcastable, broadcasting(Min())),
        LayerKind(.maxBroadcastable, broadcasting(Max())),
        LayerKind(.addBroadcastable, broadcasting(Add())),
        LayerKind(.powBroadcastable, broadcasting(Pow())),
        LayerKind(.divideBroadcastable, broadcasting(Div())),
        LayerKind(.floorDivBroadcastable, floorDivision),
        LayerKind(.multiplyBroadcastable, broadcasting(Mul())),
        LayerKind(.subtractBroadcastable, broadcasting(Sub())),
        LayerKind(.whereBroadcastable, choice),
    ]

    static let indexingKinds = [
        LayerKind(.gather, gather),
        LayerKind(.scatter, scatter),
        LayerKind(.gatherND, gatherND),
        LayerKind(.scatterND, scatterND),
        LayerKind(.gatherAlongAxis, gatherAlongAxis),
        LayerKind(.scatterAlongAxis, scatterAlongAxis),
        LayerKind(.topK, topK),
        LayerKind(.argMin, extremum(ArgMin.self)),
        LayerKind(.argMax, extremum(ArgMax.self)),
        LayerKind(.whereNonZero, nonZero),
        LayerKind(.nonMaximumSuppression, nonMaximumSuppression),
        LayerKind(.oneHot, oneHot),
        LayerKind(.cumSum, cumulativeSum),
        LayerKind(.argSort, argSort),
    ]

    static let shapeKinds = [
        LayerKind(.tile, tile),
        LayerKind(.stack, stack),
        LayerKind(.reverse, reverse),
        LayerKind(.reverseSeq, reverseSequence),
        LayerKind(.splitND, splitND),
        LayerKind(.concatND, concatND),
        LayerKind(.transpose, transpose),
        LayerKind(.sliceStatic, sliceStatic),
        LayerKind(.sliceDynamic, sliceDynamic),
        LayerKind(.slidingWindows, slidingWindows),
        LayerKind(.getShape, getShape),
        LayerKind(.broadcastToLike, shapedLike(Expand())),
        LayerKind(.broadcastToStatic, broadcastToStatic),
        LayerKind(.broadcastToDynamic, shapedDynamically(Expand())),
        LayerKind(.squeeze, squeeze),
        LayerKind(.expandDims, expandDims),
        LayerKind(.flattenTo2D, flattenTo2D),
        LayerKind(.reshapeLike, shapedLike(Reshape())),
        LayerKind(.reshapeStatic, reshapeStatic),
        LayerKind(.reshapeDynamic, shapedDynamically(Reshape())),
        LayerKind(.rankPreservingReshape, reshapeStatic),
        LayerKind(.constantPad, constantPad),
        LayerKind(.matrixBandPart, bandPart),
        LayerKind(.lowerTriangular, triangle(isUpper: false)),
        LayerKind(.upperTriangular, triangle(isUpper: true)),
        LayerKind(.sliceBySize, sliceBySize),
    ]

    private static let reductions: [(LayerField, any Reduction.Type)] = [
        (.reduceL1, ReduceL1.self), (.reduceL2, ReduceL2.self), (.reduceMax, ReduceMax.self),
        (.reduceMin, ReduceMin.self), (.reduceSum, ReduceSum.self), (.reduceProd, ReduceProd.self),
        (.reduceMean, ReduceMean.self), (.reduceLogSum, ReduceLogSum.self),
        (.reduceSumSquare, ReduceSumSquare.self), (.reduceLogSumExp, ReduceLogSumExp.self),
    ]

    static let reductionKinds = reductions.map { LayerKind($0.0, reduction($0.1)) }

    static let otherKinds = [
        LayerKind(.rangeStatic, rangeStatic),
        LayerKind(.rangeDynamic, rangeDynamic),
        LayerKind(.softmaxND, softmaxND),
        LayerKind(.embeddingND, embeddingND),
        LayerKind(.batchedMatmul, batchedMatMul),
        LayerKind(.loadConstantND, loadConstantND),
        LayerKind(.fillLike, fillLike),
        LayerKind(.fillStatic, fillStatic),
        LayerKind(.fillDynamic, fillDynamic),
        LayerKind(.layerNormalization, layerNormalization),
        LayerKind(.pooling3d, pooling3D),
        LayerKind(.globalPooling3d, globalPooling3D),
        LayerKind(.convolution3d, convolution3D),
    ]

    private static let randomFields: [LayerField] = [
        .randomNormalLike, .randomNormalStatic, .randomNormalDynamic, .randomUniformLike, .randomUniformStatic,
        .randomUniformDynamic, .randomBernoulliLike, .randomBernoulliStatic, .randomBernoulliDynamic,
        .categoricalDistribution,
    ]

    static let randomKinds = randomFields.map {
        LayerKind($0, refused: "random numbers would give another answer each time")
    }

    /// Kinds whose axes and extents have a meaning only for exact shapes.
    static let exactKinds = Set((indexingKinds + shapeKinds + reductionKinds + otherKinds).map(\.field))
        .subtracting([.softmaxND, .concatND])
}
