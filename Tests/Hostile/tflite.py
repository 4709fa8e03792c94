"""Files of TensorFlow Lite whose numbers are out of range, or that demand too much."""

import struct

from cases import ANSWER, EITHER, ERROR, Case
from operator_ranges import HUGE
from tflite_bytes import (
    BOOL, FLOAT32, INT16, INT32, INT4, INT64, INT8, UINT8, flexible, integers, model, numbers, tensor, weights,
)

#: Extremes of 8 and 32 bits, for the fields of options.
EXTREMES = {
    "i8": [-128, -1, 0, 2, 127], "bool": [0, 1, 255], "u8": [0, 1, 255],
    "i32": [-(1 << 31), -(1 << 30), -1, 0, 1 << 16, 1 << 30, (1 << 31) - 1],
    "f32": [float("nan"), float("inf"), -float("inf"), -1.0, 0.0, 3e38],
}
PICTURE = (1, 8, 8, 4)
ACTIVATION = ("i8", 0)


def x(*shape):
    return tensor(list(shape or PICTURE))


def whole(*values):
    """Integers that say what an operator does; each is replaced by extremes."""
    return ("integers", list(values))


def operators():
    """Each operator with its operands, the number of its results, and its options by number."""
    picture, row, pair = x(), x(1, 4), [x(), x()]
    window = {0: ("i8", 0), 1: ("i32", 1), 2: ("i32", 1)}
    sized = window | {3: ("i32", 2), 4: ("i32", 2), 5: ACTIVATION}
    yield "ADD", 0, pair, 1, {0: ACTIVATION}
    yield "AVERAGE_POOL_2D", 1, [picture], 1, sized
    yield "CONCATENATION", 2, pair, 1, {0: ("i32", 3), 1: ACTIVATION}
    yield "CONV_2D", 3, [picture, weights(2, 3, 3, 4), weights(2)], 1, window | {3: ACTIVATION, 4: ("i32", 1), 5: ("i32", 1)}
    yield "DEPTHWISE_CONV_2D", 4, [picture, weights(1, 3, 3, 4)], 1, window | {3: ("i32", 1), 4: ACTIVATION, 5: ("i32", 1), 6: ("i32", 1)}
    yield "DEPTH_TO_SPACE", 5, [picture], 1, {0: ("i32", 2)}
    yield "FULLY_CONNECTED", 9, [row, weights(3, 4)], 1, {0: ACTIVATION, 1: ("i8", 0), 2: ("u8", 0)}
    yield "L2_NORMALIZATION", 11, [row], 1, {0: ACTIVATION}
    yield "LOCAL_RESPONSE_NORMALIZATION", 13, [picture], 1, {0: ("i32", 1), 1: ("f32", 1), 2: ("f32", 1), 3: ("f32", 1)}
    yield "MAX_POOL_2D", 17, [picture], 1, sized
    yield "RESHAPE", 22, [picture, whole(1, 256)], 1, None
    yield "RESHAPE by options", 22, [picture], 1, {0: ("[i32]", [1, 256])}
    yield "RESIZE_BILINEAR", 23, [picture, whole(4, 4)], 1, {2: ("u8", 0), 3: ("u8", 0)}
    yield "RESIZE_BILINEAR of bytes", 23, [tensor([1, 8, 8, 4], UINT8, scales=[1.0]), whole(4, 4)], [tensor([1, 4, 4, 4], UINT8, scales=[1.0])], {2: ("u8", 0), 3: ("u8", 0)}
    yield "SOFTMAX", 25, [row], 1, {0: ("f32", 1)}
    yield "SPACE_TO_DEPTH", 26, [picture], 1, {0: ("i32", 2)}
    yield "PAD", 34, [picture, ("integers", [0, 0, 1, 1, 1, 1, 0, 0], [4, 2])], 1, None
    yield "GATHER", 36, [picture, whole(0, 1)], 1, {0: ("i32", 1), 1: ("i32", 0)}
    yield "BATCH_TO_SPACE_ND", 37, [x(4, 4, 4, 2), whole(2, 2), ("integers", [0, 0, 0, 0], [2, 2])], 1, None
    yield "SPACE_TO_BATCH_ND", 38, [picture, whole(2, 2), ("integers", [0, 0, 0, 0], [2, 2])], 1, None
    yield "SPACE_TO_BATCH_ND of nothing", 38, [x((1 << 31) - 1, 0, 0, 0, 0, 0, 0, 0), whole(*[32767] * 7), ("integers", [0] * 14, [7, 2])], 1, None
    yield "TRANSPOSE", 39, [picture, whole(0, 2, 1, 3)], 1, None
    yield "MEAN", 40, [picture, whole(1, 2)], 1, {0: ("u8", 1)}
    yield "MEAN of bytes", 40, [tensor([1, 8, 8, 4], INT8, scales=[1.0]), whole(1, 2)], [tensor([1, 1, 1, 4], INT8, scales=[1.0])], {0: ("u8", 1)}
    yield "SQUEEZE", 43, [x(1, 1, 8)], 1, {0: ("[i32]", [0, 1])}
    yield "STRIDED_SLICE", 45, [picture, whole(0, 0, 0, 0), whole(1, 8, 8, 4), whole(1, 2, 2, 1)], 1, {number: ("i32", 0) for number in range(5)} | {5: ("u8", 0)}
    yield "TOPK_V2", 48, [row, whole(2)], 2, None
    yield "SPLIT", 49, [whole(3), picture], 2, {0: ("i32", 2)}
    yield "CAST", 53, [picture], 1, {0: ("i8", 0), 1: ("i8", 2)}
    yield "ARG_MAX", 56, [picture, whole(3)], [tensor([1, 8, 8], INT64)], {0: ("i8", INT64)}
    yield "PADV2", 60, [picture, ("integers", [0, 0, 1, 1, 1, 1, 0, 0], [4, 2]), weights()], 1, None
    yield "SLICE", 65, [picture, whole(0, 1, 1, 0), whole(1, 4, 4, -1)], 1, None
    yield "TRANSPOSE_CONV", 67, [whole(1, 16, 16, 2), weights(2, 2, 2, 4), picture], 1, {0: ("i8", 0), 1: ("i32", 2), 2: ("i32", 2), 3: ACTIVATION}
    quantized = tensor([1, 8, 8, 4], INT8, scales=[1.0])
    yield "TRANSPOSE_CONV of bytes", 67, [whole(1, 16, 16, 2), weights(2, 2, 2, 4, kind=INT8, scales=[1.0]), quantized], [tensor([1, 16, 16, 2], INT8, scales=[1.0])], {0: ("i8", 0), 1: ("i32", 2), 2: ("i32", 2), 3: ACTIVATION}
    yield "TILE", 69, [picture, whole(1, 2, 2, 1)], 1, None
    yield "EXPAND_DIMS", 70, [picture, whole(0)], 1, None
    yield "SUM", 74, [picture, whole(1)], 1, {0: ("u8", 0)}
    yield "SHAPE", 77, [picture], [tensor([4], INT32)], {0: ("i8", INT32)}
    yield "PACK", 83, pair, 1, {0: ("i32", 2), 1: ("i32", 0)}
    yield "ONE_HOT", 85, [integers([0, 1]), whole(3), weights(1), weights(1)], 1, {0: ("i32", -1)}
    yield "UNPACK", 88, [x(2, 3)], 2, {0: ("i32", 2), 1: ("i32", 0)}
    yield "FILL", 94, [whole(2, 3), weights()], 1, None
    yield "RANGE", 96, [("integers", [0], []), ("integers", [4], []), ("integers", [1], [])], [tensor([4], INT32)], None
    yield "RESIZE_NEAREST_NEIGHBOR", 97, [picture, whole(4, 4)], 1, {0: ("u8", 0), 1: ("u8", 0)}
    yield "LEAKY_RELU", 98, [picture], 1, {0: ("f32", 0.1)}
    yield "MIRROR_PAD", 100, [picture, ("integers", [0, 0, 1, 1, 1, 1, 0, 0], [4, 2])], 1, {0: ("i8", 0)}
    yield "SPLIT_V", 102, [picture, whole(1, 3), whole(3)], 2, {0: ("i32", 2)}
    yield "REVERSE_V2", 105, [picture, whole(1)], 1, None
    yield "GATHER_ND", 107, [picture, ("integers", [0, 1], [1, 2])], 1, None
    yield "BATCH_MATMUL", 126, [x(1, 3, 4), x(1, 4, 5)], 1, {0: ("u8", 0), 1: ("u8", 0)}
    yield "CUMSUM", 128, [picture, ("integers", [1], [])], 1, {0: ("u8", 0), 1: ("u8", 0)}
    yield "BROADCAST_TO", 130, [x(1, 4), whole(3, 4)], 1, None
    yield "BROADCAST_ARGS", 145, [whole(1, 4), whole(3, 4)], [tensor([2], INT32)], None


