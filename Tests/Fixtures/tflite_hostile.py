"""Models of TensorFlow Lite that must be refused."""

import struct

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from flatbuffers import flexbuffers

from tflite_models import OPERATORS, OPTIONS, Array, constant, model, quantized
from tflite_landmarks import hostile_landmarks
from tflite_quantized import detection


def hostile():
    """Models that must be refused, and parts of their error messages."""
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

    def blockwise(root, graph):
        graph.tensors[1].quantization.detailsType = schema.QuantizationDetails.BlockwiseQuantization
        graph.tensors[1].quantization.details = schema.BlockwiseQuantizationT()

    def external(root, graph):
        graph.tensors[0].externalBuffer = 1

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
        ("zero point out of range", relu(quantization(zeroPoint=[2**40])), "the zero point 1099511627776 is not from"),
        ("zero point beyond its type", relu(quantization(zeroPoint=[128])), "the zero point 128 is not from -128 to 127"),
        ("two zero points for one scale", relu(quantization(zeroPoint=[0, 0])), "2 zero points do not fit its 1 scales"),
        ("subgraph that calls itself", relu(recursive), "operator 119"),
        ("subgraph that calls itself by name", relu(recursive), "(WHILE)"),
        ("elements of texts", relu(tensor_of(0, type=5)), "elements of type STRING"),
        ("operator of TensorFlow", model("CUSTOM", [Array([2])], [Array([2])], custom=("FlexErf", b"")), "without SELECT_TF_OPS"),
        ("suppression of boxes", model("NON_MAX_SUPPRESSION_V4", [Array([4, 4]), Array([4])], [Array([4], "int32")]),
         "operator 120 (NON_MAX_SUPPRESSION_V4) of TensorFlow Lite"),
        ("blockwise scales", relu(blockwise), "quantization by BlockwiseQuantization"),
        ("elements in another file", relu(external), "its elements lie in an external file"),
        *(("sizes " + str(sizes), model("SPLIT_V", [Array([1, 8]), constant(sizes, "int64"), constant([1])], [Array([1, 4])] * 2,
                                        ("SplitVOptions", {"numSplits": 2})), message) for sizes, message in [
            ([-1, -(2**63)], "the sizes [-1, -9223372036854775808]"), ([-1, -1], "one may be −1"), ([2**62, 2**62], "the sizes"),
            ([-1, 9], "parts of 9 of an axis of 8")]),
        ("int4 of 2^63 - 1 elements", relu(tensor_of(0, type=17, shape=[7, 7, 73, 127, 337, 92737, 649657])), "more elements than"),
        ("more elements than the limit", relu(tensor_of(0, shape=[2**20, 2**20, 2])), "more elements than"),
        ("another custom operator", model("CUSTOM", [Array([2])], [Array([2])], custom=("Mine", b"")), 'custom operator "Mine"'),
        *hostile_detections(),
        *hostile_transposed_convolutions(),
        *hostile_landmarks(),
    ]


def hostile_transposed_convolutions():
    def transposed(name, message, options=struct.pack("<3i", 1, 2, 2), shape=(1, 2, 2, 3)):
        operands = [Array([1, 4, 4, 3]), constant(np.zeros(shape), "float32"), constant([0], "float32")]
        return name, model("CUSTOM", operands, [Array([1, 8, 8, 1])], custom=("Convolution2DTransposeBias", options)), message

    return [
        transposed("transposed convolution without options", "its options are 0 bytes, not 12", options=b""),
        transposed("transposed convolution of short options", "its options are 11 bytes, not 12", options=bytes(11)),
        transposed("transposed convolution of stride 0", "overlap or lie apart", options=bytes(12)),
        transposed("transposed convolution of stride -2", "overlap or lie apart", options=struct.pack("<3i", 1, -2, -2)),
        transposed("transposed convolution that overlaps", "overlap or lie apart", shape=(1, 3, 3, 3)),
        transposed("transposed convolution of no kernel", "the kernel [0, 0] is empty", options=bytes(12), shape=(1, 0, 0, 3)),
        transposed("transposed convolution of flat weights", "must have four axes", shape=(2, 2, 3)),
        transposed("transposed convolution of other channels", "does not fit weights", shape=(1, 2, 2, 5)),
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
