"""Makes Tests/Fixtures/quantized/qoperator.json: a network as onnxruntime's quantizer writes it in QOperator form.

    pip install numpy onnx==1.20.1 onnxruntime==1.31.1
    python Tests/Fixtures/make_qoperator_fixture.py

The network has random weights and the operators of domain com.microsoft that the quantizer writes for vision models.
The file has the model, an input, and onnxruntime's output, as base64 of little-endian bytes.
"""

import base64
import json
import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

rng = np.random.default_rng(7)
nodes, weights = [], []


def weight(name, *shape):
    values = rng.uniform(-1, 1, shape).astype(np.float32) / np.float32(np.sqrt(np.prod(shape[1:]) or 1))
    weights.append(numpy_helper.from_array(values, name))
    return name


def node(operation, inputs, output, **attributes):
    nodes.append(helper.make_node(operation, inputs, [output], name=output, **attributes))
    return output


def conv(x, name, inputs, outputs, kernel=3, **attributes):
    operands = [x, weight(f"{name}.weight", outputs, inputs // attributes.get("group", 1), kernel, kernel),
                weight(f"{name}.bias", outputs)]
    return node("Conv", operands, name, kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4, **attributes)


x = node("Relu", [conv("x", "first", 3, 8)], "relu")
x = node("Add", [x, conv(x, "branch", 8, 8)], "sum")
x = node("MaxPool", [x], "pool", kernel_shape=[2, 2], strides=[2, 2])
x = node("LeakyRelu", [conv(x, "depthwise", 8, 8, group=8)], "leaky", alpha=0.1)
gate = node("Sigmoid", [conv(x, "gate", 8, 8, kernel=1)], "sigmoid")
x = node("Mul", [x, gate], "product")
x = node("Concat", [x, conv(x, "wide", 8, 4)], "concat", axis=1)
x = node("AveragePool", [x], "average", kernel_shape=[2, 2], strides=[2, 2])
x = node("GlobalAveragePool", [x], "global")
x = node("Flatten", [x], "flat")
x = node("Gemm", [x, weight("fc.weight", 10, 12), weight("fc.bias", 10)], "scores", transB=1)
x = node("Softmax", [x], "probabilities", axis=1)
graph = helper.make_graph(
    nodes, "network", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])],
    [helper.make_tensor_value_info(x, TensorProto.FLOAT, [1, 10])], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Noise(CalibrationDataReader):
    def __init__(self):
        self.batches = iter([{"x": rng.uniform(-1, 1, [1, 3, 16, 16]).astype(np.float32)} for _ in range(8)])

    def get_next(self):
        return next(self.batches, None)


def pack(array):
    return {"type": str(array.dtype), "shape": list(array.shape), "data": base64.b64encode(array.tobytes()).decode()}


entries = []
for name, weight_type, per_channel in [("int8 weights of one scale", QuantType.QInt8, False),
                                       ("int8 weights of a scale for each channel", QuantType.QInt8, True),
                                       ("uint8 weights", QuantType.QUInt8, False)]:
    with tempfile.TemporaryDirectory() as folder:
        source, target = f"{folder}/float.onnx", f"{folder}/quantized.onnx"
        onnx.save(model, source)
        quantize_static(source, target, Noise(), quant_format=QuantFormat.QOperator, per_channel=per_channel,
                        activation_type=QuantType.QUInt8, weight_type=weight_type)
        content = pathlib.Path(target).read_bytes()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(content, options)
    given = rng.uniform(-1, 1, [1, 3, 16, 16]).astype(np.float32)
    (answer,) = session.run(None, {"x": given})
    names = sorted({node.op_type for node in onnx.load_from_string(content).graph.node})
    print(name, names)
    entries.append({"name": name, "model": base64.b64encode(content).decode(), "inputs": [pack(given)],
                    "outputs": [pack(answer)], "tolerance": 0.005})
folder = pathlib.Path(__file__).parent / "quantized"
folder.mkdir(exist_ok=True)
(folder / "qoperator.json").write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n")
