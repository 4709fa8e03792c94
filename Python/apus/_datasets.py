"""Predictions over datasets: row by row, or into a file."""

from __future__ import annotations

import json
import sys
import time
from ctypes import byref, c_char_p, c_void_p
from typing import Any, Callable, NamedTuple, Optional, Union

from ._answers import Answer
from ._errors import END, TIMEOUT, ArgumentError, check, error, place
from ._handles import Handle, create, document, text_of, utf8_path
from ._library import library
from ._options import prepared
from ._pictures import several
from ._reports import Report
from ._structures import ProgressStructure
from ._tables import arrow, frame
from ._work import WAITING_SECONDS, Work, begin


class Row(dict):
    """A row of ``apus predict``: a dictionary with the id, the answer and the error of a record.

    Attributes:
        json: The row as the command writes it.
        answer: The answer, with items and tensors.
    """

    __slots__ = ("json", "answer")

    def __init__(self, text: str, answer: Answer):
        super().__init__(json.loads(text))
        self.json = text
        self.answer = answer

    def __reduce__(self):
        return dict, (dict(self),)


class Rows:
    """The rows of a dataset, in the order of the inputs. They are computed a few batches ahead.

    >>> with apus.predict(squeezenet, photos, top=1) as rows:
    ...     print(next(rows).answer.label)
    barbell
    >>> apus.predict(squeezenet, photos, top=1).to_pandas()["label"].tolist()
    ['barbell', 'Egyptian Mau', 'espresso', 'pole']
    """

    def __init__(self, predictor, handle: Handle):
        self._predictor, self._handle = predictor, handle

    def __iter__(self) -> Rows:
        return self

    def __next__(self) -> Row:
        if self._handle is None:
            raise StopIteration
        # Waits end now and then, so that an interrupt is noticed.
        while library.apus_rows_wait(self._handle.pointer, WAITING_SECONDS, None) == TIMEOUT:
            pass
        row, answer = c_void_p(), c_void_p()
        status = library.apus_rows_next(self._handle.pointer, byref(row), byref(answer), place())
        if status:
            self.close()
            if status == END:
                raise StopIteration
            raise error(status)
        return Row(text_of(Handle(row.value)), Answer(Handle(answer.value)))

    def close(self) -> None:
        """Ends the work on further rows."""
        self._handle = None

    def to_pandas(self) -> Any:
        """A DataFrame of pandas with a line for each item of the rows to come, and one for each row without items."""
        return frame([(row["id"], row.answer) for row in self], self._predictor.describe()["content"])

    def to_arrow(self) -> Any:
        """A table of Arrow with the rows to come."""
        rows = list(self)
        return arrow(rows, [row.answer for row in rows], self._predictor.describe()["content"])

    def __repr__(self) -> str:
        return f"<apus.Rows of {self._predictor!r}{': ended' if self._handle is None else ''}>"

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, *_) -> None:
        self.close()


def rows(predictor, inputs, options: dict) -> Rows:
    """The rows of a dataset, by a predictor."""
    settings = _settings(predictor, options)
    names = _names(inputs)
    return Rows(
        predictor, create(library.apus_rows_start, predictor._pointer, names, len(names), settings.pointer))


class Progress(NamedTuple):
    """How far a run is."""

    #: The number of records; None when it is not known.
    total: Optional[int]
    succeeded: int
    failed: int
    #: The number of rows from an earlier part of the run.
    resumed: int

    @property
    def done(self) -> int:
        """The number of rows."""
        return self.succeeded + self.failed


def written(
    predictor, inputs, output, progress: Union[bool, Callable[[Progress], None]], options: dict
) -> Report:
    """Predicts a dataset into a file, by a predictor."""
    settings = _settings(predictor, options)
    names = _names(inputs)
    work = begin(
        library.apus_run_start, predictor._pointer, names, len(names), utf8_path(output), settings.pointer, None, None,
        None)
    with _Display(work, progress) as display:
        work.wait(display.update)
    return Report(document(library.apus_work_summary, work.pointer))


class _Display:
    """Shows how far a run is."""

    def __init__(self, work: Work, progress):
        self.work = work
        self.show = progress if callable(progress) else None
        self.bar = None
        if progress is True:
            self._make_bar()

    def _make_bar(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self.show = _Line() if sys.stderr is not None and sys.stderr.isatty() else None
        else:
            self.bar = tqdm(unit="img")

    def __enter__(self) -> _Display:
        return self

    def update(self) -> None:
        if self.show is None and self.bar is None:
            return
        state = ProgressStructure()
        check(library.apus_work_progress(self.work.pointer, byref(state), place()))
        progress = Progress(
            state.total if state.total >= 0 else None, state.succeeded, state.failed, state.resumed)
        if self.bar is not None:
            self.bar.total, self.bar.n, self.bar.initial = progress.total, progress.done, progress.resumed
            self.bar.refresh()
        else:
            self.show(progress)

    def __exit__(self, kind, *_) -> None:
        if kind is None:
            self.update()
        if self.bar is not None:
            self.bar.close()
        elif isinstance(self.show, _Line):
            self.show.end()


class _Line:
    """A line on a terminal, for those without tqdm."""

    def __init__(self):
        self.last = 0.0

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() - self.last >= 0.5:
            self.last = time.monotonic()
            total = "" if progress.total is None else f" of {progress.total}"
            print(f"\r{progress.done}{total} pictures, {progress.failed} errors", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.last:
            print(file=sys.stderr)


def _settings(predictor, options: dict) -> Handle:
    return prepared({**predictor._source.options, **options})


def listed(inputs):
    """The paths of inputs: a path alone, or several."""
    many = several(inputs)
    return [inputs] if many is None else many


def _names(inputs):
    paths = [utf8_path(path) for path in inputs]
    if not paths:
        raise ArgumentError("give the inputs behind the model; there are none")
    return (c_char_p * len(paths))(*paths)
