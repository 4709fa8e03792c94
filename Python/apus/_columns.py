"""Columns of pictures in, columns of answers and errors out, for the engines of many machines."""

from __future__ import annotations

from typing import Any, Callable, Optional

from ._errors import ArgumentError, Error
from ._predictors import Predictor


class ColumnPredictor:
    """A predictor that opens in the process that first uses it, once for all copies there.

    Args:
        model: What :class:`apus.Predictor` takes.
        options: Those of :class:`apus.Predictor`.
        granted: Says in the worker how many processors the engine grants; the number of threads, unless options say it.
    """

    def __init__(self, model, options: dict[str, Any], granted: Callable[[], Optional[int]]):
        self.predictor = Predictor._unopened(model, options)
        self.granted = granted

    def __call__(self, pictures, ids) -> tuple[list, list]:
        """The row of ``apus predict`` for each picture, as JSON, and what went wrong; one of both is None."""
        self._take_threads()
        # What is wrong with the model or the options ends the job.
        self.predictor._opened()
        pairs = [_pair(answer, id) for answer, id in zip(self._answers(list(pictures)), ids)]
        return [row for row, _ in pairs], [error for _, error in pairs]

    def _answers(self, pictures: list) -> list:
        """An answer for each picture, or an error. Where a value is no picture, each is tried by itself."""
        try:
            return list(self.predictor(pictures))
        except (ImportError, MemoryError):
            raise
        except Exception as error:
            # What is no picture is an ArgumentError, or raises what its class likes. Other errors end the job.
            if isinstance(error, Error) and not isinstance(error, ArgumentError):
                raise
            if len(pictures) == 1:
                return [error]
            return [answer for picture in pictures for answer in self._answers([picture])]

    def _take_threads(self) -> None:
        options = self.predictor._source.options
        if self.predictor._engine is None and "threads" not in options:
            threads = self.granted()
            if threads:
                options["threads"] = threads
                # As `apus predict` does: as many streams as threads, up to 16, since batches keep them all busy.
                options.setdefault("streams", threads // -(-threads // 16))


def _pair(answer, id) -> tuple:
    if isinstance(answer, Exception):
        return None, f"read: {answer}"
    error = answer.error
    if error is None:
        return answer.json(_unicode(id)), None
    return None, f"{error.place}: {error}" if error.place else str(error)


def _unicode(id) -> str:
    """An id as rows can have it: U+FFFD stands for what is no character, and for zeros."""
    return str(id).replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
