"""Rounds networks to 8 bits with pictures, beside the quantizers of onnxruntime and of OpenVINO (NNCF).

    make quantization

All three get the same crops of the photos of the repository as tensors, and are compared on crops that were held back:
networks of the zoo with made-up weights, EfficientNet-Lite0 where --efficientnet names its file, and the detector of
the package nudenet. The error is the root of the mean square of the difference, divided by that of the float network's
output, of the logarithms where that are probabilities. A picture keeps its answer when its best class stays; for the
detector, when the class of its best box stays, and the two boxes have an intersection over union of at least 0.9,
counted where the float network has a score of at least 0.25.

The exit status is 1 when a classifier with real weights keeps fewer than 97 % of its classes in Apus.

The files of Apus and onnxruntime are read by both engines; what NNCF makes is run by OpenVINO. On processors without
VNNI onnxruntime adds pairs of products in 16 bits, which saturate.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import pathlib
import random
import subprocess
import sys

import nncf
import numpy
import onnx
import openvino
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from PIL import Image

from engines import run, session

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTOS = sorted((ROOT / "Tests/Fixtures/photos").iterdir())
ZOO = ["mobilenet_v2", "resnet18", "vit_ti_16"]
SEED = 1
SEEN, HELD = 100, 100
LEAST_AGREEMENT = 0.97


class Network:
    """A float network, the steps before it, and what its output says."""

    def __init__(self, name, file, size, mean, deviation, is_detector=False, is_real=False):
        self.name, self.file, self.size = name, file, size
        self.mean, self.deviation = numpy.float32(mean), numpy.float32(deviation)
        self.is_detector, self.is_real = is_detector, is_real

    def options(self):
        """The steps as options of Apus."""
        def numbers(values):
            return ",".join(repr(float(value)) for value in values)
        return ["--resize", "fill", "--scale", "1/255", "--mean", numbers(self.mean), "--std",
                numbers(self.deviation), "--channels", "rgb"]

    def tensor(self, path):
        with Image.open(path) as picture:
            values = numpy.asarray(picture, numpy.float32) / numpy.float32(255)
        return ((values - self.mean) / self.deviation).transpose(2, 0, 1)[None]


def make_crops(folder, size):
    """Parts of the photos with the network's size, in `seen` and `held`."""
    numbers = random.Random(SEED)
    for part, count in [("seen", SEEN), ("held", HELD)]:
        (folder / part).mkdir(parents=True, exist_ok=True)
        for index in range(count):
            photo = PHOTOS[index % len(PHOTOS)]
            with Image.open(photo) as opened:
                picture = opened.convert("RGB")
            side = int(min(picture.size) * numbers.uniform(0.5, 1))
            x, y = (numbers.randint(0, extent - side) for extent in picture.size)
            crop = picture.crop((x, y, x + side, y + side)).resize((size, size), Image.Resampling.BICUBIC)
            crop.save(folder / part / f"{index:03}-{photo.stem}.png")
    return [sorted((folder / part).iterdir()) for part in ["seen", "held"]]


def by_onnxruntime(model, tensors):
    engine = session(model)
    name = engine.get_inputs()[0].name
    return numpy.concatenate([engine.run(None, {name: tensor})[0] for tensor in tensors])


def by_apus(apus, model, tensors, folder):
    """The first output of each tensor, computed in batches where the file leaves their size open."""
    entry = session(model).get_inputs()[0]
    name, count = entry.name, entry.shape[0] if isinstance(entry.shape[0], int) else 25
    batches = [numpy.concatenate(tensors[first:first + count]) for first in range(0, len(tensors), count)]
    return numpy.concatenate([run(apus, model, name, batch, folder) for batch in batches])


def by_openvino(model, tensors):
    compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return numpy.concatenate([compiled(tensor)[0] for tensor in tensors])


class Reader(CalibrationDataReader):
    def __init__(self, name, tensors):
        self.values = iter([{name: tensor} for tensor in tensors])

    def get_next(self):
        return next(self.values, None)


def quantized_by_apus(apus, network, folder):
    file = folder / f"{network.name}-apus.onnx"
    report = json.loads(subprocess.run(
        [apus, "quantize", network.file, "--calibrate", folder / "seen", "--pictures", str(SEEN), *network.options(),
         *(["--task", "detect"] if network.is_detector else []), "--json", "--quiet", "--force", "-o", file],
        check=True, stdout=subprocess.PIPE, text=True).stdout)
    return file, report["floatLayerCount"]


