"""Runs the command on damaged and hostile files. Every run must end with an answer or a clear error of one line.

    python3 Tests/Hostile .build/release/apus [--only TEXT] [--commands run,plan] [--verbose]

The executable may be another program with some of the command's subcommands, such as that of `make hostile-c`.
"""

import argparse
import os
import shutil
import sys
import tempfile
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, ProcessPoolExecutor, ThreadPoolExecutor, wait
from multiprocessing import get_context

import datasets
import images
import indexes
import models
import running
import runs

# The cases after which a line tells how far the runs are.
CASES_BETWEEN_MESSAGES = 100
PREDICTIONS = ("predict", "detect", "pose", "landmarks", "segment", "embed", "depth", "image", "raw")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("executable")
    parser.add_argument("--only", default="", help="cases whose names hold one of these, with commas between")
    parser.add_argument(
        "--commands",
        default="run,plan,inspect,export,predict,detect,pose,landmarks,segment,embed,depth,image,raw,generate")
    parser.add_argument(
        "--named", default="", help="the commands to run of cases that name their own, with commas between; all by default")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--megabytes", type=int, default=1024, help="for a model without bytes")
    parser.add_argument("--per-byte", type=int, default=256, help="kibibytes that each byte of a model adds")
    parser.add_argument("--address-space", type=int, default=0, help="megabytes, as ulimit -v; none by default")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="print what every run says")
    options = parser.parse_args()
    executable = os.path.abspath(options.executable)
    limits = running.Limits(options.seconds, options.megabytes, options.per_byte, options.address_space)
    commands, named = options.commands.split(","), options.named.split(",") if options.named else None
    counts = {"cases": 0, "runs": 0, "faults": 0}
    # The system also counts the memory of a parent process for its child, so small processes start the command.
    starters = ProcessPoolExecutor(options.workers, mp_context=get_context("spawn"))
    with starters, tempfile.TemporaryDirectory(prefix="apus-hostile-") as root:

        def check(case):
            folder = os.path.join(root, case.name.replace("/", "_")[:80].strip() + f"-{id(case)}")
            case.write(folder)
            environment = {**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache"), "SWIFT_BACKTRACE": "enable=no"}
            lines = []
            for name, arguments, expected, place in case_runs(case, commands, named):
                allowed = limits.of(folder, case.files)
                outcome = starters.submit(running.run, [executable, *arguments], folder, allowed, environment).result()
                faults = list(outcome.faults(expected, allowed, place))
                counts["runs"] += 1
                counts["faults"] += bool(faults)
                if faults or options.verbose:
                    said = outcome.errors[-1200:] if outcome.status else outcome.output[:100]
                    lines.append(
                        f"{'FAULT' if faults else 'fine '} {case.name}: {name}: {'; '.join(faults)} "
                        f"[{outcome.status}, {outcome.seconds:.2f} s, {outcome.megabytes} MB] {said!r}")
            shutil.rmtree(folder, ignore_errors=True)
            counts["cases"] += 1
            if counts["cases"] % CASES_BETWEEN_MESSAGES == 0:
                lines.append(f"{counts['cases']} cases, {counts['runs']} runs, {counts['faults']} with faults; ended {case.name}")
            return lines

        texts = options.only.split(",")
        parts = (models, images, datasets, runs, indexes)
        every = (case for part in parts for case in part.cases(texts) if any(text in case.name for text in texts))
        with ThreadPoolExecutor(options.workers) as pool:
            running_cases = set()
            for case in every:
                running_cases.add(pool.submit(check, case))
                if len(running_cases) > 2 * options.workers:
                    report(running_cases, FIRST_COMPLETED)
            report(running_cases, ALL_COMPLETED)
    print(f"{counts['runs']} runs, {counts['faults']} with faults")
    sys.exit(1 if counts["faults"] or not counts["runs"] else 0)


def report(checks, condition):
    """Prints the findings of checks that have ended, and removes these checks."""
    for check in wait(checks, return_when=condition).done:
        for line in check.result():
            print(line[:2000], flush=True)
        checks.discard(check)


def case_runs(case, commands, named):
    """The runs of a case: its name, its arguments, the expected result, and what an error must name."""
    if case.runs:
        for arguments in case.runs:
            if named and arguments[0] not in named:
                continue
            yield arguments[0], arguments, case.expected, None
        return
    every = {
        "run": ["run", "model.onnx", "--input", f"x={models.INPUT}", "-o", "outputs"],
        "plan": ["plan", "model.onnx"],
        "inspect": ["inspect", "model.onnx"],
        "export": ["export", "model.onnx", "-o", "exported.onnx"],
        "predict": ["predict", "model.onnx", images.PHOTO, "-o", "rows.jsonl"],
        "detect": ["predict", "model.onnx", images.PHOTO, "--task", "detect", "--min-confidence", "0", "-o", "objects.jsonl"],
        "pose": ["predict", "model.onnx", images.PHOTO, "--task", "pose", "--draw", "drawn", "-o", "poses.jsonl"],
        "landmarks": [
            "predict", "model.onnx", images.PHOTO, "--task", "landmarks", "--point-units", "pixels", "-o", "points.csv"],
        "segment": ["predict", "model.onnx", images.PHOTO, "--task", "segment", "--masks", "masks", "-o", "segments.jsonl"],
        "embed": ["predict", "model.onnx", images.PHOTO, "--task", "embed", "-o", "vectors.jsonl"],
        "depth": ["predict", "model.onnx", images.PHOTO, "--task", "depth", "--depth", "depth", "-o", "depth.jsonl"],
        "image": ["predict", "model.onnx", images.PHOTO, "--task", "image", "--resize", "fill", "--images", "made", "-o", "made.jsonl"],
        "raw": ["predict", "model.onnx", images.PHOTO, "--task", "raw", "--arrays", "arrays", "-o", "arrays.jsonl"],
        "generate": ["generate", "model.onnx", "-o", "generated.swift"],
    }
    for name in commands:
        # Only a run shows properties that a file does not contain, such as the duration of a loop.
        expected = case.expected if name == "run" else "either"
        # A run may find the array at fault, which then is the file to name.
        places = [*case.files, models.INPUT] if name == "run" else list(case.files)
        yield name, every[name], expected, places if name not in PREDICTIONS else None


if __name__ == "__main__":
    main()
