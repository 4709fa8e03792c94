"""Rounds the weights of products to 8 and 4 bits, and measures the changes of answers, beside onnxruntime's quantizer.

    make quantization

- ViT-Ti/16 and ViT-S/16 of the zoo, with made-up weights: the errors of their outputs, which have to be at most those
  of `onnxruntime.quantization.quantize_dynamic`, in Apus and in onnxruntime, and how far both engines differ.
- The recogniser of PP-OCR in the package rapidocr-onnxruntime: the best class of every step of lines of random words,
  of which 97 % have to stay with `--dynamic`, and the lines that are read as before.
- EfficientNet-Lite0, where --efficientnet names its file: the best classes of photos and crops.

Errors are the root of the mean square of the difference, divided by that of the float network's output.
"""

import argparse
import importlib.util
import pathlib
import random
import string
import subprocess
import sys

import numpy
import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic
from PIL import Image, ImageDraw, ImageFont

from engines import run, session

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTOS = sorted((ROOT / "Tests/Fixtures/photos").iterdir())
SEED = 1
LEAST_AGREEMENT = 0.97


def peer(model, values):
    """The first output of a model in onnxruntime."""
    engine = session(model)
    return engine.run(None, {engine.get_inputs()[0].name: values})[0]


def error(found, expected):
    return float(numpy.sqrt(numpy.square(found - expected).mean() / numpy.square(expected).mean()))


def quantize(apus, model, output, *options):
    subprocess.run([apus, "quantize", model, *options, "-o", output, "--force"], check=True, stdout=subprocess.DEVNULL)
    return output


def scores(probabilities):
    """Scores whose softmax the probabilities are, with the mean 0."""
    logarithms = numpy.log(numpy.maximum(probabilities, 1e-30))
    return logarithms - logarithms.mean(axis=-1, keepdims=True)


