"""Times every kind of layer of networks on Apus and on onnxruntime, and shows where Apus loses time.

    make bench-shapes                                       # the networks of the zoo
    make bench-shapes ARGUMENTS="--models exported/ --rounds 5"

Each layer is a network of its own, with a batch of one image and random weights. The engines run in processes of their
own and are timed in turns. A figure is the minimum of all calls, through each engine's own interface: Apus copies an
image from the file's order of axes and back, which networks pay only at their ends, and onnxruntime has its own such
copies. `layer` is the time of the layer's kernel alone by Apus's profile of the same call. Lost milliseconds are
(layer − onnxruntime) · count, the count being that of all networks together.
"""

import argparse
import glob
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile

PEERS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers")
sys.path.insert(0, PEERS)

import onnx  # noqa: E402

from layers import distinct_layers  # noqa: E402
from measurement import APUS, Case, Measurement  # noqa: E402
from report import cpu  # noqa: E402

REFERENCE = "onnxruntime"


class Environment:
    python = sys.executable


def arguments():
    parser = argparse.ArgumentParser(prog="bench-shapes", description=__doc__.splitlines()[0])
    parser.add_argument("--models", help="folder of .onnx files (default: the zoo's networks)")
    parser.add_argument("--networks", default="squeezenet1_1,resnet18,resnet50,inception_v1,inception_v3,mobilenet_v2",
                        help="names of the zoo, with commas")
    parser.add_argument("--only", default="", help="operators, with commas")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.05, help="of each engine in each round")
    parser.add_argument("--count", type=int, default=1000, help="the maximum number of layers, most frequent first")
    parser.add_argument("--output", default=".cache/bench-shapes", help="folder for shapes.txt and shapes.json")
    parser.add_argument("--build", default=".build/release", help="folder of apus and engine-benchmark")
    return parser.parse_args()


def paths(options, folder):
    if options.models:
        return sorted(glob.glob(os.path.join(options.models, "*.onnx")))
    found = []
    for name in options.networks.split(","):
        found.append(os.path.join(folder, f"{name}.onnx"))
        command = [f"{options.build}/apus", "export", f"zoo:{name}", "--batch", "1", "-o", found[-1]]
        subprocess.run(command, check=True)
    return found


def profiled(options, path):
    """The milliseconds of the layers alone, and what runs them."""
    command = [f"{options.build}/apus", "bench", path, "--threads", str(options.threads), "--profile", "--json",
               "--time", "0.2", "--warm-up", "0.2"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip()
    layers = json.loads(done.stdout)["results"][0]["profile"]["layers"]
    own = [layer for layer in layers if layer["operator"] != "Reorder"]
    return 1e3 * sum(layer["seconds"] for layer in own), " ".join(layer["lowering"] for layer in own)


def row(options, measurement, layer, path):
    onnx.save(layer.model, path)
    first = layer.model.graph.input[0].type.tensor_type.shape
    case = Case(layer.operator, 1, path, path, [dimension.dim_value for dimension in first.dim])
    results = {result.engine: result for result in measurement.measure(case, [REFERENCE, APUS], {})}
    failures = [f"{engine}: {result.failure}" for engine, result in results.items() if result.failure]
    alone, lowering = profiled(options, path) if not failures else (None, "; ".join(failures))
    if alone is None:
        return {"layer": layer.text, "count": layer.count, "network": layer.network, "failure": lowering}
    peer, whole = results[REFERENCE].minimum, results[APUS].minimum
    return {"layer": layer.text, "count": layer.count, "network": layer.network, "lowering": lowering,
            "onnxruntime": peer, "apus": whole, "alone": alone, "lost": (alone - peer) * layer.count,
            "difference": results[APUS].error}


def text(options, rows, commit):
    machine = cpu()
    version = importlib.metadata.version(REFERENCE)
    lines = [
        f"Layers of networks on {machine['model']} ({machine['vectors']}, {machine['cores']} cores), "
        f"{options.threads} threads, batch 1, Apus {commit}, onnxruntime {version}.",
        f"Minima of {options.rounds} rounds of {options.seconds} s in turns, in milliseconds. `layer` is Apus's kernel",
        "alone, `call` its whole call. Lost = (layer − onnxruntime) · count.",
        "",
        "    lost   ratio    layer     call  onnxruntime  difference  count  what",
    ]
    measured = [row for row in rows if "failure" not in row]
    for row in sorted(measured, key=lambda row: -row["lost"]):
        ratio = row["onnxruntime"] / max(row["alone"], 1e-6)
        difference = "–" if row["difference"] is None else f"{row['difference']:.0e}"
        lines.append(
            f"{row['lost']:8.3f} {ratio:7.2f} {row['alone']:8.4f} {row['apus']:8.4f} {row['onnxruntime']:12.4f} "
            f"{difference:>11} {row['count']:6}  {row['layer']}  ({row['lowering']}; {row['network']})")
    for row in rows:
        if "failure" in row:
            lines.append(f"not measured: {row['layer']} ({row['network']}): {row['failure']}")
    return "\n".join(lines) + "\n"


def main():
    options = arguments()
    wanted = {name for name in options.only.split(",") if name}
    measurement = Measurement(
        Environment, f"{options.build}/engine-benchmark", options.threads, options.rounds, options.seconds)
    describe = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, stdout=subprocess.PIPE, text=True).stdout.strip()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        layers = [layer for layer in distinct_layers(paths(options, folder))
                  if not wanted or layer.operator in wanted]
        layers.sort(key=lambda layer: -layer.count)
        for number, layer in enumerate(layers[:options.count]):
            print(f"{number + 1} of {min(len(layers), options.count)}: {layer.text}", file=sys.stderr)
            rows.append(row(options, measurement, layer, os.path.join(folder, "layer.onnx")))
    os.makedirs(options.output, exist_ok=True)
    table = text(options, rows, commit)
    with open(os.path.join(options.output, "shapes.txt"), "w") as file:
        file.write(table)
    with open(os.path.join(options.output, "shapes.json"), "w") as file:
        json.dump(rows, file, indent=1)
    print(table, end="")


main()
