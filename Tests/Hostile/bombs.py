"""Small models that demand much memory or time."""

from cases import EITHER, ERROR
from onnx_bytes import (
    floats, integers, model, node, tensor, value, weights,
)


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
