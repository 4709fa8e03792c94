"""The measurements as text and as JSON."""

import datetime
import math
import os
import platform

from measurement import APUS, APUS_IN_FLOAT32


class Report:
    def __init__(self, results, precision, threads, rounds, seconds, commit):
        self.results, self.precision = results, precision
        self.date = datetime.date.today().isoformat()
        self.threads, self.rounds, self.seconds = threads, rounds, seconds
        self.cpu = cpu()
        self.engines = list(dict.fromkeys(result.engine for result in results))
        self.cases = list(dict.fromkeys((result.batch, result.network) for result in results))
        self.versions = {result.engine: result.version for result in results if result.version}
        for engine in {APUS, APUS_IN_FLOAT32} & self.versions.keys():
            self.versions[engine] = commit

    def result(self, engine, case):
        (found,) = [result for result in self.results
                    if result.engine == engine and (result.batch, result.network) == case]
        return found

    def fastest_peer(self, case):
        peers = [self.result(engine, case) for engine in self.engines if engine not in (APUS, APUS_IN_FLOAT32)]
        return min((peer for peer in peers if not peer.failure), key=lambda peer: peer.minimum, default=None)

    def ratio(self, case):
        """The fastest peer's minimum divided by that of Apus, above 1 when Apus is faster; None when one is missing."""
        peer = self.fastest_peer(case)
        if APUS not in self.engines or peer is None or self.result(APUS, case).failure:
            return None
        return peer.minimum / self.result(APUS, case).minimum

    def geometric_mean(self):
        ratios = [ratio for ratio in map(self.ratio, self.cases) if ratio is not None]
        return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None

    def json(self):
        return {
            "date": self.date,
            "cpu": self.cpu,
            "precision": self.precision,
            "threads": self.threads,
            "rounds": self.rounds,
            "seconds": self.seconds,
            "versions": self.versions,
            "results": [self.json_result(result) for result in self.results],
            "ratios": [{"network": network, "batch": batch, "ratio": self.ratio((batch, network))}
                       for batch, network in self.cases],
            "geometric_mean": self.geometric_mean(),
        }

    @staticmethod
    def json_result(result):
        document = {"engine": result.engine, "network": result.network, "batch": result.batch}
        if result.failure:
            return document | {"failure": result.failure}
        return document | {
            "minimum_ms": round(result.minimum, 4),
            "median_ms": round(result.median, 4),
            "runs": len(result.times),
            "load_ms": round(result.load, 1),
            "peak_memory_bytes": result.peak_memory,
            "model_memory_bytes": result.model_memory,
            "relative_error": result.error,
        }

    def text(self):
        smallest = min(batch for batch, _ in self.cases)
        parts = [
            f"{self.date}, {self.cpu['model']} ({self.cpu['vectors']}), {self.precision}, "
            f"{self.threads} threads of {self.cpu['cores']} cores, "
            f"{self.rounds} rounds of {self.seconds} s each in turns",
            ", ".join(f"{engine} {version}" for engine, version in self.versions.items()),
            self.table("Milliseconds per run, minimum / median, and the fastest peer's minimum over that of Apus",
                       self.cases, lambda result: f"{result.minimum:.2f} / {result.median:.2f}", with_ratio=True),
            self.table("Largest error relative to the largest output of onnxruntime", self.cases,
                       lambda result: "–" if result.error is None else f"{result.error:.1e}"),
            self.table(f"Peak resident memory at batch {smallest}, MB, whole process / what the model took",
                       [case for case in self.cases if case[0] == smallest],
                       lambda result: f"{result.peak_memory / 1e6:.0f} / {result.model_memory / 1e6:.0f}"),
            self.table("Milliseconds to load", self.cases, lambda result: f"{result.load:.0f}"),
        ]
        failures = [f"{result.engine}, {result.network}, batch {result.batch}: {result.failure}"
                    for result in self.results if result.failure]
        return "\n\n".join(parts + (["Failures\n" + "\n".join(failures)] if failures else [])) + "\n"

    def table(self, title, cases, cell, with_ratio=False):
        rows = [["network", "batch", *self.engines] + (["ratio"] if with_ratio else [])]
        for case in cases:
            results = [self.result(engine, case) for engine in self.engines]
            row = [case[1], str(case[0])] + ["failed" if result.failure else cell(result) for result in results]
            rows.append(row + ([number(self.ratio(case))] if with_ratio else []))
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join([row[0].ljust(widths[0])] + [text.rjust(width) for text, width in zip(row[1:], widths[1:])])
                 for row in rows]
        if with_ratio:
            lines.append(f"geometric mean of the ratios: {number(self.geometric_mean())}")
        return "\n".join([title, *lines])


def number(ratio):
    return "–" if ratio is None else f"{ratio:.2f}"


def cpu():
    """The model, the vector instructions and the cores that this process may use."""
    fields = {}
    with open("/proc/cpuinfo") as file:
        for line in file:
            name, _, value = line.partition(":")
            fields.setdefault(name.strip(), value.strip())
    flags = fields.get("flags", fields.get("Features", "")).split()
    vectors = [flag for flag in ("avx512_bf16", "avx512f", "avx2", "asimd") if flag in flags]
    return {
        "model": fields.get("model name", platform.machine()),
        "vectors": vectors[0] if vectors else "no vectors",
        "cores": len(os.sched_getaffinity(0)),
    }
