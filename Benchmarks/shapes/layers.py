"""The layers of ONNX networks, each as a network of its own."""

import dataclasses
import hashlib
import os

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference
from onnxruntime.tools.onnx_model_utils import make_dim_param_fixed

# Operators that move no element, or whose time is nothing beside the others'.
IGNORED = {"Constant", "ConstantOfShape", "Shape", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout",
           "If", "Loop", "Scan", "Range", "Size", "Cast"}


@dataclasses.dataclass
class Layer:
    operator: str
    text: str
    network: str
    model: onnx.ModelProto
    count: int = 1


def fixed(path):
    """The network with a batch of one, with the shapes of all values."""
    model = onnx.load(path)
    for value in model.graph.input:
        for dimension in value.type.tensor_type.shape.dim:
            if dimension.dim_param:
                make_dim_param_fixed(model.graph, dimension.dim_param, 1)
    return shape_inference.infer_shapes(model, data_prop=True)


def shape_of(value):
    shape = [dimension.dim_value for dimension in value.type.tensor_type.shape.dim]
    return shape if all(shape) else None


def short(node, shapes, output):
    """Such as `Conv kernel_shape=3,3 group=32  [1, 64, 56, 56] × [64, 2, 3, 3] → [1, 64, 56, 56]`."""
    attributes = []
    for attribute in node.attribute:
        value = helper.get_attribute_value(attribute)
        if isinstance(value, list) and len(set(value)) == 1:
            value = value[0]
        if isinstance(value, float):
            value = f"{value:g}"
        if isinstance(value, bytes):
            value = value.decode()
        if isinstance(value, (int, str, list)):
            attributes.append(f"{attribute.name}={','.join(map(str, value)) if isinstance(value, list) else value}")
    return f"{' '.join([node.op_type, *sorted(attributes)])}  {' × '.join(map(str, shapes))} → {output}"


class Network:
    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        model = fixed(path)
        self.graph, self.opsets, self.ir_version = model.graph, model.opset_import, model.ir_version
        self.types = {value.name: value
                      for value in [*self.graph.value_info, *self.graph.input, *self.graph.output]}
        self.constants = {tensor.name: tensor for tensor in self.graph.initializer}
        for node in self.graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self.constants[node.output[0]] = node.attribute[0].t

    def layers(self):
        for node in self.graph.node:
            if node.op_type not in IGNORED:
                layer = self.layer(node)
                if layer:
                    yield layer

    def layer(self, node):
        """A node as a network; None when a shape is not known or no input is computed in float32."""
        inputs, initializers, shapes = [], [], []
        generator = numpy.random.default_rng(7)
        for name in dict.fromkeys(node.input):
            if not name:
                continue
            if name in self.constants:
                tensor = self.constants[name]
                shapes.append(list(tensor.dims))
                content = numpy_helper.to_array(tensor)
                if content.dtype == numpy.float32 and content.size > 1:
                    # Positive, since some are variances.
                    content = generator.uniform(0.01, 0.1, content.shape).astype(numpy.float32)
                initializers.append(numpy_helper.from_array(content, name))
                continue
            value = self.types.get(name)
            shape = shape_of(value) if value else None
            if shape is None:
                return None
            shapes.append(shape)
            inputs.append(helper.make_tensor_value_info(name, value.type.tensor_type.elem_type, shape))
        if len(inputs) == 0 or any(value.type.tensor_type.elem_type != TensorProto.FLOAT for value in inputs):
            return None
        outputs = [self.types.get(name) for name in node.output if name]
        if any(value is None or shape_of(value) is None for value in outputs):
            return None
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.name = "layer"
        graph = helper.make_graph([copy], "layer", inputs, outputs, initializers)
        model = helper.make_model(graph, opset_imports=self.opsets, ir_version=self.ir_version)
        return Layer(node.op_type, short(node, shapes, shape_of(outputs[0])), self.name, model)


def distinct_layers(paths):
    """The layers of all networks; those with the same operator, attributes and shapes are one, with their count."""
    found = {}
    for path in paths:
        for layer in Network(path).layers():
            key = hashlib.sha256(layer.text.encode()).hexdigest()
            if key in found:
                found[key].count += 1
            else:
                found[key] = layer
    return list(found.values())