def built(code, operands, results, options, kind=INT32):
    made = []
    for operand in operands:
        if isinstance(operand[0], str):
            _, values, *shape = operand
            operand = integers(values, kind, *shape)
        made.append(operand)
    results = results if isinstance(results, list) else [tensor([])] * results
    return model(code, made, results, options)


def changes(operands, options):
    """The operands and options with each number replaced by extremes, and the type of integer operands."""
    for number, (kind, value) in (options or {}).items():
        for extreme in EXTREMES[kind.strip("[]")]:
            changed = [extreme] * len(value) if kind.startswith("[") else extreme
            yield f"option {number} of {extreme}", operands, options | {number: (kind, changed)}, INT32
    for index, operand in enumerate(operands):
        if not isinstance(operand[0], str):
            continue
        _, values, *shape = operand
        for extreme in HUGE:
            kind = INT32 if -(1 << 31) <= extreme < 1 << 31 else INT64
            places = [[place] for place in range(len(values))] + ([range(len(values))] if len(values) > 1 else [])
            for changed in places:
                new = [extreme if place in changed else value for place, value in enumerate(values)]
                name = "all" if len(changed) > 1 else changed[0]
                yield f"operand {index} at {name} of {extreme}", [*operands[:index], ("integers", new, *shape), *operands[index + 1:]], options, kind


