"""Makes small Core ML networks, one or a few layers each, with the answers of onnxruntime or NumPy.

    python3 -m venv environment && environment/bin/pip install coremltools==9.0 onnx==1.20.1 onnxruntime==1.31.1 numpy
    environment/bin/python Tests/Fixtures/make_coreml_fixtures.py

Tests/Fixtures/coreml/layers/NAME.mlmodel goes with the arrays NAME in layers.json.
"""

import json
import pathlib
import shutil

import numpy as np
import onnx
import onnxruntime
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from onnx import TensorProto, helper

FOLDER = pathlib.Path(__file__).parent / "coreml" / "layers"
random = np.random.default_rng(9)
answers = {}


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def run(op, *inputs, outputs=1, **attributes):
    """onnxruntime's results for one operator."""
    feeds = {f"x{index}": np.asarray(array) for index, array in enumerate(inputs) if array is not None}
    names = [f"x{index}" if array is not None else "" for index, array in enumerate(inputs)]
    kinds = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in feeds.items()]
    results = [f"y{index}" for index in range(outputs)]
    node = helper.make_node(op, names, results, **attributes)
    types = [helper.make_tensor_value_info(n, TensorProto.UNDEFINED, None) for n in results]
    graph = helper.make_graph([node], op, kinds, types)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    model = onnx.shape_inference.infer_shapes(model)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    found = session.run(None, feeds)
    return found[0] if outputs == 1 else found


def case(name, inputs, build, expected, exact=False, builder=None):
    """A model `name` from inputs to one output for each expected array."""
    features = [(key, datatypes.Array(*array.shape)) for key, array in inputs.items()]
    keys = ["y", "z", "u", "v", "w"][: len(expected)]
    network = NeuralNetworkBuilder(features, [(key, None) for key in keys], disable_rank5_shape_mapping=exact)
    build(network)
    spec = network.spec
    del spec.description.output[:]
    for key in keys:
        output = spec.description.output.add()
        output.name = key
        output.type.multiArrayType.dataType = 65568
    (FOLDER / f"{name}.mlmodel").write_bytes(spec.SerializeToString())
    def array(values):
        values = np.asarray(values, dtype=np.float32)
        return {"shape": list(values.shape), "values": [float(value) for value in values.flatten()]}
    # By the older rules, the batch is the first axis of values.
    answers[name] = {
        "inputs": {key: array(value if exact else value[None]) for key, value in inputs.items()},
        "outputs": {key: array(value) for key, value in zip(keys, expected)},
    }


def batch(array):
    return array[None]


# Convolution: padding kinds, groups, dilation, and the transpose.

def convolutions():
    x = floats(4, 9, 8)
    w, b = floats(6, 4, 3, 3), floats(6)
    layout = lambda weights: weights.transpose(2, 3, 1, 0)

    def add(name, weights, bias, expected, deconvolution=False, **options):
        settings = dict(
            stride_height=1, stride_width=1, border_mode="valid", groups=1, has_bias=bias is not None,
            dilation_factors=[1, 1])
        settings.update(options)
        height, width = weights.shape[2:]
        if deconvolution:
            channels, outputs = weights.shape[0], weights.shape[1] * settings["groups"]
            layer = weights.transpose(2, 3, 0, 1)
        else:
            outputs, channels = weights.shape[0], weights.shape[1]
            layer = layout(weights)
        case(name, {"x": x}, lambda net: net.add_convolution(
            "layer", channels, outputs, height, width, W=layer, b=bias, input_name="x", output_name="y",
            is_deconv=deconvolution, **settings), [expected])

    add("convolution_valid", w, b, run("Conv", batch(x), w, b))
    add("convolution_strided", w, None, run("Conv", batch(x), w, strides=[2, 3]), stride_height=2, stride_width=3)
    add("convolution_same", w, b, run("Conv", batch(x), w, b, auto_pad="SAME_UPPER", strides=[2, 2]),
        border_mode="same", stride_height=2, stride_width=2)
    add("convolution_same_top", w, b, run("Conv", batch(x), w, b, auto_pad="SAME_LOWER", strides=[2, 2]),
        border_mode="same", same_padding_asymmetry_mode="TOP_LEFT_HEAVY", stride_height=2, stride_width=2)
    add("convolution_borders", w, b, run("Conv", batch(x), w, b, pads=[1, 0, 2, 3]),
        padding_top=1, padding_bottom=2, padding_left=0, padding_right=3)
    add("convolution_dilated", w, b, run("Conv", batch(x), w, b, dilations=[2, 1]), dilation_factors=[2, 1])
    grouped = floats(6, 2, 3, 3)
    add("convolution_groups", grouped, b, run("Conv", batch(x), grouped, b, group=2), groups=2)
    up, ub = floats(4, 5, 3, 3), floats(5)
    add("deconvolution_valid", up, ub, run("ConvTranspose", batch(x), up, ub, strides=[2, 2]), True,
        stride_height=2, stride_width=2)
    add("deconvolution_borders", up, ub, run("ConvTranspose", batch(x), up, ub, strides=[2, 2], pads=[1, 1, 0, 1]), True,
        stride_height=2, stride_width=2, padding_top=1, padding_bottom=0, padding_left=1, padding_right=1)
    grouped = floats(4, 3, 2, 2)
    add("deconvolution_groups", grouped, None, run("ConvTranspose", batch(x), grouped, group=2, strides=[2, 2]), True,
        groups=2, stride_height=2, stride_width=2)


