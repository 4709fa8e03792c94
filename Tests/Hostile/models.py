"""Model files that are damaged, contradict themselves, or ask for too much."""

import os
import struct

from cases import ANSWER, EITHER, ERROR, Case
from onnx_bytes import (
    BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64, INT8, STRING, UINT8, Graph, Raw, attribute, block, external,
    floats, graph, integers, model, node, number, packed, single, tensor, value, varint, weights,
)

#: An array of shape [1, 3, 8, 8] for the input of most models here.
INPUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "input.npy")
HUGE = [-(1 << 63), -(1 << 62), -(1 << 31), -1, 0, 1 << 31, (1 << 31) - 1, 1 << 62, (1 << 63) - 1]
RELU = [node("Relu", ["x"], ["y"])]


def cases():
    for group in (encoding, structure, tensors, types, external_data, nesting, windows, axes, bombs, texts, companions):
        for name, content, *rest in group():
            expected = rest[0] if rest else EITHER
            files = {"model.onnx": content, **(rest[1] if len(rest) > 1 else {})}
            yield Case(f"{group.__name__}/{name}", files, expected)


def encoding():
    whole = model(
        [node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]), node("Relu", ["c"], ["y"])],
        initializers=[weights("w", 2, 3, 3, 3)])
    yield "whole", whole, ANSWER
    # The last field is whole at some places, and nothing that is needed may lie behind them.
    for place in sorted({*range(0, len(whole), 23), len(whole) - 1}):
        yield f"cut at {place}", whole[:place]
    yield "empty", b"", ERROR
    yield "one zero", b"\0", ERROR
    yield "zeros", bytes(1 << 20), ERROR
    yield "ones", b"\xff" * (1 << 20), ERROR
    yield "length beyond the file", number(1, 8) + varint(7 << 3 | 2) + varint(1 << 40) + b"abc", ERROR
    yield "length of 2^63", number(1, 8) + varint(7 << 3 | 2) + varint(1 << 63) + b"abc", ERROR
    yield "length of 2^64 - 1", number(1, 8) + varint(7 << 3 | 2) + varint((1 << 64) - 1) + b"abc", ERROR
    yield "overlong number", b"\x08" + b"\x80" * 11 + b"\x01" + whole, ERROR
    yield "endless number", b"\x08" + b"\xff" * 100_000, ERROR
    yield "overlong number of ten bytes", b"\x08\x88" + b"\x80" * 8 + b"\x00" + whole[2:]
    yield "field zero", b"\x00\x01" + whole, ERROR
    yield "field of the largest number", varint((1 << 29) - 1 << 3) + b"\x01" + whole
    yield "wire type 6", b"\x0e\x01" + whole, ERROR
    yield "wire type 7", b"\x0f\x01" + whole, ERROR
    yield "group", varint(99 << 3 | 3) + varint(99 << 3 | 4) + whole
    yield "group without an end", varint(99 << 3 | 3) + whole, ERROR
    yield "end without a group", varint(99 << 3 | 4) + whole, ERROR
    yield "million groups", varint(99 << 3 | 3) * 1_000_000, ERROR
    yield "closed million groups", varint(99 << 3 | 3) * 500_000 + varint(99 << 3 | 4) * 500_000 + whole
    yield "graph as a number", number(1, 8) + number(7, 5), ERROR
    yield "two graphs", whole + block(7, graph(RELU))
    yield "model twice", whole + whole
    yield "version as text", block(1, "8") + whole
    yield "name that is no text", model([node("Relu", ["x"], ["y"], name="n")]).replace(b"\x1a\x01n", b"\x1a\x01\xff"), ERROR
    yield "packed and single", model([node("Transpose", ["x"], ["y"], perm=Raw(
        packed(8, [0, 2]) + number(8, 3) + number(8, 1) + number(20, 7)))]), ANSWER
    yield "number packed short", model([node("Transpose", ["x"], ["y"], perm=Raw(block(8, b"\x80") + number(20, 7)))]), ERROR
    yield "floats of seven bytes", model(RELU, initializers=[packed(1, [2]) + number(2, 1) + block(8, "w") + block(4, b"\0" * 7)]), ERROR
    yield "million empty nodes", model([b""] * 1_000_000), ERROR
    yield "five million empty nodes", number(1, 8) + block(7, block(1, b"") * 5_000_000) + block(8, number(2, 17)), ERROR
    yield "five million empty initializers", number(1, 8) + block(7, block(5, b"") * 5_000_000) + block(8, number(2, 17)), ERROR
    yield "five million empty inputs", number(1, 8) + block(7, block(11, b"") * 5_000_000) + block(8, number(2, 17)), ERROR
    yield "five million empty outputs", number(1, 8) + block(7, block(12, b"") * 5_000_000) + block(8, number(2, 17)), ERROR
    yield "five million empty imports", number(1, 8) + block(7, graph(RELU)) + block(8, b"") * 5_000_000, ERROR
    yield "five million empty functions", model(RELU, extra=block(25, b"") * 5_000_000)
    yield "five million empty attributes", model([node("Relu", ["x"], ["y"]) + block(5, b"") * 5_000_000]), ERROR
    yield "five million empty properties", model(RELU, extra=block(14, b"") * 5_000_000)
    yield "five million unknown fields", model(RELU, extra=block(99, b"") * 5_000_000)
    yield "five million nodes without inputs", model([node("", [], [])] * 5_000_000), ERROR
    yield "million inputs of a node", model([node("Sum", ["x"] * 1_000_000, ["y"])])
    yield "million outputs of a node", model([node("Split", ["x"], [f"o{i}" for i in range(1_000_000)], axis=1)], outputs=[value("o1")]), ERROR
    yield "million unused inputs", model(RELU, inputs=[value("x", [1, 3, 8, 8])] + [value(f"i{i}", [1]) for i in range(300_000)])
    yield "million dimensions", model(RELU, inputs=[value("x", [1] * 1_000_000)])
    yield "million dimensions of a tensor", model([node("Add", ["x", "w"], ["y"])], initializers=[tensor("w", [1] * 1_000_000, raw=floats([1]))])


