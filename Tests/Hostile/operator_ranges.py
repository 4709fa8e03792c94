"""Operators whose attributes and inputs are out of range."""

import struct

from cases import ERROR
from onnx_bytes import (
    BOOL, INT64, floats, integers, model, node, tensor, weights,
)

HUGE = [-(1 << 63), -(1 << 62), -(1 << 31), -1, 0, 1 << 31, (1 << 31) - 1, 1 << 62, (1 << 63) - 1]


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
