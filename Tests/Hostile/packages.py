"""Packages, pipelines and classifiers of Core ML that are damaged or refer to files outside."""

import json
import os
import struct

from cases import ANSWER, ERROR
from coreml import BIG, FIXTURES, RELU, network
from onnx_bytes import block, floats, number, packed

MODEL, WEIGHTS = "Data/com.apple.CoreML/model.mlmodel", "Data/com.apple.CoreML/weights/weight.bin"


def package(name, folder="programs"):
    """The files of a package, by their paths in it."""
    root = FIXTURES / folder / f"{name}.mlpackage"
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def placed(files, **changes):
    """A package in the place of the model, with some files replaced, removed (None), or made by a function."""
    files = {**files, **changes}

    def write(path):
        for name, content in files.items():
            if content is None:
                continue
            place = os.path.join(path, name)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            if callable(content):
                content(place)
            else:
                with open(place, "wb") as file:
                    file.write(content)
    return write


def changed(files, name, content):
    return placed(files, **{name: content})


def manifest(path, key="a", root="a"):
    return json.dumps({"fileFormatVersion": "1.0.0", "itemInfoEntries": {key: {"path": path}}, "rootModelIdentifier": root}).encode()


def link(target):
    return lambda path: os.symlink(target, path)


def core_ml_packages():
    whole = package("palette_4")
    yield "whole", placed({"Manifest.json": manifest("com.apple.CoreML/model.mlmodel"), MODEL: network(RELU)}), ANSWER
    yield "a program with another input", placed(whole), ERROR
    for path in ["../model.onnx", "/etc/passwd", "com.apple.CoreML/../../Manifest.json", "", ".", "com.apple.CoreML", "no", "a" * 100_000,
                 "com.apple.CoreML/model.mlmodel\0", "\x1b[31m"]:
        yield f"model at {path[:20]!r}", changed(whole, "Manifest.json", manifest(path)), ERROR
    yield "manifest without the model", changed(whole, "Manifest.json", manifest("com.apple.CoreML/model.mlmodel", root="b")), ERROR
    for name, content in {"empty": b"", "deep": b"[" * 500_000, "a list": b"[]", "long": b" " * (2 << 20), "a number": b"3",
                          "of numbers": b'{"itemInfoEntries": {"a": 3}, "rootModelIdentifier": "a"}'}.items():
        yield f"manifest {name}", changed(whole, "Manifest.json", content), ERROR
    for name, make in {"a folder": os.mkdir, "a pipe": os.mkfifo, "a device": link("/dev/zero"), "itself": lambda path: os.symlink(path, path),
                       "outside": link("/etc/hostname")}.items():
        for part in ["Manifest.json", MODEL, WEIGHTS]:
            yield f"{part} is {name}", changed(whole, part, make), ERROR
    outside = {key: value for key, value in whole.items() if not key.startswith("Data")}
    yield "data are a link to the root", changed(outside, "Data", link("/")), ERROR
    yield "data are missing", placed(outside), ERROR
    yield "weights are missing", changed(whole, WEIGHTS, None), ERROR
    yield "only a manifest for a compiled model", placed({"coremldata.bin": b"\0" * 64}), ERROR
    blob = whole[WEIGHTS]
    for place in range(0, len(blob), max(1, len(blob) // 12)):
        yield f"weights cut at {place}", changed(whole, WEIGHTS, blob[:place])
    for name in ["palette_4", "palette_1", "linear_8", "linear_8_blocks", "sparse", "convolutional_float16"]:
        files = package(name)
        blob, model = files[WEIGHTS], files[MODEL]
        # Each record: 0xDEADBEEF, type, length and position.
        records = [place for place in range(64, len(blob), 64) if blob[place:place + 4] == struct.pack("<I", 0xDEADBEEF)]
        for index, place in enumerate(records[:4]):
            for key, (start, value) in {
                "type": (4, struct.pack("<I", 99)), "bits": (4, struct.pack("<I", 8)), "length": (8, struct.pack("<Q", BIG)),
                "length wraps": (8, b"\xff" * 8), "length is 0": (8, bytes(8)), "position": (16, struct.pack("<Q", BIG)),
                "position wraps": (16, b"\xff" * 8), "sentinel": (0, bytes(4)),
            }.items():
                broken = blob[:place + start] + value + blob[place + start + len(value):]
                yield f"{name} record {index}: {key}", changed(files, WEIGHTS, broken)
        for place in range(0, len(model), max(1, len(model) // 30)):
            yield f"{name} with byte {place} changed", changed(files, MODEL, model[:place] + bytes([model[place] ^ 0x55]) + model[place + 1:])
        for place in range(1, len(model), max(1, len(model) // 10)):
            yield f"{name} cut at {place}", changed(files, MODEL, model[:place])
        for target in [b"@model_path/weights/../x.bin", b"@model_path//etc//////hosts", b"/etc/passwd/////weight.bin__"]:
            text = b"@model_path/weights/weight.bin"
            yield f"{name} weights at {target.decode()}", changed(files, MODEL, model.replace(text, target.ljust(len(text), b"x"))), ERROR


def labels(texts):
    return b"".join(block(1, text) for text in texts)


def classifier(classes, field=100, probabilities="y", outputs=2):
    """A product with `outputs` results over the picture, and classes."""
    picture = block(3, block(4, number(1, 8) + number(2, 8) + number(3, 20)))
    description = block(1, block(1, "x") + picture)
    description += block(10, block(1, "y") + block(3, block(6, block(2, b"")))) + block(10, block(1, "label") + block(3, block(3, b"")))
    description += block(11, "label") + (block(12, probabilities) if probabilities else b"")
    product = block(1, block(1, "product") + block(2, "x") + block(3, "y")
                    + block(140, number(1, 192) + number(2, outputs) + block(20, block(1, floats([0.01] * 192 * outputs)))))
    return number(1, 4) + block(2, description) + block(403, product + block(field, classes))


def core_ml_classifiers():
    yield "whole", classifier(labels(["a", "b"])), ANSWER
    yield "integers", classifier(packed(1, [5, 7]), field=101)
    yield "no classes", classifier(b"")
    yield "one class too few", classifier(labels(["a"]))
    yield "three million classes", classifier(labels(["x"] * 3_000_000))
    yield "million integers", classifier(packed(1, range(1_000_000)), field=101)
    yield "class of 16 MB", classifier(labels(["x" * (16 << 20), "b"]))
    yield "class of control characters", classifier(labels(["\x1b[31m\n\u202e", "=1+1"]))
    yield "equal classes", classifier(labels(["a", "a"]))
    yield "class that is no text", classifier(block(1, b"\xff\xfe") + block(1, b"b")), ERROR
    yield "probabilities of another name", classifier(labels(["a", "b"]), probabilities="nothing")
    yield "probabilities called like the input", classifier(labels(["a", "b"]), probabilities="x")
    yield "no probabilities", classifier(labels(["a", "b"]), probabilities="")
    for name in ["Cats.mlmodel"]:
        content = (FIXTURES / "classifiers" / name).read_bytes()
        for place in range(0, len(content), len(content) // 15):
            yield f"{name} cut at {place}", content[:place]
            yield f"{name} with byte {place} changed", content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1:]


def pipeline(*models, version=4):
    description = network(RELU)
    # The same description as the network's own.
    start = description.index(b"\x12")
    end = start + 2 + description[start + 1]
    return number(1, version) + description[start:end] + block(202, b"".join(block(1, model) for model in models))


def core_ml_detectors():
    plain = network(RELU)
    yield "two networks", pipeline(plain, plain.replace(b"\x0a\x01x", b"\x0a\x01y").replace(b"\x12\x01x", b"\x12\x01y"))
    yield "network of its own output", pipeline(plain, plain)
    yield "five hundred networks", pipeline(*[plain] * 500)
    yield "network behind what is none", pipeline(network(b"", kind=900), plain)
    yield "network of version 9999", pipeline(network(RELU, version=9999)), ERROR
    yield "pipeline of itself in part", pipeline(pipeline(plain)[:-3]), ERROR
    squares = (FIXTURES / "pipelines" / "Squares.mlmodel").read_bytes()
    yield "squares as they are", squares
    for place in range(0, len(squares), 31):
        yield f"squares with byte {place} changed", squares[:place] + bytes([squares[place] ^ 0x55]) + squares[place + 1:]
    for place in range(1, len(squares), 101):
        yield f"squares cut at {place}", squares[:place]
    for name in ["SquaresOlder", "Colors", "ColorNetworks"]:
        content = (FIXTURES / "pipelines" / f"{name}.mlmodel").read_bytes()
        for place in range(0, len(content), max(1, len(content) // 25)):
            yield f"{name} with byte {place} changed", content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1:]
    nan = struct.pack("<d", float("nan"))
    for key, value in {"nan": nan, "infinity": struct.pack("<d", float("inf")), "less than 0": struct.pack("<d", -1e300)}.items():
        for name, old in {"iou": 0.4, "confidence": 0.5}.items():
            yield f"{name} is {key}", squares.replace(struct.pack("<d", old), value)
    files = package("SquaresProgram", "pipelines")
    for part, content in files.items():
        for place in range(0, len(content), max(1, len(content) // 12)):
            yield f"{part} with byte {place} changed", changed(files, part, content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1:])
