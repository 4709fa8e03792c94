import Graphs

/// A kind of operation in ML programs, and its translation.
struct MILOperatorKind: Sendable {
    typealias Translator = @Sendable (MILOperation, MILTranslator) throws(FormatError) -> Void

    let name: String
    let translate: Translator

    init(_ name: String, _ translate: @escaping Translator) {
        self.name = name
        self.translate = translate
    }

    static func find(_ name: String) -> MILOperatorKind? { byName[name] }

    /// What helps where a program has an operation that is not read.
    static func remedy(_ name: String) -> String {
        switch name {
        case "read_state", "coreml_update_state", "write_state":
            "convert the network without states: values that outlive a run must be inputs and outputs"
        case "cond", "while_loop", "make_list", "list_read", "list_write", "list_gather", "list_scatter", "list_length":
            "convert the network without control flow, or export it as ONNX, whose If and Loop are read"
        case "non_maximum_suppression":
            "convert the network without its suppression of boxes, which Apus does itself"
        default: "export the network as ONNX, or without this operation"
        }
    }

    private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// Every kind that is read, in alphabetical order.
    static let all: [MILOperatorKind] = (constants + windows + elementwise + matrices + shapes).sorted {
        $0.name < $1.name
    }

    private static let constants = [
        MILOperatorKind("const", constant),
        MILOperatorKind("constexpr_affine_dequantize", affineDequantize),
        MILOperatorKind("constexpr_blockwise_shift_scale", blockwiseShiftScale),
        MILOperatorKind("constexpr_cast", castConstant),
        MILOperatorKind("constexpr_lut_to_dense", lookupTable),
        MILOperatorKind("constexpr_lut_to_sparse", sparseLookupTable),
        MILOperatorKind("constexpr_sparse_blockwise_shift_scale", sparseShiftScale),
        MILOperatorKind("constexpr_sparse_to_dense", sparse),
        MILOperatorKind("classify", classify),
    ]

    private static let windows = [
        MILOperatorKind("avg_pool", pool(.average)),
        MILOperatorKind("batch_norm", batchNormalization),
        MILOperatorKind("conv", convolution),
        MILOperatorKind("conv_transpose", transposedConvolution),
        MILOperatorKind("instance_norm", instanceNormalization),
        MILOperatorKind("l2_norm", l2Normalization),
        MILOperatorKind("l2_pool", pool(.l2)),
        MILOperatorKind("layer_norm", layerNormalization),
        MILOperatorKind("local_response_norm", localResponseNormalization),
        MILOperatorKind("max_pool", pool(.max)),
        MILOperatorKind("pixel_shuffle", pixelShuffle),
        MILOperatorKind("depth_to_space", depthToSpace),
        MILOperatorKind("space_to_depth", spaceToDepth),
        MILOperatorKind("crop_resize", cropResize),
        MILOperatorKind("resize_bilinear", resizeBilinear),
        MILOperatorKind("resize_nearest_neighbor", resizeNearest),
        MILOperatorKind("upsample_bilinear", upsampleBilinear),
        MILOperatorKind("upsample_nearest_neighbor", upsampleNearest),
    ]

    private static let functions: [(String, any Operator)] = [
        ("abs", Abs()), ("acos", Acos()), ("asin", Asin()), ("atan", Atan()), ("atanh", Atanh()), ("ceil", Ceil()),
        ("cos", Cos()), ("cosh", Cosh()), ("erf", Erf()), ("exp", Exp()), ("floor", Floor()), ("identity", Identity()),
        ("logical_not", Not()), ("relu", Relu()), ("round", Round()), ("sigmoid", Sigmoid()), ("sign", Sign()),
        ("silu", Swish()), ("sin", Sin()), ("sinh", Sinh()), ("softplus", Softplus()), ("softsign", Softsign()),
        ("sqrt", Sqrt()), ("tan", Tan()), ("tanh", Tanh()),
    ]