def pooling():
    x = floats(3, 10, 7)

    def add(name, kind, expected, **options):
        settings = dict(
            height=3, width=3, stride_height=2, stride_width=2, layer_type=kind, padding_type="VALID", input_name="x",
            output_name="y", exclude_pad_area=True, is_global=False)
        settings.update(options)
        case(name, {"x": x}, lambda net: net.add_pooling("layer", **settings), [expected])

    window = dict(kernel_shape=[3, 3], strides=[2, 2])
    borders = dict(padding_top=1, padding_bottom=1, padding_left=0, padding_right=1)
    pads = dict(pads=[1, 0, 1, 1])
    add("pool_max", "MAX", run("MaxPool", batch(x), **window))
    add("pool_max_borders", "MAX", run("MaxPool", batch(x), **window, **pads), **borders)
    add("pool_max_same", "MAX", run("MaxPool", batch(x), auto_pad="SAME_UPPER", **window), padding_type="SAME")
    add("pool_average_excluding", "AVERAGE", run("AveragePool", batch(x), **window, **pads), **borders)
    add("pool_average_including", "AVERAGE", run("AveragePool", batch(x), count_include_pad=1, **window, **pads),
        exclude_pad_area=False, **borders)
    add("pool_l2", "L2", run("LpPool", batch(x), p=2, **window))
    add("pool_global_max", "MAX", run("GlobalMaxPool", batch(x)), is_global=True)
    add("pool_global_average", "AVERAGE", run("GlobalAveragePool", batch(x)), is_global=True)
    # The last window counts if it begins inside: ⌈(10 + 2 − 3) / 2⌉ + 1 = 6 rows, of which the last begins at 10.
    padded = np.pad(x, ((0, 0), (1, 3), (1, 3)), constant_values=-np.inf)
    rows = [[padded[:, r * 2:r * 2 + 3, c * 2:c * 2 + 3].max(axis=(1, 2)) for c in range(4)] for r in range(6)]
    add("pool_include_last_pixel", "MAX", batch(np.array(rows).transpose(2, 0, 1)), padding_type="INCLUDE_LAST_PIXEL",
        padding_top=1, padding_bottom=1, padding_left=1, padding_right=1)


