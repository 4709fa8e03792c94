"""Checks that networks of the zoo are exported as valid ONNX files, for which onnxruntime and Apus give the same
answers, and that Apus is about as accurate as onnxruntime.

    make parity                        # small networks
    make parity NETWORKS=all           # every network of the zoo
    make parity NETWORKS="vgg16"       # those named

Each network is exported with seeded weights, both as built and decluttered, and run on seeded noise; the file is also
evaluated in float64. All figures are maxima over all numbers of all outputs and over the seeds, relative to the largest
logit: the largest input of the last Softmax, or the largest output of a network without Softmax. A network passes when

- the answers of Apus and onnxruntime differ by at most 1e-4;
- the error of Apus, its difference from float64, is at most 3 times that of onnxruntime, or at most 1e-6, which is
  a few roundings of the logit;
- the error of onnxruntime is at most 1e-4; a larger one means that the float64 evaluation is of another network.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

from evaluation import evaluate

SMALL = ["squeezenet1_1", "resnet18", "mobilenet_v2"]
TOLERANCE = 1e-4
ERROR_RATIO = 3
ALWAYS_FINE = 1e-6
SEEDS = [7, 8]
BATCH = 2


def zoo(apus):
    """The names of all networks, which the refusal of an unknown one lists."""
    refusal = subprocess.run([apus, "export", "zoo:", "-o", "-"], capture_output=True, text=True).stderr
    names = refusal.rpartition("the zoo has ")[2].split()
    if not names:
        sys.exit(f"parity: {apus} does not say which networks there are: {refusal.strip()}")
    return [name.strip(",") for name in names]


def expose_logits(model):
    """Makes the value before a last Softmax an output, and returns the names of all outputs."""
    names = [output.name for output in model.graph.output]
    for node in model.graph.node:
        if node.op_type == "Softmax" and node.output[0] in names:
            types = onnx.shape_inference.infer_shapes(model).graph.value_info
            model.graph.output.extend(value for value in types if value.name == node.input[0])
            return names + [node.input[0]]
    return names


def figures(apus, backend, network, seed, folder):
    """The difference of Apus and onnxruntime and the error of each, relative to the largest logit."""
    path = folder / "network.onnx"
    subprocess.run([apus, "export", *network, "--seed", str(seed), "-o", path], check=True)
    onnx.checker.check_model(str(path), full_check=True)
    model = onnx.load(path)
    names = expose_logits(model)

    inputs = {}
    generator = np.random.default_rng(seed)
    for value in model.graph.input:
        shape = [dimension.dim_value or BATCH for dimension in value.type.tensor_type.shape.dim]
        inputs[value.name] = generator.standard_normal(shape, dtype=np.float32)
        np.save(folder / "input.npy", inputs[value.name])
    if len(inputs) != 1:
        raise ValueError(f"the network has {len(inputs)} inputs, not 1")
    onnx.save(model, path)

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    peer = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(names, inputs)
    found = folder / "found"
    command = [apus, "run", path, "--input", f"{next(iter(inputs))}={folder / 'input.npy'}", "-o", found, "--json"]
    subprocess.run([*command, "--backend", backend], check=True, stdout=subprocess.DEVNULL)
    exact = evaluate(model, inputs, names)

    largest = np.abs(exact[-1]).max()
    worst = np.zeros(3)
    for name, reference, theirs in zip(names, exact, peer):
        file = found / ("".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name) + ".npy")
        ours = np.load(file)
        for whose, array in (("the float64 evaluation", reference), ("onnxruntime", theirs), ("Apus", ours)):
            if array.shape != theirs.shape:
                raise ValueError(f"{whose} gives {name} the shape {array.shape}, onnxruntime {theirs.shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"{whose} gives numbers for {name} that are not finite")
        pairs = (ours, theirs), (ours, reference), (theirs, reference)
        differences = [np.abs(one.astype(np.float64) - other).max() / largest for one, other in pairs]
        worst = np.maximum(worst, differences)
    return worst


def verdict(difference, error, peer_error):
    if not peer_error <= TOLERANCE:
        return f"FAILED: onnxruntime is more than {TOLERANCE:g} from the float64 evaluation"
    if not difference <= TOLERANCE:
        return f"FAILED: the difference is more than {TOLERANCE:g}"
    if not error <= max(ERROR_RATIO * peer_error, ALWAYS_FINE):
        return f"FAILED: the ratio is more than {ERROR_RATIO}"
    return "ok"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("networks", nargs="*", help="names, or all (default: the small ones)")
    parser.add_argument("--apus", default=".build/release/apus")
    parser.add_argument("--backend", default="auto", help="the backends of Apus (default: auto)")
    arguments = parser.parse_args()
    present = zoo(arguments.apus)
    wanted = present if arguments.networks == ["all"] else arguments.networks or SMALL
    failed = False
    print(f"{'network':29} {'variant':12} difference  error of Apus  of onnxruntime  ratio", flush=True)
    for name in wanted:
        if name not in present:
            print(f"{name:29} FAILED: the zoo does not have it")
            failed = True
            continue
        for variant in ([], ["--declutter"]):
            label = f"{name:29} {'decluttered' if variant else 'as built':12}"
            worst = np.zeros(3)
            try:
                for seed in SEEDS:
                    with tempfile.TemporaryDirectory() as folder:
                        network = [f"zoo:{name}", *variant]
                        found = figures(arguments.apus, arguments.backend, network, seed, pathlib.Path(folder))
                        worst = np.maximum(worst, found)
            except Exception as error:
                print(f"{label} FAILED: {error}", flush=True)
                failed = True
                continue
            difference, error, peer_error = worst
            outcome = verdict(difference, error, peer_error)
            failed |= outcome != "ok"
            ratio = error / peer_error if peer_error else np.inf
            print(f"{label} {difference:10.1e} {error:14.1e} {peer_error:15.1e} {ratio:6.2f}  {outcome}", flush=True)
    sys.exit(1 if failed else 0)


main()
