"""Names in a model, and files beside it."""

import json
import os

from cases import ANSWER, EITHER, ERROR
from onnx_bytes import (
    RELU, block, external, floats, integers, model, node, tensor, value,
)

#: Numbers at and beyond the limits of ranges.
EXTREMES = ((1 << 63) - 1, -(1 << 63), 1 << 64, 1e308, -1e308, 5e-324)


def texts():
    nasty = {"escape": "\x1b[31m\x1b]0;owned\x07", "newline": "a\nb", "carriage": "safe\rEVIL", "null": "a\0b", "long": "n" * 1_000_000, "bidi": "\u202egnp.exe",
             "formula": "=cmd|' /C calc'!A0", "c1": "\x9b31m", "separator": "a\u2028b", "path": "../../../../tmp/evil", "slash": "/tmp/evil", "dot": ".", "dots": "..", "percent": "%s%n", "empty": " "}
    for name, text in nasty.items():
        yield f"{name} in a node", model([node("Relu", ["x"], ["y"], name=text)]), ANSWER
        yield f"{name} in an operator", model([node("Bad" + text, ["x"], ["y"])]), ERROR
        yield f"{name} in a domain", model([node("Relu", ["x"], ["y"], domain=text)]), ERROR
        yield f"{name} in an input", model([node("Relu", [text], ["y"])], inputs=[value(text, [1, 3, 8, 8])])
        yield f"{name} in an output", model([node("Relu", ["x"], [text])], outputs=[value(text)])
        yield f"{name} in a missing value", model([node("Relu", [text], ["y"])]), ERROR
        yield f"{name} in a dimension", model(RELU, inputs=[value("x", [text, 3, 8, 8])])
        yield f"{name} in an attribute", model([node("Relu", ["x"], ["y"], **{text: 1})]), ERROR
        yield f"{name} in a property", model(RELU, extra=block(14, block(1, text) + block(2, text)) + block(6, text)), ANSWER
        yield f"{name} in an initializer", model([node("Add", ["x", text], ["y"])], initializers=[tensor(text, [2], raw=floats([1]))]), ERROR


