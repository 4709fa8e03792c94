"""Answers as tables of pandas and Arrow."""

from __future__ import annotations


def lines(named: list) -> list:
    """A line for each item, and one for each answer without items, with what went wrong."""
    return [line for id, answer in named for line in _lines(id, answer)]


def _lines(id: str, answer) -> list:
    failure = answer.error
    message = None if failure is None else str(failure)
    items = [] if failure is not None else [item.row() for item in answer.items]
    return [{"id": id, **item, "error": message} for item in items or [{}]]


def frame(named: list):
    """A DataFrame of lines."""
    import pandas

    columns = ["id", "index", "label", "confidence"]
    found = lines(named)
    further = dict.fromkeys(name for line in found for name in line if name not in (*columns, "error"))
    table = pandas.DataFrame(found, columns=[*columns, *further, "error"])
    return table.astype({"index": "Int64", **{name: "Int64" for name in ("area", "track") if name in further}})


def arrow(rows: list):
    """A table of Arrow with a row for each picture."""
    import pyarrow

    return pyarrow.Table.from_pylist(rows)
