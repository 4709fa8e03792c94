"""Times the engines on one network at one batch, in turns."""

import array
import contextlib
import dataclasses
import os
import statistics
import sys
import tempfile

from process import EngineFailure, EngineProcess

FOLDER = os.path.dirname(os.path.abspath(__file__))
APUS = "apus"
APUS_IN_FLOAT32 = "apus-f32"
REFERENCE = "onnxruntime"
FIRST_WARM_UPS = 10
# Warms up caches and threads after the others' turns.
WARM_UPS = 2


@dataclasses.dataclass
class Case:
    network: str
    batch: int
    model: str
    one_image: str
    shape: list


@dataclasses.dataclass
class Result:
    engine: str
    network: str
    batch: int
    version: str = ""
    failure: str = ""
    load: float = 0
    times: list = dataclasses.field(default_factory=list)
    peak_memory: int = 0
    idle_memory: int = 0
    error: float | None = None

    @property
    def minimum(self):
        return min(self.times)

    @property
    def median(self):
        return statistics.median(self.times)

    @property
    def model_memory(self):
        """The memory of the model, without that of Python and the engine's libraries."""
        return self.peak_memory - self.idle_memory


class Measurement:
    def __init__(self, environment, benchmark, precision, threads, rounds, seconds):
        self.environment, self.benchmark, self.precision = environment, benchmark, precision
        self.threads, self.rounds, self.seconds = threads, rounds, seconds

    def measure(self, case, engines, failures):
        """A result for each engine; `failures` holds the reasons of engines that cannot start."""
        results = {engine: Result(engine, case.network, case.batch, failure=failures.get(engine) or "")
                   for engine in engines}
        with contextlib.ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
            processes = {}

            def attempt(engine, action):
                try:
                    action(processes.get(engine), results[engine])
                except (EngineFailure, OSError) as failure:
                    results[engine].failure = str(failure)
                    print(f"{case.network} batch {case.batch}: {engine}: {failure}", file=sys.stderr)

            def start(_, result):
                os.mkdir(os.path.join(folder, result.engine))
                log = stack.enter_context(open(os.path.join(folder, result.engine + ".log"), "wb"))
                command = self.command(result.engine, case, os.path.join(folder, result.engine))
                process = stack.enter_context(EngineProcess(command, log))
                processes[result.engine] = process
                result.version = process.version
                process.ask("prepare", os.path.abspath(case.one_image))
                result.idle_memory = process.memory("VmRSS")
                result.load = float(process.ask("load"))
                process.ask("time", 0, FIRST_WARM_UPS)

            def time(process, result):
                result.times += [float(time) for time in process.ask("time", self.seconds, WARM_UPS).split()]

            def finish(process, result):
                result.peak_memory = process.memory("VmHWM")
                process.ask("output", self.output_file(folder, result.engine))

            turns = [start] + [time] * self.rounds + [finish]
            for turn in turns:
                for engine in engines:
                    if not results[engine].failure:
                        attempt(engine, turn)
            self.compare(results, folder)
        return list(results.values())

    def command(self, engine, case, folder):
        if engine in (APUS, APUS_IN_FLOAT32):
            precision = self.precision if engine == APUS else "f32"
            return [self.benchmark, case.model, str(case.batch), str(self.threads), precision]
        return [self.environment.python, os.path.join(FOLDER, "worker.py"), engine, case.model, folder,
                str(self.threads), self.shape_text(case), self.precision]

    @staticmethod
    def shape_text(case):
        return "x".join(str(extent) for extent in case.shape)

    @staticmethod
    def output_file(folder, engine):
        return os.path.join(folder, engine + ".float32")

    def compare(self, results, folder):
        """The largest difference to onnxruntime's output, relative to its largest magnitude."""
        outputs = {}
        for engine, result in results.items():
            if not result.failure:
                with open(self.output_file(folder, engine), "rb") as file:
                    outputs[engine] = array.array("f", file.read())
        expected = outputs.get(REFERENCE)
        if expected is None:
            return
        largest = max(map(abs, expected))
        for engine, output in outputs.items():
            if len(output) != len(expected):
                results[engine].failure = f"gives {len(output)} numbers where {REFERENCE} gives {len(expected)}"
            else:
                results[engine].error = max(abs(a - b) for a, b in zip(output, expected)) / (largest or 1)