def companions():
    good = model([node("GlobalAveragePool", ["x"], ["p"]), node("Flatten", ["p"], ["y"])])
    wide = {"id2label": {str(i): f"c{i}" for i in range(3)}}
    for name, content in {
        "empty": b"", "null": b"null", "number": b"1e999", "list": b"[]", "text": b'"x"', "cut": b'{"id2label": {"0": "a"', "not text": b"\xff\xfe{}", "deep": b"[" * 1_000_000,
        "deep objects": b'{"a":' * 200_000, "deep closed": b"[" * 100_000 + b"]" * 100_000, "twice": b'{"id2label": {"0": "a", "0": "b", "1": "c", "2": "d"}}', "huge index": b'{"id2label": {"999999999999999999999": "a"}}', "sparse": b'{"id2label": {"1000000000": "a"}}',
        "negative": b'{"id2label": {"-1": "a"}}', "numbers": b'{"id2label": {"0": 1, "1": 2, "2": 3}}', "list of labels": b'{"id2label": ["a", "b", "c"]}', "escapes": json.dumps({"id2label": {"0": "\x1b[31mred", "1": "=1+1", "2": "a\nb"}}).encode(),
        "good": json.dumps(wide).encode(), "long": json.dumps({"id2label": {str(i): "x" * 100 for i in range(200_000)}}).encode(), "huge text": b'{"id2label": {"0": "' + b"x" * 50_000_000 + b'"}}',
    }.items():
        yield f"config {name}", good, EITHER, {"config.json": content}
    for key, values in {
        "size": [0, -1, 1 << 62, 1e308, "big", None, [], {"height": 0, "width": 8}, {"height": 1 << 40, "width": 1 << 40}, {"shortest_edge": 1 << 62}, {"height": 50_000, "width": 50_000}, {"shortest_edge": 1e-300}],
        "crop_size": [0, -1, 1 << 62, {"height": 1 << 40, "width": 8}, {"height": 8}],
        "image_mean": [[], [0.5] * 100_000, ["a"] * 3, 5, [1e308] * 3, None],
        "image_std": [[0, 0, 0], [], [-1, -1, -1], [1e-320] * 3, [1e308] * 3],
        "rescale_factor": [0, -1, 1e308, "x"],
        "resample": [-1, 99, 1 << 62, "x", 1.5],
        "crop_pct": [0, -1, 1e-308, 1e308, "x"],
        "do_resize": [3, "yes"],
        "image_processor_type": ["EvilProcessor", "\x1b[31m", 5],
    }.items():
        for index, item in enumerate(values):
            document = {"image_processor_type": "ViTImageProcessor", "do_resize": True, "do_center_crop": key == "crop_size", "do_normalize": True, "do_rescale": True, "size": {"height": 8, "width": 8}, key: item}
            yield f"preprocessing {key} {index}", good, EITHER, {"preprocessor_config.json": json.dumps(document).encode()}
    for number in EXTREMES:
        for key, item in {
            "size": number, "height": {"height": number, "width": number}, "edge": {"shortest_edge": number, "longest_edge": number}, "crop_size": number, "image_mean": [number] * 3, "image_std": [number] * 3,
            "rescale_factor": number, "resample": number, "crop_pct": number,
        }.items():
            key, crops = {"height": "size", "edge": "size"}.get(key, key), key == "crop_size"
            document = {"image_processor_type": "ViTImageProcessor", "do_resize": True, "do_center_crop": crops, "do_normalize": True, "do_rescale": True, "size": {"height": 8, "width": 8}, key: item}
            yield f"preprocessing {key} of {number}", good, EITHER, {"preprocessor_config.json": json.dumps(document).encode()}
        yield f"labels of {number}", good, EITHER, {"config.json": json.dumps({"id2label": {str(number): "a"}, "num_labels": number}).encode()}
    for name, content in {"empty": b"", "deep": b"[" * 1_000_000, "cut": b'{"size":', "infinite": b'{"size": 1e99999}', "null": b"null"}.items():
        yield f"preprocessing {name}", good, ERROR, {"preprocessor_config.json": content}
    for name, make in {"folder": os.mkdir, "pipe": os.mkfifo, "device": lambda path: os.symlink("/dev/zero", path), "loop": lambda path: os.symlink(path, path)}.items():
        yield f"config as a {name}", good, EITHER, {"config.json": make}
        yield f"preprocessing as a {name}", good, EITHER, {"preprocessor_config.json": make}
        yield f"model as a {name}", make, ERROR


