"""A bar chart of the speeds as SVG: a panel for each batch, a group for each network, a bar for each engine."""

from html import escape

from measurement import APUS

NAMES = {"apus": "Apus", "onnxruntime": "onnxruntime", "openvino": "OpenVINO", "ncnn": "ncnn", "mnn": "MNN",
         "litert": "LiteRT", "pytorch": "PyTorch", "apus-f32": "Apus in float32"}
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.title { font-size: 14px; font-weight: 600; }
.network { font-weight: 600; }
.note { fill: #57606a; font-size: 11px; }
.peer { fill: #8c959f; }
.apus { fill: #e8590c; }
.rule { stroke: #8c959f; stroke-dasharray: 2 3; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .note { fill: #9da7b3; } .peer { fill: #6e7781; } }
"""
PANEL, NAME, BAR, MARGIN = 440, 90, 240, 16
LINE, GROUP_HEADER, HEADER = 16, 28, 56


def chart(report):
    batches = list(dict.fromkeys(batch for batch, _ in report.cases))
    groups = max(sum(case[0] == batch for case in report.cases) for batch in batches)
    group = GROUP_HEADER + LINE * len(report.engines)
    width, height = MARGIN + PANEL * max(2, len(batches)), HEADER + group * groups + 44
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" '
             f'role="img" aria-label="Speed of Apus and of its peers">', f"<style>{STYLE}</style>"]
    for column, batch in enumerate(batches):
        left = MARGIN + PANEL * column
        parts.append(text(left, 20, f"Batch {batch}", "title"))
        parts.append(text(left, 38, "speed, fastest peer = 1; milliseconds per run", "note"))
        cases = [case for case in report.cases if case[0] == batch]
        for row, case in enumerate(cases):
            parts += bars(report, case, left, HEADER + group * row)
    versions = ", ".join(f"{NAMES[engine]} {version}" for engine, version in report.versions.items())
    parts.append(text(MARGIN, height - 26, f"{report.date}, {report.cpu['model']} ({report.cpu['vectors']}), "
                      f"{report.threads} threads, {report.precision}, minimum of interleaved rounds", "note"))
    parts.append(text(MARGIN, height - 10, versions, "note"))
    return "\n".join(parts + ["</svg>"]) + "\n"


def bars(report, case, left, top):
    peer, ratio = report.fastest_peer(case), report.ratio(case)
    results = [report.result(engine, case) for engine in report.engines]
    times = [result.minimum for result in results if not result.failure]
    reference = peer.minimum if peer else min(times, default=1)
    # Pixels of a speed of 1: the longest bar of the chart fills the width.
    unit = BAR / max([1, *[value for value in map(report.ratio, report.cases) if value]])
    title = f"{case[1]}" + (f" – Apus {ratio:.2f}×" if ratio else "")
    parts = [text(left, top + 16, title, "network")]
    for line, result in enumerate(results):
        y = top + GROUP_HEADER - 4 + LINE * line
        parts.append(text(left + NAME - 8, y + 11, NAMES[result.engine], "", anchor="end"))
        if result.failure:
            parts.append(text(left + NAME, y + 11, "failed", "note"))
            continue
        width = unit * reference / result.minimum
        kind = "apus" if result.engine == APUS else "peer"
        parts.append(f'<rect class="{kind}" x="{left + NAME}" y="{y + 1}" width="{width:.1f}" '
                     f'height="{LINE - 4}" rx="2"/>')
        parts.append(text(left + NAME + width + 6, y + 11, f"{result.minimum:.2f}", ""))
    x, bottom = left + NAME + unit, top + GROUP_HEADER - 4 + LINE * len(results)
    parts.append(f'<line class="rule" x1="{x:.1f}" y1="{top + GROUP_HEADER - 6}" x2="{x:.1f}" y2="{bottom}"/>')
    return parts


def text(x, y, words, kind, anchor="start"):
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(words)}</text>'