def structure():
    yield "no graph", number(1, 8) + block(8, number(2, 17)), ERROR
    yield "empty graph", number(1, 8) + block(7, b"") + block(8, number(2, 17)), ERROR
    yield "no nodes", model([], outputs=[value("x", [1, 3, 8, 8])])
    yield "no outputs", model(RELU, outputs=[]), ERROR
    yield "no inputs", model(RELU, inputs=[]), ERROR
    yield "output that nothing gives", model(RELU, outputs=[value("z")]), ERROR
    yield "output twice", model(RELU, outputs=[value("y"), value("y")]), ERROR
    yield "input twice", model(RELU, inputs=[value("x", [1]), value("x", [1])]), ERROR
    yield "input without a name", model(RELU, inputs=[value("", [1])]), ERROR
    yield "initializer twice", model(RELU, initializers=[weights("w", 1), weights("w", 1)]), ERROR
    yield "initializer without a name", model(RELU, initializers=[weights("", 1)]), ERROR
    yield "unused initializer", model(RELU, initializers=[weights("w", 1)]), ANSWER
    yield "initializer is the output", model([], initializers=[weights("y", 1)]), EITHER
    yield "missing name", model([node("Relu", ["z"], ["y"])]), ERROR
    yield "empty name", model([node("Relu", [""], ["y"])]), ERROR
    yield "no inputs of a node", model([node("Relu", [], ["y"])]), ERROR
    yield "no outputs of a node", model([node("Relu", ["x"], []), *RELU])
    yield "empty output", model([node("Relu", ["x"], [""]), *RELU])
    yield "value given twice", model([node("Relu", ["x"], ["y"]), node("Relu", ["x"], ["y"])]), ERROR
    yield "node gives its input", model([node("Relu", ["x"], ["x"])]), ERROR
    yield "node feeds itself", model([node("Relu", ["y"], ["y"])]), ERROR
    yield "cycle of two", model([node("Relu", ["b"], ["y"]), node("Relu", ["y"], ["b"])]), ERROR
    count = 200_000
    yield "cycle of many", model([node("Relu", [f"v{(i + 1) % count}"], [f"v{i}"]) for i in range(count)], outputs=[value("v0")]), ERROR
    for version in (0, -1, 9999, 1 << 31, 1 << 62, (1 << 63) - 1, -(1 << 63)):
        yield f"opset {version}", model(RELU, opset=version), ERROR
    yield "opset absent", model(RELU, imports=[]), ERROR
    yield "opset twice", model(RELU, imports=[("", 13), ("ai.onnx", 12)]), ERROR
    yield "opset of another domain", model(RELU, imports=[("a.b", 1)]), ERROR
    yield "format version 0", number(1, 0) + model(RELU)[2:], ERROR
    yield "format version 2^62", number(1, 1 << 62) + model(RELU)[2:]
    yield "format version -1", number(1, -1) + model(RELU)[2:], ERROR
    yield "operator unknown", model([node("Frobnicate", ["x"], ["y"])]), ERROR
    yield "operator without a name", model([node("", ["x"], ["y"])]), ERROR
    yield "operator of a domain", model([node("Relu", ["x"], ["y"], domain="evil.ai")], imports=[("", 17), ("evil.ai", 1)]), ERROR
    yield "too many outputs", model([node("Relu", ["x"], ["y", "z"])]), ERROR
    yield "too many inputs", model([node("Relu", ["x", "x"], ["y"])]), ERROR
    yield "attribute unknown", model([node("Relu", ["x"], ["y"], bogus=1)]), ERROR
    for name, fields in {
        "float": single(2, 1.0) + number(20, 1), "text": block(4, "1") + number(20, 3), "nothing": b"",
        "other type": single(2, 1.0) + number(20, 2), "unknown type": number(3, 1) + number(20, 99),
        "negative type": number(3, 1) + number(20, -1), "integers": packed(8, [1, 2]) + number(20, 7),
        "graph": block(6, graph(RELU)) + number(20, 5), "reference": block(21, "axis") + number(20, 2),
        "huge": number(3, 1 << 62) + number(20, 2), "tensor": block(5, weights("", 1)) + number(20, 4),
        "both": number(3, 1) + single(2, 1.0) + number(20, 2), "text that is none": block(4, b"\xff\xfe") + number(20, 3),
    }.items():
        yield f"axis as {name}", model([node("Softmax", ["x"], ["y"], axis=Raw(fields))])
    yield "attribute twice", model([node("Softmax", ["x"], ["y"]) + block(5, attribute("axis", 1)) * 2]), ERROR
    yield "attribute without a name", model([node("Softmax", ["x"], ["y"]) + block(5, number(3, 1) + number(20, 2))]), ERROR
    for kind in ("Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool"):
        for name in ("kernel_shape", "strides", "pads", "dilations"):
            for values in ([], [1], [1, 1, 1], [1] * 7, [1] * 100_000, 3, 1.5, "11"):
                text = values if not isinstance(values, list) else f"{len(values)} numbers"
                attributes = {} if kind.startswith("Conv") or name == "kernel_shape" else {"kernel_shape": [2, 2]}
                attributes[name] = values
                inputs = ["x", "w"] if kind.startswith("Conv") else ["x"]
                yield f"{kind} {name} {text}", model([node(kind, inputs, ["y"], **attributes)], initializers=[weights("w", 3, 3, 2, 2)])
    chain = [node("Relu", ["x" if i == 0 else f"v{i}"], [f"v{i + 1}"]) for i in range(10_000)]
    yield "chain of 10000 nodes", model(chain, outputs=[value("v10000")]), ANSWER
    fan = [node("Relu", ["x"], [f"v{i}"]) for i in range(20_000)]
    yield "20000 outputs", model(fan, outputs=[value(f"v{i}") for i in range(20_000)])
    doubling = [node("Add", ["x" if i == 0 else f"v{i}"] * 2, [f"v{i + 1}"]) for i in range(2_000)]
    yield "2^2000 paths", model(doubling, outputs=[value("v2000")]), ANSWER
    yield "same name 50000 times", model([node("Relu", ["x"], [f"v{i}"], name="n") for i in range(50_000)], outputs=[value("v1")]), ANSWER
    yield "sparse initializer", model(RELU, graph_extra=block(15, block(1, weights("s", 1)))), ERROR


