"""Asks the command, C, Python, Ray Data, Spark and Dask about the same JPEG files, and compares every bit of every row.

    make compare-doors ARGUMENTS="--cases classify,bf16 --count 2000"

The cases are `classify`; `bf16`, the same network in another precision; `bf16-weights`, a network whose weights are
rounded; and `detect`, a detector. Networks of the zoo have made-up weights. A processor without products of bfloat16
passes `bf16` over. The exit status is 1 when a row differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from doors import DOORS, LEAVE_OUT_EMPTY_FILES
from pictures import make_pictures
from rows import Row, difference

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SQUEEZENET = str(ROOT / "Tests" / "Fixtures" / "models" / "squeezenet1_1.onnx")
# The model and the options of each case, and the largest number of pictures.
CASES = {
    "classify": (SQUEEZENET, {"top": 3}, 1_000_000),
    "bf16-weights": ("zoo:mobilenet_v2", {"top": 3, "precision": "bf16-weights"}, 1_000_000),
    "bf16": (SQUEEZENET, {"top": 3, "precision": "bf16"}, 1_000_000),
    "detect": ("zoo:yolov8n", {"task": "detect", "min-confidence": 0, "max-objects": 5}, 50),
}


def ask(door: str, job: dict) -> dict:
    """The rows of a door, by path."""
    work = Path(job["work"])
    (work / "job.json").write_text(json.dumps(job))
    done = subprocess.run(
        [sys.executable, str(HERE / "doors.py"), door, str(work / "job.json"), str(work / "rows.json")],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=work)
    if done.returncode:
        raise RuntimeError(f"{door} failed: {done.stderr[-3000:]}")
    return {path: Row(*row) for path, row in json.loads((work / "rows.json").read_text()).items()}


def compare(case: str, doors: list, job: dict) -> int:
    """Prints a line for each door, and returns the number of rows that differ."""
    try:
        expected = ask("command", job)
    except RuntimeError as error:
        if case == "bf16" and "bf16 needs" in str(error):
            print(f"{case}: passed over: {str(error).strip()}")
            return 0
        raise
    if "precision" in job["options"]:
        exact = {name: value for name, value in job["options"].items() if name != "precision"}
        assert ask("command", {**job, "options": exact}) != expected, "the precision changes nothing"
    assert sorted(expected) == sorted(job["paths"]), "the command has other rows"
    failed = sum(row.error is not None for row in expected.values())
    warned = sum(row.text is not None and '"warning":' in row.text for row in expected.values())
    numbers = sum(len(item) - 2 for row in expected.values() for item in row.items)
    print(f"{case}: {len(expected)} rows of the command: {failed} errors, {warned} warnings, {numbers} numbers")
    count = 0
    for door in doors:
        start = time.monotonic()
        found = ask(door, job)
        empty = {path for path in expected if os.path.getsize(path) == 0} if door in LEAVE_OUT_EMPTY_FILES else set()
        differences = [f"{path}: no row" for path in expected.keys() - empty if path not in found]
        differences += [f"{path}: a row too many" for path in found if path not in expected]
        for path in expected.keys() & found.keys():
            if what := difference(expected[path], found[path], *DOORS[door][1:]):
                differences.append(f"{path}: {what}")
        print(f"  {door:16} {len(found)} rows, {len(differences)} differ, {time.monotonic() - start:.1f} s"
              + (f", without {len(empty)} empty files" if empty else ""), flush=True)
        for line in differences[:5]:
            print(f"    {line}")
        count += len(differences)
    return count


def main():
    parser = argparse.ArgumentParser(prog="Tests/Doors")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--cases", default="classify")
    parser.add_argument("--doors", default=",".join(name.replace(", ", ":") for name in DOORS if name != "command"))
    parser.add_argument("--distribution", required=True, help="the folder that make dist packs")
    options = parser.parse_args()
    distribution = Path(options.distribution).resolve()
    library = distribution / "lib"
    os.environ["APUS_LIBRARY"] = str(library / "libapus.so.0")
    os.environ["PYTHONPATH"] = f"{ROOT / 'Python'}:{HERE}"
    print(f"seed {options.seed}, one file in 50 damaged", flush=True)
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "door"
        subprocess.run(
            ["gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{distribution / 'include'}",
             str(HERE / "door.c"), "-o", str(program), str(library / "libapus.so.0"), f"-Wl,-rpath,{library}", "-lm"],
            check=True)
        pictures = Path(folder) / "pictures"
        paths = make_pictures(pictures, options.count, options.seed)
        for case in options.cases.split(","):
            model, named, most = CASES[case]
            place = pictures
            if most < options.count:
                place = Path(folder) / "fewer"
                place.mkdir(exist_ok=True)
                for path in paths[:most]:
                    if not (place / Path(path).name).exists():
                        os.link(path, place / Path(path).name)
            work = Path(folder) / case
            work.mkdir()
            job = {
                "model": model, "options": named, "folder": str(place), "work": str(work),
                "paths": sorted(str(path) for path in place.iterdir()), "program": str(program),
                "command": str(distribution / "bin" / "apus"),
            }
            differing += compare(case, [name.replace(":", ", ") for name in options.doors.split(",")], job)
    raise SystemExit(1 if differing else 0)


if __name__ == "__main__":
    main()
