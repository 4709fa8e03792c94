import Graphs
import Tensors

extension TFLiteGraphReader {
    /// Adds the nodes of an operator of the file.
    mutating func add(_ node: TFLiteNode) throws(FormatError) {
        switch node.kind {
        case .conv2D, .depthwiseConv2D: try addConvolution(node)
        case .transposeConv: try addTransposedConvolution(node)
        case .fullyConnected: try addFullyConnected(node)
        case .batchMatMul: try addMatrixProduct(node)
        case .averagePool2D, .maxPool2D: try addPool(node)
        case .add, .sub, .mul: try addArithmetic(node)
        case .div, .squaredDifference, .pow, .floorDiv, .floorMod, .addN: try addFloatArithmetic(node)
        case .maximum, .minimum: try addExtremum(node)
        case .equal, .notEqual, .less, .lessEqual, .greater, .greaterEqual: try addComparison(node)
        case .logicalAnd: try addElementwise(And(), node)
        case .logicalOr: try addElementwise(Or(), node)
        case .logicalNot: try addElementwise(Not(), node)
        case .select, .selectV2: try addSelection(node)
        case .relu, .relu6, .reluN1To1, .relu0To1, .leakyRelu, .logistic, .tanh, .elu, .hardSwish, .gelu, .exp, .log,
            .sqrt, .rsqrt, .square, .abs, .neg, .floor, .ceil, .round, .sin, .cos, .sign:
            try addFunction(node)
        case .pRelu: try addPRelu(node)
        case .softmax, .logSoftmax: try addSoftmax(node)
        case .l2Normalization: try addL2Normalization(node)
        case .localResponseNormalization: try addLocalResponseNormalization(node)
        case .mean, .sum, .reduceProd, .reduceMax, .reduceMin, .reduceAny, .reduceAll: try addReduction(node)
        case .argMax, .argMin: try addArgument(node)
        case .topKV2: try addTopK(node)
        case .cumSum: try addCumulativeSum(node)
        case .quantize: try addQuantize(node)
        case .dequantize: try addDequantize(node)
        case .densify: define(try node.output(), try plain(try node.input(0)))
        case .cast: try addCast(node)
        case .concatenation: try addConcatenation(node)
        case .pad, .padV2, .mirrorPad: try addPad(node)
        case .resizeBilinear, .resizeNearestNeighbor: try addResize(node)
        case .depthToSpace, .spaceToDepth: try addBlocks(node)
        case .batchToSpaceND, .spaceToBatchND: try addBatchBlocks(node)
        case .reshape: try addReshape(node)
        case .squeeze, .expandDims: try addAxes(node)
        case .transpose: try addTranspose(node)
        case .slice, .stridedSlice, .reverseV2: try addSlice(node)
        case .split, .splitV: try addSplit(node)
        case .pack, .unpack: try addStack(node)
        case .gather, .gatherND: try addGather(node)
        case .tile, .broadcastTo: try addRepetition(node)
        case .shape, .rank, .fill, .zerosLike, .range, .oneHot, .broadcastArgs: try addShapeArithmetic(node)
        case .custom where node.custom == "TFLite_Detection_PostProcess": try addDetection(node)
        case .custom where node.custom == "Convolution2DTransposeBias": try addTransposedConvolutionWithBias(node)
        case .custom where node.custom == "Landmarks2TransformMatrix": try addLandmarkTransform(node)
        case .custom where node.custom == "TransformTensorBilinear": try addTransformedTensor(node)
        case .custom where node.custom == "TransformLandmarks": try addTransformedLandmarks(node)
        case .custom where node.custom.hasPrefix("Flex"):
            throw node.unsupported(
                "custom operator \"\(node.custom)\", an operator of TensorFlow itself; convert the network without "
                    + "SELECT_TF_OPS, or as ONNX")
        case .custom:
            throw node.unsupported(
                "custom operator \"\(node.custom)\", which is code of the network's makers; convert the network "
                    + "without it"
            )
        }
    }

    /// Adds an operator that computes with numbers. Quantized tensors are dequantized before it and rounded after it.
    ///
    /// - Parameter body: Adds the nodes; returns the result and whether its last axis was moved to the second place.
    mutating func addOnNumbers(
        _ node: TFLiteNode,
        _ body: (inout Self) throws(FormatError) -> (value: Graph.ValueID, isChannelsFirst: Bool)
    ) throws(FormatError) {
        readsNumbers = true
        var (value, isChannelsFirst) = try body(&self)
        readsNumbers = false
        let index = try node.output()
        if let quantization = quantization(index), let type = elementType(index) {
            value = try apply(
                AffineQuantize(
                    scale: quantization.scales[0], zeroPoint: Int32(clamping: quantization.zeroPoints[0]),
                    elementType: type), [value], "\(node.name)/quantized")[0]
        }
        if isChannelsFirst { define(index, channelsFirst: value) } else { define(index, value) }
    }

    /// Applies an activation to numbers.
    mutating func activated(
        _ value: Graph.ValueID, _ activation: TFLiteActivation, _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        let operation: any Operator
        switch activation {
        case .none: return value
        case .relu: operation = Relu()
        case .reluN1To1, .relu6: operation = Clip(min: activation.bounds.low, max: activation.bounds.high)
        case .tanh: operation = Tanh()
        }
        return try apply(operation, [value], "\(node.name)/\(activation)")[0]
    }

    /// The operands of an elementwise operator in the same order of axes, broadcast from the file's last axis.
    mutating func operands(
        _ node: TFLiteNode, _ positions: Range<Int>
    ) throws(FormatError) -> (values: [Graph.ValueID], isChannelsFirst: Bool) {
        var indices: [Int] = []
        for position in positions { indices.append(try node.input(position)) }
        let most = indices.map { rank($0) }.max() ?? 0
        let usesChannelsFirst =
            indices.contains { forms[$0].isChannelsFirst && rank($0) == most }
            && indices.allSatisfy { rank($0) == most || constants.contains($0) || rank($0) == 0 }
        var values: [Graph.ValueID] = []
        for index in indices {
            guard usesChannelsFirst else {
                values.append(try plain(index))
                continue
            }
            if rank(index) == most {
                values.append(try channelsFirst(index))
                continue
            }
            let value = try plain(index)
            guard rank(value) > 0, let constant = writer.graph.initializers[value] else {
                values.append(value)
                continue
            }
            let shape = [Int](repeating: 1, count: most - constant.shape.count) + constant.shape
            let order = [0, most - 1] + Array(1..<most - 1)
            guard let moved = try? constant.reshaped(to: shape).transposed(order).contiguous() else {
                throw node.invalid("operand \(constant.shape) does not fit")
            }
            values.append(addConstant(moved, "\(writer.graph[value].name)/transposed"))
        }
        return (values, usesChannelsFirst)
    }

    mutating func define(_ index: Int, _ value: Graph.ValueID, isChannelsFirst: Bool) {
        if isChannelsFirst { define(index, channelsFirst: value) } else { define(index, value) }
    }

    /// Adds an elementwise operator on integers or numbers as they are.
    mutating func addElementwise(_ operation: any Operator, _ node: TFLiteNode) throws(FormatError) {
        let (values, isChannelsFirst) = try operands(node, 0..<node.inputs.count)
        define(try node.output(), try apply(operation, values, node), isChannelsFirst: isChannelsFirst)
    }
}