def tensors():
    add = [node("Add", ["x", "w"], ["y"])]

    def adding(content):
        return model(add, initializers=[content])

    for dims in ([-1], [1 << 62], [1 << 31, 1 << 31], [1 << 32, 1 << 32], [(1 << 63) - 1, 2], [1 << 62, 4], [0, 1 << 62, 1 << 62],
                 [-(1 << 63)], [-2, -2], [3, -1], [1 << 40], [1 << 28]):
        yield f"dims {dims} without data", adding(tensor("w", dims)), ERROR
        yield f"dims {dims} and raw data", adding(tensor("w", dims, raw=floats([1]))), ERROR
        yield f"dims {dims} and floats", adding(tensor("w", dims, extra=block(4, floats([1])))), ERROR
    yield "no elements", adding(tensor("w", [0], raw=b""))
    yield "scalar", adding(tensor("w", [], raw=floats([1]))), ANSWER
    yield "raw data too short", adding(tensor("w", [2], raw=b"\0" * 7)), ERROR
    yield "raw data too long", adding(tensor("w", [1], raw=b"\0" * 8)), ERROR
    yield "raw data empty", adding(tensor("w", [1], raw=b"")), ERROR
    yield "raw data twice", adding(tensor("w", [1], raw=floats([1]), extra=block(9, floats([2]))))
    yield "raw data and floats", adding(tensor("w", [1], raw=floats([1]), extra=block(4, floats([2])))), ERROR
    yield "raw data as a number", adding(tensor("w", [1], extra=number(9, 4))), ERROR
    yield "floats too few", adding(tensor("w", [2], extra=block(4, floats([1])))), ERROR
    yield "floats too many", adding(tensor("w", [1], extra=block(4, floats([1, 2])))), ERROR
    yield "integers for floats", adding(tensor("w", [1], extra=packed(7, [1]))), ERROR
    yield "bytes beyond a byte", model([node("Cast", ["w"], ["c"], to=1), *[node("Add", ["x", "c"], ["y"])]],
        initializers=[tensor("w", [1], UINT8, extra=packed(5, [300]))]), ERROR
    for kind in (0, 8, 14, 15, 17, 21, 22, 99, 1 << 31, -1):
        yield f"type {kind}", adding(tensor("w", [1], kind, raw=b"\0" * 4)), ERROR
    for kind in (UINT8, INT8, INT32, INT64, BOOL, FLOAT16, DOUBLE, BFLOAT16):
        yield f"type {kind} in Add", adding(tensor("w", [1], kind, raw=b"\1" * {UINT8: 1, INT8: 1, BOOL: 1, INT32: 4, FLOAT16: 2, BFLOAT16: 2}.get(kind, 8)))
    yield "segments", adding(tensor("w", [1], raw=floats([1]), extra=block(3, number(1, 0) + number(2, 1 << 62)))), ERROR
    for name, number_value in {"NaN": float("nan"), "infinity": float("inf"), "-infinity": float("-inf"), "tiny": 1e-45}.items():
        yield f"weights of {name}", model([node("Conv", ["x", "w"], ["y"])], initializers=[weights("w", 2, 3, 3, 3, value=number_value)])
        yield f"normalization of {name}", model([
            node("Conv", ["x", "k"], ["c"]), node("BatchNormalization", ["c", "w", "w", "w", "w"], ["y"])],
            initializers=[weights("w", 2, value=number_value), weights("k", 2, 3, 3, 3)])
        for scales in ([1, 1, number_value, 1], [number_value] * 4):
            yield f"Resize by {scales}", model([node("Resize", ["x", "", "s"], ["y"])], initializers=[tensor("s", [4], raw=floats(scales))])
        yield f"Upsample by {name}", model([node("Upsample", ["x", "s"], ["y"])], opset=9, initializers=[tensor("s", [4], raw=floats([1, 1, number_value, number_value]))])
        yield f"Clip at {name}", model([node("Clip", ["x", "a", "a"], ["y"])], initializers=[tensor("a", [], raw=floats([number_value]))])
        yield f"Cast of {name}", model([node("Cast", ["w"], ["i"], to=INT64), node("Reshape", ["x", "i"], ["y"])], initializers=[tensor("w", [1], raw=floats([number_value]))])
        yield f"Cast of {name} to bytes", model([node("Cast", ["w"], ["i"], to=UINT8), node("Cast", ["i"], ["j"], to=1), node("Add", ["x", "j"], ["y"])], initializers=[tensor("w", [1], raw=floats([number_value]))])
        yield f"Range to {name}", model([node("Range", ["a", "w", "a"], ["y"])], initializers=[tensor("w", [], raw=floats([number_value])), tensor("a", [], raw=floats([1]))])
        yield f"Range by {name}", model([node("Range", ["a", "a", "w"], ["y"])], initializers=[tensor("w", [], raw=floats([number_value])), tensor("a", [], raw=floats([1]))])
        yield f"LRN of {name}", model([node("LRN", ["x"], ["y"], size=3, alpha=number_value, beta=number_value, bias=number_value)])
        yield f"LayerNormalization epsilon {name}", model([node("LayerNormalization", ["x", "w"], ["y"], epsilon=number_value)], initializers=[weights("w", 8)])
        yield f"QuantizeLinear by {name}", model([node("QuantizeLinear", ["x", "w"], ["q"]), node("DequantizeLinear", ["q", "w"], ["y"])], initializers=[tensor("w", [], raw=floats([number_value]))])
        yield f"TopK of {name}", model([node("Mul", ["x", "w"], ["m"]), node("TopK", ["m", "k"], ["y", "i"])], initializers=[weights("w", 1, value=number_value), integers("k", 2)])
    yield "Conv without weights", model([node("Conv", ["x", "w"], ["y"])], initializers=[tensor("w", [0, 3, 1, 1], raw=b"")])
    yield "Conv with weights of no channels", model([node("Conv", ["x", "w"], ["y"])], initializers=[tensor("w", [2, 0, 1, 1], raw=b"")])
    yield "Conv with a kernel of nothing", model([node("Conv", ["x", "w"], ["y"])], initializers=[tensor("w", [2, 3, 0, 0], raw=b"")])
    yield "Conv with flat weights", model([node("Conv", ["x", "w"], ["y"])], initializers=[weights("w", 54)]), ERROR
    yield "Conv with scalar weights", model([node("Conv", ["x", "w"], ["y"])], initializers=[weights("w")]), ERROR
    yield "Conv with a long bias", model([node("Conv", ["x", "w", "b"], ["y"])], initializers=[weights("w", 2, 3, 3, 3), weights("b", 7)]), ERROR
    yield "Conv of a scalar", model([node("Conv", ["s", "w"], ["y"])], initializers=[weights("w", 2, 3, 3, 3), weights("s")]), ERROR


def types():
    for dims in ([-1, -1], [0, 3, 8, 8], [1, 3, 0, 0], [1, -3, 8, 8], [1 << 62, 3, 8, 8], [1, 1 << 62, 1 << 62, 1], [1, 3, 1 << 31, 1 << 31],
                 [1, 3, 20_000, 20_000], [1, 3, 50_000, 50_000], [1, 3, 1 << 31, 1], [1, 1 << 30, 8, 8], [1 << 20, 3, 224, 224],
                 [], [1], [3, 8], [1, 3, 8], [1] * 9, [1] * 64, ["N", "C", "H", "W"], ["N", 3, "H", "W"], ["", 3, 8, 8], [None] * 4):
        yield f"input {dims}", model(RELU, inputs=[value("x", dims)])
        if len(dims) == 4:
            yield f"input {dims} of Conv", model([node("Conv", ["x", "w"], ["y"])], inputs=[value("x", dims)], initializers=[weights("w", 2, 3, 3, 3)])
    yield "input without a shape", model(RELU, inputs=[value("x")])
    yield "input without a type", model(RELU, inputs=[block(1, "x")]), ERROR
    for kind in (0, 2, 7, 8, 9, 10, 11, 16, 17, 99, -1):
        yield f"input of type {kind}", model(RELU, inputs=[value("x", [1, 3, 8, 8], kind)])
    yield "input that is a sequence", model(RELU, inputs=[block(1, "x") + block(2, block(4, b""))]), ERROR
    nested = b""
    for _ in range(5_000):
        nested = block(4, block(1, nested))
    yield "sequence of sequences", model(RELU, inputs=[block(1, "x") + block(2, nested)]), ERROR
    yield "output of another shape", model(RELU, outputs=[value("y", [7, 7])])
    yield "output of another type", model(RELU, outputs=[value("y", [1, 3, 8, 8], INT64)])
    yield "value of another shape", model([node("Relu", ["x"], ["v"]), node("Relu", ["v"], ["y"])], graph_extra=block(13, value("v", [1 << 62, 9])))


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