def read(name, content, expected=EITHER):
    return Case(f"tflite_{name}", {"model.tflite": content}, expected, runs=[["plan", "model.tflite"]])


def tflite_ranges():
    for name, code, operands, results, options in operators():
        yield read(f"ranges/{name} as it is", built(code, operands, results, options))
        for change, *changed, kind in changes(operands, options):
            yield read(f"ranges/{name} with {change}", built(code, changed[0], results, changed[1], kind))
    # Two sizes that overflow when they are added.
    for sizes in ([-1, -(1 << 63)], [-1, -1], [(1 << 63) - 1, -1], [1 << 62, 1 << 62], [-1, 5], [-1, 9]):
        yield read(f"ranges/SPLIT_V into {sizes}", model(102, [x(), integers(sizes, INT64), integers([3])], [x(), x()], {0: ("i32", 2)}), ERROR)


def tflite_tensors():
    relu, largest = 19, (1 << 31) - 1
    for shape in ([largest] * 2, [largest] * 3, [largest, largest, 2], [1 << 30, 1 << 30, 8], [largest, 3, 715827883], [0, largest, largest], [-1, 3], [1] * 9, [largest]):
        for kind in (FLOAT32, INT8, UINT8, INT16, INT32, INT64, BOOL, INT4):
            yield read(f"tensors/input {shape} of type {kind}", model(relu, [tensor(shape, kind)], [x()]))
            yield read(f"tensors/constant {shape} of type {kind}", model(0, [x(), tensor(shape, kind, b"\1" * 4)], [x()], {}), EITHER if 0 in shape else ERROR)
    for kind in range(-1, 26):
        yield read(f"tensors/elements of type {kind}", model(0, [x(), tensor([4], kind, b"\1" * 16)], [x()], {}))
    for scale in (0.0, -1.0, float("nan"), float("inf"), 1e-45, 3e38):
        for zero in (-(1 << 63), -129, 0, 1 << 31, (1 << 63) - 1):
            quantized = tensor([1, 8, 8, 4], INT8, scales=[scale], zeros=[zero])
            yield read(f"tensors/scale {scale} and zero point {zero}", model(relu, [quantized], [quantized]))
            scales = {"scales": [scale] * 2, "zeros": [zero] * 2}
            yield read(f"tensors/weights' scale {scale} and zero point {zero}", model(
                3, [tensor([1, 8, 8, 4], INT8, scales=[1.0]), weights(2, 3, 3, 4, kind=INT8, **scales)],
                [tensor([1, 8, 8, 2], INT8, scales=[1.0])], {0: ("i8", 0), 1: ("i32", 1), 2: ("i32", 1)}))
    for axis in EXTREMES["i32"]:
        yield read(f"tensors/scales along axis {axis}", model(relu, [tensor([1, 2], INT8, scales=[1.0, 1.0], axis=axis)], [x(1, 2)]))
    for details in range(-1, 5):
        yield read(f"tensors/quantization by details {details}", model(
            relu, [tensor([1, 2], INT8, quantization={2: ("[f32]", [1.0]), 4: ("i8", details), 5: ("table", {})})], [x(1, 2)]),
            ERROR if details else EITHER)


