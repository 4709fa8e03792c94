"""Makes the TensorFlow Lite models of Tests/Fixtures/tflite, with what LiteRT's reference kernels answer.

    pip install ai-edge-litert==2.3.0 numpy flatbuffers
    python Tests/Fixtures/make_tflite_fixtures.py

Every case is one operator with random operands (the seed is the case's name). cases.json has the model, the inputs and
the outputs of each, as base64 of little-endian bytes.
"""

import base64
import json
import pathlib
import zlib

import flatbuffers
import numpy as np
from flatbuffers import flexbuffers
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

TYPES = {
    "float32": schema.TensorType.FLOAT32, "float16": schema.TensorType.FLOAT16, "int32": schema.TensorType.INT32,
    "uint8": schema.TensorType.UINT8, "int64": schema.TensorType.INT64, "bool": schema.TensorType.BOOL,
    "int16": schema.TensorType.INT16, "int8": schema.TensorType.INT8,
}
OPERATORS = vars(schema.BuiltinOperator)
OPTIONS = {name: number for name, number in vars(schema.BuiltinOptions).items() if isinstance(number, int)}


class Array:
    """A tensor of a model: an input, a constant (with data), or an output."""

    def __init__(self, shape, dtype="float32", scale=None, zero=0, axis=0, data=None):
        self.shape, self.dtype, self.axis, self.data = list(shape), dtype, axis, data
        self.scale = None if scale is None else np.atleast_1d(np.float32(scale))
        self.zero = zero


def constant(values, dtype="int32", **quantization):
    data = np.asarray(values, dtype)
    return Array(data.shape, dtype, data=data, **quantization)


def tensor(array, name, buffer):
    result = schema.TensorT()
    result.name, result.shape, result.type, result.buffer = name, array.shape, TYPES[array.dtype], buffer
    if array.scale is not None:
        result.quantization = schema.QuantizationParametersT()
        result.quantization.scale = array.scale
        result.quantization.zeroPoint = np.full(len(array.scale), array.zero, np.int64)
        result.quantization.quantizedDimension = array.axis
    return result


