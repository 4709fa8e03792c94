"""The layers as text and as JSON, those that lose the most time first."""

import collections
import dataclasses
import datetime
import importlib.metadata
import json

from layers import Layer
from measurement import REFERENCE
from report import cpu
from timing import LayerTimes

# The difference from which on outputs are said to disagree. Winograd's minimal filtering stays below.
DISAGREEMENT = 1e-3


@dataclasses.dataclass
class Row:
    layer: Layer
    times: LayerTimes | None = None
    failure: str = ""

    @property
    def disagrees(self):
        return self.times.difference is not None and self.times.difference > DISAGREEMENT


class Table:
    def __init__(self, options, commit, left_out):
        self.options, self.commit, self.left_out = options, commit, left_out
        self.rows, self.short, self.empty_call = [], 0, 0

    def apus(self, row):
        return row.times.call if self.options.whole_calls else row.times.layer

    def lost(self, row):
        return (self.apus(row) - row.times.onnxruntime) * row.layer.count

    def ratio(self, row):
        return row.times.onnxruntime / self.apus(row) if self.apus(row) else None

    def measured(self):
        return sorted((row for row in self.rows if row.times), key=lambda row: -self.lost(row))

    def conditions(self):
        return {
            "date": datetime.date.today().isoformat(), "cpu": cpu(), "threads": self.options.threads,
            "rounds": self.options.rounds, "seconds": self.options.seconds,
            "minimum_microseconds": self.options.minimum_microseconds, "whole_calls": self.options.whole_calls,
            "versions": {"apus": self.commit, REFERENCE: importlib.metadata.version(REFERENCE)},
            "empty_call_ms": self.empty_call,
        }

    def json(self):
        return json.dumps(self.conditions() | {
            "layers": [self.json_row(row) for row in self.measured()],
            "failures": [{"layer": row.layer.text, "network": row.layer.network, "failure": row.failure}
                         for row in self.rows if row.failure],
            "short_layers": self.short,
            "left_out_nodes": self.left_out,
        }, indent=1) + "\n"

    def json_row(self, row):
        times = row.times
        return {
            "operator": row.layer.operator, "layer": row.layer.text, "lowering": times.lowering,
            "count": row.layer.count, "network": row.layer.network, "lost_ms": round(self.lost(row), 5),
            "layer_ms": round(times.layer, 5), "call_ms": round(times.call, 5),
            "onnxruntime_ms": round(times.onnxruntime, 5), "relative_difference": str(times.difference)
            if times.difference == float("inf") else times.difference,
        }

    def text(self):
        conditions = self.conditions()
        machine, compared = conditions["cpu"], "call" if self.options.whole_calls else "layer"
        lines = [
            f"{conditions['date']}, {machine['model']} ({machine['vectors']}), {self.options.threads} threads of "
            f"{machine['cores']} cores, batch 1, {self.options.rounds} rounds of {self.options.seconds} s in turns",
            ", ".join(f"{engine} {version}" for engine, version in conditions["versions"].items()),
            "Milliseconds, each the minimum of all calls. `layer` is the layer on Apus without the copies between",
            "layouts, which a network pays only at its ends; `call` is the whole call with them. onnxruntime's figure",
            f"is of its whole call with its own such copies; a call that computes nothing takes {self.empty_call:.4f}.",
            f"lost = ({compared} − onnxruntime) · count, where the count is that of all networks;",
            f"ratio = onnxruntime ÷ {compared}.",
            "", "    lost   ratio     layer      call  onnxruntime  count  what  [lowering; a network]",
        ]
        lines += [self.line(row) for row in self.measured()] + ["", self.operators()]
        if self.short:
            lines.append(f"Left out: {self.short} layers that take less than "
                         f"{self.options.minimum_microseconds:g} µs on both.")
        lines += [f"Left out: {count} nodes {kind}" for kind, count in sorted(self.left_out.items())]
        lines += [f"Outputs disagree by {row.times.difference:.1e}: {place(row)}"
                  for row in self.measured() if row.disagrees]
        lines += [f"Failed: {place(row)}: {row.failure}" for row in self.rows if row.failure]
        return "\n".join(lines) + "\n"

    def line(self, row):
        times, ratio = row.times, self.ratio(row)
        return (f"{self.lost(row):8.3f} {'–' if ratio is None else f'{ratio:.2f}':>7} {times.layer:9.4f} "
                f"{times.call:9.4f} {times.onnxruntime:12.4f} {row.layer.count:6}  {row.layer.text}  "
                f"[{times.lowering or 'view'}; {row.layer.network}]")

    def operators(self):
        """Losses alone, since what other layers gain hides none."""
        lost = collections.Counter()
        for row in self.measured():
            lost[row.layer.operator] += max(0, self.lost(row))
        parts = [f"{operator} {milliseconds:.2f}" for operator, milliseconds in lost.most_common() if milliseconds > 0]
        return f"Lost in all: {sum(lost.values()):.2f}: " + ", ".join(parts)


def place(row):
    return f"{row.layer.text} ({row.layer.network})"
