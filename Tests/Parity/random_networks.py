"""Writes small random networks with inputs and onnxruntime's outputs, in the layout of ONNX's own tests.

    make parity-random                       # 2,000 networks
    make parity-random COUNT=100000 SEED=0

A network has two to nine nodes of some forty kinds, extents from 1, and a batch of three images. Nothing of the text is
Apus's: files are made with the package `onnx` and run by onnxruntime without its optimizations. `RandomFileTests` reads
them, and compares Apus in each precision.
"""

import argparse
import pathlib
import shutil
from fractions import Fraction

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

OPSET = 18
MAXIMUM_ELEMENTS = 20_000


class Network:
    """A network that grows node by node; `values` holds each value's numbers, which onnxruntime has computed."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.initializers, self.inputs, self.values = [], [], {}, {}
        images = 3
        self.is_open = self.chance(2)
        height, width = (1, 1) if self.chance(4) else (int(self.pick([1, 2, 3, 5, 8])), int(self.pick([1, 3, 4, 7])))
        for _ in range(int(self.pick([1, 1, 2]))):
            shape = (images, int(self.pick([1, 2, 3, 4, 8, 16, 19])), height, width)
            name = f"x{len(self.inputs)}"
            self.inputs[name] = self.values[name] = self.numbers(shape)

    def chance(self, n):
        return int(self.random.integers(n)) == 0

    def pick(self, choices):
        return choices[int(self.random.integers(len(choices)))]

    def numbers(self, shape, low=-1.0, high=1.0):
        return self.random.uniform(low, high, shape).astype(np.float32)

    def constant(self, array):
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def add(self, operator, inputs, outputs=1, **attributes):
        """Adds a node if onnxruntime takes it and its results are small; returns whether it was added."""
        names = [f"v{len(self.nodes)}" + (f"_{i}" if i else "") for i in range(outputs)]
        node = helper.make_node(operator, inputs, names, name=names[0], **attributes)
        known = [name for name in inputs if name in self.values]
        graph = helper.make_graph(
            [node], "node",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, self.values[name].shape) for name in dict.fromkeys(known)],
            [onnx.ValueInfoProto(name=name) for name in names],
            [tensor for tensor in self.initializers if tensor.name in inputs])
        try:
            results = run(model_of(graph), {name: self.values[name] for name in known})
        except Exception:
            return False
        if any(r.dtype != np.float32 or r.ndim == 0 or not 0 < r.size <= MAXIMUM_ELEMENTS for r in results):
            return False
        if not all(np.isfinite(r).all() and np.abs(r).max() < 1e4 for r in results):
            return False
        self.nodes.append(node)
        self.values.update(zip(names, results))
        return True

    def source(self):
        names = list(self.values)
        return names[-1] if self.chance(2) else self.pick(names)

    def grow(self):
        name = self.source()
        shape = self.values[name].shape
        kind = self.pick(IMAGE_KINDS + ANY_KINDS if len(shape) == 4 else ANY_KINDS)
        kind(self, name, shape)

    def files(self):
        """The model with up to three outputs, and their names."""
        read = {name for node in self.nodes for name in node.input}
        outputs = [name for name in self.values if name not in read and name not in self.inputs][-3:]
        for _ in range(int(self.random.integers(2))):
            name = self.pick([name for name in self.values if name not in self.inputs])
            if name not in outputs:
                outputs.append(name)
        graph = helper.make_graph(
            self.nodes, "random",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n" if self.is_open else array.shape[0], *array.shape[1:]])
             for name, array in self.inputs.items()],
            [onnx.ValueInfoProto(name=name) for name in outputs], self.initializers)
        return model_of(graph), outputs


def model_of(graph):
    for output in graph.output:
        output.type.tensor_type.elem_type = TensorProto.FLOAT
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


def run(model, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def pads(network, kernel, most=2):
    if network.chance(2):
        return [0] * 4
    return [int(network.random.integers(0, min(most, extent) + 1)) for extent in [*kernel, *kernel]]


def convolution(network, name, shape):
    channels = shape[1]
    group = int(network.pick([1, 1, 1, channels, 2 if channels % 2 == 0 else 1]))
    kernel = network.pick([[1, 1], [1, 1], [3, 3], [2, 2], [1, 3], [5, 1], [1, 5], [1, 7], [5, 5]])
    features = group * int(network.pick([1, 2, 4, 8, 17] if group < channels else [1, 1, 2]))
    depth = channels // group * kernel[0] * kernel[1]
    inputs = [name, network.constant(network.numbers((features, channels // group, *kernel)) / np.float32(depth ** 0.5))]
    if network.chance(2):
        inputs.append(network.constant(network.numbers((features,))))
    network.add(
        "Conv", inputs, group=group, strides=network.pick([[1, 1], [1, 1], [2, 2], [1, 2], [3, 1]]),
        dilations=network.pick([[1, 1], [1, 1], [2, 1], [2, 2], [3, 3]]), pads=pads(network, kernel, 4))


def transposed_convolution(network, name, shape):
    group = 2 if shape[1] % 2 == 0 and network.chance(3) else 1
    kernel = network.pick([[1, 1], [2, 2], [3, 3], [2, 1], [3, 2]])
    features = int(network.pick([1, 3, 8]))
    weights = network.numbers((shape[1], features, *kernel)) / np.float32((shape[1] * kernel[0] * kernel[1]) ** 0.5)
    inputs = [name, network.constant(weights)]
    if network.chance(2):
        inputs.append(network.constant(network.numbers((features * group,))))
    network.add(
        "ConvTranspose", inputs, group=group, strides=network.pick([[1, 1], kernel, [2, 2], [3, 2]]),
        pads=network.pick([[0, 0, 0, 0], [kernel[0] // 2, 0, 0, kernel[1] // 2]]),
        dilations=network.pick([[1, 1], [1, 1], [2, 1]]))


def pool(network, name, shape):
    kernel = [int(network.random.integers(1, 4)), int(network.random.integers(1, 4))]
    sides = [int(network.random.integers(0, extent)) for extent in [*kernel, *kernel]] if network.chance(2) else [0] * 4
    common = dict(
        kernel_shape=kernel, strides=network.pick([[1, 1], [2, 2], [1, 3]]), pads=sides,
        ceil_mode=int(network.chance(3)))
    if network.chance(2):
        network.add("MaxPool", [name], dilations=network.pick([[1, 1], [1, 1], [2, 1]]), **common)
    else:
        # A window larger than its padded input has no output; with ceil_mode, onnxruntime divides by what lies beyond.
        if any(kernel[axis] > shape[axis + 2] + sides[axis] + sides[axis + 2] for axis in range(2)):
            common["ceil_mode"] = 0
        network.add("AveragePool", [name], count_include_pad=int(network.chance(2)), **common)


def global_pool(network, name, shape):
    network.add(network.pick(["GlobalAveragePool", "GlobalAveragePool", "GlobalMaxPool"]), [name])


def squeeze_and_excite(network, name, shape):
    """Channels scaled by a function of their means."""
    channels = shape[1]
    if not network.add("GlobalAveragePool", [name]):
        return
    pooled = list(network.values)[-1]
    weights = network.constant(network.numbers((channels, channels, 1, 1)) / np.float32(channels ** 0.5))
    if network.add("Conv", [pooled, weights]) and network.add(
            network.pick(["Sigmoid", "HardSigmoid"]), [list(network.values)[-1]]):
        network.add("Mul", [name, list(network.values)[-1]])


def heads(network, name, shape):
    """Two heads behind one value that are joined along the channels."""
    names = []
    kernel = [1, 1] if network.chance(2) else list(shape[2:]) if shape[2] * shape[3] < 20 else [1, 1]
    for _ in range(2):
        features = int(network.pick([1, 4, 16, 20]))
        weights = network.numbers((features, shape[1], *kernel)) / np.float32((shape[1] * kernel[0] * kernel[1]) ** 0.5)
        if not network.add("Conv", [name, network.constant(weights)]):
            return
        names.append(list(network.values)[-1])
        if network.chance(2) and network.add("Relu", [names[-1]]):
            names[-1] = list(network.values)[-1]
    network.add("Concat", names, axis=1)


def batch_normalization(network, name, shape):
    parameters = [network.numbers((shape[1],), 0.5, 1.5), network.numbers((shape[1],)),
                  network.numbers((shape[1],), -0.2, 0.2), network.numbers((shape[1],), 0.5, 1.5)]
    network.add("BatchNormalization", [name, *map(network.constant, parameters)])


def instance_normalization(network, name, shape):
    parameters = [network.numbers((shape[1],), 0.5, 1.5), network.numbers((shape[1],))]
    network.add("InstanceNormalization", [name, *map(network.constant, parameters)], epsilon=0.1)


def local_response(network, name, shape):
    network.add("LRN", [name], size=int(network.pick([1, 3, 5])), alpha=0.1)


def is_rounded_to_another(extent, size, transformation):
    """Whether a position of nearest Resize lies on an element or between two, so that a scale that float32 rounds may
    move it to another element; onnxruntime divides by such scales."""
    if transformation == "align_corners" or float(np.float32(size / extent)) * extent == size:
        return False
    shift = 0 if transformation == "asymmetric" else Fraction(1, 2)
    return any((2 * ((index + shift) * Fraction(extent, size) - shift)).denominator == 1 for index in range(size))


def resize(network, name, shape):
    sizes = np.array([*shape[:2], *(int(network.random.integers(1, 2 * extent + 2)) for extent in shape[2:])], np.int64)
    mode = network.pick(["nearest", "linear", "cubic"])
    transformation = network.pick(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
    nearest = network.pick(["round_prefer_floor", "floor"])
    if mode == "nearest" and any(
            is_rounded_to_another(extent, int(size), transformation) for extent, size in zip(shape[2:], sizes[2:])):
        return
    network.add(
        "Resize", [name, "", "", network.constant(sizes)], mode=mode, coordinate_transformation_mode=transformation,
        nearest_mode=nearest)


def blocks(network, name, shape):
    if network.chance(2):
        network.add("DepthToSpace", [name], blocksize=2, mode=network.pick(["DCR", "CRD"]))
    else:
        network.add("SpaceToDepth", [name], blocksize=2)


def channel_slope(network, name, shape):
    network.add("PRelu", [name, network.constant(network.numbers((shape[1], 1, 1), 0, 0.5))])


def shuffle(network, name, shape):
    """Channels in two groups that are interleaved."""
    if shape[1] % 2:
        return
    n, c, h, w = shape
    if network.add("Reshape", [name, network.constant(np.array([0, 2, c // 2, h, w], np.int64))]) and network.add(
            "Transpose", [list(network.values)[-1]], perm=[0, 2, 1, 3, 4]):
        network.add("Reshape", [list(network.values)[-1], network.constant(np.array([0, c, h, w], np.int64))])


def unary(network, name, shape):
    operator = network.pick([
        "Relu", "Relu", "Sigmoid", "Tanh", "HardSwish", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign", "Mish",
        "HardSigmoid", "Neg", "Abs", "Erf", "Identity", "Sin", "Cos", "Atan", "Exp"])
    network.add(operator, [name])


def clip(network, name, shape):
    limits = [network.constant(np.float32(limit)) for limit in network.pick([(0, 6), (-0.5, 0.5), (0, 12), (-1, 3)])]
    network.add("Clip", network.pick([[name, *limits], [name, "", limits[1]], [name, limits[0]]]))


def gate(network, name, shape):
    """x times a function of x, as exporters write activations."""
    form = int(network.random.integers(4))
    if form == 0 and network.add(network.pick(["Sigmoid", "HardSigmoid", "Tanh"]), [name]):
        network.add("Mul", [name, list(network.values)[-1]])
    elif form == 1:
        scaled = network.add("Mul", [name, network.constant(np.float32(2 ** -0.5))])
        if scaled and network.add("Erf", [list(network.values)[-1]]) and network.add(
                "Add", [list(network.values)[-1], network.constant(np.float32(1))]) and network.add(
                "Mul", [name, list(network.values)[-1]]):
            network.add("Mul", [list(network.values)[-1], network.constant(np.float32(0.5))])
    elif form == 2:
        limit = np.float32(network.pick([6, 6, 3, 12, 20]))
        if network.add("Add", [name, network.constant(np.float32(3))]) and network.add(
                "Clip", [list(network.values)[-1], network.constant(np.float32(0)), network.constant(limit)]) and network.add(
                "Mul", [name, list(network.values)[-1]]):
            network.add("Div", [list(network.values)[-1], network.constant(np.float32(6))])
    elif form == 3 and network.add("Softplus", [name]) and network.add("Tanh", [list(network.values)[-1]]):
        network.add("Mul", [name, list(network.values)[-1]])


def binary(network, name, shape):
    same = [other for other, array in network.values.items() if array.shape == shape]
    operand = network.pick([
        network.pick(same), network.constant(network.numbers((1,))),
        network.constant(network.numbers([shape[i] if i == 1 else 1 for i in range(len(shape))])),
        network.constant(network.numbers((shape[-1],)))])
    inputs = [name, operand] if network.chance(2) else [operand, name]
    network.add(network.pick(["Add", "Add", "Add", "Mul", "Sub", "Max", "Min"]), inputs)


def several(network, name, shape):
    same = [other for other, array in network.values.items() if array.shape == shape]
    network.add(network.pick(["Sum", "Max", "Mean"]), [name, network.pick(same), network.pick(same)])


def concatenation(network, name, shape):
    axis = 1 if len(shape) > 1 and not network.chance(3) else int(network.random.integers(len(shape)))
    fitting = [other for other, array in network.values.items()
               if array.ndim == len(shape) and all(i == axis or array.shape[i] == shape[i] for i in range(len(shape)))]
    names = [name] + [network.pick(fitting) for _ in range(int(network.random.integers(1, 4)))]
    network.random.shuffle(names)
    network.add("Concat", names, axis=axis - (len(shape) if network.chance(2) else 0))


def split(network, name, shape):
    axis = int(network.random.integers(len(shape)))
    if shape[axis] < 2:
        return
    first = int(network.random.integers(1, shape[axis]))
    network.add(
        "Split", [name, network.constant(np.array([first, shape[axis] - first], np.int64))], outputs=2, axis=axis)


def part(network, name, shape):
    axis = int(network.random.integers(len(shape)))
    start = int(network.random.integers(shape[axis]))
    end, step = int(network.random.integers(start + 1, shape[axis] + 1)), int(network.pick([1, 1, 2]))
    network.add(
        "Slice", [name, *(network.constant(np.array([value], np.int64)) for value in (start, end, axis, step))])


def pad(network, name, shape):
    widths = [0 if i % len(shape) < 2 and not network.chance(4) else int(network.random.integers(0, 3))
              for i in range(2 * len(shape))]
    network.add("Pad", [name, network.constant(np.array(widths, np.int64))],
                mode=network.pick(["constant", "constant", "edge", "reflect"]))


def reshape(network, name, shape):
    form = int(network.random.integers(4))
    if form == 0:
        network.add("Flatten", [name], axis=int(network.random.integers(len(shape) + 1)))
    elif form == 1:
        network.add("Unsqueeze", [name, network.constant(np.array([int(network.random.integers(len(shape) + 1))], np.int64))])
    elif form == 2:
        network.add("Reshape", [name, network.constant(np.array([0, -1], np.int64))])
    else:
        count = int(np.prod(shape[1:])) if len(shape) > 1 else 1
        channels = network.pick([c for c in (1, 2, 3, 4, 8) if count % c == 0])
        network.add("Reshape", [name, network.constant(np.array([0, channels, 1, count // channels], np.int64))])


def transpose(network, name, shape):
    network.add("Transpose", [name], perm=[int(i) for i in network.random.permutation(len(shape))])


def reduction(network, name, shape):
    axes = np.sort(network.random.permutation(len(shape))[:int(network.random.integers(1, len(shape) + 1))])
    network.add(
        network.pick(["ReduceMean", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum", "ReduceL2", "ReduceL1",
                      "ReduceSumSquare", "ReduceLogSumExp"]),
        [name, network.constant(axes.astype(np.int64))], keepdims=int(not network.chance(3)))


def softmax(network, name, shape):
    network.add(network.pick(["Softmax", "Softmax", "LogSoftmax"]), [name], axis=int(network.random.integers(len(shape))))


def layer_normalization(network, name, shape):
    axis = int(network.random.integers(len(shape)))
    network.add(
        "LayerNormalization",
        [name, network.constant(network.numbers(shape[axis:], 0.5, 1.5)), network.constant(network.numbers(shape[axis:]))],
        axis=axis, epsilon=0.1)


def product(network, name, shape):
    columns = int(network.pick([1, 5, 16, 64]))
    weights = network.constant(network.numbers((shape[-1], columns)) / np.float32(shape[-1] ** 0.5))
    if len(shape) == 2 and network.chance(2):
        network.add("Gemm", [name, weights, network.constant(network.numbers((columns,)))],
                    alpha=float(network.pick([1, 1, 0.5])))
    elif network.add("MatMul", [name, weights]) and network.chance(2):
        network.add("Add", [list(network.values)[-1], network.constant(network.numbers((columns,)))])


def computed_product(network, name, shape):
    if len(shape) < 2:
        return
    order = list(range(len(shape)))
    order[-1], order[-2] = order[-2], order[-1]
    if network.add("Transpose", [name], perm=order):
        network.add("MatMul", [name, list(network.values)[-1]])


def gather(network, name, shape):
    axis = int(network.random.integers(len(shape)))
    positions = network.random.integers(0, shape[axis], int(network.random.integers(1, 5))).astype(np.int64)
    network.add("Gather", [name, network.constant(positions)], axis=axis)


def repetition(network, name, shape):
    if network.chance(2):
        network.add("Tile", [name, network.constant(np.array([network.pick([1, 1, 2]) for _ in shape], np.int64))])
    else:
        target = [int(network.pick([1, 2, 3])) if extent == 1 else extent for extent in shape]
        network.add("Expand", [name, network.constant(np.array(target, np.int64))])


IMAGE_KINDS = [
    convolution, convolution, convolution, convolution, transposed_convolution, pool, pool, global_pool, heads, heads,
    squeeze_and_excite, batch_normalization, instance_normalization, local_response, resize, blocks, channel_slope,
    shuffle]
ANY_KINDS = [
    unary, unary, clip, gate, gate, binary, binary, several, concatenation, concatenation, split, part, pad, reshape,
    transpose, reduction, softmax, layer_normalization, product, computed_product, gather, repetition]


class QuantizedNetwork(Network):
    """A network whose values are quantized and dequantized after every node, as static quantizers write it."""

    def add(self, operator, inputs, outputs=1, **attributes):
        if outputs > 1 or operator not in QUANTIZED:
            return False
        if not super().add(operator, inputs, **attributes):
            return False
        name = list(self.values)[-1]
        array = self.values[name]
        low, high = min(0.0, float(array.min())), max(0.0, float(array.max()))
        scale = np.float32(max((high - low) / 255, 1e-6))
        is_signed = self.chance(2)
        zero = int(np.clip(np.rint(-low / scale), 0, 255)) - (128 if is_signed else 0)
        parameters = [self.constant(scale), self.constant(np.array(zero, np.int8 if is_signed else np.uint8))]
        self.nodes.append(helper.make_node("QuantizeLinear", [name, *parameters], [name + "_q"], name=name + "_q"))
        self.nodes.append(
            helper.make_node("DequantizeLinear", [name + "_q", *parameters], [name + "_d"], name=name + "_d"))
        integers = np.clip(np.rint(array / scale) + zero, -128 if is_signed else 0, 127 if is_signed else 255)
        del self.values[name]
        self.values[name + "_d"] = ((integers - zero) * scale).astype(np.float32)
        return True

    def constant(self, array):
        """Weights of convolutions and products are dequantized integers, with one scale for each output or one."""
        array = np.asarray(array)
        if array.dtype != np.float32 or array.ndim not in (2, 4) or array.size < 2:
            return super().constant(array)
        axis = 0 if array.ndim == 4 else 1
        others = tuple(i for i in range(array.ndim) if i != axis)
        largest = np.abs(array).max(axis=others) if self.chance(2) else np.abs(array).max()
        scale = np.maximum(largest / 127, 1e-8).astype(np.float32)
        spread = scale.reshape([-1 if i == axis else 1 for i in range(array.ndim)]) if scale.ndim else scale
        integers = np.clip(np.rint(array / spread), -127, 127).astype(np.int8)
        name = f"w{len(self.nodes)}_{len(self.initializers)}"
        inputs = [super().constant(integers), super().constant(scale), super().constant(np.zeros(scale.shape, np.int8))]
        self.nodes.append(helper.make_node("DequantizeLinear", inputs, [name], name=name, axis=axis))
        self.weights = getattr(self, "weights", {})
        self.weights[name] = (integers * spread).astype(np.float32)
        self.values[name] = self.weights[name]
        return name

    def source(self):
        names = [name for name in self.values if name not in getattr(self, "weights", {})]
        return names[-1] if self.chance(2) else self.pick(names)

    def grow(self):
        super().grow()
        # Weights are no values to read again.
        for name in getattr(self, "weights", {}):
            self.values.pop(name, None)
        read = {name for node in self.nodes for name in node.input}
        self.nodes = [node for node in self.nodes if node.output[0] not in getattr(self, "weights", {}) or node.output[0] in read]


QUANTIZED = {
    "Conv", "ConvTranspose", "MaxPool", "AveragePool", "GlobalAveragePool", "Concat", "Add", "Mul", "Relu", "Sigmoid",
    "HardSwish", "LeakyRelu", "Tanh", "Clip", "Reshape", "Flatten", "Transpose", "Gemm", "MatMul", "Resize", "Pad",
    "ReduceMean", "Softmax"}


def write(seed, folder, is_quantized):
    network = (QuantizedNetwork if is_quantized else Network)(seed)
    wanted, attempts = int(network.random.integers(2, 10)), 0
    while len(network.nodes) < wanted and attempts < 60:
        attempts += 1
        network.grow()
    if not network.nodes or all(name in network.inputs for name in network.values):
        return False
    model, outputs = network.files()
    try:
        results = run(model, network.inputs)
    except onnxruntime.capi.onnxruntime_pybind11_state.Fail:
        # Extents that onnxruntime infers contradict those that it computes, as for some pools with ceil_mode.
        return False
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    onnx.save(model, folder / "model.onnx")
    for stem, arrays in ("input", network.inputs.values()), ("output", results):
        for index, array in enumerate(arrays):
            (data / f"{stem}_{index}.pb").write_bytes(numpy_helper.from_array(np.ascontiguousarray(array)).SerializeToString())
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--quantized", action="store_true", help="values of 8 bits between nodes")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.folder, ignore_errors=True)
    written = sum(
        write(seed, arguments.folder / f"{'q' if arguments.quantized else 'f'}{seed}", arguments.quantized)
        for seed in range(arguments.first, arguments.first + arguments.count))
    print(f"random networks: {written}, seeds from {arguments.first}, onnxruntime {onnxruntime.__version__}")


if __name__ == "__main__":
    main()