def nesting():
    def bodies(depth, operator, attribute_name):
        inner = graph(RELU, inputs=[])
        for _ in range(depth):
            inner = graph([node(operator, ["x"], ["y"], **{attribute_name: Graph(inner)})], inputs=[])
        return inner

    for depth in (3, 40, 3_000):
        for operator, name in (("If", "then_branch"), ("Loop", "body"), ("Scan", "body"), ("Relu", "body")):
            yield f"{operator} in {operator} {depth} deep", model([node(operator, ["x"], ["y"], **{name: Graph(bodies(depth, operator, name))})]), ERROR
    both = graph(RELU, inputs=[])
    for _ in range(9):
        both = graph([node("If", ["c"], ["y"], then_branch=Graph(both), else_branch=Graph(both))] * 2, inputs=[])
    yield "branches that double", model([node("If", ["c"], ["y"], then_branch=Graph(both), else_branch=Graph(both))],
        initializers=[tensor("c", [], BOOL, b"\1")])

    def function(name, nodes, inputs=("a",), outputs=("b",)):
        fields = block(1, name) + b"".join(block(4, item) for item in inputs) + b"".join(block(5, item) for item in outputs)
        return block(25, fields + b"".join(block(7, item) for item in nodes) + block(9, number(2, 17)) + block(9, block(1, "f") + number(2, 1)) + block(10, "f"))

    def calling(name, *functions):
        return model([node(name, ["x"], ["y"], domain="f")], imports=[("", 17), ("f", 1)], extra=b"".join(functions))

    yield "function", calling("F", function("F", [node("Relu", ["a"], ["b"])]))
    yield "function that calls itself", calling("F", function("F", [node("F", ["a"], ["b"], domain="f")])), ERROR
    yield "functions that call each other", calling(
        "F", function("F", [node("G", ["a"], ["b"], domain="f")]), function("G", [node("F", ["a"], ["b"], domain="f")])), ERROR
    chain = [function(f"F{i}", [node(f"F{i + 1}", ["a"], ["b"], domain="f")]) for i in range(5_000)]
    yield "5000 functions in a row", calling("F0", *chain, function("F5000", [node("Relu", ["a"], ["b"])]))
    doubling = [function(f"F{i}", [node(f"F{i + 1}", ["a"], ["m"], domain="f"), node(f"F{i + 1}", ["m"], ["b"], domain="f")]) for i in range(60)]
    yield "functions that double", calling("F0", *doubling, function("F60", [node("Relu", ["a"], ["b"])])), ERROR
    yield "function twice", calling("F", function("F", [node("Relu", ["a"], ["b"])]), function("F", [node("Abs", ["a"], ["b"])]))
    yield "function without nodes", calling("F", function("F", [])), ERROR
    yield "function with a wrong body", calling("F", function("F", [node("Relu", ["zzz"], ["b"])])), ERROR
    yield "function named as an operator", model(RELU, extra=block(25, block(1, "Relu") + block(4, "a") + block(5, "b") + block(7, node("Relu", ["a"], ["b"])) + block(9, number(2, 17))))

    always = graph(
        [node("Identity", ["c"], ["d"]), node("Identity", ["v"], ["u"])],
        inputs=[value("i", [], INT64), value("c", [], BOOL), value("v", [1, 3, 8, 8])], outputs=[value("d", [], BOOL), value("u")])
    condition = tensor("c0", [], BOOL, b"\1")
    yield "endless Loop", model([node("Loop", ["", "c0", "x"], ["y"], body=Graph(always))], initializers=[condition]), ERROR
    for count in (1 << 62, (1 << 63) - 1, 1 << 31, -1, -(1 << 63)):
        yield f"Loop of {count}", model([node("Loop", ["n", "c0", "x"], ["y"], body=Graph(always))], initializers=[condition, tensor("n", [], INT64, struct.pack("<q", count))])
    growing = graph(
        [node("Identity", ["c"], ["d"]), node("Concat", ["v", "v"], ["u"], axis=0)],
        inputs=[value("i", [], INT64), value("c", [], BOOL), value("v")], outputs=[value("d", [], BOOL), value("u")])
    yield "Loop that doubles", model([node("Loop", ["n", "c0", "x"], ["y"], body=Graph(growing))], initializers=[condition, tensor("n", [], INT64, struct.pack("<q", 60))]), ERROR
    collecting = graph(
        [node("Identity", ["c"], ["d"]), node("Identity", ["v"], ["u"]), node("Identity", ["v"], ["w"])],
        inputs=[value("i", [], INT64), value("c", [], BOOL), value("v", [1, 3, 8, 8])], outputs=[value("d", [], BOOL), value("u"), value("w")])
    yield "Loop that collects", model([node("Loop", ["n", "c0", "x"], ["u", "y"], body=Graph(collecting))], initializers=[condition, tensor("n", [], INT64, struct.pack("<q", 1 << 40))]), ERROR
    inner = graph(
        [node("Identity", ["c"], ["d"]), node("Loop", ["n", "c0", "v"], ["u"], body=Graph(always))],
        inputs=[value("i", [], INT64), value("c", [], BOOL), value("v", [1, 3, 8, 8])], outputs=[value("d", [], BOOL), value("u")])
    yield "Loop in a Loop", model([node("Loop", ["n", "c0", "x"], ["y"], body=Graph(inner))], initializers=[condition, tensor("n", [], INT64, struct.pack("<q", 1 << 31))]), ERROR
    scan = graph([node("Identity", ["s"], ["t"]), node("Identity", ["e"], ["o"])], inputs=[value("s"), value("e")], outputs=[value("t"), value("o")])
    for count in (0, -1, 2, 99, 1 << 62):
        yield f"Scan of {count} inputs", model([node("Scan", ["x", "x"], ["t", "y"], body=Graph(scan), num_scan_inputs=count)])
    yield "Scan over an absent axis", model([node("Scan", ["x", "x"], ["t", "y"], body=Graph(scan), num_scan_inputs=1, scan_input_axes=[9])]), ERROR


