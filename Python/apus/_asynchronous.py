"""Work that a coroutine awaits: the library adds 1 to an eventfd, which the event loop watches."""

from __future__ import annotations

import asyncio
import ctypes
import os
import threading
import weakref

from ._errors import OK, TIMEOUT, error, place
from ._library import library, signal_eventfd
from ._work import Work, begin

_CLOSED_ON_EXEC, _NOT_BLOCKING = os.O_CLOEXEC, os.O_NONBLOCK
_eventfd = ctypes.CDLL(None, use_errno=True).eventfd


class _Signals:
    """The eventfd of one event loop, and the work that will signal it, in the order in which it began."""

    def __init__(self, loop):
        self.descriptor = _eventfd(0, _CLOSED_ON_EXEC | _NOT_BLOCKING)
        if self.descriptor < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        self.pending: dict = {}
        loop.add_reader(self.descriptor, self._wake)

    def _wake(self) -> None:
        """Finds as much ended work as was signalled. Work mostly ends in the order in which it began."""
        try:
            count = int.from_bytes(os.read(self.descriptor, 8), "little")
        except BlockingIOError:
            return
        for work, future in list(self.pending.items()):
            if count == 0:
                return
            status = library.apus_work_wait(work.pointer, 0.0, place())
            if status == TIMEOUT:
                continue
            count -= 1
            del self.pending[work]
            work.forget_inputs()
            if not future.done():
                future.set_result(None) if status == OK else future.set_exception(error(status))

    def end(self) -> bool:
        """Forgets ended work of a loop that was closed, and whether nothing can signal any more."""
        for work in list(self.pending):
            if work.has_ended():
                work.forget_inputs()
                del self.pending[work]
        if self.pending:
            return False
        os.close(self.descriptor)
        return True


_lock = threading.Lock()
_of_loops: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
# Signals of all loops. A descriptor is closed only when no work can write to its number any more.
_all: list = []


def _signals(loop) -> _Signals:
    signals = _of_loops.get(loop)
    if signals is None:
        with _lock:
            _forget_closed_loops()
            signals = _of_loops[loop] = _Signals(loop)
            _all.append((weakref.ref(loop), signals))
    return signals


def _forget_closed_loops() -> None:
    kept = []
    for reference, signals in _all:
        loop = reference()
        if loop is not None and not loop.is_closed() or not signals.end():
            kept.append((reference, signals))
    _all[:] = kept


async def awaited(start, inputs=()) -> Work:
    """Begins work and waits for its end. Cancelling the coroutine cancels the work.

    `start` takes the function of the library that begins the work and its arguments before the callback.
    """
    loop = asyncio.get_running_loop()
    signals = _signals(loop)
    function, *arguments = start
    work = begin(function, *arguments, signal_eventfd, signals.descriptor, inputs=inputs)
    future = loop.create_future()
    signals.pending[work] = future
    try:
        await future
    except asyncio.CancelledError:
        work.cancel()
        raise
    finally:
        if work.has_ended():
            work.forget_inputs()
    return work
