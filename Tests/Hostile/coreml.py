"""Core ML files that are damaged, contradict themselves, or demand too much.

Field numbers are those of https://apple.github.io/coremltools/mlmodel/index.html
"""

import pathlib

from cases import ANSWER, EITHER, ERROR, Case
from onnx_bytes import block, floats, number, packed, single, varint

FIXTURES = pathlib.Path(__file__).parent.parent / "Fixtures" / "coreml"
BIG = 1 << 40
#: What each number of a file is replaced by.
EXTREMES = [-(1 << 63), -1, 1 << 31, (1 << 63) - 1]


def network(layers, version=4, shape=(3, 8, 8), kind=500, extra=b"", ranges=()):
    sizes = b"".join(block(1, number(1, lower) + number(2, upper)) for lower, upper in ranges)
    array = block(3, block(5, packed(1, shape) + (block(31, sizes) if ranges else b"")))
    description = block(1, block(1, "x") + array) + block(10, block(1, "y") + block(3, block(5, b"")))
    return number(1, version) + block(2, description) + block(kind, layers + extra)


def layer(field, parameters=b"", inputs=("x",), outputs=("y",)):
    names = b"".join(block(2, name) for name in inputs) + b"".join(block(3, name) for name in outputs)
    return block(1, block(1, "layer") + names + block(field, parameters))


def convolution(outputs=2, channels=3, group=1, stride=1, kernel=(1, 1), dilation=1, count=6):
    return layer(100, number(1, outputs) + number(2, channels) + number(10, group) + packed(20, kernel) + packed(30, [stride] * 2)
                 + packed(40, [dilation] * 2) + block(90, block(1, floats([1.0] * count))))


def product(weights, outputs=2):
    return network(layer(140, number(1, 192) + number(2, outputs) + block(20, weights)))


RELU = layer(130, block(10, b""))