def transformers(apus, folder, failures):
    print(f"{'':24} {'apus':>8} {'read by':>8} {'between':>8}   of outputs with made-up weights")
    print(f"{'':24} {'':>8} {'ort':>8} {'both':>8}")
    for network in ["vit_ti_16", "vit_s_16"]:
        model = folder / f"{network}.onnx"
        subprocess.run([apus, "export", f"zoo:{network}", "-o", model, "--force"], check=True,
                       stdout=subprocess.DEVNULL)
        values = numpy.random.default_rng(SEED).standard_normal((2, 3, 224, 224)).astype(numpy.float32)
        name = session(model).get_inputs()[0].name
        expected = scores(peer(model, values))
        errors = {}
        forms = {
            "--dynamic": quantize(apus, model, folder / "dynamic.onnx", "--dynamic"),
            "--weights 4": quantize(apus, model, folder / "narrow.onnx", "--weights", "4"),
            "ort, by channel": folder / "peer-by-channel.onnx",
            "ort": folder / "peer.onnx",
        }
        for by_channel in [True, False]:
            quantize_dynamic(model, forms["ort, by channel" if by_channel else "ort"], per_channel=by_channel,
                             weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul", "Gemm"])
        for form, file in forms.items():
            ours, theirs = scores(run(apus, file, name, values, folder)), scores(peer(file, values))
            errors[form] = error(ours, expected)
            print(f"{network + ' ' + form:24} {errors[form]:8.4f} {error(theirs, expected):8.4f}"
                  f" {error(ours, theirs):8.4f}")
        if errors["--dynamic"] > errors["ort, by channel"]:
            failures.append(f"{network}: --dynamic is further off than onnxruntime's quantizer")


def lines(count):
    """Lines of random words and numbers on parts of the photos, as the recogniser takes them."""
    numbers = random.Random(SEED)
    pictures = []
    for index in range(count):
        with Image.open(PHOTOS[index % len(PHOTOS)]) as opened:
            picture = opened.convert("RGB")
        x, y = numbers.randint(0, picture.size[0] - 320), numbers.randint(0, picture.size[1] - 48)
        part = Image.blend(picture.crop((x, y, x + 320, y + 48)), Image.new("RGB", (320, 48), "white"), 0.6)
        words = " ".join("".join(numbers.choices(string.ascii_letters + string.digits, k=numbers.randint(2, 6)))
                         for _ in range(3))
        ImageDraw.Draw(part).text((6, numbers.randint(2, 10)), words, "black",
                                  ImageFont.load_default(numbers.randint(22, 30)))
        pictures.append((numpy.asarray(part, numpy.float32)[:, :, ::-1] / 127.5 - 1).transpose(2, 0, 1))
    return numpy.stack(pictures).astype(numpy.float32)


def read_alike(found, expected):
    """The number of lines of the same characters: best classes without repetitions and blanks, which are 0."""
    def texts(values):
        return [[best for index, best in enumerate(row) if best and (index == 0 or row[index - 1] != best)]
                for row in values.argmax(-1)]
    return sum(a == b for a, b in zip(texts(found), texts(expected)))


def recogniser(apus, folder, failures):
    package = importlib.util.find_spec("rapidocr_onnxruntime")
    if package is None:
        print("PP-OCR is left out: the package rapidocr-onnxruntime is not there")
        return
    # The form of its Softmax in ONNX depends on extents that the file leaves open.
    network = onnx.load(pathlib.Path(package.origin).parent / "models/ch_PP-OCRv4_rec_infer.onnx")
    for dimension, extent in zip(network.graph.input[0].type.tensor_type.shape.dim, [None, 3, 48, 320]):
        if extent:
            dimension.dim_value = extent
    # The quantizer of onnxruntime leaves weights out that are nodes.
    for node in [node for node in network.graph.node if node.op_type == "Constant"]:
        network.graph.initializer.append(node.attribute[0].t)
        network.graph.initializer[-1].name = node.output[0]
        network.graph.node.remove(node)
    model = folder / "recogniser-float.onnx"
    onnx.save(network, model)
    values = lines(48)
    name = session(model).get_inputs()[0].name
    expected = run(apus, model, name, values, folder)
    for options in [["--dynamic"], ["--weights", "4"]]:
        file = quantize(apus, model, folder / "recogniser.onnx", *options)
        found, theirs = run(apus, file, name, values, folder), peer(file, values)
        same = found.argmax(-1) == expected.argmax(-1)
        kept = same.mean()
        print(f"PP-OCR {' '.join(options)}: {100 * kept:.2f} % of {same.size} steps keep their best class,"
              f" {read_alike(found, expected)} of {len(same)} lines are read alike, error {error(found, expected):.4f},"
              f" in onnxruntime {error(theirs, expected):.4f}")
        if options == ["--dynamic"] and kept < LEAST_AGREEMENT:
            failures.append(f"PP-OCR: {100 * kept:.2f} % of steps keep their best class")
    file = folder / "recogniser-peer.onnx"
    quantize_dynamic(model, file, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul", "Gemm"])
    found = peer(file, values)
    same = found.argmax(-1) == expected.argmax(-1)
    print(f"PP-OCR by onnxruntime's quantizer: {100 * same.mean():.2f} % of steps, {read_alike(found, expected)} lines,"
          f" error {error(found, expected):.4f}")


def classes(apus, model, pictures):
    answer = subprocess.run([apus, "predict", model, *pictures, "--format", "csv", "--top", "1"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout.splitlines()
    place = answer[0].split(",").index("index_1")
    return [line.split(",")[place] for line in answer[1:]]


def classifier(apus, folder, model, failures):
    if model is None:
        print("EfficientNet-Lite0 is left out: --efficientnet names no file")
        return
    pictures = [*PHOTOS, folder / "held"]
    calibration = [word for path in [*PHOTOS, folder / "seen"] for word in ["--calibrate", path]]
    expected = classes(apus, model, pictures)
    for options in [["--dynamic"], ["--weights", "4"], [*calibration, "--pictures", "200"]]:
        file = quantize(apus, model, folder / "classifier.onnx", *options)
        found = classes(apus, file, pictures)
        kept = sum(a == b for a, b in zip(expected, found))
        kind = "--calibrate" if options[0] == "--calibrate" else " ".join(options)
        print(f"EfficientNet-Lite0 {kind}: {kept} of {len(expected)} photos and crops keep their best class")
        if kept < LEAST_AGREEMENT * len(expected) and kind != "--weights 4":
            failures.append(f"EfficientNet-Lite0 {kind}: too few keep their best class")


def main():
    parser = argparse.ArgumentParser(prog="products", description=__doc__.splitlines()[0])
    parser.add_argument("apus")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--efficientnet", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failures = []
    transformers(options.apus, options.folder, failures)
    recogniser(options.apus, options.folder, failures)
    classifier(options.apus, options.folder, options.efficientnet, failures)
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
