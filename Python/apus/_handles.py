"""What owns a handle of the C library, and texts."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_size_t, c_void_p

from ._errors import ArgumentError, check, place
from ._library import library


class Handle:
    """Owns a handle, and releases it once."""

    __slots__ = ("pointer", "__weakref__")

    def __init__(self, pointer: int):
        self.pointer = pointer

    # The function is bound here, because names of the module may be gone at the interpreter's exit.
    def __del__(self, _release=library.apus_release):
        _release(self.pointer, None)

    def __reduce__(self):
        raise TypeError("handles of Apus belong to one process, and cannot be pickled")


def utf8(text: str) -> bytes:
    """A text as the library takes it.

    >>> utf8("a\\0b")
    Traceback (most recent call last):
    apus._errors.ArgumentError: the text 'a\\x00b' has a zero byte in it
    """
    if "\0" in text:
        raise ArgumentError(f"the text {shown(text)} has a zero byte in it", "text")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"the text {shown(text)} is not Unicode", "text") from None


def shown(text: str) -> str:
    """A text of a caller for a message, of which no more than a line is quoted.

    >>> len(shown("x" * 1_000_000))
    103
    """
    return repr(text) if len(text) <= 100 else repr(text[:100]) + "…"


def utf8_path(path) -> bytes:
    """A path as the library takes it. Bytes are the content of a file in this package, and no path."""
    if isinstance(path, (bytes, bytearray, memoryview)):
        raise ArgumentError(
            f"{len(path):,} bytes are no path; call a predictor with the bytes of pictures: predictor([...])", "type")
    try:
        path = os.fspath(path)
    except TypeError:
        raise ArgumentError(
            f"{type(path).__name__} is no path; call a predictor with pictures in memory: predictor([...])",
            "type") from None
    return utf8(path if isinstance(path, str) else os.fsdecode(path))


def create(function, *arguments) -> Handle:
    """Calls a function whose last parameter before the error is the place of a new handle."""
    handle = c_void_p()
    check(function(*arguments, byref(handle), place()))
    return Handle(handle.value)


def text(function, *arguments) -> str:
    """Calls a function that makes a text."""
    return text_of(create(function, *arguments))


def text_of(handle: Handle) -> str:
    """The text of a handle."""
    start, length = c_void_p(), c_size_t()
    check(library.apus_text_get(handle.pointer, byref(start), byref(length), place()))
    return ctypes.string_at(start.value, length.value).decode()


def document(function, *arguments):
    """Calls a function that makes a text in JSON, and reads it."""
    return json.loads(text(function, *arguments))
