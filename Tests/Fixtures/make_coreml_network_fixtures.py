"""Makes Tests/Fixtures/coreml/networks.json: small networks of Core ML, many with extents that the file leaves open.

    pip install coremltools==9.0 numpy
    python Tests/Fixtures/make_coreml_network_fixtures.py

Each case has a model file and the answer of NumPy. Open extents are given otherwise than the file's defaults.
"""

import base64
import json
import logging
import pathlib
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import get_new_symbol, types

RNG = np.random.default_rng(0)
CASES = []


def numbers(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def pack(array):
    array = np.ascontiguousarray(array)
    return {"type": str(array.dtype), "shape": list(array.shape), "data": base64.b64encode(array.tobytes()).decode()}


def convert(shapes, program, to="mlprogram", target=ct.target.iOS18, kinds=None, **options):
    specs = [mb.TensorSpec(shape=shape, dtype=(kinds or {}).get(index, types.fp32)) for index, shape in enumerate(shapes)]
    if to == "mlprogram":
        options.update(minimum_deployment_target=target, compute_precision=ct.precision.FLOAT32)
        made = mb.program(input_specs=specs, opset_version=target)(program)
    else:
        made = mb.program(input_specs=specs)(program)
    return ct.convert(made, convert_to=to, skip_model_load=True, **options).get_spec()


def add(name, spec, inputs, outputs, tolerance=1e-6):
    names = [feature.name for feature in spec.description.output]
    spec.description.metadata.userDefined.clear()
    CASES.append({
        "name": name, "model": base64.b64encode(spec.SerializeToString(deterministic=True)).decode(),
        "tolerance": tolerance,
        "inputs": {key: pack(value) for key, value in inputs.items()},
        "outputs": {key: pack(value) for key, value in zip(names, outputs)},
    })


def case(name, shapes, program, given, outputs, tolerance=1e-6, **options):
    spec = convert(shapes, program, **options)
    names = [feature.name for feature in spec.description.input]
    add(name, spec, dict(zip(names, given)), outputs, tolerance)


def extents(x):
    shape = mb.shape(x=x)
    return [mb.slice_by_index(x=shape, begin=[axis], end=[axis + 1]) for axis in range(4)]


def joined(*values):
    return mb.concat(values=[np.array(value, np.int32) if isinstance(value, list) else value for value in values], axis=0)


def flexible():
    def end(x):
        _, _, height, width = extents(x)
        return mb.slice_by_index(x=x, begin=[0, 0, 0, 0], end=joined([1, 3], mb.sub(x=height, y=np.array([1], np.int32)), width))

    def begin(x):
        _, _, height, _ = extents(x)
        half = mb.floor_div(x=height, y=np.array([2], np.int32))
        return mb.slice_by_index(x=x, begin=joined([0, 0], half, [0]), end=[1, 3, 0, 0], end_mask=[True] * 4)

    def size(x):
        _, _, height, width = extents(x)
        sizes = joined([1, 3], mb.sub(x=height, y=np.array([2], np.int32)), width)
        return mb.slice_by_size(x=x, begin=[0, 0, 1, 0], size=sizes)

    def repeated(x):
        _, _, height, width = extents(x)
        return mb.tile(x=mb.reduce_mean(x=x, axes=[2, 3], keep_dims=True), reps=joined([1, 1], height, width))

    def interleaved(x):
        return mb.concat(values=[x, mb.mul(x=x, y=np.float32(2))], axis=1, interleave=True)

    def upsampled(x):
        return mb.upsample_bilinear(x=x, scale_factor_height=1.5, scale_factor_width=2.5, align_corners=False)

    x = numbers(1, 3, 12, 9)
    pairs = np.stack([x, 2 * x], 2).reshape(1, 6, 12, 9)
    for name, program, expected, tolerance in [
        ("slice_end", end, x[:, :, :-1], 0), ("slice_begin", begin, x[:, :, 6:], 0),
        ("slice_size", size, x[:, :, 1:-1], 0),
        ("tile", repeated, np.broadcast_to(x.mean((2, 3), keepdims=True), x.shape), 1e-6),
        ("interleaved", interleaved, pairs, 0), ("upsampled", upsampled, interpolated(x, 18, 22, "centers"), 1e-5),
    ]:
        side = ct.RangeDim(4, 64, default=8)
        # Neural networks do not take masks beside a begin that is computed.
        for to in ["mlprogram", "neuralnetwork"][: 1 if name == "slice_begin" else 2]:
            shape = (1, 3, get_new_symbol(), get_new_symbol())
            case(f"open_{name}_{to}", [shape], program, [x], [expected], tolerance, to=to,
                 inputs=[ct.TensorType(name="x", shape=(1, 3, side, side))])


def interpolated(x, height, width, sampling):
    def taken(x, axis, count):
        extent = x.shape[axis]
        places = np.arange(count, dtype=np.float64)
        if sampling == "corners":
            places = places * (extent - 1) / max(count - 1, 1)
        else:
            places = (places + 0.5) * extent / count - 0.5
        places = np.clip(places, 0, extent - 1)
        low = np.floor(places).astype(int)
        share = (places - low).reshape([-1 if other == axis else 1 for other in range(x.ndim)])
        return np.take(x, low, axis) * (1 - share) + np.take(x, np.minimum(low + 1, extent - 1), axis) * share

    return taken(taken(x.astype(np.float64), 2, height), 3, width).astype(np.float32)


def upsampling():
    x = numbers(1, 2, 5, 7)
    for corners in [True, False]:
        for vertical, horizontal in [(1.6, 1.5), (0.6, 0.5), (2, 3)]:
            expected = interpolated(x, int(5 * vertical + 1e-4), int(7 * horizontal), "corners" if corners else "centers")
            for to in ["mlprogram", "neuralnetwork"]:
                case(f"upsample_{vertical}_{horizontal}_{corners}_{to}", [(1, 2, 5, 7)],
                     lambda x: mb.upsample_bilinear(x=x, scale_factor_height=vertical, scale_factor_width=horizontal,
                                                    align_corners=corners),
                     [x], [expected], 1e-5, to=to, **({"target": ct.target.iOS15} if to == "mlprogram" else {}))


def arithmetic():
    x = np.arange(-5, 5, dtype=np.int32).reshape(2, 5)
    for divisor in [3, -3, 2]:
        case(f"floor_div_{divisor}", [(2, 5)], lambda x: mb.floor_div(x=x, y=np.int32(divisor)), [x], [x // divisor],
             kinds={0: types.int32})
    x = np.array([[1e10, -5.3, 6, -6, 5, -7.5]], np.float32)
    y = np.array([3, 0.1, np.inf, 4, -3, 0.7], np.float32)
    case("mod", [(1, 6)], lambda x: mb.mod(x=x, y=y), [x], [np.mod(x, y)])


def pools():
    x = np.arange(49, dtype=np.float32).reshape(1, 1, 7, 7)
    # The numbers of Core ML in https://github.com/apple/coremltools/pull/2844.
    expected = np.array([[4, 7, 4.75], [25, 28, 15.25], [21.25, 22.75, 12]], np.float32).reshape(1, 1, 3, 3)
    case("average_ceil", [(1, 1, 7, 7)],
         lambda x: mb.avg_pool(x=x, kernel_sizes=[2, 2], strides=[3, 3], pad_type="custom", pad=[0, 0, 0, 0],
                               ceil_mode=True, exclude_padding_from_average=False), [x], [expected])


def boxes():
    """Positions outside the picture have the given number, as in TensorFlow's crop_and_resize."""
    x = np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4) + 1
    for name, box, pad in [("outside", [-1, -1, 4, 4], 9), ("inside", [0, 1, 3, 3], 9), ("default", [1, -2, 5, 2], None)]:
        def sampled(first, last, count):
            return first + np.arange(count) * (last - first) / (count - 1)

        rows, columns = sampled(box[0], box[2], 6), sampled(box[1], box[3], 5)
        expected = np.full((2, 6, 5), pad or 0, np.float32)
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                if not (0 <= row <= 3 and 0 <= column <= 3):
                    continue
                top, left = int(row), int(column)
                bottom, right = min(top + 1, 3), min(left + 1, 3)
                down, across = row - top, column - left
                expected[:, i, j] = (
                    (x[0, :, top, left] * (1 - across) + x[0, :, top, right] * across) * (1 - down)
                    + (x[0, :, bottom, left] * (1 - across) + x[0, :, bottom, right] * across) * down)
        options = {} if pad is None else {"pad_value": np.float32(pad)}
        case(f"crop_{name}", [(1, 2, 4, 4)],
             lambda x: mb.crop_resize(
                 x=x, roi=np.array(box, np.float32).reshape(1, 1, 4, 1, 1), target_height=6, target_width=5,
                 normalized_coordinates=False, spatial_scale=1.0, box_coordinate_mode="CORNERS_HEIGHT_FIRST",
                 sampling_mode="STRICT_ALIGN_CORNERS", **options),
             [x], [expected.reshape(1, 1, 2, 6, 5)], 1e-5, target=ct.target.iOS16)


def optional():
    x, s = numbers(2, 3), np.array([1, 2, 3], np.float32)
    for name, inputs, expected in [("given", {"x": x, "s": s}, x * s), ("left_out", {"x": x}, x * 2.5)]:
        spec = convert([(2, 3), (3,)], lambda x, s: mb.mul(x=x, y=s), inputs=[
            ct.TensorType(name="x", shape=(2, 3)),
            ct.TensorType(name="s", shape=(3,), default_value=np.full(3, 2.5, np.float32))])
        add(f"optional_{name}", spec, inputs, [expected])


def pictures():
    """One pixel, red, of a network that gives the picture that it takes, in the orders of colors of its name."""
    for given in ["RGB", "BGR"]:
        for made in ["RGB", "BGR"]:
            layouts = {"RGB": ct.colorlayout.RGB, "BGR": ct.colorlayout.BGR}
            spec = convert([(1, 3, 8, 6)], lambda x: mb.relu(x=x, name="y"),
                           inputs=[ct.ImageType(name="x", shape=(1, 3, 8, 6), color_layout=layouts[given])])
            image = spec.description.output[0].type.imageType
            image.width, image.height, image.colorSpace = 6, 8, {"RGB": 20, "BGR": 30}[made]
            add(f"picture_{given}_{made}", spec, {}, [])


def classifiers():
    def probabilities(x):
        return mb.softmax(x=mb.reduce_mean(x=x, axes=[2, 3]), axis=-1, name="probabilities")

    spec = convert([(1, 3, 8, 8)], probabilities, inputs=[ct.ImageType(name="x", shape=(1, 3, 8, 8))],
                   classifier_config=ct.ClassifierConfig([10, 7, 22]))
    add("integer_labels", spec, {}, [])


def functions():
    """A program of two functions, of which the second is the default one."""
    x = numbers(1, 4)
    spec = convert([(1, 4)], lambda x: mb.relu(x=x, name="y"))
    spec.mlProgram.functions["other"].CopyFrom(convert([(1, 4)], lambda x: mb.abs(x=x, name="y")).mlProgram.functions["main"])
    for name in ["main", "other"]:
        function = spec.description.functions.add()
        function.name = name
        function.input.extend(spec.description.input)
        function.output.extend(spec.description.output)
    spec.description.defaultFunctionName = "other"
    add("functions", spec, {"x": x}, [np.abs(x)])


if __name__ == "__main__":
    for make in [flexible, upsampling, arithmetic, pools, boxes, optional, pictures, classifiers, functions]:
        make()
    path = pathlib.Path(__file__).parent / "coreml" / "networks.json"
    path.write_text(json.dumps(CASES, indent=1) + "\n")
    print(f"{len(CASES)} cases, {path.stat().st_size} bytes")
