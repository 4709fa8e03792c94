"""Evaluates the networks of the zoo in float64, directly by the definitions of ONNX's operators.

Floating-point values become float64 where a node takes them; integers, which are shapes and positions, stay.
https://onnx.ai/onnx/operators/
"""

import math

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view


class Window:
    """The window of a convolution or pooling on an image: pairs are (height, width)."""

    def __init__(self, attributes, kernel, image):
        self.kernel = attributes.get("kernel_shape", kernel)
        self.strides = attributes.get("strides", [1, 1])
        self.dilations = attributes.get("dilations", [1, 1])
        pads = attributes.get("pads", [0, 0, 0, 0])
        automatic = attributes.get("auto_pad", b"NOTSET")
        # The pads of the attribute, plus those at the end that follow from rounding up the output's extent.
        self.pads, self.beyond, self.output = [], [], []
        for axis, extent in enumerate(image):
            reach = (self.kernel[axis] - 1) * self.dilations[axis] + 1
            stride = self.strides[axis]
            before, after = pads[axis], pads[axis + 2]
            if automatic in (b"SAME_UPPER", b"SAME_LOWER"):
                total = max((math.ceil(extent / stride) - 1) * stride + reach - extent, 0)
                before = total // 2 if automatic == b"SAME_UPPER" else total - total // 2
                after = total - before
            elif automatic == b"VALID":
                before = after = 0
            steps = (before + extent + after - reach) / stride
            count = math.floor(steps) + 1
            # Rounding up adds no window that starts after the image.
            if attributes.get("ceil_mode", 0) and count < steps + 1 and count * stride < before + extent:
                count += 1
            self.pads.append((before, after))
            self.beyond.append((0, max((count - 1) * stride + reach - before - extent - after, 0)))
            self.output.append(count)

    def padded(self, x, padding, beyond):
        leading = [(0, 0)] * (x.ndim - 2)
        inner = np.pad(x, leading + self.pads, constant_values=padding)
        return np.pad(inner, leading + self.beyond, constant_values=beyond)

    def patches(self, x, padding=0.0, beyond=0.0):
        """[..., H, W] → a view [..., output height, output width, kernel height, kernel width]"""
        reach = [(extent - 1) * dilation + 1 for extent, dilation in zip(self.kernel, self.dilations)]
        all_places = sliding_window_view(self.padded(x, padding, beyond), reach, axis=(-2, -1))
        (down, right), (low, wide) = self.strides, self.dilations
        return all_places[..., ::down, ::right, ::low, ::wide][..., : self.output[0], : self.output[1], :, :]


