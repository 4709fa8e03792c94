"""Damaged outputs for every decoder of objects, points, masks and text: one network of constants for each."""

import random
import struct
import zlib

from cases import EITHER, Case
from onnx_bytes import FLOAT, INT32, INT64, floats, integers, model, node, tensor, value

WIDTH, HEIGHT = 64, 32
#: The numbers of cells for the strides 8, 16 and 32, and 64.
CELLS, LAST_CELLS = [32, 8, 2], 1
ALL_CELLS = sum(CELLS)
SEED = 7

#: Numbers with which outputs are filled.
FILLINGS = {
    "zeros": 0.0, "ones": 1.0, "nan": float("nan"), "infinity": float("inf"), "minus infinity": float("-inf"),
    "largest": 3e38, "least": -3e38, "billions": 1e9,
}
EXTREMES = [0.0, 1.0, -1.0, 3e38, -3e38, 1e9, 1e-38, 2.0 ** 31, 2.0 ** 63, -2.0 ** 63]
WHOLE_EXTREMES = [0, 1, -1, (1 << 31) - 1, -(1 << 31), (1 << 63) - 1, -(1 << 63)]


def grids(*extents, scale=1, batch=True):
    """Outputs for each stride and each of some last extents."""
    return [(f"o{extent}-{cells}-{place}", [1, cells * scale, extent] if batch else [cells * scale, extent])
            for place, extent in enumerate(extents) for cells in CELLS]


def objects():
    """The outputs of each decoder of objects: names, extents, and types that are not float32."""
    yield "coreml", [("confidence", [5, 3]), ("coordinates", [5, 4])]
    yield "mediapipe-face", [("r", [1, 896, 16]), ("c", [1, 896, 1])], (128, 128)
    yield "mediapipe-palm", [("r", [1, 896, 18]), ("c", [1, 896, 1])], (128, 128)
    yield "mediapipe-person", [("r", [1, 896, 12]), ("c", [1, 896, 1])], (128, 128)
    yield "scrfd", grids(1, 4, 10, scale=2, batch=False)
    yield "yunet", grids(1, 1, 4, 10)
    yield "centerface", [(f"m{i}", [1, count, 8, 16]) for i, count in enumerate((1, 2, 2, 10))]
    yield "retinaface", [("b", [1, 84, 4]), ("s", [1, 84, 2]), ("p", [1, 84, 10])]
    yield "ultraface", [("scores", [1, 119, 2]), ("boxes", [1, 119, 4])]
    yield "picodet", [(f"o{e}-{c}", [1, c, e]) for e in (2, 32) for c in (*CELLS, LAST_CELLS)]
    yield "centernet", [("hm", [1, 3, 8, 16]), ("wh", [1, 2, 8, 16]), ("reg", [1, 2, 8, 16])]
    yield "torchvision", [("boxes", [5, 4]), ("labels", [5], INT64), ("scores", [5])]
    yield "detr", [("logits", [1, 100, 5]), ("boxes", [1, 100, 4])]
    yield "rt-detr", [("logits", [1, 300, 5]), ("boxes", [1, 300, 4])]
    yield "rt-detr-end2end", [("labels", [1, 300], INT64), ("boxes", [1, 300, 4]), ("scores", [1, 300])]
    yield "paddle", [("boxes", [5, 6]), ("count", [1], INT32)]
    yield "yolo-nas-flat", [("flat_predictions", [5, 7])]
    yield "yolo-nas-batch", [
        ("num_predictions", [1, 1], INT64), ("pred_boxes", [1, 5, 4]), ("pred_scores", [1, 5]),
        ("pred_classes", [1, 5], INT64)]
    yield "yolo-nas", [("boxes", [1, ALL_CELLS, 4]), ("scores", [1, ALL_CELLS, 3])]
    yield "yolo-end2end", [("output0", [1, 300, 6])]
    yield "yolov7-end2end", [("output", [5, 7])]
    yield "efficientdet", [("detections", [1, 100, 7])]
    yield "ssd", [("boxes", [1, 9, 4]), ("classes", [1, 9]), ("scores", [1, 9]), ("count", [1])]
    yield "yolov3", [("h8", [1, 21, 4, 8]), ("h16", [1, 21, 2, 4]), ("h32", [1, 21, 1, 2])]
    yield "nanodet", [("output", [1, ALL_CELLS + LAST_CELLS, 35])]
    yield "nanodet-v0", grids(3, 32)
    yield "yolox", [("output", [1, ALL_CELLS, 7])]
    yield "yolov8", [("output0", [1, 7, ALL_CELLS])]
    yield "yolov5", [("output0", [1, 3 * ALL_CELLS, 7])]
    yield "yolo-obb", [("output0", [1, 7, ALL_CELLS])]
    yield "yolo-obb-end2end", [("output0", [1, 300, 7])]


