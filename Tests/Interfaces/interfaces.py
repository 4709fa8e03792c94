#!/usr/bin/env python3
"""Compares what is public with what is committed beside this file, so that a break is a decision.

    Tests/Interfaces/interfaces.py check|write COMMAND MODULES

COMMAND is the built command and MODULES the folder of its compiled modules, such as .build/release/Modules. The files:

- command.txt: options and exit codes of the command;
- documents.txt: the fields of its JSON documents and rows, with their types;
- python.txt: the names and signatures of the Python package;
- swift.txt: the public declarations that `import Apus` and the other products show, without deprecated ones.

The C library's interface is described in Tests/Distribution/interface. `write` records an intended change.
"""

import ast
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "Documentation"))
import build  # noqa: E402

MODEL = "models/squeezenet1_1.onnx"
# Documents that have the same fields on every machine.
DOCUMENTS = [
    ["--version", "--json"], ["devices", "--json"], ["doctor", "--json"], ["inspect", MODEL, "--json"],
    ["inspect", MODEL, "--json", "--nodes"], ["plan", MODEL, "--json"], ["plan", MODEL, "--json", "--why"],
    ["predict", MODEL, "photos", "--top", "1", "--format", "jsonl", "--quiet"],
    ["predict", MODEL, "photos", "--task", "embed", "--format", "jsonl", "--quiet"],
    ["predict", MODEL, "photos", "--task", "raw", "--format", "jsonl", "--quiet"],
    ["predict", MODEL, "models/squeezenet1_1.config.json", "--format", "jsonl", "--quiet"],
]


def main():
    mode, command, modules = sys.argv[1:]
    command = str(Path(command).resolve())
    found = {
        "command.txt": options(command), "documents.txt": documents(command), "python.txt": python(),
        "swift.txt": swift(Path(modules).resolve()),
    }
    different = []
    for name, lines in found.items():
        path = HERE / name
        text = "".join(f"{line}\n" for line in lines)
        if mode == "write":
            path.write_text(text)
            print(f"{path.relative_to(ROOT)}: {len(lines)} lines")
        elif not path.exists() or path.read_text() != text:
            different.append(name)
            earlier = path.read_text().splitlines() if path.exists() else []
            for line in difflib.unified_diff(earlier, lines, name, "this build", lineterm="", n=0):
                print(line)
    if different:
        sys.exit(
            f"interfaces.py: {', '.join(different)} differ. If that is intended, record it with make interfaces WRITE=1, "
            "and say in CHANGELOG.md what users have to do")
    if mode == "check":
        print(f"interfaces.py: {', '.join(found)} are as committed")


def run(command, arguments, accepted=(0,)):
    # Without programs of others, apus doctor always has a note with an advice.
    environment = {**os.environ, "PATH": "/nonexistent"}
    done = subprocess.run(
        [command, *arguments], cwd=ROOT / "Tests/Fixtures", capture_output=True, text=True, env=environment)
    if done.returncode not in accepted:
        sys.exit(f"interfaces.py: apus {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def options(command):
    root = json.loads(run(command, ["--experimental-dump-help"]))["command"]
    codes = re.search(r"EXIT CODES:\n((?:  .*\n?)+)", root["discussion"]).group(1)
    lines = [f"exit code {code}" for code in re.findall(r"^  (\d+) ", codes, re.MULTILINE)]
    for entry in [root, *root["subcommands"]]:
        name = "apus" if entry is root else f"apus {entry['commandName']}"
        lines.append(name)
        for argument in entry.get("arguments", []):
            names = sorted(("--" if form["kind"] == "long" else "-") + form["name"] for form in argument.get("names", []))
            words = [name, argument["kind"], *names, f"<{argument['valueName']}>"]
            words += ["optional"] if argument["isOptional"] else []
            words += ["repeating"] if argument["isRepeating"] else []
            words += ["hidden"] if not argument["shouldDisplay"] else []
            if argument.get("defaultValue"):
                words.append(f"default {argument['defaultValue']}")
            if argument.get("completionKind", {}).get("list"):
                words.append("of " + ",".join(argument["completionKind"]["list"]["values"]))
            lines.append(" ".join(words))
    return lines


def documents(command):
    lines = []
    for arguments in DOCUMENTS:
        text = run(command, arguments, accepted=(0, 1))
        values = [json.loads(text)] if "--json" in arguments else [json.loads(line) for line in text.splitlines()]
        fields = set()
        for value in values:
            collect(value, "", fields)
        lines += [f"apus {' '.join(arguments)}: {field}" for field in sorted(fields)]
    return lines


def collect(value, path, fields):
    """The paths of all values, and their types. Keys that are names of files or of values are shown as *."""
    if isinstance(value, dict):
        for key, entry in value.items():
            collect(entry, f"{path}.{key if re.fullmatch(r'[a-z][A-Za-z_]*', key) else '*'}", fields)
    elif isinstance(value, list):
        for entry in value:
            collect(entry, f"{path}[]", fields)
    else:
        kind = {bool: "boolean", int: "number", float: "number", str: "string", type(None): "null"}[type(value)]
        fields.add(f"{path or '.'} {kind}")


def python():
    """The names that the modules of the package declare without an underscore, with their parameters."""
    lines = []
    for path in sorted((ROOT / "Python/apus").glob("*.py")):
        module = "apus" if path.name.startswith("_") else f"apus.{path.stem}"
        tree = ast.parse(path.read_text())
        if path.name == "__init__.py":
            lines += [f"apus.{name}" for name in exported(tree)]
        describe(tree.body, module, lines)
    return sorted(set(lines))


def exported(tree):
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets):
            return ast.literal_eval(node.value)
    return []


def describe(body, prefix, lines):
    for node in body:
        name = getattr(node, "name", "")
        if name.startswith("_") and name not in ("__init__", "__call__"):
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines.append(f"{prefix}.{name}({ast.unparse(node.args)})")
        elif isinstance(node, ast.ClassDef):
            lines.append(f"{prefix}.{name}")
            describe(node.body, f"{prefix}.{name}", lines)


def swift(modules):
    lines = set()
    with tempfile.TemporaryDirectory() as folder:
        build.extract(build.MODULES, "public", modules, folder)
        for symbol in build.merged(Path(folder))["symbols"]:
            fragments = "".join(part["spelling"] for part in symbol["declarationFragments"])
            place = ".".join(symbol["pathComponents"][:-1])
            lines.add(f"{place + ': ' if place else ''}{' '.join(fragments.split())}")
    return sorted(lines)


if __name__ == "__main__":
    main()