def activations():
    x = floats(3, 4, 5) * 2
    one = batch(x)
    alpha, beta = floats(3), floats(3)
    column = lambda values: values[:, None, None]
    for name, kind, params, expected in [
        ("relu", "RELU", None, np.maximum(one, 0)),
        ("leaky", "LEAKYRELU", [0.3], np.where(one > 0, one, np.float32(0.3) * one)),
        ("thresholded", "THRESHOLDEDRELU", 0.5, np.where(one >= 0.5, one, 0)),
        ("prelu", "PRELU", alpha, np.where(one > 0, one, column(alpha) * one)),
        ("tanh", "TANH", None, np.tanh(one)),
        ("scaled_tanh", "SCALED_TANH", [1.5, 0.5], 1.5 * np.tanh(0.5 * one)),
        ("sigmoid", "SIGMOID", None, 1 / (1 + np.exp(-one))),
        ("hard_sigmoid", "SIGMOID_HARD", [0.2, 0.4], np.clip(0.2 * one + 0.4, 0, 1)),
        ("linear", "LINEAR", [1.5, -0.5], 1.5 * one - 0.5),
        ("elu", "ELU", 0.8, np.where(one > 0, one, 0.8 * np.expm1(one))),
        ("softplus", "SOFTPLUS", None, np.log1p(np.exp(one))),
        ("softsign", "SOFTSIGN", None, one / (1 + np.abs(one))),
        ("parametric_softplus", "PARAMETRICSOFTPLUS", [alpha, beta],
         column(alpha) * np.log1p(np.exp(column(beta) * one))),
    ]:
        case(f"activation_{name}", {"x": x}, lambda net: net.add_activation("layer", kind, "x", "y", params), [expected])


def quantized():
    """Weights of every storage type, in an inner product of 12 inputs and 5 outputs."""
    x = floats(12)
    for bits in range(1, 9):
        codes = random.integers(0, 2 ** bits, (5, 12))
        flat = [(code >> (bits - 1 - bit)) & 1 for code in codes.flatten() for bit in range(bits)]
        packed = np.packbits(flat).tobytes()
        scale, bias = floats(5), floats(5)
        options = dict(input_channels=12, output_channels=5, b=None, has_bias=False, input_name="x", output_name="y",
                       is_quantized_weight=True, nbits=bits)
        case(f"weights_linear_{bits}", {"x": x}, lambda net: net.add_inner_product(
            "layer", W=packed, quantization_type="linear", quant_scale=scale, quant_bias=bias, **options),
            [batch((codes * scale[:, None] + bias[:, None]) @ x)])
        table = floats(2 ** bits)
        case(f"weights_table_{bits}", {"x": x}, lambda net: net.add_inner_product(
            "layer", W=packed, quantization_type="lut", quant_lut=table, **options), [batch(table[codes] @ x)])
    half = floats(5, 12).astype(np.float16)

    def add_half(net):
        net.add_inner_product("layer", W=np.zeros((5, 12), np.float32), b=None, input_channels=12, output_channels=5,
                              has_bias=False, input_name="x", output_name="y")
        weights = net.spec.neuralNetwork.layers[0].innerProduct.weights
        weights.Clear()
        weights.float16Value = half.tobytes()
    case("weights_float16", {"x": x}, add_half, [batch(half.astype(np.float32) @ x)])


def normalization():
    x = floats(4, 5, 3)
    one = batch(x)
    gamma, beta, mean, variance = floats(4), floats(4), floats(4), np.abs(floats(4)) + 0.5
    case("batchnorm", {"x": x}, lambda net: net.add_batchnorm(
        "layer", 4, gamma, beta, mean, variance, "x", "y", epsilon=1e-3),
        [run("BatchNormalization", one, gamma, beta, mean, variance, epsilon=1e-3)])
    case("batchnorm_instance", {"x": x}, lambda net: net.add_batchnorm(
        "layer", 4, gamma, beta, None, None, "x", "y", compute_mean_var=True, instance_normalization=True, epsilon=1e-3),
        [run("InstanceNormalization", one, gamma, beta, epsilon=1e-3)])
    for across in [False, True]:
        for with_variance in [False, True]:
            axes = (1, 2, 3) if across else (2, 3)
            centered = one - one.mean(axis=axes, keepdims=True)
            deviation = np.sqrt((centered ** 2).mean(axis=axes, keepdims=True) + 1e-3) if with_variance else 1
            case(f"mvn_{'all' if across else 'planes'}_{'variance' if with_variance else 'mean'}", {"x": x},
                 lambda net: net.add_mvn("layer", "x", "y", across, with_variance, 1e-3), [centered / deviation])
    case("l2_normalize", {"x": x}, lambda net: net.add_l2_normalize("layer", "x", "y", 1e-3),
         [one / np.sqrt((one ** 2).sum() + 1e-3)])
    case("softmax", {"x": x}, lambda net: net.add_softmax("layer", "x", "y"), [run("Softmax", one, axis=1)])
    case("lrn", {"x": x}, lambda net: net.add_lrn("layer", "x", "y", alpha=0.3, beta=0.7, local_size=3, k=1.5),
         [run("LRN", one, alpha=0.3, beta=0.7, size=3, bias=1.5)])