def windows():
    for number_value in HUGE:
        for name in ("group", "strides", "dilations", "kernel_shape", "pads"):
            pair = number_value if name == "group" else [number_value] * (4 if name == "pads" else 2)
            yield f"Conv {name} {number_value}", model([node("Conv", ["x", "w"], ["y"], **{name: pair})], initializers=[weights("w", 3, 3, 3, 3)])
            yield f"ConvTranspose {name} {number_value}", model([node("ConvTranspose", ["x", "w"], ["y"], **{name: pair})], initializers=[weights("w", 3, 3, 3, 3)])
            if name == "group":
                continue
            for kind in ("MaxPool", "AveragePool", "LpPool"):
                attributes = {"kernel_shape": [2, 2], name: pair}
                yield f"{kind} {name} {number_value}", model([node(kind, ["x"], ["y"], **attributes)], opset=19)
                yield f"{kind} {name} {number_value} rounded up", model([node(kind, ["x"], ["y"], **attributes, ceil_mode=1)], opset=19)
        yield f"ConvTranspose output_padding {number_value}", model([node("ConvTranspose", ["x", "w"], ["y"], output_padding=[number_value] * 2)], initializers=[weights("w", 3, 3, 3, 3)])
        yield f"ConvTranspose output_shape {number_value}", model([node("ConvTranspose", ["x", "w"], ["y"], output_shape=[number_value] * 2)], initializers=[weights("w", 3, 3, 3, 3)])
        yield f"LRN size {number_value}", model([node("LRN", ["x"], ["y"], size=number_value)])
        yield f"DepthToSpace {number_value}", model([node("DepthToSpace", ["x"], ["y"], blocksize=number_value)])
        yield f"SpaceToDepth {number_value}", model([node("SpaceToDepth", ["x"], ["y"], blocksize=number_value)])
        yield f"Cast to {number_value}", model([node("Cast", ["x"], ["y"], to=number_value)])
        yield f"GroupNormalization of {number_value}", model([node("GroupNormalization", ["x", "w", "w"], ["y"], num_groups=number_value)], initializers=[weights("w", 3)], opset=21)
    for mode in ("SAME_UPPER", "SAME_LOWER", "VALID", "bogus"):
        yield f"Conv auto_pad {mode}", model([node("Conv", ["x", "w"], ["y"], auto_pad=mode, strides=[1 << 62] * 2)], initializers=[weights("w", 3, 3, 3, 3)])
        yield f"MaxPool auto_pad {mode}", model([node("MaxPool", ["x"], ["y"], auto_pad=mode, kernel_shape=[1 << 62] * 2)])
    yield "Conv kernel larger than its input", model([node("Conv", ["x", "w"], ["y"])], initializers=[weights("w", 3, 3, 9, 9)]), ERROR
    yield "MaxPool kernel larger than its input", model([node("MaxPool", ["x"], ["y"], kernel_shape=[9, 9])]), ERROR
    yield "Conv padded to 2^30", model([node("Conv", ["x", "w"], ["y"], pads=[1 << 29] * 4)], initializers=[weights("w", 3, 3, 3, 3)]), ERROR
    yield "Conv padded to 20000", model([node("Conv", ["x", "w"], ["y"], pads=[10_000] * 4)], initializers=[weights("w", 3, 3, 3, 3)])
    yield "Conv padded and strided", model([node("Conv", ["x", "w"], ["y"], pads=[1 << 40] * 4, strides=[1 << 40] * 2)], initializers=[weights("w", 3, 3, 3, 3)])
    yield "AveragePool of a large window", model([node("AveragePool", ["x"], ["y"], kernel_shape=[40_001] * 2, pads=[20_000] * 4)])
    yield "AveragePool of a large window in reach", model([node("AveragePool", ["p"], ["y"], kernel_shape=[1_000] * 2), node("Pad", ["x", "s"], ["p"])],
        initializers=[integers("s", 0, 0, 1_000, 1_000, 0, 0, 1_000, 1_000)])
    yield "Conv with a group per channel of too many", model([node("Conv", ["x", "w"], ["y"], group=1_000_000)], initializers=[weights("w", 3, 3, 3, 3)]), ERROR


