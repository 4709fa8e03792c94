"""Writes valid and invalid files of TensorFlow Lite byte by byte.

Fields are numbered as in https://github.com/google-ai-edge/LiteRT/blob/main/tflite/converter/schema/schema.fbs
"""

import struct

FLOAT32, INT32, UINT8, INT64, BOOL, INT16, INT8, INT4 = 0, 2, 3, 4, 6, 7, 9, 17
FORMATS = {"i8": "<b", "u8": "<B", "u16": "<H", "i32": "<i", "u32": "<I", "i64": "<q", "u64": "<Q", "f32": "<f"}
NUMBERS = {INT32: "i", INT64: "q", FLOAT32: "f", INT8: "b", UINT8: "B", INT16: "h"}


class Writer:
    """Writes tables and vectors, each behind what refers to it."""

    def __init__(self):
        self.bytes = bytearray(8)
        self.bytes[4:] = b"TFL3"

    def align(self, size):
        self.bytes += bytes(-len(self.bytes) % size)

    def refer(self, place):
        """Makes the offset at a place point to the end of what is written."""
        struct.pack_into("<I", self.bytes, place, len(self.bytes) - place)

    def table(self, place, fields):
        """Writes a table of fields (kind, value) by their numbers, to which the offset at a place points."""
        sizes = {number: struct.calcsize(FORMATS[kind]) if kind in FORMATS else 4 for number, (kind, _) in fields.items()}
        offsets, end = {}, 4
        for number in sorted(fields, key=lambda number: -sizes[number]):
            end += -end % sizes[number]
            offsets[number], end = end, end + sizes[number]
        count = max(fields, default=-1) + 1
        self.align(8)
        start = len(self.bytes) + 4 + 2 * count
        start += -start % 8
        self.bytes += bytes(start - len(self.bytes) - 4 - 2 * count)
        self.bytes += struct.pack("<HH", 4 + 2 * count, end)
        self.bytes += b"".join(struct.pack("<H", offsets.get(number, 0)) for number in range(count))
        self.refer(place)
        self.bytes += struct.pack("<i", 4 + 2 * count) + bytes(end - 4)
        for number, (kind, value) in fields.items():
            at = start + offsets[number]
            if kind in FORMATS:
                struct.pack_into(FORMATS[kind], self.bytes, at, value)
            else:
                self.content(at, kind, value)

    def content(self, place, kind, value):
        """Writes what a table refers to: `table`, `tables`, `text`, or numbers such as `[i32]`."""
        if kind == "table":
            return self.table(place, value)
        self.align(8)
        self.bytes += bytes(4)
        self.refer(place)
        if kind == "tables":
            self.bytes += struct.pack("<I", len(value)) + bytes(4 * len(value))
            places = range(len(self.bytes) - 4 * len(value), len(self.bytes), 4)
            for at, fields in zip(places, value):
                self.table(at, fields)
        elif kind == "text":
            text = value.encode()
            self.bytes += struct.pack("<I", len(text)) + text + b"\0"
        elif kind == "bytes":
            self.bytes += struct.pack("<I", len(value)) + value
        else:
            form = FORMATS[kind[1:-1]]
            self.bytes += struct.pack("<I", len(value)) + b"".join(struct.pack(form, number) for number in value)


def numbers(kind, values):
    return struct.pack(f"<{len(values)}{NUMBERS[kind]}", *values)


def tensor(shape, kind=FLOAT32, data=None, scales=None, zeros=None, axis=0, sparsity=None, quantization=None):
    """A tensor; one with data is a constant."""
    fields = {0: ("[i32]", shape), 1: ("i8", kind), 3: ("text", "")}
    if scales is not None:
        fields[4] = ("table", {2: ("[f32]", scales), 3: ("[i64]", zeros or [0] * len(scales)), 6: ("i32", axis)})
    if quantization is not None:
        fields[4] = ("table", quantization)
    if sparsity is not None:
        fields[6] = ("table", sparsity)
    return fields, data


def integers(values, kind=INT32, shape=None):
    return tensor([len(values)] if shape is None else shape, kind, numbers(kind, values))


def weights(*shape, kind=FLOAT32, **others):
    count = 1
    for extent in shape:
        count *= extent
    return tensor(list(shape), kind, numbers(kind, [1] * count), **others)


def model(code, operands, results, options=None, custom=None):
    """A model of one operator. Operands are tensors or None, options fields by number, `custom` a name and options."""
    buffers, tensors, inputs, read = [{}], [], [], []
    for index, (fields, data) in enumerate([*filter(None, operands), *results]):
        if data is not None:
            fields = {**fields, 2: ("u32", len(buffers))}
            buffers.append({0: ("bytes", data)})
        elif index < len(operands) - operands.count(None):
            inputs.append(index)
        tensors.append({**fields, 3: ("text", f"t{index}")})
    for operand in operands:
        read.append(-1 if operand is None else sum(index >= 0 for index in read))
    first = len(tensors) - len(results)
    outputs = list(range(first, len(tensors)))
    operator = {0: ("u32", 0), 1: ("[i32]", read), 2: ("[i32]", outputs)}
    if options is not None:
        operator |= {3: ("u8", 1), 4: ("table", options)}
    kind = {0: ("i8", min(code, 127)), 3: ("i32", code)}
    if custom:
        kind[1] = ("text", custom[0])
        operator[5] = ("bytes", custom[1])
    graph = {0: ("tables", tensors), 1: ("[i32]", inputs), 2: ("[i32]", outputs), 3: ("tables", [operator]), 4: ("text", "main")}
    root = {0: ("u32", 3), 1: ("tables", [kind]), 2: ("tables", [graph]), 3: ("text", ""), 4: ("tables", buffers)}
    writer = Writer()
    writer.table(0, root)
    return bytes(writer.bytes)


def flexible(scalars, lists=None, shared=None):
    """A map of FlexBuffers with 32-bit numbers, lists of integers, and keys that share one list."""
    shared = shared or ((), [])
    out, keys = bytearray(), sorted([*scalars, *(lists or {}), *shared[0]])

    def vector(values):
        out.extend(struct.pack("<I", len(values)))
        place = len(out)
        out.extend(struct.pack(f"<{len(values)}i", *values))
        return place

    places = {key: vector(values) for key, values in (lists or {}).items()}
    if shared[0]:
        places.update(dict.fromkeys(shared[0], vector(shared[1])))
    at = {}
    for key in keys:
        at[key] = len(out)
        out += key.encode() + b"\0"
    out += bytes(-len(out) % 4) + struct.pack("<I", len(keys))
    vector_of_keys = len(out)
    for key in keys:
        out += struct.pack("<I", len(out) - at[key])
    out += struct.pack("<III", len(out) - vector_of_keys, 4, len(keys))
    root = len(out)
    for key in keys:
        out += struct.pack("<f", scalars[key]) if key in scalars else struct.pack("<I", len(out) - places[key])
    # Numbers of 32 bits, or lists of 32-bit integers.
    out += bytes(3 << 2 | 2 if key in scalars else 11 << 2 | 2 for key in keys) + bytes(-len(keys) % 4)
    return bytes(out + struct.pack("<I", len(out) - root) + bytes([9 << 2 | 2, 4]))
