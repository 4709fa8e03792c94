"""Quantizes SqueezeNet 1.1 with crops of the photos of the repository, and measures the changes of its answers.

    make quantization

`apus quantize` uses half of the crops; the others are held back. The exit status is 1 unless each photo and at least
97 % of the crops held back keep their best class, and onnxruntime gives the same answers for the quantized file.
"""

import argparse
import csv
import json
import pathlib
import random
import shutil
import subprocess
import sys

import numpy
import onnxruntime
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "Tests/Fixtures/models"
PHOTOS = sorted((ROOT / "Tests/Fixtures/photos").iterdir())
SEED = 1
CROPS_OF_A_PHOTO = 50
LEAST_AGREEMENT = 0.97


def make_crops(folder):
    """Random parts of every photo, alternately in `seen` and `held`."""
    numbers = random.Random(SEED)
    for part in ["seen", "held"]:
        (folder / part).mkdir(parents=True, exist_ok=True)
    for photo in PHOTOS:
        with Image.open(photo) as opened:
            picture = opened.convert("RGB")
        for index in range(CROPS_OF_A_PHOTO):
            side = int(min(picture.size) * numbers.uniform(0.5, 1))
            x, y = (numbers.randint(0, extent - side) for extent in picture.size)
            part = "seen" if index % 2 == 0 else "held"
            picture.crop((x, y, x + side, y + side)).save(folder / part / f"{photo.stem}-{index:02}.png")


def classes(apus, model, pictures):
    """The best class of each picture, by its file's name."""
    answer = subprocess.run([apus, "predict", model, *pictures, "--format", "csv", "--top", "1"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    return {pathlib.Path(row["id"]).name: int(row["index_1"]) for row in csv.DictReader(answer.splitlines())}


def pixels(path):
    """Preprocesses as squeezenet1_1.preprocessor_config.json says: resized, blue first, minus the means."""
    configuration = json.loads((MODELS / "squeezenet1_1.preprocessor_config.json").read_text())
    with Image.open(path) as picture:
        resized = picture.convert("RGB").resize((configuration["size"]["width"], configuration["size"]["height"]),
                                                configuration["resample"])
    values = (numpy.asarray(resized, numpy.float32) - configuration["image_mean"]) / configuration["image_std"]
    return values[:, :, ::-1].astype(numpy.float32).transpose(2, 0, 1)[None]


def main():
    parser = argparse.ArgumentParser(prog="quantization", description=__doc__.splitlines()[0])
    parser.add_argument("apus")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    make_crops(options.folder)
    model, quantized = MODELS / "squeezenet1_1.onnx", options.folder / "squeezenet1_1-int8.onnx"
    shutil.copy(MODELS / "squeezenet1_1.preprocessor_config.json",
                options.folder / "squeezenet1_1-int8.preprocessor_config.json")
    calibration = [word for path in [*PHOTOS, options.folder / "seen"] for word in ["--calibrate", path]]
    subprocess.run([options.apus, "quantize", model, *calibration, "--pictures", "200", "-o", quantized], check=True)
    failures = []
    expected, found = (classes(options.apus, file, PHOTOS) for file in (model, quantized))
    kept = sum(expected[name] == found[name] for name in expected)
    print(f"{kept} of {len(expected)} photos keep their best class")
    failures += [f"{name}: {expected[name]} became {found[name]}" for name in expected if expected[name] != found[name]]
    expected, found = (classes(options.apus, file, [options.folder / "held"]) for file in (model, quantized))
    kept = sum(expected[name] == found[name] for name in expected)
    print(f"{kept} of {len(expected)} crops that were held back keep their best class: {100 * kept / len(expected):.1f} %")
    if kept < LEAST_AGREEMENT * len(expected):
        failures.append("too few crops keep their best class")

    session = onnxruntime.InferenceSession(quantized, providers=["CPUExecutionProvider"])
    (entry,) = session.get_inputs()
    same = 0
    for path in sorted((options.folder / "held").iterdir()):
        (scores,) = session.run(None, {entry.name: pixels(path)})
        same += int(scores.argmax()) == found[path.name]
    print(f"onnxruntime gives {same} of {len(found)} the same best class")
    if same < LEAST_AGREEMENT * len(found):
        failures.append("onnxruntime answers otherwise")
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
