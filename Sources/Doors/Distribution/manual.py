"""Writes the pages of the manual, apus.1 and apus-COMMAND.1, from the command's description of its help.

    apus --experimental-dump-help >HELP
    python3 manual.py HELP FOLDER VERSION SECONDS

SECONDS since 1970 are the date of the pages.
"""

import json
import os
import re
import sys
import time


def main():
    path, folder, version, seconds = sys.argv[1:]
    with open(path) as file:
        root = json.load(file)["command"]
    os.makedirs(folder, exist_ok=True)
    date = time.strftime("%Y-%m-%d", time.gmtime(int(seconds)))
    commands = [command for command in root["subcommands"] if command["commandName"] != "help"]
    pages = [("apus", root, commands)] + [(f"apus-{command['commandName']}", command, []) for command in commands]
    for name, command, below in pages:
        with open(os.path.join(folder, f"{name}.1"), "w") as file:
            file.write(page(name, command, below, version, date))


def page(name, command, below, version, date):
    """A page in the macros of man(7)."""
    lines = [f'.TH {name.upper()} 1 "{date}" "Apus {version}" "User Commands"', ".SH NAME"]
    lines.append(f"{name} \\- {escaped(command['abstract'].rstrip('.'))}")
    arguments = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    lines += [".SH SYNOPSIS", f".B {escaped(name.replace('-', ' ', 1) if name != 'apus' else name)}"]
    lines.append(" ".join(synopsis(argument) for argument in arguments if argument["kind"] == "positional")
                 + (" \\fICOMMAND\\fR" if below else "") + " [\\fIOPTIONS\\fR]")
    lines += discussion(command.get("discussion", ""))
    if below:
        lines.append(".SH COMMANDS")
        for entry in below:
            lines += [".TP", f"\\fBapus\\-{entry['commandName']}\\fR(1)", escaped(entry["abstract"])]
    lines.append(".SH OPTIONS")
    for argument in arguments:
        lines += [".TP", heading(argument), *description(argument)]
    others = [f"\\fBapus\\-{entry['commandName']}\\fR(1)" for entry in below] or ["\\fBapus\\fR(1)"]
    lines += [".SH SEE ALSO", ", ".join(others)]
    return "\n".join(lines) + "\n"


def discussion(text):
    """The sections of a help text. A block of lines that begins with capitals and a colon is a section of that name."""
    sections = {"DESCRIPTION": []}
    for block in re.split(r"\n\s*\n", text.strip()):
        rows = block.split("\n")
        title = re.fullmatch(r"([A-Z][A-Z ]+):", rows[0])
        sections.setdefault(title.group(1) if title else "DESCRIPTION", []).append(rows[1:] if title else rows)
    lines = []
    for title, blocks in sections.items():
        if blocks:
            lines.append(f".SH {title}")
        for rows in blocks:
            lines += paragraph(rows)
    return lines


def paragraph(rows):
    """Rows with an indent are kept as they are; others are filled."""
    lines, literal = [".PP"], False
    for row in rows:
        if row.startswith("  ") != literal:
            literal = not literal
            lines.append(".nf" if literal else ".fi")
        lines.append(escaped(row))
    return lines + ([".fi"] if literal else [])


def synopsis(argument):
    name = f"\\fI{escaped(argument['valueName'].upper())}\\fR" + (" ..." if argument["isRepeating"] else "")
    return f"[{name}]" if argument["isOptional"] else name


def heading(argument):
    if argument["kind"] == "positional":
        return f"\\fI{escaped(argument['valueName'].upper())}\\fR"
    names = sorted(argument["names"], key=lambda name: name["kind"] == "long")
    text = ", ".join(
        "\\fB" + escaped(("--" if name["kind"] == "long" else "-") + name["name"]) + "\\fR" for name in names)
    return text + (f" \\fI{escaped(argument['valueName'])}\\fR" if argument["kind"] == "option" else "")


def description(argument):
    lines = [escaped(line) for line in argument.get("abstract", "").split("\n")]
    values = argument.get("allValues") or argument.get("completionKind", {}).get("list", {}).get("values")
    if values:
        lines.append(escaped(f"Values: {', '.join(values)}."))
    default = argument.get("defaultValue")
    if default and "default:" not in argument.get("abstract", ""):
        lines.append(escaped(f"Default: {default}."))
    return lines


def escaped(text):
    """Text for troff: backslashes and hyphens are written as such, and no line begins with a macro."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if text[:1] in (".", "'") else text


if __name__ == "__main__":
    main()