def model(operator, operands, results, options=None, custom=None, version=1):
    """The bytes of a model of one operator; operands that are None are absent."""
    root, graph, call, code = schema.ModelT(), schema.SubGraphT(), schema.OperatorT(), schema.OperatorCodeT()
    root.version, root.buffers = 3, [schema.BufferT()]
    graph.tensors, graph.inputs, graph.name = [], [], "main"
    call.opcodeIndex, call.inputs, call.outputs = 0, [], []
    for operand in operands:
        if operand is None:
            call.inputs.append(-1)
            continue
        position, buffer = len(graph.tensors), 0
        if operand.data is None:
            graph.inputs.append(position)
        else:
            buffer = len(root.buffers)
            root.buffers.append(schema.BufferT())
            root.buffers[-1].data = np.frombuffer(operand.data.tobytes(), np.uint8)
        graph.tensors.append(tensor(operand, f"x{position}", buffer))
        call.inputs.append(position)
    for index, result in enumerate(results):
        call.outputs.append(len(graph.tensors))
        graph.tensors.append(tensor(result, f"y{index}", 0))
    graph.outputs, graph.operators = list(call.outputs), [call]
    code.version = version
    code.builtinCode = OPERATORS[operator]
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    if custom:
        code.customCode, call.customOptions = custom[0], np.frombuffer(custom[1], np.uint8)
    if options:
        kind, values = options
        call.builtinOptionsType = OPTIONS[kind]
        call.builtinOptions = getattr(schema, kind + "T")()
        for name, value in values.items():
            assert hasattr(call.builtinOptions, name), name
            setattr(call.builtinOptions, name, value)
    root.operatorCodes, root.subgraphs = [code], [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(root.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def random(array, rng, low=-3.0, high=3.0):
    if array.dtype == "bool":
        return rng.integers(0, 2, array.shape).astype(bool)
    if array.dtype.startswith("float"):
        return rng.uniform(low, high, array.shape).astype(array.dtype)
    if array.scale is not None:
        info = np.iinfo(array.dtype)
        return rng.integers(info.min, info.max + 1, array.shape).astype(array.dtype)
    return rng.integers(-5, 6, array.shape).astype(array.dtype)


def pack(array):
    return {
        "type": str(array.dtype), "shape": list(array.shape),
        "data": base64.b64encode(np.ascontiguousarray(array).tobytes()).decode(),
    }


CASES = []


def interpreted(operator, operands, results, options, custom):
    """A model of the first version that LiteRT takes, on reference kernels where the operator has any."""
    for resolver in [OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES]:
        for version in range(1, 8):
            content = model(operator, operands, results, options, custom, version)
            try:
                interpreter = Interpreter(model_content=content, experimental_op_resolver_type=resolver, num_threads=1)
                interpreter.allocate_tensors()
                return content, interpreter
            except (ValueError, RuntimeError) as error:
                refusal = error
    raise refusal


def case(name, operator, operands, results, options=None, low=-3.0, high=3.0, tolerance=0, custom=None, finish=None):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    try:
        content, interpreter = interpreted(operator, operands, results, options, custom)
    except (ValueError, RuntimeError) as error:
        print(f"left out {name}: {str(error).splitlines()[0]}")
        return
    inputs = []
    for detail, operand in zip(interpreter.get_input_details(), (o for o in operands if o is not None and o.data is None)):
        inputs.append(random(operand, rng, low, high))
        interpreter.set_tensor(detail["index"], inputs[-1])
    try:
        interpreter.invoke()
    except RuntimeError as error:
        print(f"left out {name}: {str(error).splitlines()[0]}")
        return
    outputs = [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]
    if finish:
        finish(outputs)
    CASES.append({
        "name": name, "model": base64.b64encode(content).decode(), "tolerance": tolerance,
        "inputs": [pack(value) for value in inputs], "outputs": [pack(value) for value in outputs],
    })


def weights(rng, shape, dtype, axis):
    """Random weights with a scale for each slice along `axis`, or one for all where it is None."""
    if dtype == "float32":
        return constant(rng.uniform(-1, 1, shape), "float32")
    info = np.iinfo(dtype)
    zero = 0 if dtype == "int8" else 121
    data = rng.integers(max(info.min, -127), info.max + 1, shape)
    scale = rng.uniform(0.002, 0.02, shape[axis]) if axis is not None else 0.008
    return constant(data, dtype, scale=scale, zero=zero, axis=axis or 0)


def bias(rng, count, dtype, x, w):
    if dtype == "float32":
        return constant(rng.uniform(-1, 1, count), "float32")
    wide = "int64" if dtype == "int16" else "int32"
    return constant(
        rng.integers(-3000, 3000, count), wide, scale=x.scale * (w.scale if len(w.scale) > 1 else w.scale[0]), zero=0)


def quantized(shape, dtype, scale=0.05, zero=None):
    if dtype == "float32":
        return Array(shape)
    zeros = {"int8": -7, "uint8": 117, "int16": 0}
    return Array(shape, dtype, scale=scale, zero=zeros[dtype] if zero is None else zero)


KINDS = ["float32", "uint8", "int8", "int16"]


def convolutions():
    for dtype in KINDS:
        w_type = "int8" if dtype in ("int8", "int16") else dtype
        tolerance = 1e-5 if dtype == "float32" else 0
        scale = {"int16": 0.0004}.get(dtype, 0.05)
        out = {"int16": 0.001}.get(dtype, 0.11)
        for name, kernel, stride, dilation, padding, activation, channels in [
            ("3x3", 3, 1, 1, 0, 1, 5), ("3x3_stride", 3, 2, 1, 0, 3, 8), ("1x1", 1, 1, 1, 1, 0, 19),
            ("5x5_valid", 5, 1, 1, 1, 2, 4), ("dilated", 3, 1, 2, 0, 0, 3),
        ]:
            rng = np.random.default_rng(len(name))
            x = quantized([1, 9, 8, channels], dtype, scale)
            w = weights(rng, [6, kernel, kernel, channels], w_type, None if dtype == "uint8" else 0)
            size = [9, 8] if padding == 0 else [9 - kernel + 1, 8 - kernel + 1]
            y = quantized([1, -(-size[0] // stride), -(-size[1] // stride), 6], dtype, out)
            case(f"conv_{name}_{dtype}", "CONV_2D", [x, w, bias(rng, 6, dtype, x, w)], [y], ("Conv2DOptions", dict(
                padding=padding, strideW=stride, strideH=stride, fusedActivationFunction=activation,
                dilationWFactor=dilation, dilationHFactor=dilation)), tolerance=tolerance)
        for name, stride, multiplier in [("3x3", 1, 1), ("3x3_stride", 2, 1), ("multiplier", 1, 2)]:
            rng = np.random.default_rng(len(name))
            x = quantized([1, 7, 8, 18], dtype, scale)
            w = weights(rng, [1, 3, 3, 18 * multiplier], w_type, None if dtype == "uint8" else 3)
            y = quantized([1, -(-7 // stride), -(-8 // stride), 18 * multiplier], dtype, out)
            case(f"depthwise_{name}_{dtype}", "DEPTHWISE_CONV_2D", [x, w, bias(rng, 18 * multiplier, dtype, x, w)], [y],
                 ("DepthwiseConv2DOptions", dict(
                     padding=0, strideW=stride, strideH=stride, depthMultiplier=multiplier, fusedActivationFunction=1,
                     dilationWFactor=1, dilationHFactor=1)), tolerance=tolerance)
        rng = np.random.default_rng(5)
        x = quantized([3, 21], dtype, scale)
        w = weights(rng, [7, 21], w_type, None)
        case(f"fully_connected_{dtype}", "FULLY_CONNECTED", [x, w, bias(rng, 7, dtype, x, w)],
             [quantized([3, 7], dtype, out)], ("FullyConnectedOptions", dict(fusedActivationFunction=1)),
             tolerance=tolerance)


def pools():
    for dtype in KINDS:
        for operator in ["MAX_POOL_2D", "AVERAGE_POOL_2D"]:
            for name, padding, size, stride, activation in [("same", 0, 3, 2, 0), ("valid", 1, 2, 2, 1)]:
                x = quantized([1, 7, 9, 17], dtype, 0.03)
                height, width = (4, 5) if padding == 0 else (3, 4)
                case(f"{operator.lower()}_{name}_{dtype}", operator, [x], [quantized([1, height, width, 17], dtype, 0.03)],
                     ("Pool2DOptions", dict(padding=padding, strideW=stride, strideH=stride, filterWidth=size,
                                            filterHeight=size, fusedActivationFunction=activation)),
                     tolerance=1e-6 if dtype == "float32" else 0)


def arithmetic():
    for dtype in ["float32", "uint8", "int8"]:
        tolerance = 1e-6 if dtype == "float32" else 0
        for operator in ["ADD", "SUB", "MUL"]:
            kind = operator.capitalize() + "Options"
            for name, second in [("same", [1, 4, 5, 6]), ("channels", [6]), ("number", [1])]:
                a, b = quantized([1, 4, 5, 6], dtype, 0.03), quantized(second, dtype, 0.07, 4)
                y = quantized([1, 4, 5, 6], dtype, 0.09, 3)
                case(f"{operator.lower()}_{name}_{dtype}", operator, [a, b], [y],
                     (kind, dict(fusedActivationFunction=1 if name == "same" else 0)), tolerance=tolerance)
        for operator in ["MAXIMUM", "MINIMUM"]:
            operands = [quantized([2, 3, 4], dtype), quantized([4], dtype)]
            case(f"{operator.lower()}_{dtype}", operator, operands, [quantized([2, 3, 4], dtype)])
        for operator in ["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"]:
            operands = [quantized([2, 3, 4], dtype), quantized([2, 3, 4], dtype)]
            case(f"{operator.lower()}_{dtype}", operator, operands, [Array([2, 3, 4], "bool")])
    case("div_float32", "DIV", [Array([2, 3]), Array([2, 3])], [Array([2, 3])], ("DivOptions", {}), 1, 3, 1e-6)
    case("squared_difference_float32", "SQUARED_DIFFERENCE", [Array([2, 3]), Array([3])], [Array([2, 3])], None, -3, 3, 1e-6)
    for operator in ["LOGICAL_AND", "LOGICAL_OR"]:
        case(operator.lower(), operator, [Array([2, 3], "bool"), Array([2, 3], "bool")], [Array([2, 3], "bool")])
    case("logical_not", "LOGICAL_NOT", [Array([2, 3], "bool")], [Array([2, 3], "bool")])
    case("select", "SELECT", [Array([2], "bool"), Array([2, 3]), Array([2, 3])], [Array([2, 3])])
    case("select_v2", "SELECT_V2", [Array([2, 3], "bool"), Array([2, 3]), Array([2, 3])], [Array([2, 3])])


def functions():
    shape = [1, 4, 4, 9]
    for operator, options, types in [
        ("RELU", None, ["float32", "int8", "uint8"]), ("RELU6", None, ["float32", "int8", "uint8"]),
        ("RELU_N1_TO_1", None, ["float32", "int8"]), ("LEAKY_RELU", ("LeakyReluOptions", dict(alpha=0.2)), ["float32", "int8", "uint8"]),
        ("ELU", None, ["float32", "int8"]), ("HARD_SWISH", None, ["float32"]),
        ("GELU", ("GeluOptions", dict(approximate=False)), ["float32", "int8"]),
        ("EXP", None, ["float32"]), ("SQRT", None, ["float32"]), ("RSQRT", None, ["float32"]), ("LOG", None, ["float32"]),
        ("ABS", None, ["float32"]), ("NEG", None, ["float32"]), ("FLOOR", None, ["float32"]), ("CEIL", None, ["float32"]),
        ("SIN", None, ["float32"]), ("COS", None, ["float32"]), ("SQUARE", None, ["float32"]), ("ROUND", None, ["float32"]),
    ]:
        for dtype in types:
            low = 0.1 if operator in ("SQRT", "RSQRT", "LOG") else -3
            y = quantized(shape, dtype, 0.04, None if dtype == "float32" else {"int8": -20, "uint8": 100}[dtype])
            case(f"{operator.lower()}_{dtype}", operator, [quantized(shape, dtype)], [y], options, low, 3,
                 1e-5 if dtype == "float32" else 0)
    for operator in ["LOGISTIC", "TANH", "SOFTMAX"]:
        options = ("SoftmaxOptions", dict(beta=1.0)) if operator == "SOFTMAX" else None
        for dtype in ["float32", "uint8", "int8"]:
            scale = 1 / 128 if operator == "TANH" else 1 / 256
            zero = {"float32": 0, "uint8": 128 if operator == "TANH" else 0, "int8": 0 if operator == "TANH" else -128}
            case(f"{operator.lower()}_{dtype}", operator, [quantized([3, 11], dtype)],
                 [quantized([3, 11], dtype, scale, zero[dtype])], options, -3, 3, 1e-6 if dtype == "float32" else 0)
    case("log_softmax_float32", "LOG_SOFTMAX", [Array([3, 11])], [Array([3, 11])], None, -3, 3, 1e-5)
    slope = constant(np.linspace(-0.5, 1, 9).reshape(1, 1, 9), "float32")
    case("prelu_float32", "PRELU", [Array(shape), slope], [Array(shape)], None, -3, 3, 1e-6)
    case("l2_normalization_float32", "L2_NORMALIZATION", [Array([2, 8])], [Array([2, 8])], ("L2NormOptions", {}), -3, 3, 1e-6)
    case("local_response_normalization", "LOCAL_RESPONSE_NORMALIZATION", [Array(shape)], [Array(shape)],
         ("LocalResponseNormalizationOptions", dict(radius=2, bias=1.0, alpha=0.3, beta=0.75)), -3, 3, 1e-5)


def conversions():
    x = [2, 3, 17]
    for source in ["float32", "int8", "uint8", "int16"]:
        for target in ["int8", "uint8", "int16"]:
            if source == "uint8" and target == "int16":
                continue
            y = quantized(x, target, 0.0007 if target == "int16" else 0.021)
            case(f"quantize_{source}_{target}", "QUANTIZE", [quantized(x, source, 0.0011 if source == "int16" else 0.05)], [y], None, -6, 6)
    for source in ["int8", "uint8", "int16"]:
        case(f"dequantize_{source}", "DEQUANTIZE", [quantized(x, source)], [Array(x)], ("DequantizeOptions", {}))
    case("cast", "CAST", [Array(x)], [Array(x, "int32")], ("CastOptions", {}))


def shapes():
    for dtype in ["float32", "int8"]:
        def q(shape):
            return quantized(shape, dtype)
        image = [1, 4, 6, 8]
        case(f"reshape_{dtype}", "RESHAPE", [q(image), constant([2, -1])], [q([2, 96])])
        case(f"squeeze_{dtype}", "SQUEEZE", [q([1, 3, 1, 2])], [q([3, 2])], ("SqueezeOptions", dict(squeezeDims=[0, 2])))
        case(f"expand_dims_{dtype}", "EXPAND_DIMS", [q([3, 2]), constant([1])], [q([3, 1, 2])])
        case(f"transpose_{dtype}", "TRANSPOSE", [q(image), constant([0, 2, 3, 1])], [q([1, 6, 8, 4])])
        case(f"pad_{dtype}", "PAD", [q(image), constant([[0, 0], [1, 2], [0, 1], [2, 0]])], [q([1, 7, 7, 10])])
        case(f"mirror_pad_{dtype}", "MIRROR_PAD", [q(image), constant([[0, 0], [1, 2], [2, 1], [0, 0]])], [q([1, 7, 9, 8])],
             ("MirrorPadOptions", dict(mode=0)))
        case(f"concatenation_{dtype}", "CONCATENATION", [q(image), q([1, 4, 6, 3])], [q([1, 4, 6, 11])],
             ("ConcatenationOptions", dict(axis=-1)))
        case(f"slice_{dtype}", "SLICE", [q(image), constant([0, 1, 2, 3]), constant([1, 2, -1, 4])], [q([1, 2, 4, 4])])
        case(f"strided_slice_{dtype}", "STRIDED_SLICE",
             [q(image), constant([0, 3, 0, -3]), constant([1, 0, 6, 8]), constant([1, -2, 2, 1])], [q([2, 3, 3])],
             ("StridedSliceOptions", dict(beginMask=0, endMask=8, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=1)))
        case(f"split_{dtype}", "SPLIT", [constant(3), q(image)], [q([1, 4, 6, 4])] * 2, ("SplitOptions", dict(numSplits=2)))
        case(f"split_v_{dtype}", "SPLIT_V", [q(image), constant([3, -1]), constant(-1)], [q([1, 4, 6, 3]), q([1, 4, 6, 5])],
             ("SplitVOptions", dict(numSplits=2)))
        case(f"pack_{dtype}", "PACK", [q([2, 3]), q([2, 3])], [q([2, 2, 3])], ("PackOptions", dict(valuesCount=2, axis=1)))
        case(f"unpack_{dtype}", "UNPACK", [q([2, 3])], [q([3])] * 2, ("UnpackOptions", dict(num=2, axis=0)))
        case(f"gather_{dtype}", "GATHER", [q([4, 5]), constant([3, 0, 0])], [q([4, 3])], ("GatherOptions", dict(axis=1)))
        case(f"tile_{dtype}", "TILE", [q([2, 3]), constant([2, 2])], [q([4, 6])]) if dtype == "float32" else None
        case(f"broadcast_to_{dtype}", "BROADCAST_TO", [q([3, 1]), constant([2, 3, 4])], [q([2, 3, 4])])
        case(f"space_to_depth_{dtype}", "SPACE_TO_DEPTH", [q(image)], [q([1, 2, 3, 32])], ("SpaceToDepthOptions", dict(blockSize=2)))
        case(f"depth_to_space_{dtype}", "DEPTH_TO_SPACE", [q(image)], [q([1, 8, 12, 2])], ("DepthToSpaceOptions", dict(blockSize=2)))
        case(f"space_to_batch_{dtype}", "SPACE_TO_BATCH_ND", [q(image), constant([2, 2]), constant([[1, 1], [0, 2]])], [q([4, 3, 4, 8])])
        case(f"batch_to_space_{dtype}", "BATCH_TO_SPACE_ND", [q([4, 3, 4, 2]), constant([2, 2]), constant([[1, 1], [0, 2]])], [q([1, 4, 6, 2])])
        case(f"resize_nearest_{dtype}", "RESIZE_NEAREST_NEIGHBOR", [q(image), constant([7, 9])], [q([1, 7, 9, 8])],
             ("ResizeNearestNeighborOptions", dict(alignCorners=False, halfPixelCenters=False)))
        case(f"arg_max_{dtype}", "ARG_MAX", [q([3, 7]), constant(1)], [Array([3], "int64")],
             ("ArgMaxOptions", dict(outputType=schema.TensorType.INT64)))
        case(f"reduce_max_{dtype}", "REDUCE_MAX", [q(image), constant([1, 2])], [q([1, 8])], ("ReducerOptions", dict(keepDims=False)))
        case(f"mean_{dtype}", "MEAN", [q(image), constant([1, 2])],
             [quantized([1, 8], dtype, 0.02, 5)], ("ReducerOptions", dict(keepDims=False)), tolerance=1e-6 if dtype == "float32" else 0)
        case(f"mean_kept_{dtype}", "MEAN", [q(image), constant([1, 2])],
             [quantized([1, 1, 1, 8], dtype, 0.02, 5)], ("ReducerOptions", dict(keepDims=True)), tolerance=1e-6 if dtype == "float32" else 0)
        if dtype == "float32":
            # Sums of int8 wrap around in LiteRT.
            case("sum_float32", "SUM", [q([2, 3, 4]), constant([2])], [q([2, 3])], ("ReducerOptions", dict(keepDims=False)),
                 tolerance=1e-5)
    image = [1, 4, 6, 3]
    for name, corners, half in [("plain", False, False), ("corners", True, False), ("half", False, True)]:
        case(f"resize_bilinear_{name}", "RESIZE_BILINEAR", [Array(image), constant([7, 9])], [Array([1, 7, 9, 3])],
             ("ResizeBilinearOptions", dict(alignCorners=corners, halfPixelCenters=half)), tolerance=1e-5)
        case(f"resize_nearest_{name}", "RESIZE_NEAREST_NEIGHBOR", [Array(image), constant([3, 11])], [Array([1, 3, 11, 3])],
             ("ResizeNearestNeighborOptions", dict(alignCorners=corners, halfPixelCenters=half)))
    case("top_k", "TOPK_V2", [Array([2, 7]), constant(3)], [Array([2, 3]), Array([2, 3], "int32")])
    case("shape", "SHAPE", [Array([2, 7])], [Array([2], "int32")], ("ShapeOptions", dict(outType=schema.TensorType.INT32)))
    case("batch_matmul", "BATCH_MATMUL", [Array([2, 3, 4]), Array([2, 5, 4])], [Array([2, 3, 5])],
         ("BatchMatMulOptions", dict(adjX=False, adjY=True)), tolerance=1e-5)
    rng = np.random.default_rng(3)
    case("transpose_conv_float32", "TRANSPOSE_CONV",
         [constant([1, 8, 6, 3]), constant(rng.uniform(-1, 1, [3, 3, 3, 5]), "float32"), Array([1, 4, 3, 5])],
         [Array([1, 8, 6, 3])], ("TransposeConvOptions", dict(padding=0, strideW=2, strideH=2)), tolerance=1e-5)
    case("pad_v2", "PADV2", [Array(image), constant([[0, 0], [1, 2], [0, 1], [0, 0]]), constant([2.5], "float32")], [Array([1, 7, 7, 3])])
    case("reverse", "REVERSE_V2", [Array([2, 3, 4]), constant([1])], [Array([2, 3, 4])])
    case("cumsum", "CUMSUM", [Array([2, 5]), constant(1)], [Array([2, 5])], ("CumsumOptions", dict(exclusive=True)), tolerance=1e-5)


DETECTION = dict(
    max_detections=5, max_classes_per_detection=1, detections_per_class=3, use_regular_nms=False,
    nms_score_threshold=0.4, nms_iou_threshold=0.3, num_classes=4, y_scale=10.0, x_scale=10.0, h_scale=5.0, w_scale=5.0)


def detection(dtype="float32", count=12, background=1, change={}):
    """Operands, results and the custom options of an SSD detector's last operator."""
    options = {**DETECTION, **change}
    options = {name: value for name, value in options.items() if value is not None}
    rng = np.random.default_rng(2)
    anchors = np.concatenate([rng.uniform(0.3, 0.7, (count, 2)), rng.uniform(0.2, 0.5, (count, 2))], 1)
    found = 5 * abs(change.get("max_classes_per_detection") or 1)
    if dtype == "float32":
        operands = [Array([1, count, 4]), Array([1, count, 4 + background]), constant(anchors, "float32")]
    else:
        levels = np.round(anchors * 256)
        operands = [Array([1, count, 4], dtype, 0.04, 130), Array([1, count, 4 + background], dtype, 1 / 256, 0),
                    constant(levels, dtype, scale=1 / 256, zero=0)]
    results = [Array([1, found, 4]), Array([1, found]), Array([1, found]), Array([1])]
    return operands, results, ("TFLite_Detection_PostProcess", bytes(flexbuffers.Dumps(options)))


def detections():
    for name, dtype, background, change in [
        ("fast", "float32", 1, {}), ("fast_uint8", "uint8", 1, {}),
        ("fast_two_classes", "float32", 0, dict(max_classes_per_detection=2)),
        ("fast_defaults", "float32", 1, dict(use_regular_nms=None, detections_per_class=None)),
        ("fast_none", "float32", 1, dict(nms_score_threshold=50.0)),
        ("regular", "float32", 1, dict(use_regular_nms=True)),
        ("regular_without_background", "float32", 0, dict(use_regular_nms=True, nms_iou_threshold=0.05)),
        ("regular_few", "float32", 1, dict(use_regular_nms=True, nms_score_threshold=2.8)),
        ("regular_uint8", "uint8", 1, dict(use_regular_nms=True, nms_score_threshold=0.5)),
    ]:
        def finish(outputs, width=change.get("max_classes_per_detection", 1)):
            # What follows the boxes found is left as it was.
            for output in outputs[:3]:
                output[:, int(outputs[3][0]) * width:] = 0
        operands, results, custom = detection(dtype, background=background, change=change)
        case(f"detection_{name}", "CUSTOM", operands, results, tolerance=1e-6, custom=custom, finish=finish)


def integers():
    """Quantized operators beside those above, scales and zero points of their own."""
    for dtype in ["int8", "uint8", "int16"]:
        middle = {"int8": 0, "uint8": 128, "int16": 0}[dtype]
        step = 1 / 128 if dtype == "int16" else 1

        def q(shape, scale, zero=0):
            return Array(shape, dtype, scale=scale * step, zero=middle + (0 if dtype == "int16" else zero))

        w_type = "uint8" if dtype == "uint8" else "int8"
        for name, stride, padding, kernel, activation in [("same", 2, 0, 3, 0), ("valid", 2, 1, 4, 0), ("one", 1, 0, 3, 1)]:
            rng = np.random.default_rng(len(name))
            x, channels = q([1, 5, 4, 7], 0.05, -3), 6
            w = weights(rng, [channels, kernel, kernel, 7], w_type, None if dtype == "uint8" else 0)
            size = [5 * stride, 4 * stride] if padding == 0 else [4 * stride + kernel, 3 * stride + kernel]
            y = q([1, *size, channels], 0.12, 5)
            for suffix, operands in [("", []), ("_bias", [bias(rng, channels, dtype, x, w)])]:
                case(f"transpose_conv_{name}{suffix}_{dtype}", "TRANSPOSE_CONV",
                     [constant([1, *size, channels]), w, x, *operands], [y],
                     ("TransposeConvOptions", dict(padding=padding, strideW=stride, strideH=stride,
                                                   fusedActivationFunction=activation)))
        image = [1, 4, 6, 5]
        for size in [[7, 9], [8, 12]]:
            for name, corners, half in [("plain", False, False), ("corners", True, False), ("half", False, True)]:
                operands, results = [q(image, 0.05), constant(size)], [q([1, *size, 5], 0.05)]
                label = f"{name}_{size[0]}x{size[1]}_{dtype}"
                case(f"resize_bilinear_{label}", "RESIZE_BILINEAR", operands, results,
                     ("ResizeBilinearOptions", dict(alignCorners=corners, halfPixelCenters=half)))
                case(f"resize_nearest_{label}", "RESIZE_NEAREST_NEIGHBOR", operands, results,
                     ("ResizeNearestNeighborOptions", dict(alignCorners=corners, halfPixelCenters=half)))
        for name, adjoint, b in [("plain", False, [2, 9, 5]), ("adjoint", True, [2, 5, 9])]:
            case(f"batch_matmul_{name}_{dtype}", "BATCH_MATMUL", [q([2, 3, 9], 0.05, 3), q(b, 0.04, -5)],
                 [q([2, 3, 5], 0.15, 4)], ("BatchMatMulOptions", dict(adjX=False, adjY=adjoint)))
        for operator in ["ADD", "SUB", "MUL"]:
            kind = operator.capitalize() + "Options"
            for name, a, b, y in [("up", 0.03, 0.07, 0.05), ("down", 0.08, 0.01, 0.2), ("same", 0.05, 0.05, 0.05)]:
                case(f"{operator.lower()}_scales_{name}_{dtype}", operator, [q(image, a, 11), q(image, b, -7)], [q(image, y, 2)],
                     (kind, dict(fusedActivationFunction=3 if name == "up" else 0)))
        for operator in ["MAXIMUM", "MINIMUM"]:
            case(f"{operator.lower()}_image_{dtype}", operator, [q(image, 0.05), q([5], 0.05)], [q(image, 0.05)])
        for axes, shape in [([1, 2], [1, 5]), ([3], [1, 4, 6]), ([2], [1, 4, 5])]:
            case(f"mean_over_{len(shape)}{axes[0]}_{dtype}", "MEAN", [q(image, 0.05, 7), constant(axes)],
                 [q(shape, 0.03, -6)], ("ReducerOptions", dict(keepDims=False)))
        for factor in [0.02, 0.1, 0.4]:
            name = f"{factor}_{dtype}"
            case(f"leaky_relu_{name}", "LEAKY_RELU", [q([4, 21], factor, 5)], [q([4, 21], 0.11, 3)],
                 ("LeakyReluOptions", dict(alpha=0.1)))
            case(f"relu6_{name}", "RELU6", [q([4, 21], factor, 5)], [q([4, 21], 0.03, -120)])
        pads = constant([[0, 0], [1, 2], [0, 1], [2, 0]])
        case(f"pad_image_{dtype}", "PAD", [q(image, 0.05, 7), pads], [q([1, 7, 7, 7], 0.05, 7)])
        if dtype == "int16":
            # Other operators on 16 bits are computed in numbers, and may differ by 1.
            continue
        info = np.iinfo(dtype)
        alpha = np.random.default_rng(4).integers(info.min, info.max + 1, [1, 1, 5])
        case(f"prelu_{dtype}", "PRELU", [q(image, 0.05, 9), constant(alpha, dtype, scale=0.01, zero=middle)],
             [q(image, 0.07, -11)])
        case(f"l2_normalization_{dtype}", "L2_NORMALIZATION", [q([40, 8], 0.05, 3)], [q([40, 8], 1 / 128)], ("L2NormOptions", {}))
        for factor in [0.02, 0.1, 0.4]:
            name = f"{factor}_{dtype}"
            least = info.min
            case(f"softmax_{name}", "SOFTMAX", [q([4, 21], factor, 5)], [Array([4, 21], dtype, 1 / 256, least)],
                 ("SoftmaxOptions", dict(beta=1.0)))
            case(f"logistic_{name}", "LOGISTIC", [q([4, 21], factor, 5)], [Array([4, 21], dtype, 1 / 256, least)])
            case(f"tanh_{name}", "TANH", [q([4, 21], factor, 5)], [Array([4, 21], dtype, 1 / 128, middle)])
            case(f"hard_swish_{name}", "HARD_SWISH", [q([400], factor, 5)], [q([400], 0.06, -100)])
        if dtype == "uint8":
            case("concatenation_scales_uint8", "CONCATENATION", [q(image, 0.05, 7), q(image, 0.04, -9)], [q([1, 4, 6, 10], 0.06, 1)],
                 ("ConcatenationOptions", dict(axis=-1)))


def hostile():
    """Models that must be refused, and a part of the line that says why."""
    def relu(change, operator="RELU"):
        x, y = quantized([1, 2, 2, 3], "int8"), quantized([1, 2, 2, 3], "int8")
        root = schema.ModelT.InitFromPackedBuf(model(operator, [x], [y]), 0)
        change(root, root.subgraphs[0])
        builder = flatbuffers.Builder(1024)
        builder.Finish(root.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def first(**values):
        def change(root, graph):
            for name, value in values.items():
                setattr(graph.operators[0], name, value)
        return change

    def tensor_of(index, **values):
        def change(root, graph):
            for name, value in values.items():
                setattr(graph.tensors[index], name, value)
        return change

    def quantization(**values):
        def change(root, graph):
            for name, value in values.items():
                setattr(graph.tensors[1].quantization, name, value)
        return change

    def empty(root, graph):
        root.subgraphs = []

    def versioned(root, graph):
        root.version = 9

    def recursive(root, graph):
        root.operatorCodes[0].builtinCode, root.operatorCodes[0].deprecatedBuiltinCode = OPERATORS["WHILE"], 119
        graph.operators[0].builtinOptionsType = OPTIONS["WhileOptions"]
        graph.operators[0].builtinOptions = schema.WhileOptionsT()

    good = relu(lambda root, graph: None)
    root_beyond = (len(good) + 100).to_bytes(4, "little") + good[4:]
    far_table = int.from_bytes(good[:4], "little")
    bad_vtable = good[:far_table] + (2**31 - 1).to_bytes(4, "little") + good[far_table + 4:]
    return [
        ("root beyond the end", root_beyond, "the root lies outside the file"),
        ("no root", b"\0\0\0\0TFL3", "the root lies outside the file"),
        ("vtable outside the file", bad_vtable, "the root lies outside the file"),
        ("no subgraph", relu(empty), "the model holds no graph"),
        ("version 9", relu(versioned), "version 9 of the format"),
        ("operator reads tensor 7", relu(first(inputs=[7])), "operator 0 names tensor 7 of 2"),
        ("operator reads tensor -2", relu(first(inputs=[-2])), "operator 0 names tensor -2 of 2"),
        ("operator computes tensor -1", relu(first(outputs=[-1])), "operator 0 names tensor -1 of 2"),
        ("operator code 3", relu(first(opcodeIndex=3)), "operator 0 names operator code 3 of 1"),
        ("no inputs", relu(first(inputs=[])), "input 0 is missing"),
        ("absent input", relu(first(inputs=[-1])), "input 0 is missing"),
        ("reads its own output", relu(first(inputs=[1])), "which nothing provides"),
        ("computes its input", relu(first(outputs=[0])), "is computed twice"),
        ("buffer 9", relu(tensor_of(0, buffer=9)), "tensor 0 names buffer 9"),
        ("dimension -3", relu(tensor_of(0, shape=[1, -3])), "tensor 0 has the shape [1, -3]"),
        ("wrapped dimensions", relu(tensor_of(0, shape=[2**31 - 1] * 4)), "tensor 0"),
        ("signature of another rank", relu(tensor_of(0, shapeSignature=[-1])), "signature [-1]"),
        ("type 40", relu(tensor_of(0, type=40)), "elements of type 40"),
        ("scale 0", relu(quantization(scale=[0.0])), "a scale is 0.0"),
        ("scale NaN", relu(quantization(scale=[float("nan")])), "a scale is nan"),
        ("scale infinite", relu(quantization(scale=[float("inf")])), "a scale is inf"),
        ("negative scale", relu(quantization(scale=[-0.5])), "a scale is -0.5"),
        ("huge ratio of scales", relu(quantization(scale=[1e-38])), "scales give the factor"),
        ("three scales of two", relu(quantization(scale=[0.1] * 3, zeroPoint=[0] * 3, quantizedDimension=1)), "3 scales along axis 1"),
        ("axis 9", relu(quantization(scale=[0.1] * 3, zeroPoint=[0] * 3, quantizedDimension=9)), "3 scales along axis 9"),
        ("zero point out of range", relu(quantization(zeroPoint=[2**40])), "zero points"),
        ("subgraph that calls itself", relu(recursive), "operator 119"),
        ("another custom operator", model("CUSTOM", [Array([2])], [Array([2])], custom=("Mine", b"")), 'custom operator "Mine"'),
        *hostile_detections(),
    ]


def hostile_detections():
    def changed(message, **change):
        operands, results, custom = detection(change=change)
        return f"detection with {change}", model("CUSTOM", operands, results, custom=custom), message

    def damaged(name, message, options):
        operands, results, (operator, _) = detection()
        return name, model("CUSTOM", operands, results, custom=(operator, options)), message

    operands, results, custom = detection()
    good = custom[1]
    nan, infinite = float("nan"), float("inf")
    return [
        *(changed(f"option {name} is missing", **{name: None}) for name in
          ["max_detections", "max_classes_per_detection", "num_classes", "nms_iou_threshold", "y_scale"]),
        changed("max_detections is 0", max_detections=0), changed("max_detections is -7", max_detections=-7),
        changed("max_detections is 2147483647", max_detections=2**31 - 1),
        changed("max_detections is nan", max_detections=nan),
        changed("max_classes_per_detection is -1", max_classes_per_detection=-1),
        changed("are too many", max_detections=2**20, max_classes_per_detection=4),
        changed("5 classes of a box where there are 4", max_classes_per_detection=5),
        changed("detections_per_class is 0", detections_per_class=0),
        changed("num_classes is 9223372036854775807", num_classes=2**63 - 1)[:2] + ("num_classes is",),
        changed("there are scores of 5 classes, fewer than 6", num_classes=6),
        changed("nms_score_threshold is nan", nms_score_threshold=nan),
        changed("nms_iou_threshold is nan", nms_iou_threshold=nan), changed("nms_iou_threshold is -0.5", nms_iou_threshold=-0.5),
        changed("nms_iou_threshold is 2.0", nms_iou_threshold=2.0),
        changed("the scales of y, x, h and w", y_scale=0.0), changed("the scales of y, x, h and w", w_scale=infinite),
        changed("the scales of y, x, h and w", h_scale=-1.0), changed("option x_scale is missing", x_scale="ten"),
        damaged("detection without options", "its options are damaged", b""),
        damaged("detection with options that are a number", "its options are no map", bytes(flexbuffers.Dumps(3))),
        damaged("detection with options that are a list", "its options are no map", bytes(flexbuffers.Dumps([1, 2, 3]))),
        damaged("detection with options cut at the start", "its options", good[len(good) // 2:]),
        damaged("detection with a root of 3 bytes", "its options are damaged", good[:-1] + b"\3"),
        damaged("detection with a root far away", "its options are damaged", good[:-3] + b"\xff" + good[-2:]),
        damaged("detection with 300 options", "its options have 300 entries",
                bytes(flexbuffers.Dumps({f"option {index}": index for index in range(300)}))),
        ("detection with one output", model("CUSTOM", operands, results[:1], custom=custom), "it has 1 outputs"),
        ("detection with integer outputs", model("CUSTOM", operands, results[:3] + [Array([1], "int32")], custom=custom),
         "outputs that are not float32"),
        ("detection without anchors", model("CUSTOM", operands[:2], results, custom=custom), "input 2 is missing"),
        ("detection with anchors of another count",
         model("CUSTOM", [*operands[:2], constant(np.zeros([3, 4]), "float32")], results, custom=custom), "do not fit each other"),
    ]


if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent / "tflite"
    entries = [
        {"name": name, "model": base64.b64encode(content).decode(), "message": message}
        for name, content, message in hostile()]
    (folder / "hostile.json").write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n")
    for group in [convolutions, pools, arithmetic, functions, conversions, shapes, integers, detections]:
        group()
    target = pathlib.Path(__file__).parent / "tflite" / "cases.json"
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in CASES)
    target.write_text(f"[\n{lines}\n]\n")
    print(len(CASES), "cases,", target.stat().st_size, "bytes")
