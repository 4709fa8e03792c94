"""Work that was begun: waiting for it, and what happens to it at the end of the interpreter."""

from __future__ import annotations

import atexit
import ctypes
import threading
import time
from typing import Any, Callable

from ._errors import TIMEOUT, check, error, place
from ._handles import Handle
from ._library import library

# The maximum time of one wait. Between waits, Python handles signals.
WAITING_SECONDS = 0.1
# How long cancelled work may take to end when the interpreter ends.
_LAST_SECONDS = 5.0


class Work(Handle):
    """Work that was begun, and the inputs that it reads."""

    __slots__ = ("inputs",)

    def __init__(self, pointer: int, inputs=()):
        Handle.__init__(self, pointer)
        self.inputs = inputs
        if inputs:
            _reading[pointer] = self

    def has_ended(self) -> bool:
        """Whether the work has ended, in any way."""
        return library.apus_work_wait(self.pointer, 0.0, None) != TIMEOUT

    def cancel(self) -> None:
        """Asks the work to end."""
        library.apus_work_cancel(self.pointer, None)

    def forget_inputs(self) -> None:
        """Lets the inputs go, once the work has ended."""
        self.inputs = ()
        _reading.pop(self.pointer, None)

    def wait(self, observe=None) -> None:
        """Waits until the work has ended. Any exception, such as that of an interrupt, cancels it first.

        `observe` is called now and then.
        """
        try:
            while (status := library.apus_work_wait(self.pointer, WAITING_SECONDS, place())) == TIMEOUT:
                if observe is not None:
                    observe()
        except BaseException:
            self.cancel()
            while not self.has_ended():
                time.sleep(0.01)
            raise
        finally:
            if self.has_ended():
                self.forget_inputs()
        if status:
            raise error(status)


# Work that may still read memory of Python.
_reading: dict = {}


def _end_all() -> None:
    """Lets work that reads memory of Python end before that memory does."""
    works = list(_reading.values())
    for work in works:
        work.cancel()
    limit = time.monotonic() + _LAST_SECONDS
    for work in works:
        if library.apus_work_wait(work.pointer, max(0.0, limit - time.monotonic()), None) == TIMEOUT:
            # The memory stays until the process is gone.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(work))


atexit.register(_end_all)


def is_interruptible() -> bool:
    """Whether this is the thread in which Python handles signals, so that waits here have to end now and then."""
    return threading.current_thread() is threading.main_thread()


def interruptible(function: Callable[[], Any]) -> Any:
    """The result of a function that takes long and cannot be cancelled.

    It runs in a thread of its own, so that an interrupt is raised at once. The function then goes on until its end, or
    that of the interpreter.
    """
    if not is_interruptible():
        return function()
    results, errors, ended = [], [], threading.Event()

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)
        ended.set()

    threading.Thread(target=run, daemon=True).start()
    while not ended.wait(WAITING_SECONDS):
        pass
    if errors:
        raise errors[0]
    return results[0]


def begin(function, *arguments, inputs=()) -> Work:
    """Calls a function that begins work."""
    handle = ctypes.c_void_p()
    check(function(*arguments, ctypes.byref(handle), place()))
    return Work(handle.value, inputs)
