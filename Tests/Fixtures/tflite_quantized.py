"""Further cases of quantized operators for make_tflite_fixtures.py, and of the last operator of SSD detectors."""

import numpy as np
from flatbuffers import flexbuffers

from tflite_models import Array, bias, case, constant, weights


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
            # The rest of the output, after the boxes found, is undefined.
            for output in outputs[:3]:
                output[:, int(outputs[3][0]) * width:] = 0
        operands, results, custom = detection(dtype, background=background, change=change)
        case(f"detection_{name}", "CUSTOM", operands, results, tolerance=1e-6, custom=custom, finish=finish)


def integers():
    """Further quantized operators, with their own scales and zero points."""
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
            # Other operators on 16 bits are computed with dequantized numbers, and may differ by 1.
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
