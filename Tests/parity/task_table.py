"""Compares every task with its reference pipeline in Python, and prints a table of tasks, models and deviations.

    make parity-tasks                # every row
    make parity-tasks ONLY=yolo      # rows whose task, model or peer contains this

Use: python Tests/parity/task_table.py APUS FOLDER PYTHON [PART]

PYTHON is that of an environment with mediapipe, whose requirements exclude those of the others. Models are made in
FOLDER, or come with the packages. `make parity-text` compares reading text.
"""

import importlib
import pathlib
import sys
import warnings

warnings.filterwarnings("ignore")


def all_rows(apus, folder, python, part):
    """The rows of all modules, or of the one that `part` names."""
    for name in ("networks", "torchvision", "ultralytics"):
        if part in ("networks", "torchvision", "ultralytics") and part != name:
            continue
        module = importlib.import_module(f"task_{name}")
        yield from module.rows(apus, folder, python) if name == "networks" else module.rows(apus, folder)


def main():
    apus, folder, python = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    part = sys.argv[4].lower() if len(sys.argv) > 4 else ""
    columns = "{:10} {:38} {:38} {:40} {}"
    print(columns.format("task", "model", "peer", "compared", "largest deviation"))
    failures = count = 0
    for row in all_rows(apus, folder, python, part):
        if part not in f"{row.task} {row.model} {row.peer} networks".lower():
            continue
        count += 1
        failures += not row.good
        print(columns.format(row.task, row.model, row.peer, row.compared, row.deviation)
              + ("" if row.good else "  DIFFERS"), flush=True)
    print(f"{count} comparisons, {failures} differ")
    sys.exit(1 if failures or not count else 0)


if __name__ == "__main__":
    main()
