"""Times Apus beside onnxruntime, OpenVINO, ncnn and MNN on the same networks, each engine in a process of its own.

    make bench-peers ARGUMENTS="--networks resnet18,resnet50 --batches 1"

Each engine loads the same ONNX file with random weights and is warmed up. Then the engines are timed in rounds; all but
the timed one are stopped. A peer that cannot be installed or cannot run a network is reported with the reason.
"""

import argparse
import json
import os
import subprocess
import sys

from chart import chart
import integers
from environment import PACKAGES, Environment
from measurement import APUS, APUS_IN_FLOAT32, Case, Measurement
from report import Report

# Name and input size.
NETWORKS = {
    "squeezenet1_1": 224,
    "resnet18": 224,
    "resnet50": 224,
    "inception_v1": 224,
    "inception_v3": 299,
    "mobilenet_v2": 224,
    "convnext_tiny": 224,
    "deeplab_v3_mobilenet_v3_large": 520,
    "densenet121": 224,
    "efficientnet_b0": 224,
    "efficientnet_v2_s": 384,
    "mobilenet_v3_large": 224,
    "regnet_y_1_6gf": 224,
    "resnext50_32x4d": 224,
    "swin_t": 224,
    "unet": 256,
    "vit_b_16": 224,
    "vit_s_16": 224,
    "vit_ti_16": 224,
    "yolov8n": 640,
}
# Those that are timed unless others are named.
CUSTOMARY = ["squeezenet1_1", "resnet18", "resnet50", "inception_v1", "inception_v3", "mobilenet_v2"]
CACHE = ".cache/bench-peers"
ENGINES = ["onnxruntime", "openvino", "ncnn", "mnn"]
INTEGER_ENGINES = ["onnxruntime", "openvino", "litert"]
BFLOAT16_ENGINES = ["onnxruntime", "openvino", "pytorch", APUS_IN_FLOAT32]


def arguments():
    def names(known):
        def parse(text):
            unknown = [name for name in text.split(",") if name not in known]
            if unknown:
                raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(known)}")
            return text.split(",")
        return parse

    engines = [*PACKAGES, APUS_IN_FLOAT32, APUS]
    parser = argparse.ArgumentParser(prog="bench-peers", description=__doc__.splitlines()[0])
    parser.add_argument("--networks", type=names(NETWORKS), default=CUSTOMARY, help="names with commas")
    parser.add_argument("--integers", action="store_true", help="networks of 8-bit integers, and in float32 beside them")
    parser.add_argument("--precision", choices=["f32", "bf16"], default="f32",
                        help="bf16: Apus and PyTorch in bfloat16, OpenVINO as it comes, onnxruntime in float32")
    parser.add_argument("--engines", type=names(engines), help="names with commas")
    parser.add_argument("--batches", type=lambda text: [int(part) for part in text.split(",")], default=[1, 8])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.7, help="of each engine in each round")
    parser.add_argument("--models", help="folder of NAME-bBATCH.onnx to time, instead of exporting them")
    parser.add_argument("--environment", default=f"{CACHE}/environment", help="virtual environment of the peers")
    parser.add_argument("--output", default=f"{CACHE}/results", help="folder for peers.txt, peers.json and peers.svg")
    parser.add_argument("--build", default=".build/release", help="folder of apus and engine-benchmark")
    options = parser.parse_args()
    if options.engines is None:
        peers = BFLOAT16_ENGINES if options.precision == "bf16" else ENGINES
        options.engines = [*(INTEGER_ENGINES if options.integers else peers), APUS]
    return options


def model(options, network, batch):
    if options.models:
        return os.path.join(options.models, f"{network}-b{batch}.onnx")
    path = os.path.join(CACHE, "models", f"{network}-b{batch}.onnx")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    command = [f"{options.build}/apus", "export", f"zoo:{network}", "--batch", str(batch), "-o", path]
    subprocess.run(command, check=True)
    return path


def cases(options, environment):
    if options.integers:
        subprocess.run([environment.python, "-m", "pip", "install", "--quiet", "onnx==1.20.1"], check=True)
        apus, folder = f"{options.build}/apus", os.path.join(CACHE, "integers")
        for name, path in integers.cases(apus, environment.python, folder):
            yield Case(name, 1, path, path, [1, 3, 224, 224])
        return
    for batch in options.batches:
        for network in options.networks:
            size = NETWORKS[network]
            yield Case(network, batch, model(options, network, batch), model(options, network, 1),
                       [batch, 3, size, size])


def main():
    options = arguments()
    environment = Environment(options.environment)
    failures = {engine: environment.install(engine) for engine in options.engines if engine in PACKAGES}
    measurement = Measurement(environment, f"{options.build}/engine-benchmark", options.precision, options.threads,
                              options.rounds, options.seconds)
    results = []
    for case in cases(options, environment):
        print(f"{case.network}, batch {case.batch}", file=sys.stderr)
        results += measurement.measure(case, options.engines, failures)
    describe = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, stdout=subprocess.PIPE, text=True).stdout.strip()
    report = Report(results, options.precision, options.threads, options.rounds, options.seconds, commit)
    os.makedirs(options.output, exist_ok=True)
    documents = {"txt": report.text(), "json": json.dumps(report.json(), indent=1) + "\n", "svg": chart(report)}
    for extension, document in documents.items():
        with open(os.path.join(options.output, f"peers.{extension}"), "w") as file:
            file.write(document)
    print(documents["txt"], end="")


main()
