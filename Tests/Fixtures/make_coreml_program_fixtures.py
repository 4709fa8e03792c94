"""Makes small ML programs with coremltools' builder, and the answers of onnxruntime and NumPy.

    python3 -m venv environment
    environment/bin/pip install coremltools==9.0 onnx==1.20.1 onnxruntime==1.31.1 numpy scikit-learn
    environment/bin/python Tests/Fixtures/make_coreml_program_fixtures.py

Tests/Fixtures/coreml/programs/NAME.mlpackage goes with the arrays NAME in programs.json.
"""

import functools
import json
import math
import pathlib
import shutil

import coremltools as ct
import coremltools.optimize.coreml as optimize
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types
from make_coreml_fixtures import run
from make_coreml_package import settle

FOLDER = pathlib.Path(__file__).parent / "coreml" / "programs"
random = np.random.default_rng(13)
answers = {}


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def save(name, shape, build, expected, precision=ct.precision.FLOAT32, optimized=None, tolerance=1e-5, target=ct.target.iOS16):
    x = floats(*shape)

    @mb.program(input_specs=[mb.TensorSpec(shape=shape)], opset_version=target)
    def program(x):
        return mb.identity(x=build(x), name="y")

    model = ct.convert(program, convert_to="mlprogram", compute_precision=precision, minimum_deployment_target=target,
                       skip_model_load=True)
    if optimized:
        model = optimized(model)
    model.author, model.short_description = "Apus", name
    path = FOLDER / f"{name}.mlpackage"
    model.save(str(path))
    settle(path)
    result = np.asarray(expected(x), dtype=np.float32)
    output = model.get_spec().description.output[0].name
    array = lambda values: {"shape": list(values.shape), "values": [float(value) for value in values.flatten()]}
    answers[name] = {"inputs": {"x": array(x)}, "outputs": {output: array(result)}, "tolerance": tolerance}


