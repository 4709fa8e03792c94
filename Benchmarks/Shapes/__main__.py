"""Times every kind of layer of networks on Apus and on onnxruntime, and shows where Apus loses time.

    make bench-shapes                                       # networks of the zoo
    make bench-shapes ARGUMENTS="exported/ swin.onnx"       # these instead
    make bench-shapes ARGUMENTS="--models exported/"        # these as well

Each layer is a network of its own, with a batch of one image, random weights, and the constants that say what it
computes. Layers with the same operator, attributes and shapes are one, and count as often as they occur.
"""

import argparse
import glob
import os
import subprocess
import sys
import tempfile

PEERS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Peers")
sys.path.insert(0, PEERS)

from layers import distinct_layers, empty_layer  # noqa: E402
from process import EngineFailure  # noqa: E402
from table import Row, Table  # noqa: E402
from timing import LayerMeasurement  # noqa: E402

NETWORKS = ["squeezenet1_1", "resnet18", "resnet50", "inception_v1", "inception_v3", "mobilenet_v2"]


def arguments():
    def names(text):
        return [name for name in text.split(",") if name]

    parser = argparse.ArgumentParser(prog="bench-shapes", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", help=".onnx files, or folders of them, instead of the zoo's networks")
    parser.add_argument("--models", help="a folder of further .onnx files")
    parser.add_argument("--networks", type=names, default=NETWORKS, help="names of the zoo, with commas")
    parser.add_argument("--only", type=names, default=[], help="operators, with commas")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.03, help="of each engine in each round")
    parser.add_argument("--minimum-microseconds", type=float, default=20,
                        help="leave out layers of which a call takes less than this on both")
    parser.add_argument("--whole-calls", action="store_true", help="compare Apus's whole call, with copies of layouts")
    parser.add_argument("--output", default=".cache/bench-shapes", help="folder for shapes.txt and shapes.json")
    parser.add_argument("--build", default=".build/release", help="folder of apus and engine-benchmark")
    return parser.parse_args()


def networks(options, folder):
    """The paths of the ONNX files."""
    paths = []
    for place in options.files + ([options.models] if options.models else []):
        found = sorted(glob.glob(os.path.join(place, "*.onnx"))) if os.path.isdir(place) else [place]
        if not found:
            sys.exit(f"bench-shapes: {place} holds no .onnx file")
        paths += found
    for name in [] if options.files else options.networks:
        paths.append(os.path.join(folder, f"{name}.onnx"))
        command = [f"{options.build}/apus", "export", f"zoo:{name}", "--batch", "1", "-o", paths[-1]]
        subprocess.run(command, check=True)
    return paths


def measure(table, layers, measurement):
    table.empty_call = measurement.reference_call(empty_layer())
    for number, layer in enumerate(layers):
        print(f"{number + 1} of {len(layers)}: {layer.text}", file=sys.stderr)
        try:
            times = measurement.times(layer)
        except EngineFailure as failure:
            table.rows.append(Row(layer, failure=str(failure)))
            continue
        if times:
            table.rows.append(Row(layer, times))
        else:
            table.short += 1


def main():
    options = arguments()
    describe = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, stdout=subprocess.PIPE, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        layers, left_out = distinct_layers(networks(options, folder))
        layers = [layer for layer in layers if not options.only or layer.operator in options.only]
        table = Table(options, commit, left_out)
        minimum = options.minimum_microseconds / 1e3
        with LayerMeasurement(options.build, folder, options.threads, options.rounds, options.seconds,
                              minimum) as measurement:
            measure(table, layers, measurement)
    os.makedirs(options.output, exist_ok=True)
    for extension, document in {"txt": table.text(), "json": table.json()}.items():
        with open(os.path.join(options.output, f"shapes.{extension}"), "w") as file:
            file.write(document)
    print(table.text(), end="")


if __name__ == "__main__":
    main()
