"""Makes the TensorFlow Lite models of Tests/Fixtures/tflite, with the outputs of LiteRT's reference kernels.

    pip install ai-edge-litert==2.3.0 numpy flatbuffers
    python Tests/Fixtures/make_tflite_fixtures.py

Every case is one operator with random operands (the seed is the case's name). cases.json has the model, the inputs and
the outputs of each, as base64 of little-endian bytes.
"""

import base64
import json
import pathlib
import struct

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from tflite_hostile import hostile
from tflite_landmarks import landmarks
from tflite_models import CASES, Array, bias, case, constant, quantized, weights
from tflite_quantized import detections, integers

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
    rng = np.random.default_rng(4)
    x, w, b = Array([1, 5, 6, 3]), weights(rng, [2, 2, 4, 3], "float32", None), constant([0.5, -1], "float32")
    case("transpose_conv_bias_custom", "CUSTOM", [x, w, b], [Array([1, 10, 24, 2])],
         custom=("Convolution2DTransposeBias", struct.pack("<3i", 1, 4, 2)), tolerance=1e-5,
         like=("TRANSPOSE_CONV", [constant([1, 10, 24, 2]), w, x, b], ("TransposeConvOptions", dict(
             padding=0, strideW=4, strideH=2))))
    case("pad_v2", "PADV2", [Array(image), constant([[0, 0], [1, 2], [0, 1], [0, 0]]), constant([2.5], "float32")], [Array([1, 7, 7, 3])])
    case("reverse", "REVERSE_V2", [Array([2, 3, 4]), constant([1])], [Array([2, 3, 4])])
    case("cumsum", "CUMSUM", [Array([2, 5]), constant(1)], [Array([2, 5])], ("CumsumOptions", dict(exclusive=True)), tolerance=1e-5)


if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent / "tflite"
    entries = [
        {"name": name, "model": base64.b64encode(content).decode(), "message": message}
        for name, content, message in hostile()]
    (folder / "hostile.json").write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n")
    for group in [convolutions, pools, arithmetic, functions, conversions, shapes, integers, detections, landmarks]:
        group()
    target = pathlib.Path(__file__).parent / "tflite" / "cases.json"
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in CASES)
    target.write_text(f"[\n{lines}\n]\n")
    print(len(CASES), "cases,", target.stat().st_size, "bytes")
