"""Times Apus and onnxruntime on the same model in turns, and prints the minimum and median of each and their ratio.

    swift build -c release --product engine-benchmark
    python3 -m venv .venv && .venv/bin/pip install onnxruntime==1.31.1 numpy
    .venv/bin/python Benchmarks/compare_onnxruntime.py MODEL [--batch N] [--threads N] [--rounds N] [--runs N]

A round is some runs of the one engine, then as many of the other, so that a machine whose speed drifts is fair to both.
Both are warmed up. Inputs are float32 and the same for both.
"""

import argparse
import statistics
import subprocess
import time

import numpy as np
import onnxruntime


class Apus:
    def __init__(self, model, batch, threads):
        command = [".build/release/engine-benchmark", model, str(batch), str(threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.start = float(self.process.stdout.readline())

    def run(self):
        self.process.stdin.write("\n")
        return float(self.process.stdout.readline())


class ONNXRuntime:
    def __init__(self, model, batch, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        start = time.perf_counter()
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.start = (time.perf_counter() - start) * 1e3
        self.inputs = {}
        for value in self.session.get_inputs():
            shape = [batch if not isinstance(extent, int) else extent for extent in value.shape]
            self.inputs[value.name] = (np.arange(np.prod(shape)) % 255 / 255).astype(np.float32).reshape(shape)

    def run(self):
        start = time.perf_counter()
        self.session.run(None, self.inputs)
        return (time.perf_counter() - start) * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=20)
    arguments = parser.parse_args()
    engines = {
        "apus": Apus(arguments.model, arguments.batch, arguments.threads),
        f"onnxruntime {onnxruntime.__version__}": ONNXRuntime(arguments.model, arguments.batch, arguments.threads),
    }
    times = {name: [] for name in engines}
    for engine in engines.values():
        for _ in range(10):
            engine.run()
    for _ in range(arguments.rounds):
        for name, engine in engines.items():
            times[name] += [engine.run() for _ in range(arguments.runs)]
    print(f"{arguments.model}: batch {arguments.batch}, {arguments.threads} threads, "
          f"{arguments.rounds} rounds of {arguments.runs} runs each in turns, milliseconds per run")
    for name, engine in engines.items():
        print(f"{name:20} minimum {min(times[name]):7.2f}  median {statistics.median(times[name]):7.2f}  "
              f"start {engine.start:6.1f}")
    (apus, other) = times.values()
    print(f"{'apus / onnxruntime':20} minimum {min(apus) / min(other):7.2f}  "
          f"median {statistics.median(apus) / statistics.median(other):7.2f}")


main()