def vector(kind, values):
    return {1: "[i32]", 2: "[u16]", 3: "[u8]"}[kind], values


def level(segments, indices, kind=1):
    return {0: ("i8", 1), 2: ("u8", kind), 3: ("table", {0: vector(kind, segments)}), 4: ("u8", kind), 5: ("table", {0: vector(kind, indices)})}


def dense(extent):
    return {0: ("i8", 0), 1: ("i32", extent)}


def sparse(shape, order, levels, data, blocks=None):
    sparsity = {0: ("[i32]", order), 2: ("tables", levels)} | ({1: ("[i32]", blocks)} if blocks is not None else {})
    return model(0, [x(1, 4), tensor(shape, FLOAT32, data, sparsity=sparsity)], [x(1, 4)], {})


def tflite_sparsity():
    data, largest = b"\0\0\x80?" * 4, (1 << 31) - 1
    yield read("sparsity/whole", sparse([4, 4], [0, 1], [dense(4), level([0, 1, 2, 3, 4], [0, 1, 2, 3])], data), ANSWER)
    for extreme in EXTREMES["i32"]:
        yield read(f"sparsity/extent {extreme}", sparse([4, 4], [0, 1], [dense(extreme), level([0, 1, 2, 3, 4], [0, 1, 2, 3])], data))
        yield read(f"sparsity/second extent {extreme}", sparse([4, 4], [0, 1], [dense(4), dense(extreme)], data))
        yield read(f"sparsity/third extent {extreme}", sparse([4, 4, 4], [0, 1, 2], [level([0, 4], [0, 1, 2, 3]), dense(largest), dense(extreme)], data))
        yield read(f"sparsity/order {extreme}", sparse([4, 4], [0, extreme], [dense(4), dense(4)], data), EITHER)
        yield read(f"sparsity/blocks {extreme}", sparse([4, 4], [0, 1, 2], [dense(2), dense(4), dense(2)], data, blocks=[extreme]))
        yield read(f"sparsity/block of {extreme}", sparse([4, 4], [0, 1, 2], [dense(2), dense(2), dense(extreme)], data, blocks=[0]))
        for place in range(5):
            segments = [extreme if index == place else index for index in range(5)]
            yield read(f"sparsity/segment {place} of {extreme}", sparse([4, 4], [0, 1], [dense(4), level(segments, [0, 1, 2, 3])], data))
        for place in range(4):
            indices = [extreme if index == place else index for index in range(4)]
            yield read(f"sparsity/index {place} of {extreme}", sparse([4, 4], [0, 1], [dense(4), level([0, 1, 2, 3, 4], indices)], data))
    for kind in (0, 1, 2, 3, 4, 255):
        changed = level([0, 1, 2, 3, 4], [0, 1, 2, 3]) | {2: ("u8", kind)}
        yield read(f"sparsity/segments of kind {kind}", sparse([4, 4], [0, 1], [dense(4), changed], data))
    yield read("sparsity/no positions", sparse([4, 4], [0, 1], [dense(4), {0: ("i8", 1)}], data), ERROR)
    yield read("sparsity/no levels", sparse([4, 4], [0, 1], [], data), ERROR)


