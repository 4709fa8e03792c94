#!/usr/bin/env python3
"""Builds the documentation, and fails where it is not whole.

    Documentation/build.py MODULES_FOLDER OUTPUT

MODULES_FOLDER is the folder of the compiled modules, such as .build/release/Modules. OUTPUT becomes a static web site.

A reader writes `import Apus` and sees the public symbols of several modules. So the symbol graphs of these modules are
merged into one graph of a module named Apus, and the catalogue links every symbol as if Apus declared it. A type that
moves from one module to another keeps its page and its links.

What fails:
- a module that Apus re-exports and that MODULES does not name;
- a link of the catalogue, or of any doc comment of the package, that leads nowhere;
- a public type or an article that stands in no topic group.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# The modules that a user of the package imports: Apus, what it re-exports, and the other products.
MODULES = [
    "Apus", "Datasets", "Features", "Generation", "Graphs", "Images", "Inference", "Measuring", "Models", "NumPyFiles",
    "Platform", "Predicting", "Preparation", "Quantizing", "Runs", "Similarity", "Tensors", "Vision",
]
# The modules beneath them, whose doc comments have links as well.
INNER_MODULES = ["Caching", "CPUBackend", "Formats", "OpenCLBackend", "Planning", "apus_cli"]

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "Documentation/Apus.docc"


def toolchain(name):
    """The path of a tool of the toolchain that `swift` belongs to."""
    swift = subprocess.run(["which", "swift"], check=True, capture_output=True, text=True).stdout.strip()
    return str(Path(swift).resolve().parent / name)


def extract(modules, level, compiled, folder):
    """Writes the symbol graphs of modules, down to an access level, into a folder."""
    # What is built for a plugin's tool has the same modules once more.
    built = [path for path in compiled.parent.glob("*.build/module.modulemap") if "-tool.build" not in path.parent.name]
    maps = [*built, *ROOT.glob("Sources/*/*/module.modulemap"),
            *ROOT.glob(".build/checkouts/*/Sources/*/module.modulemap")]
    options = [option for path in maps for option in ("-Xcc", f"-fmodule-map-file={path}")]
    target = json.loads(subprocess.run(
        [toolchain("swiftc"), "-print-target-info"], check=True, capture_output=True).stdout)["target"]["triple"]
    for module in modules:
        subprocess.run(
            [toolchain("swift-symbolgraph-extract"), "-module-name", module, "-target", target, "-I", compiled,
             *options, "-minimum-access-level", level, "-skip-synthesized-members", "-skip-inherited-docs",
             "-output-dir", folder], check=True)


def merged(folder):
    """One symbol graph of a module Apus with the symbols of all graphs in a folder."""
    graph = {"symbols": [], "relationships": []}
    for path in sorted(folder.glob("*.symbols.json")):
        # Extensions of Swift's own types and of packages have no page.
        if "@" in path.name and path.name.split("@")[1].split(".")[0] not in MODULES + INNER_MODULES:
            continue
        part = json.loads(path.read_text())
        graph.setdefault("metadata", part["metadata"])
        graph.setdefault("module", part["module"] | {"name": "Apus"})
        # Names of an earlier version that are still there have no pages.
        deprecated = {symbol["identifier"]["precise"] for symbol in part["symbols"]
                      if any(entry.get("isUnconditionallyDeprecated") for entry in symbol.get("availability", []))}
        part["symbols"] = [symbol for symbol in part["symbols"] if symbol["identifier"]["precise"] not in deprecated]
        part["relationships"] = [relationship for relationship in part["relationships"]
                                 if not deprecated & {relationship["source"], relationship["target"]}]
        for symbol in part["symbols"]:
            symbol.pop("swiftExtension", None)
            comment = symbol.get("docComment")
            if comment and ".build" in comment.get("uri", ""):
                del symbol["docComment"]  # of a package that this one uses
            elif comment:
                comment["module"] = "Apus"  # DocC reports no dead link in the comments of another module
        graph["symbols"] += part["symbols"]
        graph["relationships"] += part["relationships"]
    return graph


def convert(catalogue, graph, output):
    """Runs DocC; any warning is an error."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "Apus.symbols.json").write_text(json.dumps(graph))
        # Not every parameter needs a sentence, so those without one are no warning.
        return subprocess.run(
            [toolchain("docc"), "convert", catalogue, "--additional-symbol-graph-dir", folder, "--output-dir", output,
             "--fallback-display-name", "Apus", "--fallback-bundle-identifier", "apus", "--warnings-as-errors",
             "--disable-parameters-and-returns-validation"]).returncode == 0


def check_modules():
    """Whether MODULES has what Apus re-exports."""
    exported = {name for path in (ROOT / "Sources").rglob("*.swift")
                for name in re.findall(r"^@_exported public import (\w+)", path.read_text(), re.MULTILINE)}
    missing = sorted(exported - set(MODULES))
    if missing:
        print(f"Documentation/build.py: MODULES lacks {', '.join(missing)}", file=sys.stderr)
    return not missing


def check_topics(output):
    """Whether every type and article is in a topic group; DocC makes groups of its own for the others."""
    page = json.loads((output / "data/documentation/apus.json").read_text())
    left = [page["references"][name]["title"] for group in page["topicSections"] if group.get("generated")
            for name in group["identifiers"]]
    for title in left:
        print(f"Documentation/Apus.docc: {title} is in no topic group", file=sys.stderr)
    return not left


def check_links(compiled):
    """Whether the links in all doc comments lead somewhere, also in those that the documentation does not show."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "graphs").mkdir()
        (folder / "Apus.docc").mkdir()
        (folder / "Apus.docc/Apus.md").write_text("# ``Apus``\n\nLinks.\n")
        extract(MODULES + INNER_MODULES, "private", compiled, folder / "graphs")
        return convert(folder / "Apus.docc", merged(folder / "graphs"), folder / "site")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    compiled, output = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        extract(MODULES, "public", compiled, Path(folder))
        graph = merged(Path(folder))
    passed = check_modules()
    passed = convert(CATALOGUE, graph, output) and check_topics(output) and passed
    passed = check_links(compiled) and passed
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
