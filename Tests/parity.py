"""Checks that networks of the zoo are valid ONNX files that onnxruntime runs to the answers of Apus.

    make parity                        # small networks
    make parity NETWORKS=all           # every network of the zoo
    make parity NETWORKS="vgg16"       # those named

Each network is exported with seeded weights, as built and decluttered, and run once on seeded noise. A network passes
when every number of every output differs by at most 1e-4 of the largest logit: the largest number that goes into the
last Softmax, or comes out of a network without one.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

SMALL = ["squeezenet1_1", "resnet18", "mobilenet_v2"]
TOLERANCE = 1e-4
SEED = 7
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


def difference(apus, arguments, folder):
    """The largest difference of a network, as a part of its largest logit."""
    path = folder / "network.onnx"
    subprocess.run([apus, "export", *arguments, "-o", path], check=True)
    onnx.checker.check_model(str(path), full_check=True)
    model = onnx.load(path)
    names = expose_logits(model)

    inputs = {}
    generator = np.random.default_rng(SEED)
    for value in model.graph.input:
        shape = [dimension.dim_value or BATCH for dimension in value.type.tensor_type.shape.dim]
        inputs[value.name] = generator.standard_normal(shape, dtype=np.float32)
        np.save(folder / "input.npy", inputs[value.name])
    if len(inputs) != 1:
        raise ValueError(f"the network has {len(inputs)} inputs, not 1")
    onnx.save(model, path)

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    expected = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(names, inputs)
    found = folder / "found"
    command = [apus, "run", path, "--input", f"{next(iter(inputs))}={folder / 'input.npy'}", "-o", found, "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    largest = np.abs(expected[-1]).max()
    worst = 0.0
    for name, array in zip(names, expected):
        file = found / ("".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name) + ".npy")
        if not np.isfinite(array).all():
            raise ValueError(f"onnxruntime gives numbers for {name} that are not finite")
        worst = max(worst, np.abs(np.load(file) - array).max() / largest)
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("networks", nargs="*", help="names, or all (default: the small ones)")
    parser.add_argument("--apus", default=".build/release/apus")
    arguments = parser.parse_args()
    present = zoo(arguments.apus)
    wanted = present if arguments.networks == ["all"] else arguments.networks or SMALL
    failed = False
    for name in wanted:
        if name not in present:
            print(f"{name:16} FAILED: the zoo does not have it")
            failed = True
            continue
        for variant in ([], ["--declutter"]):
            label = f"{name:16} {'decluttered' if variant else 'as built':12}"
            with tempfile.TemporaryDirectory() as folder:
                try:
                    network = [f"zoo:{name}", "--seed", str(SEED), *variant]
                    worst = difference(arguments.apus, network, pathlib.Path(folder))
                except Exception as error:
                    print(f"{label} FAILED: {error}", flush=True)
                    failed = True
                    continue
            verdict = "ok" if worst <= TOLERANCE else f"FAILED: more than {TOLERANCE:g}"
            failed |= not worst <= TOLERANCE
            print(f"{label} {worst:.1e} of the largest logit  {verdict}", flush=True)
    sys.exit(1 if failed else 0)


main()
