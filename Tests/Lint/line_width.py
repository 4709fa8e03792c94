"""Finds lines that are wider than 120 columns: all lines of C and OpenCL C, and elsewhere those with comments, which
`swift format lint` does not report.

    python3 Tests/Lint/line_width.py PATH...

Reads the given files and the sources in the given folders, except generated protobuf sources, and writes
`file:line: width` for each such line. A column is a character.
"""

import io
import pathlib
import re
import sys
import tokenize

MAXIMUM_WIDTH = 120


def all_lines(text):
    """The numbers of all lines."""
    return range(1, len(text.splitlines()) + 1)


def slash_comments(text):
    """The numbers of the lines that hold a comment of Swift. `//` after a colon is taken for an address."""
    in_block = False
    for number, line in enumerate(text.splitlines(), 1):
        opens_block = "/*" in line
        if in_block or opens_block or re.search(r"(?<!:)//", line):
            yield number
        in_block = (in_block or opens_block) and line.rfind("*/") <= line.rfind("/*")


def hash_comments(text):
    """The numbers of the lines that hold a comment of a shell script or a Makefile."""
    return (number for number, line in enumerate(text.splitlines(), 1) if re.search(r"(^|\s)#", line))


def python_comments(text):
    """The numbers of the lines of comments and of docstrings."""
    starts_statement = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and starts_statement):
            yield from range(token.start[0], token.end[0] + 1)
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            starts_statement = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


READERS = {".swift": slash_comments}
READERS.update(dict.fromkeys((".c", ".h", ".cl"), all_lines))
READERS.update(dict.fromkeys((".sh", "Makefile", "run"), hash_comments))
READERS[".py"] = python_comments

wide_lines = []
for path in map(pathlib.Path, sys.argv[1:]):
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        read = READERS.get(file.suffix or file.name)
        if read and file.is_file() and not file.name.endswith(".pb.swift"):
            text = file.read_text()
            widths = list(map(len, text.splitlines()))
            wide_lines += [f"{file}:{number}: {widths[number - 1]} columns"
                           for number in read(text) if widths[number - 1] > MAXIMUM_WIDTH]
if wide_lines:
    sys.exit("\n".join(wide_lines + [f"{len(wide_lines)} lines are wider than {MAXIMUM_WIDTH} columns"]))