def points():
    """The outputs of each decoder of points, and its task."""
    yield "pose", "movenet", [("output_0", [1, 1, 17, 3])]
    yield "pose", "movenet-multipose", [("output_0", [1, 6, 56])]
    yield "pose", "yolo-nas-pose", [
        ("num_predictions", [1, 1], INT64), ("boxes", [1, 5, 4]), ("scores", [1, 5]), ("joints", [1, 5, 17, 3])]
    yield "pose", "simcc", [("simcc_x", [1, 17, 128]), ("simcc_y", [1, 17, 64])]
    yield "pose", "heatmaps", [("heatmaps", [1, 17, 8, 16])]
    yield "pose", "yolo-pose", [("output0", [1, 56, ALL_CELLS])]
    yield "pose", "yolo-pose-end2end", [("output0", [1, 300, 57])]
    yield "pose", "mediapipe-pose", [("a", [1, 195]), ("b", [1, 1]), ("c", [1, 16, 16, 39]), ("d", [1, 117])]
    yield "pose", "mediapipe-hand", [("a", [1, 63]), ("b", [1, 1]), ("c", [1, 1]), ("d", [1, 63])]
    yield "landmarks", "mediapipe-face", [("a", [1, 1, 1, 1404]), ("b", [1, 1, 1, 1])]
    yield "landmarks", "mediapipe-face-attention", [
        (f"a{i}", [1, 1, 1, count]) for i, count in enumerate((936, 160, 142, 142, 10, 10, 1))]
    yield "landmarks", "mediapipe-iris", [("eye", [1, 213]), ("iris", [1, 15])]
    yield "landmarks", "points", [("points", [1, 10])]


