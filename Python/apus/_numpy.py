"""NumPy, where it is installed. It is not imported before it is needed."""

from __future__ import annotations

_module = None
_is_searched = False


def numpy():
    """The module; None where it is not installed."""
    global _module, _is_searched
    if not _is_searched:
        try:
            import numpy as found

            _module = found
        except ImportError:
            pass
        _is_searched = True
    return _module


def required(what: str):
    """The module, for what cannot be done without it."""
    module = numpy()
    if module is None:
        raise ImportError(f"{what} needs NumPy, which is not installed")
    return module