def arithmetic():
    x, z = floats(3, 4, 5), floats(3, 4, 5)
    column, one, other = floats(3, 1, 1), batch(x), batch(z)
    for mode, expected in [
        ("ADD", one + other), ("MULTIPLY", one * other), ("MAX", np.maximum(one, other)),
        ("MIN", np.minimum(one, other)), ("AVE", (one + other) / 2), ("DOT", (one * other).sum(axis=1, keepdims=True)),
        ("COS", (one * other).sum(1, keepdims=True) / np.linalg.norm(one, axis=1, keepdims=True)
         / np.linalg.norm(other, axis=1, keepdims=True)),
        ("CONCAT", np.concatenate([one, other], axis=1)),
    ]:
        case(f"elementwise_{mode.lower()}", {"x": x, "z0": z},
             lambda net: net.add_elementwise("layer", ["x", "z0"], "y", mode), [expected])
    case("elementwise_add_number", {"x": x}, lambda net: net.add_elementwise("layer", ["x"], "y", "ADD", 1.5), [one + 1.5])
    case("elementwise_add_column", {"x": x, "z0": column},
         lambda net: net.add_elementwise("layer", ["x", "z0"], "y", "ADD"), [one + column])
    positive = np.abs(x) + 0.5
    shifted = 1.5 * batch(positive) + 0.25
    for mode, expected in [
        ("sqrt", np.sqrt(shifted)), ("rsqrt", 1 / np.sqrt(shifted + 1e-3)), ("inverse", 1 / (shifted + 1e-3)),
        ("power", shifted ** 2.5), ("exp", np.exp(shifted)), ("log", np.log(shifted)), ("abs", np.abs(shifted)),
        ("threshold", np.maximum(shifted, 2.5)),
    ]:
        case(f"unary_{mode}", {"x": positive}, lambda net: net.add_unary(
            "layer", "x", "y", mode, alpha=2.5, shift=0.25, scale=1.5, epsilon=1e-3), [expected])
    for name, shape in [("one", [1]), ("channels", [3]), ("elements", [3, 4, 5])]:
        w, b = floats(*shape), floats(*shape)
        spread = (lambda values: values[:, None, None]) if shape == [3] else (lambda values: values)
        case(f"scale_{name}", {"x": x}, lambda net: net.add_scale(
            "layer", W=w, b=b, has_bias=True, input_name="x", output_name="y", shape_scale=shape, shape_bias=shape),
            [one * spread(w) + spread(b)])
        case(f"bias_{name}", {"x": x}, lambda net: net.add_bias("layer", b, "x", "y", shape_bias=shape), [one + spread(b)])
    constant = floats(3, 4, 5)

    def add_constant(net):
        net.add_load_constant("constant", "c", constant, [3, 4, 5])
        net.add_elementwise("layer", ["x", "c"], "y", "ADD")
    case("load_constant", {"x": x}, add_constant, [one + constant])
    for mode, function in [
        ("sum", np.sum), ("avg", np.mean), ("prod", np.prod), ("max", np.max), ("min", np.min),
        ("sumsquare", lambda a, **k: np.sum(a * a, **k)), ("L1", lambda a, **k: np.sum(np.abs(a), **k)),
        ("L2", lambda a, **k: np.sqrt(np.sum(a * a, **k))), ("logsum", lambda a, **k: np.sum(np.log(a + 1e-3), **k)),
    ]:
        source = positive if mode == "logsum" else x
        case(f"reduce_{mode.lower()}", {"x": source}, lambda net: net.add_reduce(
            "layer", "x", "y", axis="HW", mode=mode, epsilon=1e-3), [function(batch(source), axis=(2, 3), keepdims=True)])
    for axis, numbers in [("CHW", (1, 2, 3)), ("C", (1,)), ("H", (2,)), ("W", (3,))]:
        case(f"reduce_{axis.lower()}", {"x": x}, lambda net: net.add_reduce("layer", "x", "y", axis=axis, mode="sum"),
             [one.sum(axis=numbers, keepdims=True)])
    case("reduce_argmax", {"x": x}, lambda net: net.add_reduce("layer", "x", "y", axis="C", mode="argmax"),
         [one.argmax(axis=1)[:, None]])


