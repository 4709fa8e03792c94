#!/usr/bin/env python3
"""Draws the modules of Sources and Kernels, and which imports which, from Package.swift.

    python3 Tests/Lint/module_graph.py [--check]

Writes Sources/MODULES.md: a flowchart of Mermaid with a box for each storey, the lowest last. An arrow leads from a
module to one that it declares; an arrow is left out where a longer way leads to the same module. With `--check`,
nothing is written, and the script exits with 1 when the file is not what would be written.
"""

import sys

from dependencies import ROOT, storey, targets_of_package

DRAWING = ROOT / "Sources" / "MODULES.md"
TEXT = """\
# Modules

`python3 Tests/Lint/module_graph.py` draws this from `Package.swift`. An arrow leads from a module to one that it imports.
An arrow is left out where a longer way leads to the same module. [README.md](README.md) says what the storeys are.

```mermaid
flowchart TD
{}
```
"""


def reached(start, arrows):
    """All that arrows lead to from a module, at any distance."""
    found, waiting = set(), [start]
    while waiting:
        for end in arrows[waiting.pop()]:
            if end not in found:
                found.add(end)
                waiting.append(end)
    return found


def without_shortcuts(arrows):
    """The arrows but for those beside which a longer way leads to the same module."""
    return {
        start: [end for end in ends if not any(end in reached(other, arrows) for other in ends if other != end)]
        for start, ends in arrows.items()
    }


def drawing(targets):
    storeys = {target.name: name for target in targets if (name := storey(target))}
    arrows = without_shortcuts({
        target.name: sorted(end for end in target.dependencies if end in storeys)
        for target in targets if target.name in storeys
    })
    # Mermaid puts first what is declared first, so the highest storey stands first.
    lines = []
    for name in reversed(dict.fromkeys(storeys.values())):
        lines.append(f"    subgraph storey-{name}[{name}]")
        lines += [f"        {module}" for module in arrows if storeys[module] == name]
        lines.append("    end")
    lines += [f"    {start} --> {end}" for start, ends in arrows.items() for end in ends]
    return TEXT.format("\n".join(lines))


def main():
    text = drawing(targets_of_package())
    if sys.argv[1:] != ["--check"]:
        DRAWING.write_text(text)
    elif not DRAWING.exists() or DRAWING.read_text() != text:
        sys.exit(f"{DRAWING.relative_to(ROOT)} is not what Package.swift says: run python3 Tests/Lint/module_graph.py")


if __name__ == "__main__":
    main()
