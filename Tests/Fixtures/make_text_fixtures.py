"""Makes text/: three small networks that find, turn and read lines of an alphabet of colors, pictures of such lines,
text.recipe.json, and numbers of OpenCV and pyclipper in references.json.

A line is a gray band. Red is A, green is B, and blue is C; between letters lies gray. A black block stands before the
first letter, so that a line upside down has it at its end.
"""

import json
import pathlib

import cv2
import numpy as np
import onnx
import pyclipper
from onnx import TensorProto, helper, numpy_helper
from PIL import Image, ImageDraw

folder = pathlib.Path(__file__).parent / "text"
folder.mkdir(exist_ok=True)
COLORS = {"A": (255, 0, 0), "B": (0, 255, 0), "C": (0, 0, 255)}
GRAY, HEIGHT, BLOCK, GAP = (128, 128, 128), 24, 24, 12


def write(name, nodes, weights, output, metadata=()):
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, "H", "W"])]
    initializers = [numpy_helper.from_array(np.array(value, dtype), key) for key, value, dtype in weights]
    shape = {"map": ["N", 1, "H", "W"], "directions": ["N", 2], "places": ["N", "T", 5]}[output]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    for key, value in metadata:
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.checker.check_model(model)
    onnx.save(model, folder / f"{name}.onnx")


def detector():
    """What is darker than light gray belongs to a line."""
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["darkness"]), helper.make_node("Sigmoid", ["darkness"], ["map"]),
    ]
    write("detector", nodes, [("w", np.full((1, 3, 1, 1), -2), np.float32), ("b", [2], np.float32)], "map")


def direction():
    """A line whose first part is not dark is upside down."""
    nodes = [
        helper.make_node("Slice", ["x", "starts", "ends", "axes"], ["first"]),
        helper.make_node("ReduceMean", ["first"], ["mean"], axes=[1, 2, 3], keepdims=1),
        helper.make_node("Flatten", ["mean"], ["flat"]),
        helper.make_node("Gemm", ["flat", "w", "b"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["directions"], axis=1),
    ]
    weights = [
        ("starts", [16, 18], np.int64), ("ends", [32, 34], np.int64), ("axes", [2, 3], np.int64),
        ("w", [[-20, 20]], np.float32), ("b", [-5, 5], np.float32),
    ]
    write("direction", nodes, weights, "directions")


def recognizer():
    """Scores of nothing, red, green, blue and a space at places of 8 columns; the input is blue, green and red."""
    nodes = [
        helper.make_node("AveragePool", ["x"], ["pooled"], kernel_shape=[48, 8], strides=[48, 8]),
        helper.make_node("Conv", ["pooled", "w", "b"], ["scores"]),
        helper.make_node("Squeeze", ["scores", "two"], ["row"]),
        helper.make_node("Transpose", ["row"], ["turned"], perm=[0, 2, 1]),
        helper.make_node("Softmax", ["turned"], ["places"], axis=2),
    ]
    w = [[0, 0, 0], [-8, -8, 8], [-8, 8, -8], [8, -8, -8], [0, 0, 0]]
    weights = [
        ("w", np.array(w).reshape(5, 3, 1, 1), np.float32), ("b", [4, 0, 0, 0, -9], np.float32),
        ("two", [2], np.int64),
    ]
    write("recognizer", nodes, weights, "places", [("character", "A\nB\nC\n")])


def line(text):
    """A picture of a line."""
    width = GAP + (BLOCK + GAP) * (len(text) + 1)
    picture = Image.new("RGB", (width, HEIGHT), GRAY)
    draw = ImageDraw.Draw(picture)
    for number, color in enumerate([(0, 0, 0)] + [COLORS[letter] for letter in text]):
        x = number * (BLOCK + GAP) + (GAP if number else 0)
        draw.rectangle([x, 0, x + BLOCK - 1, HEIGHT - 1], fill=color)
    return picture


def page(name, size, lines, turn=0):
    picture = Image.new("RGB", size, (255, 255, 255))
    for text, place, degrees in lines:
        picture.paste(line(text).rotate(degrees), place)
    if turn:
        picture = picture.rotate(turn, expand=True, resample=Image.Resampling.BICUBIC, fillcolor=(255, 255, 255))
    picture.save(folder / f"{name}.png", optimize=True)


def recipe():
    steps = {
        "resize": "line", "height": 48, "minimum_width": 192, "maximum_width": 192, "resample": "linear",
        "scale": "1/255", "mean": 0.5, "std": 0.5, "channels": "bgr",
    }
    stages = [
        {"name": "lines", "task": "text", "model": "detector.onnx", "limit": {"side": "max", "length": 960}},
        {
            "name": "direction", "task": "classify", "model": "direction.onnx", "labels": ["0", "180"],
            "turn": {"180": 180}, "minimum_confidence": 0.9, "preprocessing": steps,
        },
        {"name": "text", "model": "recognizer.onnx", "minimum_confidence": 0.5},
    ]
    (folder / "text.recipe.json").write_text(json.dumps({"recipe": 1, "stages": stages}, indent=2) + "\n")


def references():
    """A warped part of a picture by OpenCV, rectangles of the least area, and grown polygons."""
    picture = cv2.cvtColor(cv2.imread(str(folder / "turned.png")), cv2.COLOR_BGR2RGB)
    corners = [[20, 44], [150, 20], [156, 52], [26, 77]]
    target = np.array([[0, 0], [30, 0], [30, 9], [0, 9]], np.float32)
    matrix = cv2.getPerspectiveTransform(np.array(corners, np.float32), target)
    warped = cv2.warpPerspective(picture, matrix, (30, 9), borderMode=cv2.BORDER_REPLICATE, flags=cv2.INTER_CUBIC)
    random = np.random.default_rng(4)
    rectangles = []
    for _ in range(6):
        points = random.integers(0, 60, (9, 2))
        box = cv2.minAreaRect(points.astype(np.int32))
        rectangles.append({"points": points.tolist(), "area": box[1][0] * box[1][1]})
    grown = []
    for path, distance in [([[10, 10], [60, 10], [60, 30], [10, 30]], 6.5), ([[10, 20], [50, 5], [56, 22], [16, 37]], 9)]:
        offset = pyclipper.PyclipperOffset()
        offset.AddPath(path, pyclipper.JT_ROUND, pyclipper.ET_CLOSEDPOLYGON)
        points = offset.Execute(distance)[0]
        box = cv2.minAreaRect(np.array(points, np.int32))
        grown.append({"path": path, "distance": distance, "points": points, "area": box[1][0] * box[1][1]})
    content = {
        "warped": {"corners": corners, "width": 30, "height": 9, "pixels": warped.flatten().tolist()},
        "rectangles": rectangles, "grown": grown,
    }
    (folder / "references.json").write_text(json.dumps(content) + "\n")


detector()
direction()
recognizer()
recipe()
page("two", (400, 160), [("ABC", (30, 30), 0), ("CCAB", (60, 100), 0)])
page("turned", (300, 120), [("BAC", (40, 40), 0)], turn=10)
page("upside_down", (400, 160), [("AB", (30, 30), 0), ("ACB", (120, 100), 180)])
page("columns", (640, 120), [("AB", (20, 20), 0), ("BA", (330, 22), 0), ("CC", (22, 70), 0), ("BB", (330, 70), 0)])
page("empty", (200, 100), [])
references()