def convolutional():
    w1, b1 = floats(8, 3, 3, 3) * 0.3, floats(8)
    depthwise, w2 = floats(8, 1, 3, 3) * 0.3, floats(12, 8, 1, 1) * 0.3
    mean, variance, gamma, beta = floats(8), np.abs(floats(8)) + 0.5, floats(8), floats(8)
    w3, b3 = floats(5, 12) * 0.3, floats(5)

    def build(x):
        x = mb.conv(x=x, weight=w1, bias=b1, pad_type="custom", pad=[1, 0, 0, 1], strides=[2, 2])
        x = mb.batch_norm(x=x, mean=mean, variance=variance, gamma=gamma, beta=beta, epsilon=np.float32(1e-3))
        x = mb.relu6(x=x)
        x = mb.conv(x=x, weight=depthwise, groups=8, pad_type="same")
        x = mb.silu(x=x)
        x = mb.max_pool(x=x, kernel_sizes=[2, 2], strides=[1, 1], pad_type="valid")
        x = mb.conv(x=x, weight=w2)
        x = mb.leaky_relu(x=x, alpha=0.1)
        x = mb.avg_pool(x=x, kernel_sizes=[3, 3], strides=[2, 2], pad_type="custom", pad=[1, 1, 1, 1], exclude_padding_from_average=True)
        x = mb.reduce_mean(x=x, axes=[2, 3], keep_dims=False)
        return mb.softmax(x=mb.linear(x=x, weight=w3, bias=b3), axis=1)

    def expected(x):
        x = run("Conv", x, w1, b1, pads=[1, 0, 0, 1], strides=[2, 2])
        x = run("BatchNormalization", x, gamma, beta, mean, variance, epsilon=1e-3)
        x = np.clip(x, 0, 6)
        x = run("Conv", x, depthwise, group=8, auto_pad="SAME_UPPER")
        x = x / (1 + np.exp(-x))
        x = run("Conv", run("MaxPool", x, kernel_shape=[2, 2]), w2)
        x = np.where(x > 0, x, np.float32(0.1) * x)
        x = run("AveragePool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
        return run("Softmax", x.mean(axis=(2, 3)) @ w3.T + b3, axis=1)

    save("convolutional", (1, 3, 17, 16), build, expected)
    save("convolutional_float16", (1, 3, 17, 16), build, expected, ct.precision.FLOAT16, tolerance=5e-3)


def attention():
    gamma, beta = floats(8), floats(8)
    w, b, out = floats(24, 8) * 0.3, floats(24), floats(8, 8) * 0.3

    def build(x):
        h = mb.layer_norm(x=x, axes=[-1], gamma=gamma, beta=beta, epsilon=np.float32(1e-5))
        qkv = mb.linear(x=h, weight=w, bias=b)
        qkv = mb.transpose(x=mb.reshape(x=qkv, shape=[1, 6, 3, 2, 4]), perm=[2, 0, 3, 1, 4])
        q, k, v = mb.split(x=qkv, num_splits=3, axis=0)
        q, k, v = (mb.squeeze(x=part, axes=[0]) for part in (q, k, v))
        scores = mb.softmax(x=mb.mul(x=mb.matmul(x=q, y=k, transpose_y=True), y=np.float32(0.5)), axis=-1)
        y = mb.reshape(x=mb.transpose(x=mb.matmul(x=scores, y=v), perm=[0, 2, 1, 3]), shape=[1, 6, 8])
        y = mb.add(x=x, y=mb.linear(x=y, weight=out))
        y = mb.gelu(x=y, mode="EXACT")
        return mb.slice_by_index(x=y, begin=[0, 1, 0], end=[1, 0, 8], stride=[1, 2, 1], begin_mask=[True, False, True],
                                 end_mask=[True, True, True])

    def expected(x):
        h = run("LayerNormalization", x, gamma, beta, axis=-1, epsilon=1e-5)
        q, k, v = (h @ w.T + b).reshape(1, 6, 3, 2, 4).transpose(2, 0, 3, 1, 4)
        scores = run("Softmax", (q @ k.transpose(0, 1, 3, 2)) * np.float32(0.5), axis=-1)
        y = x + (scores @ v).transpose(0, 2, 1, 3).reshape(1, 6, 8) @ out.T
        return (y / 2 * (1 + np.vectorize(math.erf)(y / math.sqrt(2))))[:, 1::2]

    save("attention", (1, 6, 8), build, expected)


def decoder():
    up, w = floats(4, 3, 2, 2), floats(6, 8, 3, 3) * 0.3
    slope = np.abs(floats(3))

    def build(x):
        a = mb.conv_transpose(x=x, weight=up, strides=[2, 2])
        b = mb.upsample_bilinear(x=x, scale_factor_height=2.0, scale_factor_width=2.0, align_corners=False)
        c = mb.upsample_nearest_neighbor(x=mb.reduce_max(x=x, axes=[1], keep_dims=True), scale_factor_height=2.0, scale_factor_width=2.0)
        x = mb.concat(values=[mb.prelu(x=a, alpha=slope), b, c], axis=1)
        x = mb.pad(x=x, pad=[1, 1, 1, 1], mode="reflect")
        x = mb.conv(x=x, weight=w)
        low, high = mb.split(x=x, split_sizes=[2, 4], axis=1)
        x = mb.concat(values=[mb.sigmoid(x=low), mb.clip(x=high, alpha=-0.5, beta=0.5)], axis=1)
        return mb.resize_bilinear(x=x, target_size_height=5, target_size_width=7, sampling_mode="ALIGN_CORNERS")

    def expected(x):
        a = run("ConvTranspose", x, up, strides=[2, 2])
        a = np.where(a > 0, a, slope[:, None, None] * a)
        scales = np.array([1, 1, 2, 2], np.float32)
        b = run("Resize", x, None, scales, mode="linear", coordinate_transformation_mode="half_pixel")
        c = x.max(axis=1, keepdims=True).repeat(2, 2).repeat(2, 3)
        x = np.pad(np.concatenate([a, b, c], 1), ((0, 0), (0, 0), (1, 1), (1, 1)), mode="reflect")
        x = run("Conv", x, w)
        x = np.concatenate([1 / (1 + np.exp(-x[:, :2])), np.clip(x[:, 2:], -0.5, 0.5)], 1)
        return run("Resize", x, None, None, np.array([1, 6, 5, 7]), mode="linear", coordinate_transformation_mode="align_corners")

    save("decoder", (1, 4, 6, 5), build, expected)


def negative_axes():
    """Axes counted from the end, as PyTorch exports them, and sizes by rules that ONNX lacks."""
    def build(x):
        x = mb.transpose(x=mb.concat(values=[x, mb.thresholded_relu(x=x, alpha=0.5)], axis=1, interleave=True), perm=[0, -2, 1, -1])
        low, high = mb.split(x=x, num_splits=2, axis=-2)
        x = mb.concat(values=[mb.stack(values=[low, high], axis=-1), mb.expand_dims(x=high, axes=[-1])], axis=-1)
        x = mb.reverse(x=mb.reduce_sum(x=x, axes=[-1], keep_dims=False), axes=[-1])
        return mb.resize_bilinear(x=x, target_size_height=3, target_size_width=1, sampling_mode="OFFSET_CORNERS")

    def expected(x):
        x = np.stack([x, np.where(x >= 0.5, x, 0)], axis=2).reshape(1, -1, *x.shape[2:]).transpose(0, 2, 1, 3)
        low, high = np.split(x, 2, axis=-2)
        x = (low + 2 * high)[..., ::-1]
        for axis, count in [(2, 3), (3, 1)]:
            length = x.shape[axis] - 1
            positions = np.minimum((np.arange(count) + 0.5) * max(1, length) / count, length)
            lower = np.floor(positions).astype(int)
            part = (positions - lower).reshape([-1 if a == axis else 1 for a in range(4)])
            x = np.take(x, lower, axis) * (1 - part) + np.take(x, np.minimum(lower + 1, length), axis) * part
        return x

    save("negative_axes", (1, 4, 3, 5), build, expected)


def scattering():
    """Slices of an axis, vectors, and single elements, combined with existing elements in different ways."""
    places = np.array([[2, -4], [1, 0]], dtype=np.int32)
    slices, rows, elements = floats(2, 2, 2, 5), floats(2, 5), floats(2, 4, 2)
    vectors = np.array([[0, 1], [1, 3]], dtype=np.int32)
    along = random.integers(0, 5, (2, 4, 2)).astype(np.int32)

    def build(x):
        x = mb.scatter(data=x, indices=places, updates=slices, axis=1, mode="add")
        x = mb.scatter(data=x, indices=np.array([3], dtype=np.int32), updates=slices[:, 0, :1], axis=-2, mode="update")
        x = mb.scatter_nd(data=x, indices=vectors, updates=rows, mode="sub")
        return mb.scatter_along_axis(data=x, indices=along, updates=elements, axis=-1, mode="mul")

    def expected(x):
        x = x.copy()
        for place in np.ndindex(places.shape):
            x[:, places[place]] += slices[(slice(None), *place)]
        x[:, 3] = slices[:, 0, 0]
        for vector, row in zip(vectors, rows):
            x[tuple(vector)] -= row
        for place in np.ndindex(along.shape):
            x[(*place[:-1], along[place])] *= elements[place]
        return x

    save("scattering", (2, 4, 5), build, expected)


def compressed():
    """Weights that fewer bits represent exactly."""
    for bits in [1, 2, 4, 6, 8]:
        levels = np.unique(np.round(floats(2 ** bits * 4) * 8) / 8)[:2 ** bits]
        w = random.choice(levels, (64, 40)).astype(np.float32)
        config = optimize.OptimizationConfig(global_config=optimize.OpPalettizerConfig(mode="unique", weight_threshold=0))
        save(f"palette_{bits}", (1, 40), lambda x: mb.linear(x=x, weight=w), lambda x: x @ w.T,
             optimized=lambda model: optimize.palettize_weights(model, config), tolerance=2e-3)
    w = random.integers(-127, 128, (64, 40)).astype(np.float32) / 64
    w[:, 0] = 127 / 64
    config = optimize.OptimizationConfig(global_config=optimize.OpLinearQuantizerConfig(mode="linear_symmetric", weight_threshold=0))
    save("linear_8", (1, 40), lambda x: mb.linear(x=x, weight=w), lambda x: x @ w.T,
         optimized=lambda model: optimize.linear_quantize_weights(model, config), tolerance=2e-3)
    save("linear_8_blocks", (1, 40), lambda x: mb.linear(x=x, weight=w), lambda x: x @ w.T,
         optimized=lambda model: optimize.linear_quantize_weights(model, config), tolerance=2e-3, target=ct.target.iOS18)
    sparse = np.where(random.random((64, 40)) < 0.7, 0, w).astype(np.float32)
    config = optimize.OptimizationConfig(global_config=optimize.OpThresholdPrunerConfig(threshold=1e-3, weight_threshold=0))
    save("sparse", (1, 40), lambda x: mb.linear(x=x, weight=sparse), lambda x: x @ sparse.T,
         optimized=lambda model: optimize.prune_weights(model, config), tolerance=2e-3)


#: The types of codes by their bits.
CODES = {bits: getattr(types, f"np_uint{bits}_dtype") for bits in (1, 2, 3, 4, 6)} | {8: np.uint8}


def products(name, makers):
    """The sum of products of rows with weights that operations of coremltools decompress themselves."""
    def build(x):
        return functools.reduce(lambda a, b: mb.add(x=a, y=b), [mb.matmul(x=x, y=make(), transpose_y=True) for make in makers])

    dense = []

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 24))], opset_version=ct.target.iOS18)
    def program(x):
        outputs = [make() for make in makers]
        dense.extend(np.asarray(var.op.materialized_val_inference(), np.float32) for var in outputs)
        return mb.add(x=x, y=x)

    save(name, (1, 24), build, lambda x: sum(x @ w.T for w in dense), target=ct.target.iOS18, tolerance=2e-3)