def rearranging():
    x = floats(4, 6, 2)
    one = batch(x)
    case("flatten_first", {"x": x}, lambda net: net.add_flatten("layer", 0, "x", "y"), [one.reshape(1, -1)])
    case("flatten_last", {"x": x}, lambda net: net.add_flatten("layer", 1, "x", "y"),
         [one.transpose(0, 2, 3, 1).reshape(1, -1)])
    case("reshape_first", {"x": x}, lambda net: net.add_reshape("layer", "x", "y", (3, 4, 4), 0), [one.reshape(1, 3, 4, 4)])
    case("reshape_last", {"x": x}, lambda net: net.add_reshape("layer", "x", "y", (3, 4, 4), 1),
         [one.transpose(0, 2, 3, 1).reshape(1, 4, 4, 3).transpose(0, 3, 1, 2)])
    case("permute", {"x": x}, lambda net: net.add_permute("layer", (0, 3, 1, 2), "x", "y"), [one.transpose(0, 3, 1, 2)])
    case("split", {"x": x}, lambda net: net.add_split("layer", "x", ["y", "z"]), [one[:, :2], one[:, 2:]])
    case("slice_channels", {"x": x}, lambda net: net.add_slice("layer", "x", "y", "channel", 1, 4, 2), [one[:, 1:4:2]])
    case("slice_height", {"x": x}, lambda net: net.add_slice("layer", "x", "y", "height", 2, -1, 1), [one[:, :, 2:-1]])
    case("crop", {"x": x}, lambda net: net.add_crop("layer", 0, 1, 2, 1, [0, 0], ["x"], "y"), [one[:, :, 2:-1, :-1]])
    small = floats(4, 3, 1)
    case("crop_like", {"x": x, "z0": small}, lambda net: net.add_crop("layer", 0, 0, 0, 0, [2, 1], ["x", "z0"], "y"),
         [one[:, :, 2:5, 1:2]])
    for kind, mode in [("constant", "constant"), ("reflection", "reflect"), ("replication", "edge")]:
        source = floats(2, 5, 6)
        options = {"constant_values": 1.5} if kind == "constant" else {}
        case(f"padding_{kind}", {"x": source}, lambda net: net.add_padding(
            "layer", left=1, right=2, top=3, bottom=1, value=1.5, input_name="x", output_name="y", padding_type=kind),
            [np.pad(batch(source), ((0, 0), (0, 0), (3, 1), (1, 2)), mode=mode, **options)])
    case("space_to_depth", {"x": x}, lambda net: net.add_reorganize_data("layer", "x", "y", "SPACE_TO_DEPTH", 2),
         [run("SpaceToDepth", one, blocksize=2)])
    case("depth_to_space", {"x": x}, lambda net: net.add_reorganize_data("layer", "x", "y", "DEPTH_TO_SPACE", 2),
         [run("DepthToSpace", one, blocksize=2)])
    case("pixel_shuffle", {"x": x}, lambda net: net.add_reorganize_data("layer", "x", "y", "PIXEL_SHUFFLE", 2),
         [run("DepthToSpace", one, blocksize=2, mode="CRD")])


