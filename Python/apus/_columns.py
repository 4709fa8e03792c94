"""Columns of pictures in, columns of answers and errors out, for the engines of many machines."""

from __future__ import annotations

from typing import Any, Callable, Optional

from ._errors import Error
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
        pictures = list(pictures)
        answers = [_refusal(error) for error in map(_fault, pictures)]
        good = [index for index, answer in enumerate(answers) if answer is None]
        for index, answer in zip(good, self._answers([pictures[index] for index in good])):
            answers[index] = answer
        pairs = [answer if isinstance(answer, tuple) else _pair(answer, id) for answer, id in zip(answers, ids)]
        return [row for row, _ in pairs], [error for _, error in pairs]

    def _answers(self, pictures: list) -> list:
        """The answers; where a value is no picture, each value is tried by itself."""
        try:
            return list(self.predictor(pictures))
        except Error as error:
            if error.status != 4 or len(pictures) == 1:
                if error.status == 4:
                    return [_refusal(str(error))]
                raise
            return [answer for picture in pictures for answer in self._answers([picture])]

    def _take_threads(self) -> None:
        options = self.predictor._source.options
        if self.predictor._engine is None and "threads" not in options:
            threads = self.granted()
            if threads:
                options["threads"] = threads


def _fault(picture) -> Optional[str]:
    return "there is no picture" if picture is None else None


def _refusal(message: Optional[str]):
    return None if message is None else (None, f"read: {message}")


def _pair(answer, id) -> tuple:
    error = answer.error
    if error is None:
        return answer.json(str(id)), None
    return None, f"{error.place}: {error}" if error.place else str(error)
