/// The operators of TensorFlow Lite that Apus reads, by their numbers in the schema.
enum TFLiteBuiltin: Int, CaseIterable, CustomStringConvertible {
    case add = 0
    case averagePool2D = 1
    case concatenation = 2
    case conv2D = 3
    case depthwiseConv2D = 4
    case depthToSpace = 5
    case dequantize = 6
    case floor = 8
    case fullyConnected = 9
    case l2Normalization = 11
    case localResponseNormalization = 13
    case logistic = 14
    case maxPool2D = 17
    case mul = 18
    case relu = 19
    case reluN1To1 = 20
    case relu6 = 21
    case reshape = 22
    case resizeBilinear = 23
    case softmax = 25
    case spaceToDepth = 26
    case tanh = 28
    case custom = 32
    case pad = 34
    case gather = 36
    case batchToSpaceND = 37
    case spaceToBatchND = 38
    case transpose = 39
    case mean = 40
    case sub = 41
    case div = 42
    case squeeze = 43
    case stridedSlice = 45
    case exp = 47
    case topKV2 = 48
    case split = 49
    case logSoftmax = 50
    case cast = 53
    case pRelu = 54
    case maximum = 55
    case argMax = 56
    case minimum = 57
    case less = 58
    case neg = 59
    case padV2 = 60
    case greater = 61
    case greaterEqual = 62
    case lessEqual = 63
    case select = 64
    case slice = 65
    case sin = 66
    case transposeConv = 67
    case tile = 69
    case expandDims = 70
    case equal = 71
    case notEqual = 72
    case log = 73
    case sum = 74
    case sqrt = 75
    case rsqrt = 76
    case shape = 77
    case pow = 78
    case argMin = 79
    case reduceProd = 81
    case reduceMax = 82
    case pack = 83
    case logicalOr = 84
    case oneHot = 85
    case logicalAnd = 86
    case logicalNot = 87
    case unpack = 88
    case reduceMin = 89
    case floorDiv = 90
    case reduceAny = 91
    case square = 92
    case zerosLike = 93
    case fill = 94
    case floorMod = 95
    case range = 96
    case resizeNearestNeighbor = 97
    case leakyRelu = 98
    case squaredDifference = 99
    case mirrorPad = 100
    case abs = 101
    case splitV = 102
    case ceil = 104
    case reverseV2 = 105
    case addN = 106
    case gatherND = 107
    case cos = 108
    case rank = 110
    case elu = 111
    case quantize = 114
    case round = 116
    case hardSwish = 117
    case selectV2 = 123
    case densify = 124
    case batchMatMul = 126
    case cumSum = 128
    case broadcastTo = 130
    case reduceAll = 140
    case broadcastArgs = 145
    case gelu = 150
    case relu0To1 = 152
    case sign = 158

    /// The name in the schema, such as `CONV_2D`.
    var description: String {
        switch self {
        case .add: "ADD"
        case .averagePool2D: "AVERAGE_POOL_2D"
        case .concatenation: "CONCATENATION"
        case .conv2D: "CONV_2D"
        case .depthwiseConv2D: "DEPTHWISE_CONV_2D"
        case .depthToSpace: "DEPTH_TO_SPACE"
        case .dequantize: "DEQUANTIZE"
        case .floor: "FLOOR"
        case .fullyConnected: "FULLY_CONNECTED"
        case .l2Normalization: "L2_NORMALIZATION"
        case .localResponseNormalization: "LOCAL_RESPONSE_NORMALIZATION"
        case .logistic: "LOGISTIC"
        case .maxPool2D: "MAX_POOL_2D"
        case .mul: "MUL"
        case .relu: "RELU"
        case .reluN1To1: "RELU_N1_TO_1"
        case .relu6: "RELU6"
        case .reshape: "RESHAPE"
        case .resizeBilinear: "RESIZE_BILINEAR"
        case .softmax: "SOFTMAX"
        case .spaceToDepth: "SPACE_TO_DEPTH"
        case .tanh: "TANH"
        case .custom: "CUSTOM"
        case .pad: "PAD"
        case .gather: "GATHER"
        case .batchToSpaceND: "BATCH_TO_SPACE_ND"
        case .spaceToBatchND: "SPACE_TO_BATCH_ND"
        case .transpose: "TRANSPOSE"
        case .mean: "MEAN"
        case .sub: "SUB"
        case .div: "DIV"
        case .squeeze: "SQUEEZE"
        case .stridedSlice: "STRIDED_SLICE"
        case .exp: "EXP"
        case .topKV2: "TOPK_V2"
        case .split: "SPLIT"
        case .logSoftmax: "LOG_SOFTMAX"
        case .cast: "CAST"
        case .pRelu: "PRELU"
        case .maximum: "MAXIMUM"
        case .argMax: "ARG_MAX"
        case .minimum: "MINIMUM"
        case .less: "LESS"
        case .neg: "NEG"
        case .padV2: "PADV2"
        case .greater: "GREATER"
        case .greaterEqual: "GREATER_EQUAL"
        case .lessEqual: "LESS_EQUAL"
        case .select: "SELECT"
        case .slice: "SLICE"
        case .sin: "SIN"
        case .transposeConv: "TRANSPOSE_CONV"
        case .tile: "TILE"
        case .expandDims: "EXPAND_DIMS"
        case .equal: "EQUAL"
        case .notEqual: "NOT_EQUAL"
        case .log: "LOG"
        case .sum: "SUM"
        case .sqrt: "SQRT"
        case .rsqrt: "RSQRT"
        case .shape: "SHAPE"
        case .pow: "POW"
        case .argMin: "ARG_MIN"
        case .reduceProd: "REDUCE_PROD"
        case .reduceMax: "REDUCE_MAX"
        case .pack: "PACK"
        case .logicalOr: "LOGICAL_OR"
        case .oneHot: "ONE_HOT"
        case .logicalAnd: "LOGICAL_AND"
        case .logicalNot: "LOGICAL_NOT"
        case .unpack: "UNPACK"
        case .reduceMin: "REDUCE_MIN"
        case .floorDiv: "FLOOR_DIV"
        case .reduceAny: "REDUCE_ANY"
        case .square: "SQUARE"
        case .zerosLike: "ZEROS_LIKE"
        case .fill: "FILL"
        case .floorMod: "FLOOR_MOD"
        case .range: "RANGE"
        case .resizeNearestNeighbor: "RESIZE_NEAREST_NEIGHBOR"
        case .leakyRelu: "LEAKY_RELU"
        case .squaredDifference: "SQUARED_DIFFERENCE"
        case .mirrorPad: "MIRROR_PAD"
        case .abs: "ABS"
        case .splitV: "SPLIT_V"
        case .ceil: "CEIL"
        case .reverseV2: "REVERSE_V2"
        case .addN: "ADD_N"
        case .gatherND: "GATHER_ND"
        case .cos: "COS"
        case .rank: "RANK"
        case .elu: "ELU"
        case .quantize: "QUANTIZE"
        case .round: "ROUND"
        case .hardSwish: "HARD_SWISH"
        case .selectV2: "SELECT_V2"
        case .densify: "DENSIFY"
        case .batchMatMul: "BATCH_MATMUL"
        case .cumSum: "CUMSUM"
        case .broadcastTo: "BROADCAST_TO"
        case .reduceAll: "REDUCE_ALL"
        case .broadcastArgs: "BROADCAST_ARGS"
        case .gelu: "GELU"
        case .relu0To1: "RELU_0_TO_1"
        case .sign: "SIGN"
        }
    }
}
