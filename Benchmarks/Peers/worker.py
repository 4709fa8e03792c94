"""Runs one engine with one model in a process of its own, which answers each request on standard input with a line.

    worker.py ENGINE MODEL FOLDER THREADS SHAPE PRECISION

The first line is `ready VERSION`. `prepare ONE_IMAGE` converts the model, or the model at batch 1, into FOLDER, if the
engine needs that. `load` loads it and answers the milliseconds; `load MODEL SHAPE` loads another one in its place.
`time SECONDS WARM-UPS` makes WARM-UPS untimed runs, then timed runs for SECONDS, and answers the milliseconds of each.
`output FILE` writes the output as float32 and answers its count. A failure is answered with `error REASON`.
"""

import importlib
import os
import sys
import time

import numpy

from values import test_values

MINIMUM_RUNS = 3


class Worker:
    def __init__(self, name, model, folder, threads, shape, precision):
        self.folder, self.threads, self.precision = folder, int(threads), precision
        self.take(model, shape)
        self.Engine = importlib.import_module(f"engines.{name}").Engine

    def take(self, model, shape):
        self.model, self.shape = model, [int(extent) for extent in shape.split("x")]

    def prepare(self, one_image):
        if hasattr(self.Engine, "prepare"):
            self.Engine.prepare(self.model, one_image, self.folder, self.shape)
        return "prepared"

    def load(self, *other):
        if other:
            self.take(*other)
        inputs = test_values(self.shape)
        start = time.perf_counter()
        self.engine = self.Engine(self.model, self.folder, self.threads, inputs, self.precision)
        return (time.perf_counter() - start) * 1e3

    def time(self, seconds, warm_ups):
        for _ in range(int(warm_ups)):
            self.engine.run()
        times = []
        end = time.perf_counter() + float(seconds)
        while len(times) < MINIMUM_RUNS or time.perf_counter() < end:
            start = time.perf_counter()
            self.engine.run()
            times.append((time.perf_counter() - start) * 1e3)
        return " ".join(f"{milliseconds:.4f}" for milliseconds in times)

    def output(self, path):
        output = numpy.asarray(self.engine.run(), numpy.float32)
        output.tofile(path)
        return output.size


def main():
    # The output of engines goes to standard error, so that standard output holds only answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    try:
        worker = Worker(*sys.argv[1:])
        print("ready", worker.Engine.version, file=answers)
        for line in sys.stdin:
            request, *arguments = line.split()
            print(getattr(worker, request)(*arguments), file=answers)
    except Exception as error:
        print("error", " ".join(f"{type(error).__name__}: {error}".split()), file=answers)


main()
