"""Options: those of ``apus predict``, as keyword arguments."""

from __future__ import annotations

import os

from ._errors import ArgumentError, check, place
from ._handles import Handle, create, utf8
from ._library import library

# Options that may be given several times; other lists are written with commas between.
_REPEATED = frozenset(["include", "exclude"])
# Options of two numbers, and what stands between these.
_PAIRS = {"input-size": "x", "shard": "/"}


def settings(options: dict) -> list:
    """The names and values of options as the library takes them, with None for those that take no value.

    >>> settings({"threads": 2, "class_agnostic": True, "mean": (0.5, 0.5, 0.5), "top": None})
    [('threads', '2'), ('class-agnostic', None), ('mean', '0.5,0.5,0.5')]
    """
    return [setting for key, value in options.items() for setting in _settings(key.replace("_", "-"), value)]


def _settings(name: str, value) -> list:
    if hasattr(value, "tolist"):
        # An array or a number of NumPy.
        value = value.tolist()
    if value is None:
        return []
    if value is True:
        return [(name, None)]
    if value is False:
        # The one flag that is set unless the contrary is said.
        return [("no-normalize", None)] if name == "normalize" else []
    if name == "input" and isinstance(value, dict):
        # What inputs beside the picture are given, by their names.
        return [(name, f"{key}={_numbers(element)}") for key, element in value.items()]
    if isinstance(value, (list, tuple)):
        if name == "labels":
            raise ArgumentError("labels is the path of a file with a name in each line, not a list of names", "labels")
        if name in _REPEATED:
            return [(name, _text(element)) for element in value]
        return [(name, _PAIRS.get(name, ",").join(_text(element) for element in value))]
    return [(name, _text(value))]


def _numbers(value) -> str:
    """A path, a number, or the numbers of an array with commas between."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return ",".join(_numbers(element) for element in value)
    return _text(value)


def _text(value) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return value if isinstance(value, str) else float.__repr__(value) if isinstance(value, float) else str(value)


def prepared(options: dict) -> Handle:
    """The options of the library."""
    handle = create(library.apus_options_create)
    for name, value in settings(options):
        encoded = None if value is None else utf8(value)
        check(library.apus_options_set(handle.pointer, utf8(name), encoded, place()))
    return handle