def detectors():
    """Sidecar files, with arbitrary numbers, of a network whose outputs are rows of a detector with 3 × 84 anchors."""
    numbers = tensor("c", [1, 1, 7], raw=floats([float("nan"), float("inf"), 1e38, -1e38, 1, 1, 0.5]))
    rows = model([node("Expand", ["c", "s"], ["y"]), node("Relu", ["x"], ["z"])], inputs=[value("x", [1, 3, 64, 64])],
                 outputs=[value("y", [1, 252, 7]), value("z", [1, 3, 64, 64])], initializers=[numbers, integers("s", 1, 252, 7)])
    for key, values in {
        "decoder": ["yolov5", "yolov8", "yolox", "yolov3", "ssd", "coreml", "", "\x1b[31m", 5, None],
        "confidence_threshold": [0, -1, 1e308, "x"],
        "iou_threshold": [0, 1, 1e-320, []],
        "max_objects": [1, 0, -1, 1 << 62, 1.5],
        "strides": [[], [1], [65_536], [1 << 62], [8] * 100, [0]],
        "anchors": [[], [[]], [[[1e308, 1e308]]], [[[-1, 1]]], [[[1]]], 7],
        "box_format": ["tlbr", "evil"],
        "box_units": ["pixels", 3],
        "class_offset": [1000, -1, 1 << 62],
        "labels": [[], ["\x1b[31m", "=1+1", "a\nb"], ["x" * 1_000_000] * 7, {"0": "a"}],
        "category_ids": [[], [1 << 62], [-1], ["a"]],
        "input_size": [{"width": 64, "height": 64}, {"width": 0, "height": 1 << 62}, {"width": 64}, [64, 64], 1e308],
        "box_outputs": [{"confidence": "y", "coordinates": "z"}, {"confidence": "", "coordinates": "\x1b[31m"}, [], "y"],
        "unknown": [1],
    }.items():
        for index, item in enumerate(values):
            document = {"decoder": "yolov5", key: item}
            yield f"detector {key} {index}", rows, EITHER, {"model.postprocess.json": json.dumps(document).encode()}
    for number in EXTREMES:
        for key, item in {
            "confidence_threshold": number, "iou_threshold": number, "max_objects": number, "strides": [number], "anchors": [[[number, number]]], "class_offset": number, "category_ids": [number] * 7,
        }.items():
            yield f"detector {key} of {number}", rows, EITHER, {"model.postprocess.json": json.dumps({"decoder": "yolov5", key: item}).encode()}
    for name, content in {"empty": b"", "deep": b"[" * 1_000_000, "cut": b'{"decoder":', "null": b"null", "twice": b'{"decoder": "yolox", "decoder": "ssd"}'}.items():
        yield f"detector {name}", rows, EITHER, {"model.postprocess.json": content}
    whole = {"version": 1, "resize": {"mode": "exact", "size": {"width": 64, "height": 64}}, "roundsLongEdgeDown": True,
             "filter": "bilinear", "scale": 1, "mean": [0], "standardDeviation": [1], "standardizesEachImage": True,
             "channels": "rgb"}
    for key, values in {
        "version": [0, 2, -1, 1 << 62, "1"],
        "resize": [{}, {"mode": "exact"}, {"mode": "letterbox", "size": {"width": 1 << 40, "height": 1}}, [], {"mode": "\x1b[31m"},
                   {"mode": "shortestEdge", "edge": 0}, {"mode": "shortestEdge", "edge": -(1 << 62), "longestEdge": 1 << 62}],
        "crop": [{"width": 1 << 62, "height": 1 << 62}, {"width": -1, "height": 3}],
        "scale": [1e308, "nan", None], "mean": [[], [1e308], [0] * 100_000], "standardDeviation": [[0], [1e-320]],
        "channels": ["gray", "x" * 100_000], "padding": [{"width": 1 << 16, "height": 1 << 16}],
    }.items():
        for index, item in enumerate(values):
            document = json.dumps({**whole, key: item}).encode()
            yield f"metadata {key} {index}", rows + block(14, block(1, "apus.preprocessing") + block(2, document)), EITHER
    for key in ["preprocessing", "labels", "postprocess", "scores"]:
        for index, content in enumerate([b"", b"[" * 1_000_000, b"{", b"[]", b"{}", b"null", b'{"-1": "a"}', b'["\x1b[31m"]', b"\0" * 99]):
            yield f"metadata {key} {index}", rows + block(14, block(1, f"apus.{key}") + block(2, content)), EITHER