def axes():
    for number_value in HUGE + [3, 4, -4, -5, 5]:
        n = number_value
        for kind in ("Softmax", "LogSoftmax", "Flatten", "ArgMax", "ArgMin", "Hardmax", "LpNormalization"):
            yield f"{kind} axis {n}", model([node(kind, ["x"], ["y"], axis=n)])
        yield f"Softmax axis {n} of opset 11", model([node("Softmax", ["x"], ["y"], axis=n)], opset=11)
        yield f"Concat axis {n}", model([node("Concat", ["x", "x"], ["y"], axis=n)])
        yield f"Split axis {n}", model([node("Split", ["x"], ["y", "z"], axis=n)])
        yield f"Split num_outputs {n}", model([node("Split", ["x"], ["y", "z"], axis=1, num_outputs=n)], opset=18)
        yield f"Split sizes {n}", model([node("Split", ["x", "s"], ["y", "z"], axis=2)], initializers=[integers("s", n, 8)])
        yield f"Split balanced sizes {n}", model([node("Split", ["x", "s"], ["y", "z"], axis=2)], initializers=[integers("s", n, (8 - n) & (1 << 63) - 1 if abs(8 - n) >= 1 << 63 else 8 - n)])
        yield f"Transpose {n}", model([node("Transpose", ["x"], ["y"], perm=[0, 1, 2, n])])
        yield f"Squeeze {n}", model([node("Squeeze", ["x", "s"], ["y"])], initializers=[integers("s", n)])
        yield f"Unsqueeze {n}", model([node("Unsqueeze", ["x", "s"], ["y"])], initializers=[integers("s", n)])
        yield f"Unsqueeze twice {n}", model([node("Unsqueeze", ["x", "s"], ["y"])], initializers=[integers("s", n, n)])
        yield f"Reshape {n}", model([node("Reshape", ["x", "s"], ["y"])], initializers=[integers("s", n, 8)])
        yield f"Reshape {n} and the rest", model([node("Reshape", ["x", "s"], ["y"])], initializers=[integers("s", n, -1)])
        yield f"Reshape product {n}", model([node("Reshape", ["x", "s"], ["y"])], initializers=[integers("s", n, n, n, 192)])
        yield f"Gather axis {n}", model([node("Gather", ["x", "i"], ["y"], axis=n)], initializers=[integers("i", 0)])
        yield f"Gather index {n}", model([node("Gather", ["x", "i"], ["y"], axis=2)], initializers=[integers("i", n)])
        yield f"Gather folded index {n}", model([node("Gather", ["k", "i"], ["j"]), node("Reshape", ["x", "j"], ["y"])], initializers=[integers("i", n), integers("k", 192, 1)])
        yield f"GatherElements index {n}", model([node("GatherElements", ["x", "i"], ["y"], axis=2)], initializers=[integers("i", n, dims=[1, 1, 1, 1])])
        yield f"GatherND index {n}", model([node("GatherND", ["x", "i"], ["y"])], initializers=[integers("i", n, n, dims=[1, 2])])
        yield f"GatherND batch_dims {n}", model([node("GatherND", ["x", "i"], ["y"], batch_dims=n)], initializers=[integers("i", 0, dims=[1, 1])])
        yield f"ScatterElements index {n}", model([node("ScatterElements", ["x", "i", "u"], ["y"], axis=2)], initializers=[integers("i", n, dims=[1, 1, 1, 1]), weights("u", 1, 1, 1, 1)], opset=16)
        yield f"ScatterND index {n}", model([node("ScatterND", ["x", "i", "u"], ["y"])], initializers=[integers("i", n, n, dims=[1, 2]), weights("u", 1, 8, 8)], opset=16)
        for index, what in enumerate(("start", "end", "axis", "step")):
            values = [0, 8, 2, 1]
            values[index] = n
            yield f"Slice {what} {n}", model([node("Slice", ["x", "s", "e", "a", "t"], ["y"])], initializers=[integers(k, v) for k, v in zip("seat", values)])
        yield f"Slice back {n}", model([node("Slice", ["x", "s", "e", "a", "t"], ["y"])], initializers=[integers("s", n), integers("e", -n if n > -(1 << 63) else n), integers("a", 2), integers("t", n)])
        yield f"TopK {n}", model([node("TopK", ["x", "k"], ["y", "i"])], initializers=[integers("k", n)])
        yield f"TopK axis {n}", model([node("TopK", ["x", "k"], ["y", "i"], axis=n)], initializers=[integers("k", 1)])
        yield f"TopK of opset 9 {n}", model([node("TopK", ["x"], ["y", "i"], k=n)], opset=9)
        yield f"OneHot depth {n}", model([node("OneHot", ["i", "d", "v"], ["y"])], initializers=[integers("i", 0, 1), integers("d", n, dims=[]), tensor("v", [2], raw=floats([0, 1]))])
        yield f"OneHot axis {n}", model([node("OneHot", ["i", "d", "v"], ["y"], axis=n)], initializers=[integers("i", 0, 1), integers("d", 3, dims=[]), tensor("v", [2], raw=floats([0, 1]))])
        yield f"OneHot index {n}", model([node("OneHot", ["i", "d", "v"], ["y"])], initializers=[integers("i", n), integers("d", 3, dims=[]), tensor("v", [2], raw=floats([0, 1]))])
        for kind in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceL2"):
            yield f"{kind} axis {n}", model([node(kind, ["x"], ["y"], axes=[n])], opset=11)
            yield f"{kind} axis input {n}", model([node(kind, ["x", "a"], ["y"])], initializers=[integers("a", n)], opset=18)
        yield f"CumSum axis {n}", model([node("CumSum", ["x", "a"], ["y"])], initializers=[integers("a", n, dims=[])])
        yield f"LayerNormalization axis {n}", model([node("LayerNormalization", ["x", "w"], ["y"], axis=n)], initializers=[weights("w", 8)])
        yield f"Pad {n}", model([node("Pad", ["x", "p"], ["y"])], initializers=[integers("p", 0, 0, n, 0, 0, 0, 0, 0)])
        yield f"Pad balanced {n}", model([node("Pad", ["x", "p"], ["y"])], initializers=[integers("p", 0, 0, n, 0, 0, 0, -n if n > -(1 << 63) else n, 0)])
        for mode in ("reflect", "edge", "wrap"):
            yield f"Pad {mode} {n}", model([node("Pad", ["x", "p"], ["y"], mode=mode)], initializers=[integers("p", 0, 0, n, 0, 0, 0, 0, 0)], opset=19)
        yield f"Pad axes {n}", model([node("Pad", ["x", "p", "", "a"], ["y"])], initializers=[integers("p", 1, 1), integers("a", n)], opset=18)
        yield f"Tile {n}", model([node("Tile", ["x", "r"], ["y"])], initializers=[integers("r", 1, 1, n, 1)])
        yield f"Expand {n}", model([node("Expand", ["w", "s"], ["y"])], initializers=[weights("w", 1), integers("s", n, n)])
        yield f"ConstantOfShape {n}", model([node("ConstantOfShape", ["s"], ["y"])], initializers=[integers("s", n)])
        yield f"Range to {n}", model([node("Range", ["a", "b", "c"], ["y"])], initializers=[integers("a", 0, dims=[]), integers("b", n, dims=[]), integers("c", 1, dims=[])])
        yield f"Range by {n}", model([node("Range", ["a", "b", "c"], ["y"])], initializers=[integers("a", -(1 << 63), dims=[]), integers("b", (1 << 63) - 1, dims=[]), integers("c", n, dims=[])])
        yield f"Resize to {n}", model([node("Resize", ["x", "", "", "s"], ["y"])], initializers=[integers("s", 1, 3, n, n)])
        yield f"Resize by {n}", model([node("Resize", ["x", "", "s"], ["y"])], initializers=[tensor("s", [4], raw=floats([1, 1, n, n]))])
        yield f"Resize axes {n}", model([node("Resize", ["x", "", "s"], ["y"], axes=[n])], initializers=[tensor("s", [1], raw=floats([2]))], opset=18)
        yield f"Shape start {n}", model([node("Shape", ["x"], ["y"], start=n)])
        yield f"Shape end {n}", model([node("Shape", ["x"], ["y"], end=n)])
        yield f"EyeLike {n}", model([node("EyeLike", ["w"], ["y"], k=n)], initializers=[weights("w", 3, 3)])
        yield f"Trilu {n}", model([node("Trilu", ["x", "k"], ["y"])], initializers=[integers("k", n, dims=[])])
        yield f"CenterCropPad {n}", model([node("CenterCropPad", ["x", "s"], ["y"], axes=[2])], initializers=[integers("s", n)], opset=18)
        yield f"Compress axis {n}", model([node("Compress", ["x", "c"], ["y"], axis=n)], initializers=[tensor("c", [2], BOOL, b"\1\1")])
        yield f"Constant {n}", model([node("Constant", [], ["c"], value_int=n), node("Cast", ["c"], ["d"], to=1), node("Add", ["x", "d"], ["y"])], opset=13)
        yield f"arithmetic on {n}", model([
            node("Mul", ["k", "k"], ["a"]), node("Add", ["a", "k"], ["b"]), node("Sub", ["b", "m"], ["c"]), node("Neg", ["c"], ["d"]), node("Abs", ["d"], ["e"]),
            node("Div", ["e", "k"], ["f"]), node("Reshape", ["x", "f"], ["y"])], initializers=[integers("k", n), integers("m", -(1 << 63))])
        yield f"Div by {n}", model([node("Div", ["m", "k"], ["s"]), node("Reshape", ["x", "s"], ["y"])], initializers=[integers("k", n), integers("m", -(1 << 63))])
        yield f"Mod by {n}", model([node("Mod", ["m", "k"], ["s"]), node("Reshape", ["x", "s"], ["y"])], initializers=[integers("k", n), integers("m", -(1 << 63))])
        yield f"Pow of {n}", model([node("Pow", ["k", "k"], ["s"]), node("Reshape", ["x", "s"], ["y"])], initializers=[integers("k", n)])
        yield f"BitShift by {n}", model([node("BitShift", ["k", "k"], ["s"], direction="LEFT"), node("Cast", ["s"], ["t"], to=INT64), node("Reshape", ["x", "t"], ["y"])],
            initializers=[tensor("k", [1], 13, struct.pack("<Q", n & (1 << 64) - 1))])
        yield f"ReduceSum of {n}", model([node("ReduceSum", ["k"], ["s"], keepdims=0), node("Reshape", ["x", "s"], ["y"])], initializers=[integers("k", n, n, n)])
        yield f"ReduceProd of {n}", model([node("ReduceProd", ["k"], ["s"]), node("Reshape", ["x", "s"], ["y"])], initializers=[integers("k", n, n, n)])
        yield f"Einsum {n}", model([node("Einsum", ["x"], ["y"], equation="a" * 60 + "->" + str(n))])
        yield f"NonMaxSuppression of {n}", model([node("NonMaxSuppression", ["b", "s", "k"], ["y"])], initializers=[weights("b", 1, 2, 4), weights("s", 1, 1, 2), integers("k", n)])
        yield f"RoiAlign {n}", model([node("RoiAlign", ["x", "r", "i"], ["y"], output_height=n, output_width=2, sampling_ratio=n)], initializers=[weights("r", 1, 4), integers("i", n)])
        yield f"Col2Im {n}", model([node("Col2Im", ["w", "s", "k"], ["y"])], initializers=[weights("w", 1, 4, 4), integers("s", n, n), integers("k", 2, 2)], opset=18)
        yield f"MaxUnpool {n}", model([node("MaxUnpool", ["x", "i"], ["y"], kernel_shape=[2, 2])], initializers=[integers("i", *[n] * 192, dims=[1, 3, 8, 8])])
        yield f"ReverseSequence {n}", model([node("ReverseSequence", ["x", "l"], ["y"], batch_axis=1, time_axis=0)], initializers=[integers("l", n, n, n)])
        yield f"GRU of {n}", model([node("GRU", ["w", "k", "r"], ["y"], hidden_size=n)], initializers=[weights("w", 2, 1, 3), weights("k", 1, 6, 3), weights("r", 1, 6, 2)])
        yield f"LSTM of {n}", model([node("LSTM", ["w", "k", "r"], ["y"], hidden_size=n)], initializers=[weights("w", 2, 1, 3), weights("k", 1, 8, 3), weights("r", 1, 8, 2)])
        yield f"AffineGrid {n}", model([node("AffineGrid", ["t", "s"], ["y"])], initializers=[weights("t", 1, 2, 3), integers("s", 1, 3, n, n)], opset=20)
        yield f"Attention heads {n}", model([node("Attention", ["w", "w", "w"], ["y"], q_num_heads=n, kv_num_heads=n)], initializers=[weights("w", 1, 4, 8)], opset=22)


