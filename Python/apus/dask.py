"""Apus in Dask.

    paths = dask.dataframe.from_pandas(pandas.DataFrame({"path": glob.glob("photos/*.jpg")}), npartitions=16)
    rows = apus.dask.predictions(paths, "squeezenet1_1.onnx", top=1)
    rows.to_parquet("rows/")

A worker opens a model once, with as many threads as the worker has. A task that is repeated gives the same bits.
"""

from __future__ import annotations

from typing import Any, Optional

from ._columns import ColumnPredictor


def predictions(frame, model, column: str = "path", id_column: Optional[str] = None, **options: Any):
    """A frame of Dask with the further columns "prediction" and "error".

    Args:
        frame: A frame of Dask with a column of pictures: paths or the bytes of files.
        model: A model file that every worker can read, ``"zoo:NAME"``, or the bytes of a model file.
        column: The column of pictures.
        id_column: The column of ids; the column of pictures where these are paths.
        options: Those of :class:`apus.Predictor`. `threads` is what the worker has, unless it is given.

    "prediction" has the row that ``apus predict`` writes, as JSON. A picture that cannot be read or decoded gets an
    "error" instead.
    """
    predict = ColumnPredictor(model, options, granted_processors)
    meta = frame._meta.assign(prediction=_strings([]), error=_strings([]))
    return frame.map_partitions(_predicted, predict, column, id_column, meta=meta)


def _predicted(frame, predict: ColumnPredictor, column: str, id_column: Optional[str]):
    """A partition with its answers."""
    pictures = list(frame[column])
    ids = frame[id_column] if id_column else [value if isinstance(value, str) else "" for value in pictures]
    rows, errors = predict(pictures, ids)
    return frame.assign(prediction=_strings(rows, frame.index), error=_strings(errors, frame.index))


def _strings(values: list, index=None):
    import pandas

    return pandas.Series(values, index=index, dtype="string[pyarrow]")


def granted_processors() -> Optional[int]:
    """The threads of the worker; None outside of one."""
    from distributed import get_worker

    try:
        return get_worker().state.nthreads
    except ValueError:
        return None
