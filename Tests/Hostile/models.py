"""Model files that are damaged, contradict themselves, or demand too much."""

import os
import struct

import bombs
import coreml
import heads
import operator_ranges
import packages
import surroundings
import tflite
from cases import ANSWER, EITHER, ERROR, Case, chosen
from onnx_bytes import (
    BFLOAT16, BOOL, DOUBLE, FLOAT16, INT32, INT64, INT8, RELU, UINT8, Graph, Raw, attribute, block, floats, graph,
    integers, model, node, number, packed, single, tensor, value, varint, weights,
)

#: An array of shape [1, 3, 8, 8] for the input of most models here.
INPUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "input.npy")


def cases(texts=("",)):
    groups = (
        encoding, structure, tensors, types, surroundings.external_data, nesting, operator_ranges.windows, operator_ranges.axes,
        bombs.bombs, surroundings.texts, surroundings.companions, surroundings.detectors,
        coreml.core_ml, coreml.core_ml_layers, coreml.core_ml_pipelines,
        packages.core_ml_packages, packages.core_ml_classifiers, packages.core_ml_detectors,
    )
    for group in chosen(groups, texts):
        for name, content, *rest in group():
            expected = rest[0] if rest else EITHER
            files = {"model.onnx": content, **(rest[1] if len(rest) > 1 else {})}
            yield Case(f"{group.__name__}/{name}", files, expected)
    for group in chosen((*tflite.GROUPS, *coreml.SWEEPS, heads.heads), texts):
        yield from group()


def encoding():
    whole = model(
        [node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]), node("Relu", ["c"], ["y"])],
        initializers=[weights("w", 2, 3, 3, 3)])
    yield "whole", whole, ANSWER
    # A file cut at the end of a field may be valid, if no required field follows.
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
    yield "output twice", model(RELU, outputs=[value("y"), value("y")]), ANSWER
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
    fan = [node("Relu", ["x"], [f"v{i}"]) for i in range(2_000)]
    yield "2000 outputs", model(fan, outputs=[value(f"v{i}") for i in range(2_000)])
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
    yield from narrow_products()
    yield "Conv without weights", model([node("Conv", ["x", "w"], ["y"])], initializers=[tensor("w", [0, 3, 1, 1], raw=b"")])
    yield "Conv with weights of no channels", model([node("Conv", ["x", "w"], ["y"])], initializers=[tensor("w", [2, 0, 1, 1], raw=b"")])
    yield "Conv with a kernel of nothing", model([node("Conv", ["x", "w"], ["y"])], initializers=[tensor("w", [2, 3, 0, 0], raw=b"")])
    yield "Conv with flat weights", model([node("Conv", ["x", "w"], ["y"])], initializers=[weights("w", 54)]), ERROR
    yield "Conv with scalar weights", model([node("Conv", ["x", "w"], ["y"])], initializers=[weights("w")]), ERROR
    yield "Conv with a long bias", model([node("Conv", ["x", "w", "b"], ["y"])], initializers=[weights("w", 2, 3, 3, 3), weights("b", 7)]), ERROR
    yield "Conv of a scalar", model([node("Conv", ["s", "w"], ["y"])], initializers=[weights("w", 2, 3, 3, 3), weights("s")]), ERROR


def narrow_products():
    """Products with weights of 4 bits, and of bytes, whose extents or scales mean nothing."""
    def product(shape=(5, 1, 8), scales=5, values=1.0, points=None, **attributes):
        given = {"K": 8, "N": 5, "bits": 4, "block_size": 16, **attributes}
        size = 1
        for extent in shape:
            size *= extent
        initializers = [tensor("w", list(shape), UINT8, raw=b"\x5a" * size), weights("s", scales, value=values)]
        if points is not None:
            initializers.append(tensor("p", [points], UINT8, raw=b"\xff" * points))
        return model([node("MatMulNBits", ["x", "w", "s"] + (["p"] if points is not None else []), ["y"],
                           domain="com.microsoft", **given)],
                     imports=[("", 17), ("com.microsoft", 1)], initializers=initializers)

    yield "MatMulNBits", product(), ANSWER
    for name, value_of in {"NaN": float("nan"), "infinity": float("inf")}.items():
        yield f"MatMulNBits with scales of {name}", product(values=value_of)
    for attribute in ("K", "N", "bits", "block_size"):
        for extent in (-1, 0, 3, 1 << 31, 1 << 62, -(1 << 63)):
            yield f"MatMulNBits with {attribute} {extent}", product(**{attribute: extent}), ERROR
    yield "MatMulNBits with groups that are no power of two", product((5, 1, 12), block_size=24), ERROR
    yield "MatMulNBits with a group too many", product((5, 2, 8)), ERROR
    yield "MatMulNBits with few scales", product(scales=4), ERROR
    yield "MatMulNBits with few zero points", product(points=4), ERROR
    yield "MatMulNBits with all zero points", product(points=5), ANSWER
    yield "MatMulInteger of rows with scales of nothing", model([
        node("DynamicQuantizeLinear", ["x"], ["q", "a", "z"]), node("MatMulInteger", ["q", "w", "z"], ["i"]),
        node("Cast", ["i"], ["f"], to=1), node("Mul", ["a", "s"], ["t"]), node("Mul", ["f", "t"], ["y"])],
        initializers=[tensor("w", [8, 0], INT8, raw=b""), tensor("s", [0], raw=b"")])
    yield "MatMulInteger of rows with a scale of infinity", model([
        node("DynamicQuantizeLinear", ["x"], ["q", "a", "z"]), node("MatMulInteger", ["q", "w", "z"], ["i"]),
        node("Cast", ["i"], ["f"], to=1), node("Mul", ["a", "s"], ["t"]), node("Mul", ["f", "t"], ["y"])],
        initializers=[tensor("w", [8, 2], INT8, raw=b"\x7f" * 16), tensor("s", [], raw=floats([float("inf")]))])


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
    empty = graph(
        [node("Identity", ["c"], ["d"]), node("Identity", ["e"], ["w"])],
        inputs=[value("i", [], INT64), value("c", [], BOOL)], outputs=[value("d", [], BOOL), value("w")])
    yield "Loop that collects nothing of a large shape", model([node("Loop", ["n", "c0"], ["y"], body=Graph(empty))], initializers=[condition, tensor("e", [1 << 51, 0], raw=b""), tensor("n", [], INT64, struct.pack("<q", 9_999))]), ERROR
    inner = graph(
        [node("Identity", ["c"], ["d"]), node("Loop", ["n", "c0", "v"], ["u"], body=Graph(always))],
        inputs=[value("i", [], INT64), value("c", [], BOOL), value("v", [1, 3, 8, 8])], outputs=[value("d", [], BOOL), value("u")])
    yield "Loop in a Loop", model([node("Loop", ["n", "c0", "x"], ["y"], body=Graph(inner))], initializers=[condition, tensor("n", [], INT64, struct.pack("<q", 1 << 31))]), ERROR
    scan = graph([node("Identity", ["s"], ["t"]), node("Identity", ["e"], ["o"])], inputs=[value("s"), value("e")], outputs=[value("t"), value("o")])
    for count in (0, -1, 2, 99, 1 << 62):
        yield f"Scan of {count} inputs", model([node("Scan", ["x", "x"], ["t", "y"], body=Graph(scan), num_scan_inputs=count)])
    yield "Scan over an absent axis", model([node("Scan", ["x", "x"], ["t", "y"], body=Graph(scan), num_scan_inputs=1, scan_input_axes=[9])]), ERROR
