"""Writes a network of the zoo, in float32 or with QuantizeLinear and DequantizeLinear, as a file of TensorFlow Lite.

The weights, scales and zero points are the ONNX file's; uint8 becomes int8 by subtracting 128. With kind uint8, values
stay uint8 and weights become uint8 with one scale for each tensor, as in the first networks of TensorFlow Lite. Pads
that TensorFlow's SAME would place differently become an operator of their own, as in the networks of Keras.
"""

import flatbuffers
import numpy
import onnx
from ai_edge_litert import schema_py_generated as schema

TYPES = {"float32": schema.TensorType.FLOAT32, "int8": schema.TensorType.INT8, "uint8": schema.TensorType.UINT8,
         "int32": schema.TensorType.INT32}
SAME, VALID = schema.Padding.SAME, schema.Padding.VALID
ACTIVATIONS = schema.ActivationFunctionType


class Conversion:
    """With `kind` uint8 inputs and outputs are integers, and a last Softmax is left out: most of a thousand classes
    would be less than half a step of its integers."""

    def __init__(self, path, kind="int8"):
        self.kind = kind
        onnx_graph = onnx.shape_inference.infer_shapes(onnx.load(path)).graph
        self.nodes = onnx_graph.node
        self.constants = {entry.name: onnx.numpy_helper.to_array(entry) for entry in onnx_graph.initializer}
        values = [*onnx_graph.input, *onnx_graph.value_info, *onnx_graph.output]
        self.shapes = {entry.name: [extent.dim_value for extent in entry.type.tensor_type.shape.dim] for entry in values}
        self.readers = {}
        for node in self.nodes:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        self.root, self.graph, self.codes = schema.ModelT(), schema.SubGraphT(), []
        self.root.version, self.root.buffers, self.root.operatorCodes = 3, [schema.BufferT()], []
        self.graph.name, self.graph.tensors, self.graph.operators = "main", [], []
        # The tensor of every ONNX value, and the values that an earlier node has computed with its own.
        self.tensors, self.done = {}, set()
        self.inputs = [entry.name for entry in onnx_graph.input]
        for node in self.nodes:
            if node.output[0] not in self.done:
                getattr(self, node.op_type)(node)
        self.graph.inputs = [self.image(name) for name in self.inputs]
        outputs = [self.tensors[entry.name] for entry in onnx_graph.output]
        self.graph.outputs = [tensor if kind == "uint8" else self.numbers(tensor) for tensor in outputs]

    def bytes(self):
        self.root.subgraphs = [self.graph]
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(self.root.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    # Tensors.

    def add(self, shape, kind="float32", data=None, quantization=None):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type, tensor.buffer = f"t{len(self.graph.tensors)}", list(shape), TYPES[kind], 0
        if data is not None:
            tensor.buffer = len(self.root.buffers)
            self.root.buffers.append(schema.BufferT())
            self.root.buffers[-1].data = numpy.frombuffer(numpy.ascontiguousarray(data, kind).tobytes(), numpy.uint8)
        if quantization:
            scale, zero_point = map(numpy.atleast_1d, quantization)
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale = scale.astype(numpy.float32)
            tensor.quantization.zeroPoint = numpy.broadcast_to(zero_point, scale.shape).astype(numpy.int64)
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def integers(self, values):
        return self.add(numpy.shape(values), "int32", numpy.array(values))

    def shape(self, name):
        """The shape of a value with channels last."""
        shape = self.shapes[name]
        return [shape[0], *shape[2:], shape[1]] if len(shape) == 4 else shape

    def image(self, name):
        """The tensor of a computed value, without a following activation."""
        if name not in self.tensors:
            self.tensors[name] = self.add(self.shape(name))
        return self.tensors[name]

    def quantization(self, node):
        """Scale and zero point of a QuantizeLinear or DequantizeLinear."""
        zero_point = self.constants[node.input[2]]
        shift = 128 if (self.kind, zero_point.dtype) == ("int8", "uint8") else 0
        return self.constants[node.input[1]], zero_point.astype(numpy.int64) - shift

    def dequantizer(self, name):
        return next((node for node in self.nodes if node.output[0] == name and node.op_type == "DequantizeLinear"), None)

    def operands(self, node, source, order, axis=0):
        """The weights and the bias of a product."""
        names = node.input[1:3]
        if self.kind == "int8" or not all(map(self.dequantizer, names)):
            return self.weights(names[0], order, axis), self.weights(names[1], [0])
        weights, bias = map(self.rounded_numbers, names)
        low, high = min(0, weights.min()), max(0, weights.max())
        scale = (high - low) / 255
        zero_point = numpy.round(-low / scale)
        integers = numpy.clip(numpy.round(weights / scale) + zero_point, 0, 255).transpose(order)
        sum_scale = self.graph.tensors[source].quantization.scale[0] * scale
        return (self.add(integers.shape, "uint8", integers, (scale, zero_point)),
                self.add(bias.shape, "int32", numpy.round(bias / sum_scale), (sum_scale, 0)))

    def rounded_numbers(self, name):
        """The dequantized numbers of integers with a scale for each slice along the first axis."""
        integers, scales, _ = (self.constants[name] for name in self.dequantizer(name).input)
        return integers * scales.reshape([-1] + [1] * (integers.ndim - 1)).astype(numpy.float64)

    def weights(self, name, order, axis=0):
        node = self.dequantizer(name)
        values = self.constants[node.input[0] if node else name]
        values = values.transpose(order)
        result = self.add(values.shape, str(values.dtype), values, self.quantization(node) if node else None)
        if node:
            self.graph.tensors[result].quantization.quantizedDimension = axis
        return result

    def filters(self, node, source, order, axis):
        """Weights and bias of a convolution, with a following normalization folded in, and the node of the result."""
        (reader, *others) = self.readers.get(node.output[0], [None])
        if not reader or others or reader.op_type != "BatchNormalization":
            return *self.operands(node, source, order, axis), node
        gamma, beta, mean, variance = (self.constants[name] for name in reader.input[1:])
        factor = gamma / numpy.sqrt(variance + self.attributes(reader).get("epsilon", 1e-5))
        weights = (self.constants[node.input[1]] * factor[:, None, None, None]).transpose(order)
        bias = beta - mean * factor
        if len(node.input) > 2:
            bias = bias + self.constants[node.input[2]] * factor
        self.done.add(reader.output[0])
        return self.add(weights.shape, data=weights), self.add(bias.shape, data=bias), reader

    def result(self, node):
        """The tensor that a node computes, including its activation and quantization, and the activation."""
        name, activation = node.output[0], ACTIVATIONS.NONE
        readers = self.readers.get(name, [])
        if len(readers) == 1 and readers[0].op_type in ("Relu", "Clip"):
            activation = ACTIVATIONS.RELU if readers[0].op_type == "Relu" else ACTIVATIONS.RELU6
            (name,) = readers[0].output
            readers = self.readers.get(name, [])
            self.done.add(name)
        if len(readers) == 1 and readers[0].op_type == "QuantizeLinear":
            (name,) = readers[0].output
            self.shapes[name] = self.shapes[node.output[0]]
            self.tensors[name] = self.add(self.shape(name), self.kind, quantization=self.quantization(readers[0]))
            self.done.add(name)
        return self.image(name), activation

    def numbers(self, source):
        """The tensor in float32."""
        tensor = self.graph.tensors[source]
        if not tensor.quantization:
            return source
        target = self.add(tensor.shape)
        self.operator("DEQUANTIZE", [source], target, "DequantizeOptions", version=2)
        return target

    # Operators.

    def operator(self, kind, inputs, output, options=None, version=1, **values):
        call, key = schema.OperatorT(), (kind, version)
        if key not in self.codes:
            code = schema.OperatorCodeT()
            code.builtinCode, code.version = getattr(schema.BuiltinOperator, kind), version
            code.deprecatedBuiltinCode = min(code.builtinCode, 127)
            self.codes.append(key)
            self.root.operatorCodes.append(code)
        call.opcodeIndex, call.inputs, call.outputs = self.codes.index(key), inputs, [output]
        if options:
            call.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            call.builtinOptions = getattr(schema, options + "T")()
            for name, value in values.items():
                setattr(call.builtinOptions, name, value)
        self.graph.operators.append(call)

    def attributes(self, node):
        return {entry.name: onnx.helper.get_attribute_value(entry) for entry in node.attribute}

    def padded(self, node, kernel, strides):
        """The input and the padding. Where SAME would place pads differently, zeros are added to the input."""
        attributes = self.attributes(node)
        pads = attributes.get("pads", [0] * 4)
        source, shape = self.image(node.input[0]), self.shape(node.input[0])
        if attributes.get("auto_pad") == b"SAME_UPPER":
            return source, SAME
        if not any(pads):
            return source, VALID
        same = []
        for extent, window, stride in zip(shape[1:3], kernel, strides):
            total = max(0, (-(-extent // stride) - 1) * stride + window - extent)
            same.append((total // 2, total - total // 2))
        if [(pads[0], pads[2]), (pads[1], pads[3])] == same:
            return source, SAME
        tensor = self.graph.tensors[source]
        wide = [shape[0], shape[1] + pads[0] + pads[2], shape[2] + pads[1] + pads[3], shape[3]]
        result = self.add(wide, self.kind if tensor.quantization else "float32")
        self.graph.tensors[result].quantization = tensor.quantization
        margins = self.integers([[0, 0], [pads[0], pads[2]], [pads[1], pads[3]], [0, 0]])
        self.operator("PAD", [source, margins], result, "PadOptions", version=2 if tensor.quantization else 1)
        return result, VALID

    def QuantizeLinear(self, node):
        self.shapes[node.output[0]] = self.shapes[node.input[0]]
        target = self.add(self.shape(node.input[0]), self.kind, quantization=self.quantization(node))
        self.tensors[node.output[0]] = target
        if self.kind == "uint8" and node.input[0] in self.inputs:
            self.tensors[node.input[0]] = target
        else:
            self.operator("QUANTIZE", [self.image(node.input[0])], target, "QuantizeOptions")

    def DequantizeLinear(self, node):
        if node.input[0] in self.constants:
            return
        self.shapes[node.output[0]] = self.shapes[node.input[0]]
        self.tensors[node.output[0]] = self.image(node.input[0])

    def Conv(self, node):
        attributes = self.attributes(node)
        kernel, strides = attributes["kernel_shape"], attributes.get("strides", [1, 1])
        group = attributes.get("group", 1)
        source, padding = self.padded(node, kernel, strides)
        is_depthwise = group > 1
        if is_depthwise and group != self.shape(node.input[0])[3]:
            raise ValueError(f"{node.name}: groups of several channels")
        order = [1, 2, 3, 0] if is_depthwise else [0, 2, 3, 1]
        weights, bias, last = self.filters(node, source, order, 3 if is_depthwise else 0)
        target, activation = self.result(last)
        options = dict(padding=padding, strideH=strides[0], strideW=strides[1], fusedActivationFunction=activation,
                       dilationHFactor=1, dilationWFactor=1)
        if is_depthwise:
            self.operator("DEPTHWISE_CONV_2D", [source, weights, bias], target, "DepthwiseConv2DOptions", version=3, depthMultiplier=1,
                          **options)
        else:
            self.operator("CONV_2D", [source, weights, bias], target, "Conv2DOptions", version=3, **options)

    def MaxPool(self, node):
        attributes = self.attributes(node)
        kernel, strides = attributes["kernel_shape"], attributes.get("strides", [1, 1])
        # Zeros do not change the maximum, since the pools of the zoo's networks follow a Relu.
        source, padding = self.padded(node, kernel, strides)
        target, activation = self.result(node)
        self.operator("MAX_POOL_2D", [source], target, "Pool2DOptions", version=2, padding=padding, strideH=strides[0],
                      strideW=strides[1], filterHeight=kernel[0], filterWidth=kernel[1],
                      fusedActivationFunction=activation)

    def Add(self, node):
        target, activation = self.result(node)
        operands = [self.image(name) for name in node.input]
        self.operator("ADD", operands, target, "AddOptions", version=2, fusedActivationFunction=activation)

    def GlobalAveragePool(self, node):
        target, _ = self.result(node)
        operands = [self.image(node.input[0]), self.integers([1, 2])]
        self.operator("MEAN", operands, target, "ReducerOptions", version=2, keepDims=True)

    def Flatten(self, node):
        target, _ = self.result(node)
        shape = self.integers(self.shapes[node.output[0]])
        self.operator("RESHAPE", [self.image(node.input[0]), shape], target, "ReshapeOptions")

    def Gemm(self, node):
        target, activation = self.result(node)
        order = [0, 1] if self.attributes(node).get("transB") else [1, 0]
        source = self.image(node.input[0])
        operands = [source, *self.operands(node, source, order)]
        # Version 12 has a scale for each row of weights.
        self.operator("FULLY_CONNECTED", operands, target, "FullyConnectedOptions", version=12,
                      fusedActivationFunction=activation)

    def Softmax(self, node):
        if self.kind == "uint8":
            self.tensors[node.output[0]] = self.image(node.input[0])
            return
        source = self.numbers(self.image(node.input[0]))
        self.operator("SOFTMAX", [source], self.image(node.output[0]), "SoftmaxOptions", beta=1.0)


def convert(source, target, kind="int8"):
    with open(target, "wb") as file:
        file.write(Conversion(source, kind).bytes())
