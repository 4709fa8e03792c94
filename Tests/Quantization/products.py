"""Rounds the weights of products to 8 and 4 bits, and measures the changes of answers, beside onnxruntime's quantizer.

    make quantization

- ViT-Ti/16 and ViT-S/16 of the zoo, with made-up weights: the errors of their outputs, which have to be at most those of
  `onnxruntime.quantization.quantize_dynamic`, with which onnxruntime reads the files, and how far both engines differ.
- The recogniser of PP-OCR in the package rapidocr-onnxruntime: the best class of every step of crops of the photos,
  of which 97 % have to stay with `--dynamic`.
- EfficientNet-Lite0, where --efficientnet names its file: the best classes of photos and crops.

Errors are the root of the mean square of the difference, divided by that of the float network's output.
"""

import argparse
import importlib.util
import pathlib
import random
import subprocess
import sys

import numpy
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTOS = sorted((ROOT / "Tests/Fixtures/photos").iterdir())
SEED = 1
LEAST_AGREEMENT = 0.97


def run(apus, model, name, values, folder):
    """The first output of a model in Apus."""
    numpy.save(folder / "input.npy", values)
    found = folder / "found"
    for old in found.glob("*.npy"):
        old.unlink()
    subprocess.run([apus, "run", model, "--input", f"{name}={folder / 'input.npy'}", "-o", found, "--json", "--force"],
                   check=True, stdout=subprocess.DEVNULL)
    (file,) = found.glob("*.npy")
    return numpy.load(file)


def session(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


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
    """Parts of the photos in the extents of lines of text, as the recogniser takes them."""
    numbers = random.Random(SEED)
    pictures = []
    for index in range(count):
        with Image.open(PHOTOS[index % len(PHOTOS)]) as opened:
            picture = opened.convert("RGB")
        height = int(min(picture.size) * numbers.uniform(0.05, 0.12))
        width = min(picture.size[0], height * 320 // 48)
        x, y = numbers.randint(0, picture.size[0] - width), numbers.randint(0, picture.size[1] - height)
        part = picture.crop((x, y, x + width, y + height)).resize((320, 48), Image.Resampling.BILINEAR)
        pictures.append((numpy.asarray(part, numpy.float32)[:, :, ::-1] / 127.5 - 1).transpose(2, 0, 1))
    return numpy.stack(pictures).astype(numpy.float32)


def recogniser(apus, folder, failures):
    package = importlib.util.find_spec("rapidocr_onnxruntime")
    if package is None:
        print("PP-OCR is left out: the package rapidocr-onnxruntime is not there")
        return
    model = pathlib.Path(package.origin).parent / "models/ch_PP-OCRv4_rec_infer.onnx"
    values = lines(48)
    name = session(model).get_inputs()[0].name
    expected = run(apus, model, name, values, folder)
    for options in [["--dynamic"], ["--weights", "4"]]:
        file = quantize(apus, model, folder / "recogniser.onnx", *options)
        found, theirs = run(apus, file, name, values, folder), peer(file, values)
        kept = (found.argmax(-1) == expected.argmax(-1)).mean()
        print(f"PP-OCR {' '.join(options)}: {100 * kept:.2f} % of {expected[..., 0].size} steps keep their best class,"
              f" error {error(found, expected):.4f}, in onnxruntime {error(theirs, expected):.4f}")
        if options == ["--dynamic"] and kept < LEAST_AGREEMENT:
            failures.append(f"PP-OCR: {100 * kept:.2f} % of steps keep their best class")
    file = folder / "recogniser-peer.onnx"
    quantize_dynamic(model, file, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul", "Gemm"])
    found = peer(file, values)
    print(f"PP-OCR by onnxruntime's quantizer: {100 * (found.argmax(-1) == expected.argmax(-1)).mean():.2f} %,"
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
