"""Makes small networks of depth and of larger pictures, and what onnxruntime, PyTorch and Pillow give with them.

    python3 make_task_fixtures.py        # needs numpy, onnx, onnxruntime, torch and Pillow

super_open.onnx makes pictures twice as large, for pictures of any size; super_fixed.onnx has the same weights and
takes 24x16. Each number of the output depends on 3 pixels on each side. super.png is the larger small.png. depth.onnx
takes pictures of any size, and gives one map of half the size; depth.npy is its map of small.png, resized by PyTorch.
"""

import pathlib

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

FOLDER = pathlib.Path(__file__).parent / "tasks"
random = np.random.default_rng(7)


def weights(name: str, *shape: int) -> onnx.TensorProto:
    fan = np.prod(shape[1:]) if len(shape) > 1 else 8
    return numpy_helper.from_array((random.standard_normal(shape) / np.sqrt(fan)).astype(np.float32), name)


def write(path: pathlib.Path, nodes, initializers, shape, output, output_shape) -> None:
    graph = helper.make_graph(
        nodes, "network", [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, output_shape)], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def super_resolution() -> None:
    initializers = [weights("w1", 8, 3, 5, 5), weights("b1", 8), weights("w2", 12, 8, 3, 3), weights("b2", 12)]
    nodes = [
        helper.make_node("Conv", ["pixels", "w1", "b1"], ["a"], pads=[2, 2, 2, 2]),
        helper.make_node("Relu", ["a"], ["r"]),
        helper.make_node("Conv", ["r", "w2", "b2"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("DepthToSpace", ["c"], ["d"], blocksize=2, mode="CRD"),
        helper.make_node("Sigmoid", ["d"], ["image"]),
    ]
    write(FOLDER / "super_open.onnx", nodes, initializers, ["n", 3, "h", "w"], "image", ["n", 3, "H", "W"])
    write(FOLDER / "super_fixed.onnx", nodes, initializers, [1, 3, 16, 24], "image", [1, 3, 32, 48])


def depth() -> None:
    nodes = [
        helper.make_node("Conv", ["pixels", "w", "b"], ["c"], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("Squeeze", ["c", "axes"], ["predicted_depth"]),
    ]
    initializers = [weights("w", 1, 3, 3, 3), weights("b", 1), numpy_helper.from_array(np.array([1], np.int64), "axes")]
    write(FOLDER / "depth.onnx", nodes, initializers, ["n", 3, "h", "w"], "predicted_depth", ["n", "H", "W"])


def run(name: str, numbers: np.ndarray) -> np.ndarray:
    return onnxruntime.InferenceSession(FOLDER / name).run(None, {"pixels": numbers})[0]


FOLDER.mkdir(exist_ok=True)
super_resolution()
depth()
smooth = Image.fromarray(random.integers(0, 256, (6, 8, 3), dtype=np.uint8)).resize((61, 43), Image.BICUBIC)
smooth.save(FOLDER / "small.png")
numbers = (np.asarray(smooth).astype(np.float32) / 255).transpose(2, 0, 1)[None]
larger = np.floor(np.clip(run("super_open.onnx", numbers)[0] * 255, 0, 255) + 0.5).astype(np.uint8)
Image.fromarray(larger.transpose(1, 2, 0)).save(FOLDER / "super.png")
map = torch.from_numpy(run("depth.onnx", numbers))[:, None]
resized = torch.nn.functional.interpolate(map, size=(smooth.height, smooth.width), mode="bicubic", align_corners=False)
np.save(FOLDER / "depth.npy", resized[0, 0].numpy())
