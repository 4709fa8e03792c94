"""Writes valid and invalid ONNX files byte by byte.

Field numbers are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

import struct

FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, BFLOAT16 = 1, 2, 3, 6, 7, 8, 9, 10, 11, 16


def varint(value):
    value &= (1 << 64) - 1
    result = bytearray()
    while value >= 0x80:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, content):
    if isinstance(content, str):
        content = content.encode()
    return varint(field << 3 | 2) + varint(len(content)) + content


def single(field, value):
    return varint(field << 3 | 5) + struct.pack("<f", value)


def packed(field, values):
    return block(field, b"".join(varint(value) for value in values))


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def tensor(name, dims, kind=FLOAT, raw=None, extra=b""):
    fields = packed(1, dims) + number(2, kind) + (block(8, name) if name else b"")
    return fields + (block(9, raw) if raw is not None else b"") + extra


def weights(name, *dims, value=0.5):
    count = 1
    for extent in dims:
        count *= extent
    return tensor(name, dims, raw=floats([value]) * count)


def integers(name, *values, dims=None):
    return tensor(name, [len(values)] if dims is None else dims, INT64, struct.pack(f"<{len(values)}q", *values))


def external(name, dims, kind=FLOAT, **entries):
    pairs = b"".join(block(13, block(1, key) + block(2, str(value))) for key, value in entries.items())
    return packed(1, dims) + number(2, kind) + block(8, name) + pairs + number(14, 1)


def attribute(name, value):
    head = block(1, name)
    if isinstance(value, Raw):
        return head + value.fields
    if isinstance(value, bool) or isinstance(value, int):
        return head + number(3, value) + number(20, 2)
    if isinstance(value, float):
        return head + single(2, value) + number(20, 1)
    if isinstance(value, str):
        return head + block(4, value) + number(20, 3)
    if isinstance(value, bytes):
        return head + block(5, value) + number(20, 4)
    if isinstance(value, Graph):
        return head + block(6, value.fields) + number(20, 5)
    if value and isinstance(value[0], float):
        return head + b"".join(single(7, item) for item in value) + number(20, 6)
    if value and isinstance(value[0], str):
        return head + b"".join(block(9, item) for item in value) + number(20, 8)
    return head + packed(8, value) + number(20, 7)


class Raw:
    """An attribute with the given fields."""

    def __init__(self, fields):
        self.fields = fields


class Graph:
    """A graph with the given fields."""

    def __init__(self, fields):
        self.fields = fields


def node(operator, inputs, outputs, name="", domain="", **attributes):
    fields = b"".join(block(1, item) for item in inputs) + b"".join(block(2, item) for item in outputs)
    fields += block(3, name) if name else b""
    fields += block(4, operator)
    fields += b"".join(block(5, attribute(key, value)) for key, value in attributes.items())
    return fields + (block(7, domain) if domain else b"")


def dimension(extent):
    return b"" if extent is None else block(2, extent) if isinstance(extent, str) else number(1, extent)


def value(name, dims=None, kind=FLOAT):
    tensor_type = number(1, kind) + (block(2, b"".join(block(1, dimension(extent)) for extent in dims)) if dims is not None else b"")
    return block(1, name) + block(2, block(1, tensor_type))


def graph(nodes, inputs=None, outputs=None, initializers=(), name="g", extra=b""):
    inputs = [value("x", [1, 3, 8, 8])] if inputs is None else inputs
    outputs = [value("y")] if outputs is None else outputs
    fields = b"".join(block(1, item) for item in nodes) + block(2, name)
    fields += b"".join(block(5, item) for item in initializers)
    fields += b"".join(block(11, item) for item in inputs) + b"".join(block(12, item) for item in outputs)
    return fields + extra


def model(nodes, inputs=None, outputs=None, initializers=(), opset=17, extra=b"", graph_extra=b"", imports=None):
    imports = [("", opset)] if imports is None else imports
    fields = number(1, 8) + block(2, "hostile")
    fields += block(7, graph(nodes, inputs, outputs, initializers, extra=graph_extra))
    for domain, version in imports:
        fields += block(8, (block(1, domain) if domain else b"") + number(2, version))
    return fields + extra


#: A network of one node.
RELU = [node("Relu", ["x"], ["y"])]
