"""Times one layer after the other on Apus and on onnxruntime, in turns."""

import contextlib
import dataclasses
import json
import os
import subprocess
import sys

import numpy

from measurement import APUS, REFERENCE, WARM_UPS, Case, Measurement
from process import EngineFailure, EngineProcess

# Of the profiled calls of each round, in seconds.
PROFILE_WARM_UP = 0.02


class Environment:
    python = sys.executable


@dataclasses.dataclass
class LayerTimes:
    """Minima in milliseconds."""
    layer: float
    call: float
    onnxruntime: float
    lowering: str
    difference: float | None


class LayerMeasurement(Measurement):
    """One process of onnxruntime loads every layer; one of Apus is started for each. All but the timed one are stopped.

    The layer's own time is that of `apus bench --profile`, which is run once in each round. The system may run both
    threads of a process on one core for as long as a round takes, so that many short rounds find more than a few long
    ones; and a layer takes no longer than the fastest call.
    """

    def __init__(self, build, folder, threads, rounds, seconds, minimum):
        super().__init__(Environment, f"{build}/engine-benchmark", "f32", threads, rounds, seconds)
        self.apus, self.folder, self.minimum = f"{build}/apus", folder, minimum
        self.reference = None

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.log = self.stack.enter_context(open(os.path.join(self.folder, "engines.log"), "wb"))
        return self

    def __exit__(self, *_):
        self.stop_reference()
        self.stack.close()

    def stop_reference(self):
        if self.reference:
            self.reference.__exit__()
        self.reference = None

    def times(self, layer):
        """None when both engines take less than the minimum."""
        case = self.case(layer)
        with EngineProcess(self.command(APUS, case, self.folder), self.log) as apus:
            try:
                self.load_reference(case)
                apus.ask("load")
                peer, call, profiles = [], [], []
                for _ in range(self.rounds):
                    peer += self.minima(self.reference)
                    call += self.minima(apus)
                    if max(min(peer), min(call)) < self.minimum:
                        return None
                    profiles.append(self.profile(case))
                difference = self.difference(apus)
            except EngineFailure as failure:
                self.stop_reference()
                raise EngineFailure(str(failure).replace(f"{case.model}: ", "")) from failure
        return LayerTimes(min([time for time, _ in profiles] + call), min(call), min(peer), profiles[0][1], difference)

    def reference_call(self, layer):
        """The time of onnxruntime alone."""
        self.load_reference(self.case(layer))
        return min(self.minima(self.reference))

    def case(self, layer):
        path = os.path.join(self.folder, "layer.onnx")
        layer.save(path)
        return Case(layer.operator, 1, path, path, layer.shape)

    def load_reference(self, case):
        command = self.command(REFERENCE, case, self.folder)
        if self.reference is None:
            self.reference = EngineProcess(command, self.log).__enter__()
        self.reference.ask("load", case.model, self.shape_text(case))

    def minima(self, process):
        return [min(float(time) for time in process.ask("time", self.seconds, WARM_UPS).split())]

    def profile(self, case):
        """The milliseconds of the layer without copies to and from the plan's layouts, and the lowerings."""
        command = [self.apus, "bench", case.model, "--threads", str(self.threads), "--profile", "--json",
                   "--time", str(self.seconds), "--warm-up", str(PROFILE_WARM_UP)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise EngineFailure(done.stderr.strip() or f"apus bench ends with {done.returncode}")
        layers = [layer for layer in json.loads(done.stdout)["results"][0]["profile"]["layers"]
                  if layer["operator"] != "Reorder"]
        return 1e3 * sum(layer["minimumSeconds"] for layer in layers), " ".join(layer["lowering"] for layer in layers)

    def difference(self, apus):
        """The largest, relative to the largest output of onnxruntime; None where outputs are no floats."""
        outputs = []
        for engine, process in ((REFERENCE, self.reference), (APUS, apus)):
            path = self.output_file(self.folder, engine)
            process.ask("output", path)
            outputs.append(numpy.fromfile(path, numpy.float32))
        expected, given = outputs
        if given.size == 0:
            return None
        if given.size != expected.size:
            raise EngineFailure(f"Apus gives {given.size} numbers where {REFERENCE} gives {expected.size}")
        finite = numpy.isfinite(expected)
        if not numpy.array_equal(given[~finite], expected[~finite], equal_nan=True):
            return float("inf")
        scale = numpy.abs(expected[finite]).max(initial=0) or 1
        difference = numpy.abs(given[finite] - expected[finite]).max(initial=0) / scale
        return float("inf") if numpy.isnan(difference) else float(difference)
