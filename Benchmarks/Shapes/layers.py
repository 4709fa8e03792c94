"""The layers of ONNX networks, each as a network of its own."""

import collections
import dataclasses
import hashlib
import os

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.tools.onnx_model_utils import make_dim_param_fixed

from values import test_values

# Operators that move no element, or that only make shapes and constants.
IGNORED = {"Constant", "ConstantOfShape", "Shape", "Size", "Range", "Reshape", "Flatten", "Squeeze", "Unsqueeze",
           "Identity", "Dropout", "Cast"}
# Float32 constants of these say what is computed. Those of other operators are weights.
WITHOUT_WEIGHTS = {"Resize", "Upsample"}
# Which part is read changes no time.
PLACES = {"Gather"}
SHOWN_ELEMENTS = 8
VARIANCE = 4


@dataclasses.dataclass
class Weights:
    """Stands for a constant whose content is made up."""
    shape: list
    is_positive: bool

    def array(self, generator):
        # As small as those of trained networks, so that sums keep the size of the inputs.
        values = generator.normal(0, 0.05, self.shape)
        return (numpy.abs(values) + 0.1 if self.is_positive else values).astype(numpy.float32)


@dataclasses.dataclass
class Layer:
    text: str
    network: str
    node: onnx.NodeProto
    inputs: dict
    constants: dict
    outputs: list
    opsets: list
    ir_version: int
    count: int = 0

    @property
    def operator(self):
        return self.node.op_type

    @property
    def shape(self):
        """The shape of the first input."""
        return next(iter(self.inputs.values()))

    def save(self, path):
        generator = numpy.random.default_rng(7)
        inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in self.inputs.items()]
        initializers = [numpy_helper.from_array(
            content.array(generator) if isinstance(content, Weights) else content, name)
            for name, content in self.constants.items()]
        graph = helper.make_graph([self.node], "layer", inputs, self.outputs, initializers)
        onnx.save(helper.make_model(graph, opset_imports=self.opsets, ir_version=self.ir_version), path)


def fixed(path):
    """The network with a batch of one."""
    model = onnx.load(path)
    names = {dimension.dim_param for value in model.graph.input for dimension in value.type.tensor_type.shape.dim}
    for name in names - {""}:
        make_dim_param_fixed(model.graph, name, 1)
    for value in model.graph.input:
        for dimension in value.type.tensor_type.shape.dim:
            dimension.dim_value = dimension.dim_value or 1
    return model


def shape_of(value):
    return [dimension.dim_value for dimension in value.type.tensor_type.shape.dim]


def attributes_of(node):
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def written(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (list, tuple)):
        return ",".join(map(written, value))
    return str(value)


def same(values):
    return written(values[:1] if len(set(values)) == 1 else values)


def window(attributes, weights):
    """Such as `3x3 s1 p1 d2 g32`, of a convolution or a pool, of which it takes the attributes."""
    kernel = attributes.pop("kernel_shape", None) or weights[2:]
    padding = attributes.pop("auto_pad", b"NOTSET").decode()
    pads = attributes.pop("pads", [0])
    strides, dilations = attributes.pop("strides", [1]), attributes.pop("dilations", [1])
    parts = ["x".join(map(str, kernel)), "s" + same(strides),
             "p" + same(pads) if padding == "NOTSET" else padding, "d" + same(dilations)]
    return parts + ([f"g{attributes.pop('group', 1)}"] if weights else [])


def short(node, operands, output):
    """Such as `Conv 3x3 s1 p1 d1 g32  [1, 64, 56, 56] → [1, 64, 56, 56]`."""
    attributes, words = attributes_of(node), [node.op_type]
    has_kernel = node.op_type in ("Conv", "ConvTranspose")
    if has_kernel or "kernel_shape" in attributes:
        weights = operands[1] if has_kernel else None
        words += window(attributes, list(getattr(weights, "shape", weights or [])))
        if has_kernel and isinstance(weights, Weights):
            words += ["bias"] if len(operands) > 2 else []
            operands = operands[:1]
    words += [f"{name}={written(value)}" for name, value in sorted(attributes.items())
              if not isinstance(value, (onnx.TensorProto, onnx.GraphProto))]
    return f"{' '.join(words)}  {' × '.join(map(operand_text, operands))} → {output}"