def bombs():
    big = integers("s", 1, 3, 20_000, 20_000)
    for name, nodes, extra in (
        ("ConstantOfShape", [node("ConstantOfShape", ["s"], ["y"])], [big]),
        ("ConstantOfShape of 2^60", [node("ConstantOfShape", ["s"], ["y"])], [integers("s", 1 << 60)]),
        ("ConstantOfShape of 2^62", [node("ConstantOfShape", ["s"], ["y"])], [integers("s", 1 << 31, 1 << 31)]),
        ("Expand", [node("Expand", ["w", "s"], ["y"])], [big, weights("w", 1)]),
        ("Expand of an input", [node("ReduceMean", ["x"], ["m"]), node("Expand", ["m", "s"], ["y"])], [big]),
        ("Tile", [node("Tile", ["x", "s"], ["y"])], [integers("s", 1, 1, 2_500, 2_500)]),
        ("Tile folded", [node("Tile", ["w", "s"], ["y"])], [integers("s", 1 << 30), weights("w", 1)]),
        ("Pad", [node("Pad", ["x", "s"], ["y"])], [integers("s", 0, 0, 10_000, 10_000, 0, 0, 10_000, 10_000)]),
        ("Range", [node("Range", ["a", "b", "c"], ["y"])], [integers("a", 0, dims=[]), integers("b", 1 << 30, dims=[]), integers("c", 1, dims=[])]),
        ("Range of 2^62", [node("Range", ["a", "b", "c"], ["y"])], [integers("a", 0, dims=[]), integers("b", 1 << 62, dims=[]), integers("c", 1, dims=[])]),
        ("Resize", [node("Resize", ["x", "", "", "s"], ["y"])], [big]),
        ("Resize linear", [node("Resize", ["x", "", "", "s"], ["y"], mode="linear")], [big]),
        ("Resize cubic", [node("Resize", ["x", "", "", "s"], ["y"], mode="cubic")], [big]),
        ("Upsample", [node("Upsample", ["x", "f"], ["y"])], [tensor("f", [4], raw=floats([1, 1, 2500, 2500]))]),
        ("OneHot", [node("OneHot", ["i", "d", "v"], ["y"])], [integers("i", 0, 1), integers("d", 1 << 30, dims=[]), tensor("v", [2], raw=floats([0, 1]))]),
        ("Gather", [node("ConstantOfShape", ["s"], ["i"], value=integers("", 0)), node("Gather", ["x", "i"], ["y"], axis=1)], [integers("s", 10_000_000)]),
        ("NonZero", [node("ConstantOfShape", ["s"], ["c"], value=tensor("", [1], raw=floats([1]))), node("NonZero", ["c"], ["y"])], [integers("s", 60_000_000)]),
        ("EyeLike", [node("ConstantOfShape", ["s"], ["c"]), node("EyeLike", ["c"], ["y"])], [integers("s", 16_000, 16_000)]),
        ("MatMul", [node("Reshape", ["x", "a"], ["p"]), node("Expand", ["p", "b"], ["q"]), node("Transpose", ["q"], ["t"], perm=[1, 0]), node("MatMul", ["t", "q"], ["y"])],
         [integers("a", 192, 1), integers("b", 192, 20_000)]),
        ("Add", [node("Expand", ["x", "a"], ["p"]), node("Reshape", ["p", "b"], ["q"]), node("Reshape", ["p", "c"], ["r"]), node("Add", ["q", "r"], ["y"])],
         [integers("a", 100, 3, 8, 8), integers("b", -1, 1), integers("c", 1, -1)]),
        ("Conv", [node("Conv", ["x", "w"], ["y"], pads=[8_000] * 4)], [weights("w", 8, 3, 3, 3)]),
        ("ConvTranspose", [node("ConvTranspose", ["x", "w"], ["y"], strides=[2_500] * 2)], [weights("w", 3, 3, 3, 3)]),
        ("AffineGrid", [node("AffineGrid", ["t", "s"], ["y"])], [weights("t", 1, 2, 3), big]),
        ("RandomUniform", [node("RandomUniform", [], ["y"], shape=[1, 3, 20_000, 20_000])], []),
        ("Dropout mask", [node("ConstantOfShape", ["s"], ["c"]), node("Dropout", ["c"], ["y", "m"])], [integers("s", 700_000_000)]),
    ):
        opset = 9 if "Upsample" in name else 20
        yield name, model(nodes, initializers=extra, opset=opset), EITHER
        yield f"{name}, reduced", model(nodes + [node("Cast", ["y"], ["f"], to=1), node("ReduceMean", ["f"], ["r"], keepdims=0), node("Add", ["x", "r"], ["z"])],
            outputs=[value("z")], initializers=extra, opset=opset if opset == 9 else 17)
    for kind, grow in {
        "Concat": lambda a, b: node("Concat", [a, a], [b], axis=0),
        "Tile": lambda a, b: node("Tile", [a, "two"], [b]),
    }.items():
        for start in ("x", "k"):
            nodes = [grow(start if i == 0 else f"v{i}", f"v{i + 1}") for i in range(40)]
            yield f"{kind} doubles {start} 40 times", model(nodes, outputs=[value("v40")], initializers=[integers("two", 2) if start == "k" else integers("two", 2, 1, 1, 1), weights("k", 1)]), ERROR
            nodes = [grow(start if i == 0 else f"v{i}", f"v{i + 1}") for i in range(22)]
            yield f"{kind} doubles {start} 22 times", model(nodes, outputs=[value("v22")], initializers=[integers("two", 2) if start == "k" else integers("two", 2, 1, 1, 1), weights("k", 1)])
    shapes = [node("Concat", ["k" if i == 0 else f"v{i}"] * 2, [f"v{i + 1}"], axis=0) for i in range(40)]
    yield "shape arithmetic that doubles", model(shapes + [node("Size", ["v40"], ["n"]), node("Cast", ["n"], ["f"], to=1), node("Add", ["x", "f"], ["y"])], initializers=[integers("k", 1)])
    start = [node("ConstantOfShape", ["s"], ["v0"], value=tensor("", [1], raw=floats([1])))]
    for operator in ("Relu", "Exp", "Erf", "Sqrt", "Softmax"):
        chain = start + [node(operator, [f"v{i}"], [f"v{i + 1}"]) for i in range(3_000)]
        yield f"3000 × {operator} on 4 MB of constants", model(chain + [node("ReduceMean", ["v3000"], ["r"], keepdims=0), node("Add", ["x", "r"], ["y"])], initializers=[integers("s", 1_000_000)])
    chain = start + [node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(20_000)]
    yield "20000 × Relu on 16 KB of constants", model(chain + [node("ReduceMean", ["v20000"], ["r"], keepdims=0), node("Add", ["x", "r"], ["y"])], initializers=[integers("s", 4_096)])
    yield "100000 × Relu on 16 KB of constants", model(start + [node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(100_000)] + [node("ReduceMean", ["v100000"], ["r"], keepdims=0), node("Add", ["x", "r"], ["y"])], initializers=[integers("s", 4_096)])
    products = start + [node("MatMul", [f"v{i}", f"v{i}"], [f"v{i + 1}"]) for i in range(20)]
    yield "20 × MatMul of constants", model(products + [node("ReduceMean", ["v20"], ["r"], keepdims=0), node("Add", ["x", "r"], ["y"])], initializers=[integers("s", 1_500, 1_500)])
    yield "MatMul of constants 64 wide", model(start + [node("MatMul", [f"v{i}", f"v{i}"], [f"v{i + 1}"]) for i in range(3_000)] + [node("ReduceMean", ["v3000"], ["r"], keepdims=0), node("Add", ["x", "r"], ["y"])], initializers=[integers("s", 64, 64)])
    convolutions = [node("Conv", ["c0", "w"], ["c1"], pads=[1, 1, 1, 1]), node("ReduceMean", ["c1"], ["r"], keepdims=0), node("Add", ["x", "r"], ["y"])]
    yield "Conv of constants", model([node("ConstantOfShape", ["s"], ["c0"])] + convolutions, initializers=[integers("s", 1, 256, 256, 256), weights("w", 256, 256, 3, 3)])
    yield "Einsum of constants", model(start + [node("Einsum", ["v0"] * 4, ["e"], equation="ab,bc,cd,de->ae"), node("ReduceMean", ["e"], ["r"], keepdims=0), node("Add", ["x", "r"], ["y"])], initializers=[integers("s", 60, 60)])
    yield "CumSum of constants", model(start + [node("CumSum", ["v0", "a"], ["e"]), node("ReduceMean", ["e"], ["r"], keepdims=0), node("Add", ["x", "r"], ["y"])], initializers=[integers("s", 10_000_000), integers("a", 0, dims=[])])
    yield "Conv with a hundred thousand channels", model([node("Conv", ["x", "w"], ["c"]), node("Conv", ["c", "v"], ["y"])], initializers=[weights("w", 100_000, 3, 1, 1), weights("v", 1, 100_000, 1, 1)])
    yield "Conv of 10^13 multiply-adds", model([node("Expand", ["x", "s"], ["e"]), node("Conv", ["e", "w"], ["y"], group=3, pads=[64, 64, 64, 64])], initializers=[integers("s", 64, 3, 8, 8), weights("w", 96, 1, 128, 128)])


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
    import json
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
    for name, content in {"empty": b"", "deep": b"[" * 1_000_000, "cut": b'{"size":', "infinite": b'{"size": 1e99999}', "null": b"null"}.items():
        yield f"preprocessing {name}", good, ERROR, {"preprocessor_config.json": content}
    for name, make in {"folder": os.mkdir, "pipe": os.mkfifo, "device": lambda path: os.symlink("/dev/zero", path), "loop": lambda path: os.symlink(path, path)}.items():
        yield f"config as a {name}", good, EITHER, {"config.json": make}
        yield f"preprocessing as a {name}", good, EITHER, {"preprocessor_config.json": make}
        yield f"model as a {name}", make, ERROR
