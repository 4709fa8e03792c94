"""Makes a network whose names are not valid identifiers, for the types that `apus generate` writes."""

import pathlib

import onnx
from onnx import TensorProto, helper

inputs = ["class", "class_", "1/a\0b"]
outputs = ["self", "classLabel", "\n\"); fatalError(\"\\(1)", "Ünïcode 😀"]
nodes = [
    helper.make_node("Add", [inputs[0], inputs[1]], [outputs[0]]),
    helper.make_node("Add", [outputs[0], inputs[2]], [outputs[1]]),
    helper.make_node("Relu", [inputs[0]], [outputs[2]]),
    helper.make_node("Relu", [inputs[1]], [outputs[3]]),
]
graph = helper.make_graph(
    nodes, "names",
    [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 4]) for name in inputs],
    [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 4]) for name in outputs],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
model.doc_string = "A description */ with \u2028 ends of lines\r\n}\n} // \x1b[31m and \x00 what could steer a terminal"
path = pathlib.Path(__file__).parent.parent / "ExamplePackage/Sources/Example/Models/HostileNames.onnx"
path.write_bytes(model.SerializeToString())