def others():
    """The outputs of decoders that no option names: the name, the outputs, and the arguments."""
    yield "yolo-seg", [("output0", [1, 38, ALL_CELLS]), ("output1", [1, 32, 8, 16])], ["--task", "segment"]
    yield "yolo-seg-end2end", [("output0", [1, 300, 38]), ("output1", [1, 32, 8, 16])], ["--task", "segment"]
    yield "mask-rcnn", [
        ("boxes", [5, 4]), ("labels", [5], INT64), ("scores", [5]), ("masks", [5, 1, 28, 28])], ["--task", "segment"]
    yield "lines", [("map", [1, 1, HEIGHT, WIDTH])], ["--task", "text"]
    yield "craft", [("maps", [1, 2, HEIGHT // 2, WIDTH // 2]), ("f", [1, 32, HEIGHT // 2, WIDTH // 2])], ["--family", "craft"]
    yield "east", [("scores", [1, 1, 8, 16]), ("geometry", [1, 5, 8, 16])], ["--family", "east"]
    yield "reader", [("scores", [1, 16, 65])], ["--task", "text", "--labels", "labels.txt"]


def outputs_of(shapes, fill):
    """A network whose outputs are constants. `fill` gives the numbers of an output."""
    nodes, initializers, declared = [], [], []
    for name, extents, *kind in shapes:
        kind = kind[0] if kind else FLOAT
        count = 1
        for extent in extents:
            count *= extent
        numbers = fill(count, kind)
        if kind == FLOAT:
            initializers.append(tensor(f"{name}/numbers", extents, raw=floats(numbers)))
        elif kind == INT64:
            initializers.append(integers(f"{name}/numbers", *numbers, dims=extents))
        else:
            raw = struct.pack(f"<{count}i", *(min(max(number, -(1 << 31)), (1 << 31) - 1) for number in numbers))
            initializers.append(tensor(f"{name}/numbers", extents, INT32, raw))
        nodes.append(node("Identity", [f"{name}/numbers"], [name]))
        declared.append(value(name, extents, kind))
    return nodes, declared, initializers


def network(shapes, fill, extents, said=None):
    """`said` are other extents of outputs than they have, by name."""
    nodes, declared, initializers = outputs_of(shapes, fill)
    for place, (name, _, *kind) in enumerate(shapes):
        if said and name in said:
            declared[place] = value(name, said[name], kind[0] if kind else FLOAT)
    inputs = [value("x", [1, 3, *extents])]
    if shapes and shapes[0][0] == "labels" and len(shapes) == 3:
        inputs.append(value("orig_target_sizes", [1, 2], INT64))
    return model(nodes, inputs=inputs, outputs=declared, initializers=initializers)


def constant(number):
    whole = 0 if number != number else int(min(max(number, -(2.0 ** 62)), 2.0 ** 62))
    return lambda count, kind: [number if kind == FLOAT else whole] * count


def drawn(seed, share=0.0):
    """Numbers from 0 to 1, or small whole ones, and a share of extreme ones."""
    generator = random.Random(seed)
    return lambda count, kind: [
        generator.choice(EXTREMES if kind == FLOAT else WHOLE_EXTREMES) if generator.random() < share
        else generator.random() if kind == FLOAT else generator.randrange(3) for _ in range(count)]


def damaged(shapes):
    """Other extents: an axis longer, shorter or empty, an output missing or doubled, and one of another rank."""
    for place, (name, extents, *kind) in enumerate(shapes[:3]):
        for axis in range(len(extents)):
            for label, extent in (("empty", 0), ("one more", extents[axis] + 1), ("one less", max(extents[axis] - 1, 0))):
                changed = [*extents[:axis], extent, *extents[axis + 1:]]
                yield f"{name} axis {axis} {label}", [*shapes[:place], (name, changed, *kind), *shapes[place + 1:]]
    name, extents, *kind = shapes[0]
    flat = 1
    for extent in extents:
        flat *= extent
    yield "flat", [(name, [flat], *kind), *shapes[1:]]
    yield "first missing", shapes[1:] or [("other", [1])]
    yield "one more output", [*shapes, ("more", [1, 1])]


def picture():
    """A small PNG in gray."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = (b"\0" + bytes(range(0, 240, 10))) * 16
    head = struct.pack(">IIBBBBB", 24, 16, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def decoders():
    """Each decoder: its name, outputs, the width and height of pictures, and the arguments that choose it."""
    for name, shapes, *size in objects():
        arguments = ["--task", "detect", "--decoder", name, "--min-confidence", "0"]
        yield name, shapes, size[0] if size else (WIDTH, HEIGHT), arguments
    for task, name, shapes in points():
        units = ["--point-units", "pixels"] if name == "points" else []
        yield f"{task} {name}", shapes, (WIDTH, HEIGHT), ["--task", task, "--decoder", name, *units]
    for name, shapes, arguments in others():
        yield name, shapes, (WIDTH, HEIGHT), arguments


def heads():
    files = {"picture.png": picture(), "labels.txt": "\n".join(map(chr, range(33, 97))).encode()}
    for name, shapes, (width, height), arguments in decoders():
        predict = ["predict", "model.onnx", "picture.png", *arguments, "-o", "rows.jsonl"]
        inspect = ["inspect", "model.onnx"]

        def case(label, content, runs):
            return Case(f"heads/{name} {label}", {"model.onnx": content, **files}, EITHER, runs)

        for label, number in FILLINGS.items():
            yield case(label, network(shapes, constant(number), (height, width)), [predict])
        for share in (0, 0.001, 0.3):
            yield case(f"a share of {share} extreme", network(shapes, drawn(SEED, share), (height, width)), [predict])
        for label, changed in damaged(shapes):
            yield case(label, network(changed, drawn(SEED), (height, width)), [predict])
        for side in (1, 1 << 17, 1 << 40, (1 << 63) - 1):
            yield case(f"pictures of {side}", network(shapes, constant(0.5), (side, side)), [predict, inspect])
        yield case("open pictures", network(shapes, drawn(SEED), ("h", "w")), [predict, inspect])
        for output, extents, *_ in shapes[:3]:
            for axis in range(len(extents)):
                said = {output: [*extents[:axis], (1 << 63) - 1, *extents[axis + 1:]]}
                for size in ((height, width), ("h", "w")):
                    content = network(shapes, drawn(SEED), size, said)
                    yield case(f"{output} says axis {axis} is huge, pictures of {size[0]}", content, [predict, inspect])