def resampling():
    x = floats(2, 4, 3)
    one = batch(x)

    def grid(array, axis, size, positions):
        """Interpolates along an axis at positions."""
        positions = np.clip(positions, 0, array.shape[axis] - 1)
        low = np.floor(positions).astype(int)
        high = np.minimum(low + 1, array.shape[axis] - 1)
        part = (positions - low).reshape([-1 if a == axis else 1 for a in range(array.ndim)])
        return np.take(array, low, axis) * (1 - part) + np.take(array, high, axis) * part

    def bilinear(rule, height, width):
        result = one
        for axis, size in [(2, height), (3, width)]:
            count = one.shape[axis]
            result = grid(result, axis, size, rule(np.arange(size), count, size))
        return result

    corners = lambda i, n, m: i * (n - 1) / (m - 1)
    spacing = lambda i, n, m: i * (n - n / m) / (m - 1)
    centers = lambda i, n, m: (i + 0.5) * n / m - 0.5
    case("upsample_nearest", {"x": x}, lambda net: net.add_upsample("layer", 2, 3, "x", "y", "NN"),
         [one.repeat(2, axis=2).repeat(3, axis=3)])
    for mode, rule in [("DEFAULT", spacing), ("ALIGN_CORNERS_TRUE", corners), ("ALIGN_CORNERS_FALSE", centers)]:
        case(f"upsample_{mode.lower()}", {"x": x}, lambda net: net.add_upsample(
            "layer", 2, 3, "x", "y", "BILINEAR", linear_upsample_mode=mode), [bilinear(rule, 8, 9)])
    for mode, rule in [
        ("STRICT_ALIGN_ENDPOINTS_MODE", corners), ("ALIGN_ENDPOINTS_MODE", corners), ("UPSAMPLE_MODE", spacing),
        ("ROI_ALIGN_MODE", lambda i, n, m: (i + 0.5) * max(1, n - 1) / m),
    ]:
        case(f"resize_{mode.lower()}", {"x": x}, lambda net: net.add_resize_bilinear(
            "layer", "x", "y", 7, 5, mode), [bilinear(rule, 7, 5)])
    middle = lambda i, n, m: i * 0 + (n - 1) / 2 if m == 1 else corners(i, n, m)
    case("resize_align_endpoints_one", {"x": x}, lambda net: net.add_resize_bilinear(
        "layer", "x", "y", 1, 5, "ALIGN_ENDPOINTS_MODE"), [bilinear(middle, 1, 5)])


def recurrent():
    steps, inputs, hidden = 4, 3, 5
    x = floats(inputs)
    sequence = floats(steps, inputs)
    sigmoid = lambda v: 1 / (1 + np.exp(-v))

    def save(name, build, expected):
        """The steps of sequences are along the first axis."""
        case(name, {"x": x}, build, [expected])
        values = sequence.flatten()
        answers[name]["inputs"]["x"] = {"shape": [steps, inputs], "values": [float(value) for value in values]}

    wx, wh, b = floats(hidden, inputs), floats(hidden, hidden), floats(hidden)
    state, states = np.zeros(hidden), []
    for step in sequence:
        state = np.tanh(wx @ step + wh @ state + b)
        states.append(state)
    for everything in [False, True]:
        save(f"simple_rnn_{'all' if everything else 'last'}", lambda net: net.add_simple_rnn(
            "layer", wh, wx, b, hidden, inputs, "TANH", ["x"], ["y"], output_all=everything),
            np.array(states) if everything else np.array(states[-1:]))

    gx, gh, gb = ([floats(hidden, inputs) for _ in range(3)], [floats(hidden, hidden) for _ in range(3)],
                  [floats(hidden) for _ in range(3)])
    state, states = np.zeros(hidden), []
    for step in sequence:
        z = sigmoid(gx[0] @ step + gh[0] @ state + gb[0])
        r = sigmoid(gx[1] @ step + gh[1] @ state + gb[1])
        o = np.tanh(gx[2] @ step + gh[2] @ (r * state) + gb[2])
        state = (1 - z) * o + z * state
        states.append(state)
    save("gru", lambda net: net.add_gru(
        "layer", gh, gx, gb, hidden, inputs, ["x"], ["y"], activation="TANH", inner_activation="SIGMOID",
        output_all=True), np.array(states))

    def lstm(wx, wh, b, peep, source, forget=0.0):
        state, cell, states = np.zeros(hidden), np.zeros(hidden), []
        for step in source:
            gate = lambda k, c: sigmoid(wx[k] @ step + wh[k] @ state + b[k] + (peep[k] * c if peep else 0) + (forget if k == 1 else 0))
            i, f = gate(0, cell), gate(1, cell)
            z = np.tanh(wx[3] @ step + wh[3] @ state + b[3])
            cell = f * cell + i * z
            o = gate(2, cell)
            state = o * np.tanh(cell)
            states.append(state)
        return np.array(states)

    def weights():
        return ([floats(hidden, inputs) for _ in range(4)], [floats(hidden, hidden) for _ in range(4)],
                [floats(hidden) for _ in range(4)])
    wx, wh, b = weights()
    peep = [floats(hidden) for _ in range(3)]
    save("lstm_all", lambda net: net.add_unilstm(
        "layer", wh, wx, b, hidden, inputs, ["x"], ["y"], output_all=True), lstm(wx, wh, b, None, sequence))
    save("lstm_peepholes", lambda net: net.add_unilstm(
        "layer", wh, wx, b, hidden, inputs, ["x"], ["y"], peep=peep, forget_bias=True),
        lstm(wx, wh, b, peep, sequence, forget=1.0)[-1:])
    bx, bh, bb = weights()
    both = np.concatenate([lstm(wx, wh, b, None, sequence), lstm(bx, bh, bb, None, sequence[::-1])[::-1]], axis=1)
    save("lstm_both", lambda net: net.add_bidirlstm(
        "layer", wh, wx, b, bh, bx, bb, hidden, inputs, ["x"], ["y"], output_all=True), both)
    table, bias = floats(3, 7), floats(3)
    case("embedding", {"x": np.array([4.0], np.float32)}, lambda net: net.add_embedding(
        "layer", table, bias, 7, 3, True, "x", "y"), [batch(table[:, 4] + bias)])