def external_data():
    add = [node("Add", ["x", "w"], ["y"])]

    def adding(**entries):
        return model(add, initializers=[external("w", [1], **entries)])

    def link(target):
        return lambda path: os.symlink(target, path)

    def hard_link(path):
        with open(path + ".origin", "wb") as file:
            file.write(floats([1]))
        os.link(path + ".origin", path)

    good = floats([1] * 16)
    yield "good", adding(location="w.bin"), ANSWER, {"w.bin": floats([1])}
    yield "offset and length", adding(location="w.bin", offset=8, length=4), ANSWER, {"w.bin": good}
    for location in ("/etc/passwd", "/dev/zero", "../w.bin", "a/../../w.bin", "..", ".", "", "/", "a/..", "missing.bin", "w.bin/x", "w.bin\0", "file:///etc/passwd",
                     "~/x", "model.onnx/..", "x" * 5_000, "a/" * 5_000 + "b", "\x1b[31mred", "con\nfig", "model.onnx"):
        yield f"location {location[:20]!r}", adding(location=location), EITHER if location == "model.onnx" else ERROR, {"w.bin": good}
    yield "no location", adding(offset=0), ERROR
    for offset in (-1, 1 << 62, (1 << 63) - 1, 1 << 64, "4x", "", "0x4", "1e3", " 4", "+4", "٣"):
        yield f"offset {offset!r}", adding(location="w.bin", offset=offset), EITHER if offset == "+4" else ERROR, {"w.bin": good}
    for length in (-1, 0, 3, 5, 1 << 62, 1 << 64, "x"):
        yield f"length {length!r}", adding(location="w.bin", length=length), ERROR, {"w.bin": good}
    yield "too short", model(add, initializers=[external("w", [64], location="w.bin")]), ERROR, {"w.bin": good}
    yield "huge dims", model(add, initializers=[external("w", [1 << 40], location="w.bin")]), ERROR, {"w.bin": good}
    yield "overflowing dims", model(add, initializers=[external("w", [1 << 62, 8], location="w.bin")]), ERROR, {"w.bin": good}
    yield "symbolic link within", adding(location="l.bin"), EITHER, {"w.bin": floats([1]), "l.bin": link("w.bin")}
    yield "symbolic link outside", adding(location="l.bin"), ERROR, {"l.bin": link("/etc/hostname")}
    yield "symbolic link up", adding(location="l.bin"), ERROR, {"l.bin": link("../../../../etc/hostname")}
    yield "symbolic link to itself", adding(location="l.bin"), ERROR, {"l.bin": link("l.bin")}
    yield "symbolic link to a device", adding(location="l.bin"), ERROR, {"l.bin": link("/dev/zero")}
    yield "symbolic link to nothing", adding(location="l.bin"), ERROR, {"l.bin": link("nothing")}
    yield "linked folder", adding(location="l/hostname"), ERROR, {"l": link("/etc")}
    yield "hard link", adding(location="h.bin"), EITHER, {"h.bin": hard_link}
    yield "named pipe", adding(location="pipe"), ERROR, {"pipe": os.mkfifo}
    yield "folder", adding(location="folder"), ERROR, {"folder": os.mkdir}
    yield "unreadable", adding(location="w.bin"), EITHER, {"w.bin": lambda path: os.close(os.open(path, os.O_CREAT, 0o000))}

    def sparse(size):
        def make(path):
            with open(path, "wb") as file:
                file.truncate(size)
        return make

    yield "sparse file of 8 GB", model(add, initializers=[external("w", [1 << 31], location="w.bin")]), ERROR, {"w.bin": sparse(1 << 33)}
    yield "same gigabyte eight times", model(
        [node("Reshape", [f"w{i}", "s"], [f"r{i}"]) for i in range(8)] + [node("Sum", [f"r{i}" for i in range(8)], ["y"])],
        initializers=[external(f"w{i}", [1, 1 << 28], location="w.bin") for i in range(8)] + [integers("s", 1 << 28)]), EITHER, {"w.bin": sparse(1 << 30)}
    yield "location twice", model(add, initializers=[external("w", [1], location="w.bin") + block(13, block(1, "location") + block(2, "/etc/passwd"))]), EITHER, {"w.bin": floats([1])}
    yield "beside raw data", model(add, initializers=[external("w", [1], location="w.bin") + block(9, floats([2]))]), EITHER, {"w.bin": floats([1])}
    yield "in an attribute", model([node("Constant", [], ["w"], value=external("", [1], location="/etc/passwd")), *add]), ERROR