def operand_text(operand):
    """Constants whose content counts are shown as `{2, 2}`, weights as `weights [64]`."""
    if operand is None:
        return "–"
    if isinstance(operand, Weights):
        return f"weights {operand.shape}"
    if isinstance(operand, numpy.ndarray):
        if operand.size > SHOWN_ELEMENTS:
            return f"{operand.dtype} {list(operand.shape)}"
        return "{" + ", ".join(f"{value:g}" for value in operand.ravel()) + "}"
    return str(operand)


class Network:
    """A network that is run once, for all its shapes: many exporters compute shapes by nodes that no inference follows.

    `arrays` are the values of the run; `constants` names those that depend on no input, which no engine computes in a
    run.
    """

    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0].removesuffix("-b1")
        model = fixed(path)
        self.graph, self.opsets, self.ir_version = model.graph, model.opset_import, model.ir_version
        self.arrays = self.run(model)
        self.constants = {tensor.name for tensor in self.graph.initializer}
        for node in self.graph.node:
            inputs = [name for name in node.input if name]
            if node.op_type in ("Constant", "Shape", "Size") or inputs and self.constants.issuperset(inputs):
                self.constants.update(node.output)
        self.left_out = collections.Counter()

    def run(self, model):
        arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in self.graph.initializer}
        inputs = {value.name: test_values(shape_of(value)).astype(
            helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
            for value in self.graph.input if value.name not in arrays}
        names = [name for node in self.graph.node for name in node.output if name]
        whole = onnx.ModelProto()
        whole.CopyFrom(model)
        del whole.graph.output[:]
        whole.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return arrays | inputs | dict(zip(names, session.run(None, inputs)))

    def layers(self):
        for node in self.graph.node:
            if node.op_type not in IGNORED and not self.constants.issuperset(node.output):
                types = {self.type(name) for name in node.input if name and name not in self.constants}
                results = {self.type(name) for name in node.output if name}
                holds_graph = any(isinstance(value, onnx.GraphProto) for value in attributes_of(node).values())
                if types == {"float32"} and None not in results and not holds_graph:
                    yield self.layer(node)
                elif "float32" in types:
                    self.left_out[f"{node.op_type} of {' and '.join(sorted(map(str, types)))}"] += 1

    def type(self, name):
        """None of what is no tensor."""
        array = self.arrays.get(name)
        return str(array.dtype) if isinstance(array, numpy.ndarray) else None

    def operand(self, node, index):
        """A shape, or a constant's content."""
        name = node.input[index]
        array = self.arrays[name]
        if name not in self.constants:
            return list(array.shape)
        if array.dtype == numpy.float32 and array.size > 1 and node.op_type not in WITHOUT_WEIGHTS:
            return Weights(list(array.shape), node.op_type == "BatchNormalization" and index == VARIANCE)
        return array

    def layer(self, node):
        operands = [self.operand(node, index) if name else None for index, name in enumerate(node.input)]
        named = {name: operand for name, operand in zip(node.input, operands) if name}
        outputs = [helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(self.arrays[name].dtype), self.arrays[name].shape)
            for name in node.output if name]
        inputs = {name: operand for name, operand in named.items() if name not in self.constants}
        constants = {name: operand for name, operand in named.items() if name in self.constants}
        text = short(node, operands, shape_of(outputs[0]))
        return Layer(text, self.name, node, inputs, constants, outputs, self.opsets, self.ir_version)


def key(layer):
    """The same for layers with the same operator, attributes, shapes and constants other than weights."""
    digest = hashlib.sha256(layer.text.encode())
    for attribute in layer.node.attribute:
        if attribute.HasField("t"):
            digest.update(attribute.t.SerializeToString())
    for name in layer.node.input:
        digest.update(b"input" if name in layer.inputs else b"constant")
        content = layer.constants.get(name)
        if isinstance(content, numpy.ndarray) and layer.operator not in PLACES:
            digest.update(content.tobytes())
    return digest.digest()


def distinct_layers(paths):
    """The layers of all networks, equal ones once with their count, and how many nodes of which kinds are left out."""
    found, left_out = {}, collections.Counter()
    for path in paths:
        network = Network(path)
        for layer in network.layers():
            found.setdefault(key(layer), layer).count += 1
        left_out.update(network.left_out)
    return list(found.values()), left_out


def empty_layer():
    """A layer that computes nothing, but costs a call."""
    node = helper.make_node("Relu", ["x"], ["y"])
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
    return Layer("Relu  [1] → [1]", "", node, {"x": [1]}, {}, [output], [helper.make_opsetid("", 18)], 8)
