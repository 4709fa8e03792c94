"""Compares every task with its reference pipeline in Python, and prints a table of tasks, models and deviations.

    make parity-tasks                # every row
    make parity-tasks ONLY=yolo      # rows whose task, model or peer contains this
    make parity-tasks PAGE=Documentation/Apus.docc/Articles/AgreementOfTasks.md

Use: python Tests/Parity/task_table.py [--page PAGE] APUS FOLDER PYTHON [PART]

PYTHON is that of an environment with mediapipe, whose requirements exclude those of the others. Models are made in
FOLDER, or come with the packages. The table of PAGE, a page of the documentation, is replaced. `make parity-text`
compares reading text.
"""

import argparse

import importlib
import pathlib
import sys
import warnings

warnings.filterwarnings("ignore")


MODULES = ("networks", "mediapipe", "torchvision", "ultralytics")


def all_rows(apus, folder, python, part):
    """The rows of all modules, or of the one that `part` names."""
    for name in MODULES:
        if part in MODULES and part != name:
            continue
        module = importlib.import_module(f"task_{name}")
        yield from module.rows(apus, folder, python) if name == "mediapipe" else module.rows(apus, folder)


HEADINGS = ["task", "model", "peer", "compared", "largest deviation"]


def replace_table(page, rows):
    """Puts the rows in the place of the table of a page in Markdown."""
    table = [HEADINGS, ["---"] * len(HEADINGS)] + rows
    lines = page.read_text(encoding="utf-8").split("\n")
    start = lines.index(f"| {' | '.join(HEADINGS)} |")
    end = next((number for number in range(start, len(lines)) if not lines[number].startswith("|")), len(lines))
    lines[start:end] = [f"| {' | '.join(cells)} |" for cells in table]
    page.write_text("\n".join(lines), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("apus")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("python")
    parser.add_argument("part", nargs="?", default="", type=str.lower)
    options = parser.parse_args()
    if options.page and options.part:
        parser.error("a page has all comparisons; leave out the part")
    columns = "{:10} {:38} {:38} {:40} {}"
    print(columns.format(*HEADINGS))
    made, failures = [], 0
    for row in all_rows(options.apus, options.folder, options.python, options.part):
        if options.part not in f"{row.task} {row.model} {row.peer} networks".lower():
            continue
        failures += not row.good
        made.append([row.task, row.model, row.peer, row.compared, row.deviation + ("" if row.good else "  DIFFERS")])
        print(columns.format(*made[-1]), flush=True)
    print(f"{len(made)} comparisons, {failures} differ")
    if options.page:
        replace_table(options.page, made)
    sys.exit(1 if failures or not made else 0)


if __name__ == "__main__":
    main()
