"""Exceptions, one for each kind of error of the C library."""

from __future__ import annotations

import threading
from ctypes import byref
from typing import Optional

from ._structures import ErrorStructure


class Error(Exception):
    """An error of Apus.

    Attributes:
        code: A short name of what is wrong, such as ``"truncated"``; it stays the same between versions.
        place: The file, the backend, or the stage of a picture that is at fault, and behind it the node of a network,
            as in ``m.onnx: node "conv1"``; empty when there is none.
        status: The number of the kind of error in ``apus.h``.
    """

    def __init__(
        self, message: str, code: str = "argument", place: str = "", status: int = 4, file: Optional[str] = None
    ):
        super().__init__(message)
        self.code = code
        self.place = place
        self.status = status
        self._file = file

    @property
    def node(self) -> Optional[str]:
        """The node of a network that is at fault; None when there is none.

        >>> Error("…", place='m.onnx: node "conv1"').node
        'conv1'
        """
        before, mark, name = self.place.rpartition('node "')
        return name[:-1] if mark and (not before or before.endswith(": ")) else None

    @property
    def file(self) -> Optional[str]:
        """The file that is at fault, of a model or of a picture; None when there is none.

        >>> Error("…", place='m.onnx: node "conv1"', status=2).file
        'm.onnx'
        """
        if self._file is not None:
            return self._file
        place = self.place if self.node is None else self.place.rpartition('node "')[0].removesuffix(": ")
        return place or None if self.status in _STATUSES_OF_FILES else None

    def __reduce__(self):
        return type(self), (str(self), self.code, self.place, self.status, self._file)


class FileError(Error):
    """A file cannot be read or written."""


class InvalidModelError(Error):
    """A model file is damaged, or is not a model."""


class UnsupportedModelError(Error):
    """A model is valid, but uses what Apus does not support."""


class ArgumentError(Error, ValueError):
    """An argument, an option or an input does not fit."""


class BackendError(Error):
    """A backend or a device that was asked for is not there."""


class OutOfMemoryError(Error, MemoryError):
    """More memory is needed than there is, or than the limit allows."""


class Cancelled(Error):
    """The work was cancelled."""


class HandleError(Error):
    """Something was used after it was closed."""


class ForkError(Error, RuntimeError):
    """The process was forked after Apus had started threads in its parent."""


class PictureError(Error):
    """One picture cannot be read, decoded or predicted; others are not affected."""


class BugError(Error):
    """Apus has an internal error."""


OK = 0
END = 12
TIMEOUT = 13
_FORK = 9
# The kinds of errors whose place is a file.
_STATUSES_OF_FILES = (1, 2, 3)

_KINDS = {
    1: FileError,
    2: InvalidModelError,
    3: UnsupportedModelError,
    4: ArgumentError,
    5: BackendError,
    6: OutOfMemoryError,
    7: Cancelled,
    8: HandleError,
    _FORK: ForkError,
    10: PictureError,
    11: BugError,
}

_FORK_MESSAGE = (
    "this process was forked after Apus had started threads in its parent, and has none of them; start processes "
    "with multiprocessing.get_context(\"spawn\") or \"forkserver\", or open the first model after the fork")


class _Place(threading.local):
    """The error of each thread, which functions of the library fill."""

    def __init__(self):
        self.structure = ErrorStructure()
        self.reference = byref(self.structure)


_place = _Place()


def place():
    """The argument for the error of a function that this thread calls."""
    return _place.reference


def error(status: int) -> Error:
    """The exception for a status that a function has just returned to this thread."""
    structure = _place.structure
    message = structure.message.decode("utf-8", "replace")
    return _KINDS.get(status, BugError)(
        _FORK_MESSAGE if status == _FORK else message, structure.code.decode("utf-8", "replace"),
        structure.place.decode("utf-8", "replace"), status)


def check(status: int) -> None:
    """Raises the exception for a status, unless it is OK."""
    if status:
        raise error(status)