def tflite_options():
    landmarks = dict(left_rotation_idx=0.0, right_rotation_idx=1.0, scale_x=1.0, scale_y=1.0, output_width=8.0, output_height=8.0, target_rotation_radians=0.0)
    grid = dict(output_height=4.0, output_width=4.0)

    def transform(options, lists=None):
        return model(32, [x(1, 4, 2)], [x(1, 4, 4)], custom=("Landmarks2TransformMatrix", flexible(options, lists or {"subset_idxs": [0, 1]})))

    def bilinear(options):
        return model(32, [x(1, 8, 8, 1), x(1, 4, 4)], [x(1, 4, 4, 1)], custom=("TransformTensorBilinear", flexible(options)))

    yield read("options/whole transform", transform(landmarks), ANSWER)
    yield read("options/whole grid", bilinear(grid), ANSWER)
    extremes = [float("nan"), float("inf"), -1.0, 0.0, 0.5, 32768.0, 32769.0, 2.0 ** 31, 2.0 ** 62, 2.0 ** 63, 3e38]
    for extreme in extremes:
        for name in landmarks:
            yield read(f"options/{name} of {extreme}", transform(landmarks | {name: extreme}))
        for name in grid:
            yield read(f"options/{name} of {extreme}", bilinear(grid | {name: extreme}))
        yield read(f"options/grid of {extreme}", bilinear(dict.fromkeys(grid, extreme)))
    for values in ([], [-1], [1 << 30], [4], [0] * 70_000):
        yield read(f"options/landmarks {values[:2]} of {len(values)}", transform(landmarks, {"subset_idxs": values}), ERROR)
    content = flexible(landmarks, {"subset_idxs": [0, 1]})
    for place in range(len(content)):
        for change in (0xFF, 0x80, 0x01):
            damaged = content[:place] + bytes([content[place] ^ change]) + content[place + 1:]
            yield read(f"options/byte {place} changed by {change}", model(32, [x(1, 4, 2)], [x(1, 4, 4)], custom=("Landmarks2TransformMatrix", damaged)))
    for options in (b"", bytes(12), struct.pack("<3i", 1, 2, 2), b"\xff" * 12, struct.pack("<3i", 0, (1 << 31) - 1, 1 << 30)):
        yield read(f"options/transposed convolution {options.hex()}", model(
            32, [x(), weights(1, 2, 2, 4), weights(1)], [x(1, 16, 16, 1)], custom=("Convolution2DTransposeBias", options)))


def tflite_memory():
    """Small files of which 64 MiB are not enough."""
    def limited(name, content):
        return Case(f"tflite_memory/{name}", {"model.tflite": content}, ERROR, runs=[["inspect", "model.tflite", "--memory-limit", "64M"]])

    scalars = dict(left_rotation_idx=0.0, right_rotation_idx=1.0, scale_x=1.0, scale_y=1.0, output_width=8.0, output_height=8.0)
    yield limited("shared list", model(32, [x(1, 4, 2)], [x(1, 4, 4)], custom=(
        "Landmarks2TransformMatrix", flexible(scalars, shared=([f"k{index:03}" for index in range(240)] + ["subset_idxs"], [0] * 262_144)))))
    yield limited("grid", model(32, [x(1, 8, 8, 1), x(1, 4, 4)], [x(1, 8192, 8192, 1)], custom=(
        "TransformTensorBilinear", flexible(dict(output_height=8192.0, output_width=8192.0)))))

    def bytes_of(*shape):
        return tensor(list(shape), INT8, scales=[1.0])

    for features, channels in ((512, 512), (1, 1 << 18)):
        filters = tensor([features, 1, 1, channels], INT8, bytes(features * channels), scales=[1.0])
        yield limited(f"filters of {features} from {channels}", model(
            67, [integers([1, 16, 16, features]), filters, bytes_of(1, 1, 1, channels)], [bytes_of(1, 16, 16, features)],
            {0: ("i8", 1), 1: ("i32", 16), 2: ("i32", 16)}))
    many = 1 << 18
    yield limited("multipliers and biases", model(
        67, [integers([1, 16, 16, many]), tensor([many, 1, 1, 1], INT8, bytes(many), scales=[1.0] * many), bytes_of(1, 1, 1, 1), weights(many, kind=INT32)],
        [bytes_of(1, 16, 16, many)], {0: ("i8", 1), 1: ("i32", 16), 2: ("i32", 16)}))
    yield limited("sparse tensor", sparse([1 << 14, 1 << 14], [0, 1], [level([0, 1], [0]), level([0, 1], [0])], b"\0\0\x80?"))
    yield limited("constant of integers", model(40, [x(), tensor([1 << 22], INT8, bytes(1 << 22))], [x()], {}))
    yield limited("dequantized weights", model(
        3, [x(1, 8, 8, 4096), tensor([4096, 1, 1, 4096], INT8, bytes(1 << 24), scales=[0.5])], [x(1, 8, 8, 4096)],
        {0: ("i8", 0), 1: ("i32", 1), 2: ("i32", 1)}))


GROUPS = (tflite_ranges, tflite_tensors, tflite_sparsity, tflite_options, tflite_memory)
