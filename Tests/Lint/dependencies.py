#!/usr/bin/env python3
"""Checks which rooms of the package know which.

- A target declares every module that its files import, and imports every module that it declares, but for programs,
  which are built before it.
- A target declares only targets that stand before it in Package.swift, so that arrows between modules go one way.
- The targets of one storey stand together in Package.swift: no target of Sources stands after one of a later storey. So
  the storeys have one order, too. A storey is a folder of Sources; Kernels is the lowest.
- The modules of Sources import FoundationEssentials, and Glibc for the system's functions, but never Foundation.
  Foundation links ICU, which is half of a library with Swift's runtime inside. What protoc generated chooses by itself.
- Folders side by side do not refer to one another in a circle, at any depth. A folder refers to another when one of its
  files, or of the folders in it, names a type or a function of file scope that the other declares. Files directly in
  the folder around them may know all of them, and be known by all.

- The module of runs names nothing that a folder of the module of tasks declares: it knows answers, and no task.

Prints one line for each violation, and exits with 1 when there is one.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SYSTEM_MODULES = {
    "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "FoundationXML", "Glibc", "Synchronization", "Testing",
}
FOUNDATION = {"Foundation", "FoundationInternationalization", "FoundationNetworking", "FoundationXML"}
# Modules, and those of whose folders they name nothing. Files around the folders are for all.
STRANGERS = {"Runs": "Vision"}
MODIFIERS = r"(?:(?:public|package|internal|final|indirect|nonisolated|@\w+(?:\([^)]*\))?)\s+)*"
NESTED_TYPE = re.compile(r"\b(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)")
DECLARATION = re.compile(
    rf"^{MODIFIERS}(?:struct|class|enum|protocol|actor|typealias|func|let|var)\s+`?(\w+)", re.MULTILINE)
IMPORT = re.compile(
    r"^\s*(?:@\w+\s+)*(?:(?:public|package|internal)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+)", re.MULTILINE)


def without_text(source):
    """Removes comments and the text of strings; what strings interpolate stays."""
    source = re.sub(r'"""(?:.|\n)*?"""', lambda text: " ".join(re.findall(r"\\\((.*?)\)", text.group())), source)
    source = re.sub(r"//.*", "", source)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', lambda text: " ".join(re.findall(r"\\\((.*?)\)", text.group())), source)


class Target:
    def __init__(self, description, root):
        self.name = description["name"]
        default = {"test": "Tests", "plugin": "Plugins"}.get(description["type"], "Sources")
        self.path = root / (description.get("path") or f"{default}/{self.name}")
        self.is_program = description["type"] == "executable"
        self.dependencies = [self.module(dependency) for dependency in description["dependencies"]]
        excluded = [self.path / path for path in description.get("exclude", [])]
        files = sorted(self.path.rglob("*.swift")) if description["type"] not in ("system", "plugin") else []
        self.sources = {
            file: file.read_text() for file in files
            if not any(file == path or path in file.parents for path in excluded)
        }

    @staticmethod
    def module(dependency):
        return next(iter(dependency.values()))[0]

    def folders(self):
        """The folders that hold others, as parts of a path within the target."""
        return sorted({parts[:depth] for file in self.sources
                       for parts in [file.relative_to(self.path).parts] for depth in range(len(parts) - 1)})

    def subfolder(self, file, folder):
        """The subfolder of `folder` in which a file lies; None for a file directly in the folder or outside it."""
        parts = file.relative_to(self.path).parts
        return parts[len(folder)] if parts[:len(folder)] == folder and len(parts) > len(folder) + 1 else None


def targets_of_package():
    """The targets in the order of Package.swift."""
    dump = subprocess.run(
        ["swift", "package", "dump-package"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [Target(description, ROOT) for description in json.loads(dump)["targets"]]


def storey(target):
    """The folder of Sources that a target belongs to, or Kernels; None for what is no part of the library."""
    parts = target.path.relative_to(ROOT).parts
    return parts[0] if parts[0] == "Kernels" else parts[1] if parts[0] == "Sources" else None


def check_storeys(targets):
    places = {}
    for target in targets:
        name = storey(target)
        if name is None:
            continue
        if name in places and name != (latest := list(places)[-1]):
            yield (f"Package.swift: target {target.name} of {name} stands after {places[latest]} of {latest}, "
                   f"a later storey")
        places.setdefault(name, target.name)


def check_imports(target, earlier, programs):
    imported = defaultdict(set)
    for file, source in target.sources.items():
        for module in IMPORT.findall(without_text(source)):
            imported[module].add(file)
    declared = set(target.dependencies)
    for module in sorted(set(imported) - declared - SYSTEM_MODULES):
        yield f"{min(imported[module])}: imports {module}, which target {target.name} does not declare"
    for module in sorted(declared - set(imported) - programs):
        yield f"Package.swift: target {target.name} declares {module}, which none of its files imports"
    for module in target.dependencies:
        if module in earlier and not earlier[module]:
            yield f"Package.swift: target {target.name} declares {module}, which stands after it"


def check_foundation(target, root):
    if root / "Sources" not in target.path.parents:
        return
    for file, source in target.sources.items():
        for module in FOUNDATION.intersection(IMPORT.findall(without_text(source))):
            if not file.name.endswith(".pb.swift"):
                yield f"{file.relative_to(root)}: imports {module}; take FoundationEssentials, which links no ICU"


def references(target, code, places, folder):
    """The subfolders of a folder that each of them refers to, each with examples."""
    arrows = defaultdict(dict)
    for file, text in code.items():
        start = target.subfolder(file, folder)
        if start is None:
            continue
        for name in set(re.findall(r"(?<![.\w])\w+\b", text)) - set(NESTED_TYPE.findall(text)):
            # A name that several folders declare is private to the files, or a member's.
            ends = {target.subfolder(place, folder) for place in places.get(name, ())}
            if len(ends) == 1 and (end := next(iter(ends))) not in (None, start):
                arrows[start].setdefault(end, []).append((file, name))
    return arrows


def circles(arrows):
    """The sets of folders that refer to one another, directly or through others."""
    reached = {}
    for start in arrows:
        found, waiting = set(), [start]
        while waiting:
            for other in arrows.get(waiting.pop(), {}):
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        reached[start] = found
    seen = set()
    for start in sorted(reached):
        circle = {start} | {other for other in reached[start] if start in reached.get(other, ())}
        if len(circle) > 1 and start not in seen:
            seen |= circle
            yield sorted(circle)


def check_folders(target, root):
    code = {file: without_text(source) for file, source in target.sources.items()}
    places = defaultdict(set)
    for file, text in code.items():
        for name in DECLARATION.findall(text):
            places[name].add(file)
    for folder in target.folders():
        arrows = references(target, code, places, folder)
        for circle in circles(arrows):
            path = target.path.joinpath(*folder).relative_to(root)
            yield f"{path}: the folders {', '.join(circle)} refer to one another"
            for start in circle:
                for end in sorted(set(arrows[start]) & set(circle)):
                    names = sorted({f"{name} ({file.name})" for file, name in arrows[start][end]})
                    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
                    yield f"    {start} → {end}: {', '.join(names[:4])}{more}"


def check_strangers(target, targets):
    stranger = next((other for other in targets if other.name == STRANGERS.get(target.name)), None)
    if stranger is None:
        return
    declared = {}
    for file, source in stranger.sources.items():
        if file.parent != stranger.path:
            declared.update({name: file for name in DECLARATION.findall(without_text(source))})
    for file, source in target.sources.items():
        text = without_text(source)
        for name in sorted(set(re.findall(r"(?<![.\w])\w+\b", text)) - set(NESTED_TYPE.findall(text))):
            if name in declared:
                yield (f"{file.relative_to(ROOT)}: names {name} of {declared[name].relative_to(ROOT)}, which "
                       f"{target.name} does not know")


def main():
    targets = targets_of_package()
    earlier = {target.name: False for target in targets}
    programs = {target.name for target in targets if target.is_program}
    violations = list(check_storeys(targets))
    for target in targets:
        if target.sources:
            violations += check_imports(target, earlier, programs)
            violations += check_foundation(target, ROOT)
            violations += check_folders(target, ROOT)
            violations += check_strangers(target, targets)
        earlier[target.name] = True
    for violation in violations:
        print(violation)
    print(f"{len(targets)} targets, {sum(len(target.sources) for target in targets)} Swift files: "
          f"{len([line for line in violations if not line.startswith(' ')])} violations")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