def table(shape, groups, bits, width=1, axis=None):
    """Weights as codes of some bits, with a table for each group along every axis."""
    shape = [extent // (width if axis is not None and index == axis % 2 else 1) for index, extent in enumerate(shape)]
    codes = random.integers(0, 2 ** bits, shape).astype(np.uint8).astype(CODES[bits])
    lut = floats(*groups, 2 ** bits, width)
    return lambda: mb.constexpr_lut_to_dense(indices=codes, lut=lut, **({} if axis is None else {"vector_axis": axis}))


def palettes():
    """Tables for groups of rows, of columns and of both, and tables of vectors."""
    shape = (12, 24)
    products("palette_groups", [
        table(shape, groups, bits) for groups, bits in [((1, 1), 2), ((3, 1), 2), ((1, 4), 1), ((4, 3), 4), ((12, 24), 1), ((6, 1), 3), ((2, 2), 6), ((1, 2), 8)]])
    products("palette_vectors", [
        table(shape, groups, bits, width, axis) for groups, bits, width, axis in [
            ((1, 1), 1, 3, 0), ((1, 1), 2, 4, 1), ((2, 1), 3, 2, 0), ((1, 3), 4, 2, 1), ((3, 2), 2, 4, -1), ((2, 4), 6, 1, 0)]])


def blocks():
    """Scales for blocks of rows and columns, with offsets and without."""
    def scaled(data, counts, low, high, has_offset):
        codes = random.integers(low, high, (12, 24)).astype(np.int8 if low < 0 else np.uint8).astype(data)
        scale = np.abs(floats(*counts)) + np.float32(0.1)
        offset = {"offset": random.integers(low, high, counts).astype(np.int8 if low < 0 else np.uint8).astype(data)} if has_offset else {}
        return lambda: mb.constexpr_blockwise_shift_scale(data=codes, scale=scale, **offset)

    signed, unsigned = types.np_int4_dtype, types.np_uint4_dtype
    products("blocks", [
        scaled(signed, (12, 3), -8, 8, False), scaled(signed, (3, 4), -8, 8, True), scaled(unsigned, (1, 24), 0, 16, True),
        scaled(unsigned, (6, 12), 0, 16, False), scaled(np.int8, (2, 2), -128, 128, True), scaled(np.uint8, (12, 24), 0, 256, True)])


def sparse_codes():
    """Codes only where a mask is set."""
    def mask_of(shape):
        return (random.random(shape) < 0.4).astype(np.uint8)

    def looked_up(groups, bits, width=1, axis=None):
        shape = [extent // (width if index == axis else 1) for index, extent in enumerate((12, 24))]
        mask = mask_of(shape)
        codes = random.integers(0, 2 ** bits, int(mask.sum())).astype(np.uint8).astype(CODES[bits])
        lut = floats(*groups, 2 ** bits, width)

        def make():
            parts = mb.constexpr_lut_to_sparse(
                indices_mask=mask.astype(CODES[1]), indices_nonzero_data=codes, lut=lut, **({} if axis is None else {"vector_axis": axis}))
            return mb.constexpr_sparse_to_dense(nonzero_data=parts[1], mask=parts[0])

        return make

    def scaled():
        mask = mask_of((12, 24))
        codes = random.integers(-128, 128, int(mask.sum())).astype(np.int8)
        scale = np.abs(floats(3, 4)) + np.float32(0.1)
        offset = random.integers(-20, 20, (3, 4)).astype(np.int8)

        def make():
            parts = mb.constexpr_sparse_blockwise_shift_scale(data_mask=mask.astype(CODES[1]), nonzero_data=codes, scale=scale, offset=offset)
            return mb.constexpr_sparse_to_dense(nonzero_data=parts[1], mask=parts[0])

        return make

    products("sparse_codes", [looked_up((1, 1), 2), looked_up((4, 2), 4), looked_up((1, 1), 2, 2, 0), looked_up((2, 3), 3, 4, 1), scaled()])


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for make in [convolutional, attention, decoder, compressed, negative_axes, scattering, palettes, blocks, sparse_codes]:
        make()
    (FOLDER.parent / "programs.json").write_text(json.dumps(answers, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