def core_ml():
    yield "whole", network(RELU), ANSWER
    whole = network(convolution())
    for place in range(0, len(whole), 7):
        yield f"cut at {place}", whole[:place]
    for place in range(0, len(whole), 5):
        yield f"byte {place} changed", whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1:]
    for name in ["lstm_both", "nms", "nms_per_class", "crop_roi_align_mode", "resize_roi_align_mode", "branch_taken", "loop", "classifier", "weights_table_3", "pool_include_last_pixel"]:
        content = (FIXTURES / "layers" / f"{name}.mlmodel").read_bytes()
        yield f"{name} as it is", content
        for place in range(0, len(content), max(1, len(content) // 25)):
            yield f"{name} with byte {place} changed", content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1:]
    yield "version 9999", network(RELU, version=9999), ERROR
    yield "no layers", network(b""), ERROR
    yield "two million empty layers", network(block(1, b"") * 2_000_000), ERROR
    yield "hundred thousand layers", network(b"".join(layer(130, block(10, b""), ["x"], ["y"]) for _ in range(100_000)))
    yield "custom layer", network(layer(500)), ERROR
    yield "unknown layer", network(layer(5000)), ERROR
    for kind in [555, 556, 3000, 777, 2002]:
        yield f"kind {kind}", network(b"", kind=kind), ERROR
    for shape in [(BIG, BIG, BIG), (-1, 3, 3), (0, 3, 3), (1 << 62, 1, 1), [1] * 100_000]:
        yield f"input {str(shape)[:40]}", network(RELU, shape=shape), ERROR
    for last in [(0, 0), (1, (1 << 64) - 1), (1 << 62, (1 << 64) - 1), (1 << 40, 1 << 41), (9, 3), ((1 << 64) - 1, 5)]:
        yield f"open extent from {last[0]} to {last[1]}", network(RELU, shape=(3, 8, 0), ranges=[(3, 3), (8, 8), last])
    yield "open extents without ranges", network(RELU, shape=(3, 0, 0), ranges=[(3, 3)]), ERROR
    yield "large input", network(RELU, shape=(3, 30_000, 30_000))


def core_ml_layers():
    for group in [0, 2, BIG, (1 << 64) - 1]:
        yield f"group {group}", network(convolution(group=group))
    for stride in [0, BIG, (1 << 64) - 1]:
        yield f"stride {stride}", network(convolution(stride=stride)), ERROR
        yield f"dilation {stride}", network(convolution(dilation=stride, kernel=(1, 2)))
    yield "outputs of 2^40", network(convolution(outputs=BIG)), ERROR
    yield "outputs of 2^63", network(convolution(outputs=1 << 63)), ERROR
    yield "kernel of 2^40", network(convolution(kernel=(BIG, BIG))), ERROR
    yield "kernel of three", network(convolution(kernel=(1, 1, 1))), ERROR
    yield "few weights", network(convolution(count=5)), ERROR
    yield "halves of odd length", product(block(2, b"\0" * 767)), ERROR
    for bits in [0, 9, 65, 1 << 63]:
        yield f"{bits} bits", product(block(30, b"\1" * 384) + block(40, number(1, bits) + block(101, block(1, floats([1]))))), ERROR
    yield "short table", product(block(30, b"\1" * 384) + block(40, number(1, 8) + block(102, block(1, floats([1]))))), ERROR
    yield "weights twice", product(block(1, floats([1] * 384)) + block(2, b"\0" * 768)), ERROR
    for name, parameters in {
        "upsample": (210, packed(1, [BIG, BIG])), "upsample by infinity": (210, block(7, floats([float("inf")] * 2))),
        "upsample by nothing": (210, block(7, floats([float("nan")] * 2))), "resize": (211, packed(1, [BIG, BIG])),
        "resize to 0": (211, packed(1, [0, 0])), "resize by a matrix": (211, packed(1, [1 << 20, 1 << 20]) + block(2, number(1, 3))),
        "crop and resize": (212, packed(1, [BIG, BIG])), "pad": (200, block(10, block(10, number(1, BIG) + number(2, BIG)) * 2)),
        "crop": (190, block(1, block(10, number(1, BIG) + number(2, BIG)) * 2)), "pool": (120, packed(10, [BIG, BIG])),
        "pool with borders": (120, block(32, packed(10, [BIG, BIG]))), "split": (330, number(1, BIG)),
        "repeat": (340, number(1, BIG)), "reorganize": (345, number(1, 1) + number(2, BIG)), "permute": (310, packed(1, [0, 9, 9, 9])),
        "permute nothing": (310, b""), "reshape": (300, packed(1, [BIG, BIG, BIG])), "reshape backwards": (300, packed(1, [-1, -1, -1])),
        "constant": (290, packed(1, [BIG, BIG, BIG]) + block(2, block(1, floats([1])))), "lrn": (180, number(3, BIG)),
        "lstm": (420, number(1, BIG) + number(2, BIG)), "gru": (410, number(1, 192) + number(2, 0)), "embedding": (150, number(1, BIG) + number(2, BIG)),
        "slice": (350, number(1, -BIG) + number(2, BIG) + number(3, BIG) + number(4, 7)), "reduce": (280, number(1, 77)), "unary": (220, number(1, 77)),
        "endless loop": (615, number(1, 0) + block(4, layer(130, block(10, b""), ["x"], ["x"]))),
        "loop of 2^40": (615, number(1, BIG) + block(4, layer(130, block(10, b""), ["x"], ["x"]))),
    }.items():
        yield name, network(layer(*parameters))
    for depth in [10, 100, 3000]:
        inner = RELU
        for _ in range(depth):
            inner = layer(605, block(1, inner) + block(2, RELU))
        yield f"{depth} branches", network(inner), ERROR if depth > 50 else EITHER
    exact = number(5, 1)
    for field in [920, 1005, 1085, 1105, 1140, 1150, 1450, 635, 1155, 995, 1015]:
        for size in [BIG, (1 << 64) - 1]:
            parameters = packed(1, [size] * 3) if field in (920, 1105, 1140, 1150) else number(1, 0) + number(2, size) + single(1, 1e30)
            yield f"kind {field} of {size}", network(layer(field, parameters), extra=exact, shape=(1, 3, 8, 8))


def core_ml_pipelines():
    inner = network(RELU)
    for depth in range(3000):
        inner = network(block(1, inner), kind=202)
        if depth in (5, 100, 2999):
            yield f"{depth + 1} pipelines", inner, ERROR if depth > 50 else EITHER
    yield "pipeline of nothing", network(b"", kind=202)
    yield "pipeline of a million", network(block(1, b"") * 1_000_000, kind=202), ERROR
    loop = block(1, number(2, 0) + number(12, 1) + number(13, 1)) + block(1, number(2, 1) + number(12, 0) + number(13, 0))
    yield "tree in circles", network(block(1, loop + number(2, 1)), kind=302), ERROR
    yield "tree of itself", network(block(1, block(1, number(12, 0) + number(13, 0)) + number(2, 1)), kind=302), ERROR
    yield "tree with 2^40 results", network(block(1, number(2, BIG)), kind=302), ERROR
    yield "million tree nodes", network(block(1, b"".join(block(1, number(2, index) + number(3, 6)) for index in range(1_000_000))), kind=302)
    for name in ["forest_classifier", "svc_rbf", "logistic_two", "pipeline", "nearest", "one_hot", "boxes"]:
        content = (FIXTURES / "features" / f"{name}.mlmodel").read_bytes()
        for place in range(0, len(content), max(1, len(content) // 25)):
            yield f"{name} with byte {place} changed", content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1:]


def fields(content):
    """The fields of a message: number, kind, and value; None where the bytes are not one."""
    place, found = 0, []

    def read():
        nonlocal place
        value, shift = 0, 0
        while place < len(content) and shift < 64:
            byte = content[place]
            place, value, shift = place + 1, value | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return value
        raise ValueError

    try:
        while place < len(content):
            key = read()
            if key >> 3 == 0:
                return None
            kind = key & 7
            if kind == 0:
                found.append((key >> 3, kind, read()))
                continue
            size = read() if kind == 2 else {1: 8, 5: 4}[kind]
            if size > len(content) - place:
                return None
            found.append((key >> 3, kind, content[place:place + size]))
            place += size
    except (KeyError, ValueError):
        return None
    return found


def written(found):
    parts = []
    for field, kind, value in found:
        content = varint(value) if kind == 0 else value
        parts.append(varint(field << 3 | kind) + (varint(len(content)) if kind == 2 else b"") + content)
    return b"".join(parts)


def numbers_of(content):
    """The numbers of packed bytes; None where the bytes are none, or a text."""
    found, value, shift = [], 0, 0
    for byte in content:
        value, shift = value | (byte & 0x7F) << shift, shift + 7
        if byte < 0x80:
            found.append(value)
            value, shift = 0, 0
    return found if 0 < len(found) <= 8 and shift == 0 and max(found) < 1 << 20 else None


def extremes(content, path=()):
    """The message with each of its numbers replaced by each extreme, in messages within it, too."""
    found = fields(content)
    for index, (field, kind, value) in enumerate(found or []):
        place = (*path, field)

        def replaced(new):
            return written([*found[:index], (field, kind, new), *found[index + 1:]])

        name = ".".join(map(str, place))
        if kind == 0:
            for extreme in EXTREMES:
                yield f"{name} of {extreme}", replaced(extreme)
        elif kind == 2 and len(value) <= 1 << 16:
            inner = False
            for change, new in extremes(value, place):
                inner = True
                yield change, replaced(new)
            packed_numbers = None if inner else numbers_of(value)
            for position, _ in enumerate(packed_numbers or []):
                for extreme in EXTREMES:
                    new = [extreme if at == position else old for at, old in enumerate(packed_numbers)]
                    yield f"{name} at {position} of {extreme}", replaced(b"".join(map(varint, new)))


def core_ml_ranges():
    """Every number of the models of layers and of programs, replaced by extremes."""
    for path in sorted((FIXTURES / "layers").glob("*.mlmodel")):
        # The version and the description are the same in all.
        found = fields(path.read_bytes())
        for index, (field, kind, value) in enumerate(found):
            if kind != 2 or field == 2 and path.stem != "relu":
                continue
            for change, new in extremes(value, (field,)):
                content = written([*found[:index], (field, kind, new), *found[index + 1:]])
                yield Case(f"core_ml_ranges/{path.stem} with {change}", {"model.mlmodel": content}, EITHER, runs=[["plan", "model.mlmodel"]])


def core_ml_constants():
    """Weights whose declared shapes and bits are out of range."""
    for count in (BIG, 1 << 61, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
        for bits in (1, 3, 4, 8):
            table = block(40, number(1, bits) + block(102, block(1, floats([1.0] * (1 << bits)))))
            for shape in ((count, 1), (1, count), (count, count)):
                layers = layer(140, number(1, shape[0]) + number(2, shape[1]) + block(20, block(30, b"\1" * 384) + table))
                yield Case(f"core_ml_constants/table of {bits} bits for {shape[0]} by {shape[1]}", {"model.mlmodel": network(layers)}, ERROR, runs=[["plan", "model.mlmodel"]])


SWEEPS = (core_ml_ranges, core_ml_constants)