def reversed_recurrent():
    """Runs from the last step to the first, as coremltools' tests do: results are in the order of processing."""
    steps, inputs, hidden = 4, 3, 2
    sequence = floats(steps, inputs)

    def save(name, build, expected):
        case(name, {"x": sequence[0]}, build, [expected])
        answers[name]["inputs"]["x"] = {"shape": [steps, inputs], "values": [float(value) for value in sequence.flatten()]}

    wx, wh, b = floats(hidden, inputs), floats(hidden, hidden), floats(hidden)
    state, states = np.zeros(hidden), []
    for step in sequence[::-1]:
        state = np.tanh(wx @ step + wh @ state + b)
        states.append(state)
    for everything in [False, True]:
        save(f"simple_rnn_reversed_{'all' if everything else 'last'}", lambda net: net.add_simple_rnn(
            "layer", wh, wx, b, hidden, inputs, "TANH", ["x"], ["y"], output_all=everything, reverse_input=True),
            np.array(states) if everything else np.array(states[-1:]))
    sigmoid = lambda v: 1 / (1 + np.exp(-v))
    lx, lh, lb = ([floats(hidden, inputs) for _ in range(4)], [floats(hidden, hidden) for _ in range(4)], [floats(hidden) for _ in range(4)])
    state, cell, states = np.zeros(hidden), np.zeros(hidden), []
    for step in sequence[::-1]:
        i, f, o = (sigmoid(lx[k] @ step + lh[k] @ state + lb[k]) for k in range(3))
        cell = f * cell + i * np.tanh(lx[3] @ step + lh[3] @ state + lb[3])
        state = o * np.tanh(cell)
        states.append(state)
    save("lstm_reversed_all", lambda net: net.add_unilstm(
        "layer", lh, lx, lb, hidden, inputs, ["x"], ["y"], output_all=True, reverse_input=True), np.array(states))


def inner_product():
    x = floats(3, 2, 2)
    w, b = floats(4, 12), floats(4)

    def classifier(net):
        net.add_inner_product("product", w, b, 12, 4, True, "x", "scores")
        net.add_activation("relu", "RELU", "scores", "positive")
        net.add_softmax("softmax", "positive", "y")
    values = np.exp(np.maximum(w @ x.flatten() + b, 0))
    case("classifier", {"x": x}, classifier, [batch(values / values.sum())])


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for make in [convolutions, pooling, activations, quantized, normalization, arithmetic, rearranging, resampling,
                 recurrent, inner_product]:
        make()
    import coreml_exact_layers
    coreml_exact_layers.make(case, floats, run, random)
    reversed_recurrent()
    coreml_exact_layers.make_crops(case, floats)
    (FOLDER.parent / "layers.json").write_text(json.dumps(answers, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