def quantized_by_onnxruntime(network, tensors, folder):
    prepared, file = folder / f"{network.name}-prepared.onnx", folder / f"{network.name}-onnxruntime.onnx"
    model = onnx.load(network.file)
    # This quantizer leaves out weights that are nodes.
    for node in [node for node in model.graph.node if node.op_type == "Constant"]:
        model.graph.initializer.append(node.attribute[0].t)
        model.graph.initializer[-1].name = node.output[0]
        model.graph.node.remove(node)
    # It keeps the weights of a model that it gets as a file, those that are shapes included.
    onnx.save(model, file)
    quant_pre_process(file, prepared, skip_symbolic_shape=True)
    model = onnx.load(prepared)
    for index, node in enumerate(model.graph.node):
        node.name = f"{index} {node.op_type}"
    # Probabilities in 8 bits would be those of few classes.
    ends = [node.name for node in model.graph.node if node.op_type == "Softmax"]
    quantize_static(model, file, Reader(session(prepared).get_inputs()[0].name, tensors), nodes_to_exclude=ends,
                    quant_format=QuantFormat.QDQ, per_channel=True, activation_type=QuantType.QUInt8,
                    weight_type=QuantType.QInt8)
    return file


def quantized_by_nncf(network, tensors):
    model = openvino.Core().read_model(network.file)
    kind = nncf.ModelType.TRANSFORMER if network.name.startswith("vit") else None
    with contextlib.redirect_stdout(io.StringIO()):
        return nncf.quantize(model, nncf.Dataset(tensors), subset_size=len(tensors), model_type=kind,
                             target_device=nncf.TargetDevice.CPU)


def error(found, expected):
    if numpy.allclose(expected.sum(-1), 1, atol=1e-3) and expected.min() >= 0:
        found, expected = (numpy.log(numpy.maximum(values, 1e-30)) for values in (found, expected))
        found, expected = (values - values.mean(-1, keepdims=True) for values in (found, expected))
    return float(numpy.sqrt(numpy.square(found - expected).mean() / numpy.square(expected).mean()))


def overlap(a, b):
    """The intersection over union of two boxes of center, width and height."""
    low = numpy.maximum(a[:2] - a[2:] / 2, b[:2] - b[2:] / 2)
    high = numpy.minimum(a[:2] + a[2:] / 2, b[:2] + b[2:] / 2)
    shared = numpy.maximum(high - low, 0).prod()
    return shared / (a[2:].prod() + b[2:].prod() - shared)


def kept(network, found, expected):
    """The number of pictures that keep their answer, and of those that count."""
    if not network.is_detector:
        return int((found.argmax(-1) == expected.argmax(-1)).sum()), len(expected)
    same = count = 0
    for ours, theirs in zip(found, expected):
        places = [numpy.unravel_index(values[4:].argmax(), values[4:].shape) for values in (ours, theirs)]
        if theirs[4:].max() < 0.25:
            continue
        count += 1
        boxes = [values[:4, place[1]] for values, place in zip((ours, theirs), places)]
        same += places[0][0] == places[1][0] and overlap(*boxes) >= 0.9
    return int(same), count


def compare(apus, network, folder, failures):
    folder = folder / f"crops-{network.size}"
    seen, held = ([network.tensor(path) for path in part] for part in make_crops(folder, network.size))
    expected = by_onnxruntime(network.file, held)

    def row(quantizer, engine, found):
        same, count = kept(network, found, expected)
        print(f"{network.name:20} {quantizer:12} {engine:12} {error(found, expected):8.4f}   {same} of {count}",
              flush=True)
        return same, count

    file, float_layers = quantized_by_apus(apus, network, folder)
    same, count = row(f"apus ({float_layers})", "apus", by_apus(apus, file, held, folder))
    if network.is_real and not network.is_detector and same < LEAST_AGREEMENT * count:
        failures.append(f"{network.name}: {same} of {count} keep their answer")
    row(f"apus ({float_layers})", "onnxruntime", by_onnxruntime(file, held))
    peer = quantized_by_onnxruntime(network, seen, folder)
    row("onnxruntime", "apus", by_apus(apus, peer, held, folder))
    row("onnxruntime", "onnxruntime", by_onnxruntime(peer, held))
    row("NNCF", "openvino", by_openvino(quantized_by_nncf(network, seen), held))


def main():
    parser = argparse.ArgumentParser(prog="networks", description=__doc__.splitlines()[0])
    parser.add_argument("apus")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--efficientnet", type=pathlib.Path)
    parser.add_argument("--only", default="", help="a part of the names of networks")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    networks = []
    for name in ZOO:
        file = options.folder / f"{name}.onnx"
        subprocess.run([options.apus, "export", f"zoo:{name}", "-o", file, "--force"], check=True,
                       stdout=subprocess.DEVNULL)
        networks.append(Network(name, file, 224, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    if options.efficientnet:
        networks.append(Network("efficientnet_lite0", options.efficientnet, 224, [127 / 255] * 3, [128 / 255] * 3,
                                is_real=True))
    package = importlib.util.find_spec("nudenet")
    if package:
        networks.append(Network("nudenet_320n", pathlib.Path(package.origin).parent / "320n.onnx", 320, [0] * 3,
                                [1] * 3, is_detector=True, is_real=True))
    nncf.set_log_level("ERROR")
    failures = []
    print(f"{'network':20} {'quantized by':12} {'run by':12} {'error':>8}   pictures that keep their answer")
    for network in networks:
        if options.only in network.name:
            compare(options.apus, network, options.folder, failures)
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
