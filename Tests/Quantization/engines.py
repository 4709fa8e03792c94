"""Runs of Apus and of onnxruntime."""

import subprocess

import numpy
import onnxruntime


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