def convolution(attributes, x, weights, bias=0.0):
    group = attributes.get("group", 1)
    window = Window(attributes, weights.shape[2:], x.shape[2:])
    matrix = weights.reshape(group, len(weights) // group, -1)
    # One image at a time: its patches as [group, channel and position in the kernel, position in the output].
    images = [
        matrix @ np.moveaxis(window.patches(image), (-2, -1), (1, 2)).reshape(group, matrix.shape[2], -1) for image in x
    ]
    return np.stack(images).reshape(len(x), len(weights), *window.output) + np.reshape(bias, (-1, 1, 1))


def transposed_convolution(attributes, x, weights, bias=0.0):
    """Each element is spread over a window, weighted by the kernel; windows that overlap add up."""
    group, strides = attributes.get("group", 1), attributes.get("strides", [1, 1])
    unsupported = {"auto_pad", "output_shape", "output_padding"} & attributes.keys()
    if unsupported or group != 1 or set(attributes.get("dilations", [1])) != {1}:
        raise ValueError("the float64 evaluation knows only plain transposed convolutions")
    kernel = weights.shape[2:]
    top, left, bottom, right = attributes.get("pads", [0, 0, 0, 0])
    full = [(extent - 1) * stride + reach for extent, stride, reach in zip(x.shape[2:], strides, kernel)]
    result = np.zeros((len(x), weights.shape[1], *full))
    for row, column in np.ndindex(*kernel):
        spread = np.einsum("nchw,cm->nmhw", x, weights[:, :, row, column], optimize=True)
        rows = slice(row, row + (x.shape[2] - 1) * strides[0] + 1, strides[0])
        columns = slice(column, column + (x.shape[3] - 1) * strides[1] + 1, strides[1])
        result[:, :, rows, columns] += spread
    return result[:, :, top : full[0] - bottom, left : full[1] - right] + np.reshape(bias, (-1, 1, 1))


def maximum_pooling(attributes, x):
    return Window(attributes, None, x.shape[2:]).patches(x, -np.inf, -np.inf).max(axis=(-2, -1))


def average_pooling(attributes, x):
    window = Window(attributes, None, x.shape[2:])
    counted = window.patches(np.ones(x.shape[2:]), padding=attributes.get("count_include_pad", 0))
    return window.patches(x).sum(axis=(-2, -1)) / counted.sum(axis=(-2, -1))


def batch_normalization(attributes, x, scale, shift, mean, variance):
    scale, shift, mean, variance = (value.reshape(-1, 1, 1) for value in (scale, shift, mean, variance))
    return (x - mean) / np.sqrt(variance + attributes.get("epsilon", 1e-5)) * scale + shift


def layer_normalization(attributes, x, scale, shift=0.0):
    axes = tuple(range(attributes.get("axis", -1) % x.ndim, x.ndim))
    centered = x - x.mean(axis=axes, keepdims=True)
    variance = (centered * centered).mean(axis=axes, keepdims=True)
    return centered / np.sqrt(variance + attributes.get("epsilon", 1e-5)) * scale + shift


def local_response_normalization(attributes, x):
    size, alpha, beta = attributes["size"], attributes.get("alpha", 1e-4), attributes.get("beta", 0.75)
    around = ((size - 1) // 2, size // 2)
    squares = np.pad(x * x, [(0, 0), around, (0, 0), (0, 0)])
    sums = sliding_window_view(squares, size, axis=1).sum(axis=-1)
    return x / (attributes.get("bias", 1.0) + alpha / size * sums) ** beta


def general_product(attributes, a, b, c=0.0):
    a = a.T if attributes.get("transA", 0) else a
    b = b.T if attributes.get("transB", 0) else b
    return attributes.get("alpha", 1.0) * (a @ b) + attributes.get("beta", 1.0) * c


def softmax(attributes, x):
    axis = attributes.get("axis", -1)
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def split(attributes, x, extents):
    return np.split(x, np.cumsum(extents.astype(int))[:-1], axis=attributes.get("axis", 0))


def depth_to_space(attributes, x):
    """Channels become squares of pixels. In mode DCR, the place in the square is the outer part of a channel."""
    count, channels, height, width = x.shape
    side = attributes["blocksize"]
    if attributes.get("mode", b"DCR") == b"DCR":
        parts = x.reshape(count, side, side, -1, height, width).transpose(0, 3, 4, 1, 5, 2)
    else:
        parts = x.reshape(count, -1, side, side, height, width).transpose(0, 1, 4, 2, 5, 3)
    return parts.reshape(count, channels // side**2, height * side, width * side)


def gaussian_error_linear_unit(attributes, x):
    if attributes.get("approximate", b"none") != b"none":
        raise ValueError("the float64 evaluation knows only the exact Gelu")
    return x / 2 * (1 + error_function(x / math.sqrt(2)))


error_function = np.vectorize(math.erf, otypes=[np.float64])


def reshape(attributes, x, shape):
    kept = [x.shape[axis] if extent == 0 else extent for axis, extent in enumerate(shape.tolist())]
    return x.reshape(kept)


def shape_of(attributes, x):
    return np.array(x.shape[attributes.get("start", 0) : attributes.get("end", x.ndim)], dtype=np.int64)


def slice_of(attributes, x, starts, ends, axes, steps=None):
    places = [slice(None)] * x.ndim
    for index, axis in enumerate(axes.tolist()):
        places[axis] = slice(int(starts[index]), int(ends[index]), None if steps is None else int(steps[index]))
    return x[tuple(places)]


def resize(attributes, x, region=None, scales=None, sizes=None):
    """Along one axis after another: the nearest element before, or the mean of two neighbours by their distance."""
    axes = attributes.get("axes", range(x.ndim))
    if sizes is None:
        sizes = [math.floor(x.shape[axis] * scale) for axis, scale in zip(axes, scales)]
    else:
        scales = [size / x.shape[axis] for axis, size in zip(axes, sizes)]
    way = [attributes.get(name, b"").decode() for name in ("mode", "coordinate_transformation_mode", "nearest_mode")]
    for axis, scale, size in zip(axes, scales, sizes):
        extent = x.shape[axis]
        if extent == size:
            continue
        if way == ["nearest", "asymmetric", "floor"] or way == ["", "asymmetric", "floor"]:
            x = np.take(x, np.clip(np.floor(np.arange(size) / scale).astype(int), 0, extent - 1), axis=axis)
        elif way[:2] in (["linear", "half_pixel"], ["linear", ""]):
            places = np.clip((np.arange(size) + 0.5) / scale - 0.5, 0, extent - 1)
            lower = np.floor(places).astype(int)
            share = (places - lower).reshape([-1 if index == axis else 1 for index in range(x.ndim)])
            upper = np.minimum(lower + 1, extent - 1)
            x = np.take(x, lower, axis=axis) * (1 - share) + np.take(x, upper, axis=axis) * share
        else:
            raise ValueError(f"the float64 evaluation does not know Resize {way}")
    return x


def sigmoid(attributes, x):
    return 0.5 * (1 + np.tanh(x / 2))


def hard_sigmoid(attributes, x):
    return np.clip(attributes.get("alpha", 0.2) * x + attributes.get("beta", 0.5), 0.0, 1.0)


def cast(attributes, x):
    kind = onnx.helper.tensor_dtype_to_np_dtype(attributes["to"])
    return x.astype(np.float64 if np.issubdtype(kind, np.floating) else kind)


def flatten(attributes, x):
    return x.reshape(math.prod(x.shape[: attributes.get("axis", 1)]), -1)


OPERATORS = {
    "Add": lambda attributes, a, b: a + b,
    "AveragePool": average_pooling,
    "BatchNormalization": batch_normalization,
    "Cast": cast,
    "Clip": lambda attributes, x, low=-np.inf, high=np.inf: np.clip(x, low, high),
    "Concat": lambda attributes, *parts: np.concatenate(parts, axis=attributes["axis"]),
    "Conv": convolution,
    "ConvTranspose": transposed_convolution,
    "DepthToSpace": depth_to_space,
    "Expand": lambda attributes, x, shape: x * np.ones(shape.astype(int)),
    "Flatten": flatten,
    "Gather": lambda attributes, x, places: np.take(x, places.astype(int), axis=attributes.get("axis", 0)),
    "Gelu": gaussian_error_linear_unit,
    "Gemm": general_product,
    "GlobalAveragePool": lambda attributes, x: x.mean(axis=(2, 3), keepdims=True),
    "HardSigmoid": hard_sigmoid,
    "HardSwish": lambda attributes, x: x * np.clip(x / 6 + 0.5, 0.0, 1.0),
    "LayerNormalization": layer_normalization,
    "LeakyRelu": lambda attributes, x: np.where(x < 0, attributes.get("alpha", 0.01) * x, x),
    "LRN": local_response_normalization,
    "MatMul": lambda attributes, a, b: a @ b,
    "MaxPool": maximum_pooling,
    "Mul": lambda attributes, a, b: a * b,
    "Relu": lambda attributes, x: np.maximum(x, 0.0),
    "Reshape": reshape,
    "Resize": resize,
    "Shape": shape_of,
    "Sigmoid": sigmoid,
    "Slice": slice_of,
    "Softmax": softmax,
    "Split": split,
    "Sub": lambda attributes, a, b: a - b,
    "Transpose": lambda attributes, x: x.transpose(attributes["perm"]),
}


def evaluate(model, inputs, names):
    """The named values of a model, in float64."""
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    values = {name: array.astype(np.float64) for name, array in inputs.items()}
    last_use = {name: index for index, node in enumerate(model.graph.node) for name in node.input}

    def value(name):
        if name == "":
            return None
        array = onnx.numpy_helper.to_array(weights[name]) if name in weights else values[name]
        return array.astype(np.float64) if np.issubdtype(array.dtype, np.floating) else array

    for index, node in enumerate(model.graph.node):
        if node.op_type not in OPERATORS:
            raise ValueError(f"the float64 evaluation does not know {node.op_type}")
        if "" in node.input and node.op_type != "Resize":
            raise ValueError(f"the float64 evaluation knows no {node.op_type} with an input left out")
        attributes = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
        result = OPERATORS[node.op_type](attributes, *map(value, node.input))
        values.update(zip(node.output, result if isinstance(result, list) else [result]))
        for name in node.input:
            if last_use[name] == index and name not in names:
                values.pop(name, None)
    return [values[name] for name in names]
