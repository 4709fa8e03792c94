"""Makes a recipe whose first stage finds two objects, and whose others say something about each.

    python3 make_parts_fixtures.py        # needs numpy, onnx and Pillow

things.onnx finds the same two boxes in every picture of 64x32, in the form of YOLOv5, with confidences 0.75 and 0.5.
colors.onnx gives the means of red, green and blue. squares.png is red in the first box, and green in the second.
"""

import json
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

FOLDER = pathlib.Path(__file__).parent / "parts"


def write(name: str, nodes, initializers, shape, output, output_shape) -> None:
    graph = helper.make_graph(
        nodes, "network", [helper.make_tensor_value_info("image", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, output_shape)], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, FOLDER / name)


def constant(name: str, values, kind=np.float32) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(values, kind), name)


FOLDER.mkdir(exist_ok=True)
# 3 boxes for each cell of grids of 4x8, 2x4 and 1x2.
rows = np.zeros((1, 126, 7), np.float32)
rows[0, 0] = [16, 16, 16, 16, 1, 0.75, 0]
rows[0, 1] = [48, 16, 16, 16, 1, 0.5, 0]
write("things.onnx", [
    helper.make_node("GlobalAveragePool", ["image"], ["mean"]), helper.make_node("Reshape", ["mean", "to"], ["number"]),
    helper.make_node("Mul", ["number", "zero"], ["nothing"]), helper.make_node("Add", ["nothing", "rows"], ["boxes"]),
], [constant("to", [0, 1, 1], np.int64), constant("zero", [[[0]]]), constant("rows", rows)],
    ["n", 1, 32, 64], "boxes", ["n", 126, 7])
write("colors.onnx", [
    helper.make_node("GlobalAveragePool", ["image"], ["mean"]), helper.make_node("Flatten", ["mean"], ["colors"]),
], [], ["n", 3, 8, 8], "colors", ["n", 3])



def preprocessing(width: int, height: int) -> dict:
    return {"resize": "fill", "size": {"width": width, "height": height}, "scale": "1/255", "mean": 0, "std": 1}


recipe = {"recipe": 1, "stages": [
    {"name": "things", "task": "detect", "model": "things.onnx", "labels": ["thing", "other"],
     "preprocessing": preprocessing(64, 32)},
    {"name": "color", "task": "classify", "model": "colors.onnx", "labels": ["red", "green", "blue"],
     "region": {"shape": "box"}, "preprocessing": preprocessing(8, 8)},
    {"name": "means", "task": "embed", "model": "colors.onnx", "normalize": False, "region": {"shape": "box"},
     "preprocessing": preprocessing(8, 8)},
]}
(FOLDER / "parts.recipe.json").write_text(json.dumps(recipe, indent=2) + "\n")
pixels = np.zeros((32, 64, 3), np.uint8)
pixels[8:24, 8:24, 0] = 255
pixels[8:24, 40:56, 1] = 255
Image.fromarray(pixels).save(FOLDER / "squares.png")
