/// Layers of values with any number of axes, which came with version 4 of the format.
extension LayerKind {
    static let functionKinds =
        [
            (665, "ceil", "Ceil"), (670, "floor", "Floor"), (680, "sign", "Sign"), (685, "round", "Round"),
            (710, "sin", "Sin"), (715, "cos", "Cos"), (720, "tan", "Tan"), (730, "asin", "Asin"),
            (735, "acos", "Acos"), (740, "atan", "Atan"), (750, "sinh", "Sinh"), (755, "cosh", "Cosh"),
            (760, "tanh", "Tanh"), (770, "asinh", "Asinh"), (775, "acosh", "Acosh"), (780, "atanh", "Atanh"),
            (790, "erf", "Erf"),
        ].map { LayerKind($0.0, $0.1, function($0.2)) } + [
            LayerKind(660, "clip", clip),
            LayerKind(700, "exp2", exp2),
            LayerKind(795, "gelu", gelu),
            LayerKind(1460, "clampedReLU", clampedReLU),
        ]

    static let comparisonKinds =
        [
            (815, "equal", "Equal", false), (820, "notEqual", "Equal", true), (825, "lessThan", "Less", false),
            (827, "lessEqual", "LessOrEqual", false), (830, "greaterThan", "Greater", false),
            (832, "greaterEqual", "GreaterOrEqual", false),
        ].map { LayerKind($0.0, $0.1, comparison($0.2, isNegated: $0.3)) } + [
            LayerKind(840, "logicalOr", logic("Or")),
            LayerKind(845, "logicalXor", logic("Xor")),
            LayerKind(850, "logicalNot", logic("Not")),
            LayerKind(855, "logicalAnd", logic("And")),
        ]

    static let broadcastingKinds = [
        LayerKind(865, "modBroadcastable", modulo),
        LayerKind(870, "minBroadcastable", broadcasting("Min")),
        LayerKind(875, "maxBroadcastable", broadcasting("Max")),
        LayerKind(880, "addBroadcastable", broadcasting("Add")),
        LayerKind(885, "powBroadcastable", broadcasting("Pow")),
        LayerKind(890, "divideBroadcastable", broadcasting("Div")),
        LayerKind(895, "floorDivBroadcastable", floorDivision),
        LayerKind(900, "multiplyBroadcastable", broadcasting("Mul")),
        LayerKind(905, "subtractBroadcastable", broadcasting("Sub")),
        LayerKind(1330, "whereBroadcastable", choice),
    ]

    static let indexingKinds = [
        LayerKind(930, "gather", gather),
        LayerKind(935, "scatter", scatter),
        LayerKind(940, "gatherND", gatherND),
        LayerKind(945, "scatterND", scatterND),
        LayerKind(952, "gatherAlongAxis", gatherAlongAxis),
        LayerKind(954, "scatterAlongAxis", scatterAlongAxis),
        LayerKind(1015, "topK", topK),
        LayerKind(1020, "argMin", extremum("ArgMin")),
        LayerKind(1025, "argMax", extremum("ArgMax")),
        LayerKind(1313, "whereNonZero", nonZero),
        LayerKind(1400, "NonMaximumSuppression", nonMaximumSuppression),
        LayerKind(1450, "oneHot", oneHot),
        LayerKind(1455, "cumSum", cumulativeSum),
        LayerKind(1461, "argSort", argSort),
    ]

    static let shapeKinds = [
        LayerKind(920, "tile", tile),
        LayerKind(925, "stack", stack),
        LayerKind(960, "reverse", reverse),
        LayerKind(965, "reverseSeq", reverseSequence),
        LayerKind(975, "splitND", splitND),
        LayerKind(980, "concatND", concatND),
        LayerKind(985, "transpose", transpose),
        LayerKind(995, "sliceStatic", sliceStatic),
        LayerKind(1000, "sliceDynamic", sliceDynamic),
        LayerKind(1005, "slidingWindows", slidingWindows),
        LayerKind(1065, "getShape", getShape),
        LayerKind(1100, "broadcastToLike", broadcastToLike),
        LayerKind(1105, "broadcastToStatic", broadcastToStatic),
        LayerKind(1110, "broadcastToDynamic", broadcastToDynamic),
        LayerKind(1120, "squeeze", squeeze),
        LayerKind(1125, "expandDims", expandDims),
        LayerKind(1130, "flattenTo2D", flattenTo2D),
        LayerKind(1135, "reshapeLike", reshapeLike),
        LayerKind(1140, "reshapeStatic", reshapeStatic),
        LayerKind(1145, "reshapeDynamic", reshapeDynamic),
        LayerKind(1150, "rankPreservingReshape", reshapeStatic),
        LayerKind(1155, "constantPad", constantPad),
        LayerKind(1315, "matrixBandPart", bandPart),
        LayerKind(1320, "lowerTriangular", triangle(isUpper: false)),
        LayerKind(1325, "upperTriangular", triangle(isUpper: true)),
        LayerKind(1470, "sliceBySize", sliceBySize),
    ]

    static let reductionKinds =
        [
            (1250, "L1"), (1255, "L2"), (1260, "Max"), (1265, "Min"), (1270, "Sum"), (1275, "Prod"), (1280, "Mean"),
            (1285, "LogSum"), (1290, "SumSquare"), (1295, "LogSumExp"),
        ].map { LayerKind($0.0, "reduce\($0.1)", reduction("Reduce\($0.1)")) }

    static let otherKinds = [
        LayerKind(635, "rangeStatic", rangeStatic),
        LayerKind(640, "rangeDynamic", rangeDynamic),
        LayerKind(950, "softmaxND", softmaxND),
        LayerKind(1040, "embeddingND", embeddingND),
        LayerKind(1045, "batchedMatmul", batchedMatMul),
        LayerKind(1070, "loadConstantND", loadConstantND),
        LayerKind(1080, "fillLike", fillLike),
        LayerKind(1085, "fillStatic", fillStatic),
        LayerKind(1090, "fillDynamic", fillDynamic),
        LayerKind(1350, "layerNormalization", layerNormalization),
        LayerKind(1465, "pooling3d", pooling3D),
        LayerKind(1466, "globalPooling3d", globalPooling3D),
        LayerKind(1471, "convolution3d", convolution3D),
    ]

    static let randomKinds =
        [
            (1170, "randomNormalLike"), (1175, "randomNormalStatic"), (1180, "randomNormalDynamic"),
            (1190, "randomUniformLike"), (1195, "randomUniformStatic"), (1200, "randomUniformDynamic"),
            (1210, "randomBernoulliLike"), (1215, "randomBernoulliStatic"), (1220, "randomBernoulliDynamic"),
            (1230, "categoricalDistribution"),
        ].map { LayerKind($0.0, $0.1, refused: "random numbers would give another answer each time") }

    /// Kinds that count axes and extents in a way that only exact shapes have.
    static let exactKinds = Set((indexingKinds + shapeKinds + reductionKinds + otherKinds).map(\.field))
        .subtracting([950, 980])
}