    private static let arithmetic: [(String, any Operator)] = [
        ("add", Add()), ("equal", Equal()), ("greater", Greater()), ("greater_equal", GreaterOrEqual()),
        ("less", Less()), ("less_equal", LessOrEqual()), ("logical_and", And()), ("logical_or", Or()),
        ("logical_xor", Xor()), ("maximum", Max()), ("minimum", Min()), ("mul", Mul()), ("pow", Pow()),
        ("real_div", Div()), ("sub", Sub()),
    ]

    private static let elementwise =
        functions.map { MILOperatorKind($0.0, unary($0.1)) } + arithmetic.map { MILOperatorKind($0.0, binary($0.1)) }
        + [
            MILOperatorKind("cast", cast),
            MILOperatorKind("clamped_relu", clampedReLU),
            MILOperatorKind("clip", clip),
            MILOperatorKind("elu", elu),
            MILOperatorKind("exp2", exp2),
            MILOperatorKind("floor_div", floorDivision),
            MILOperatorKind("gelu", gelu),
            MILOperatorKind("inverse", inverse),
            MILOperatorKind("leaky_relu", leakyReLU),
            MILOperatorKind("linear_activation", linearActivation),
            MILOperatorKind("log", logarithm),
            MILOperatorKind("mod", modulo),
            MILOperatorKind("not_equal", notEqual),
            MILOperatorKind("prelu", prelu),
            MILOperatorKind("relu6", relu6),
            MILOperatorKind("rsqrt", reciprocalRoot),
            MILOperatorKind("scaled_tanh", scaledTanh),
            MILOperatorKind("select", select),
            MILOperatorKind("sigmoid_hard", hardSigmoid),
            MILOperatorKind("square", square),
            MILOperatorKind("threshold", threshold),
            MILOperatorKind("thresholded_relu", thresholdedReLU),
        ]

    private static let reductions: [(String, any Reduction.Type)] = [
        ("reduce_l1_norm", ReduceL1.self), ("reduce_l2_norm", ReduceL2.self), ("reduce_log_sum", ReduceLogSum.self),
        ("reduce_log_sum_exp", ReduceLogSumExp.self), ("reduce_max", ReduceMax.self), ("reduce_mean", ReduceMean.self),
        ("reduce_min", ReduceMin.self), ("reduce_prod", ReduceProd.self), ("reduce_sum", ReduceSum.self),
        ("reduce_sum_square", ReduceSumSquare.self),
    ]

    private static let matrices =
        reductions.map { MILOperatorKind($0.0, reduction($0.1)) }
        + [
            MILOperatorKind("cumsum", cumulativeSum),
            MILOperatorKind("einsum", einsum),
            MILOperatorKind("linear", linear),
            MILOperatorKind("matmul", matrixProduct),
            MILOperatorKind("reduce_argmax", extremum(ArgMax.self)),
            MILOperatorKind("reduce_argmin", extremum(ArgMin.self)),
            MILOperatorKind("scaled_dot_product_attention", attention),
            MILOperatorKind("softmax", softmax),
            MILOperatorKind("topk", topK),
        ]

    private static let shapes = [
        MILOperatorKind("band_part", bandPart),
        MILOperatorKind("concat", concat),
        MILOperatorKind("expand_dims", expandDims),
        MILOperatorKind("fill", fill),
        MILOperatorKind("flatten2d", flatten),
        MILOperatorKind("gather", gather),
        MILOperatorKind("gather_along_axis", gatherAlongAxis),
        MILOperatorKind("gather_nd", gatherND),
        MILOperatorKind("one_hot", oneHot),
        MILOperatorKind("pad", pad),
        MILOperatorKind("range_1d", range),
        MILOperatorKind("reshape", reshape),
        MILOperatorKind("reverse", reverse),
        MILOperatorKind("scatter", scatter),
        MILOperatorKind("scatter_along_axis", scatterAlongAxis),
        MILOperatorKind("scatter_nd", scatterND),
        MILOperatorKind("shape", shapeOf),
        MILOperatorKind("slice_by_index", sliceByIndex),
        MILOperatorKind("slice_by_size", sliceBySize),
        MILOperatorKind("split", split),
        MILOperatorKind("squeeze", squeeze),
        MILOperatorKind("stack", stack),
        MILOperatorKind("tile", tile),
        MILOperatorKind("transpose", transpose),
    ]
}
