"""Apus in Ray Data.

    dataset = ray.data.read_binary_files("photos/", include_paths=True)
    rows = dataset.map_batches(
        apus.ray.Predictor, fn_constructor_args=("squeezenet1_1.onnx",), fn_constructor_kwargs={"top": 1},
        batch_format="pyarrow", batch_size=32, num_cpus=1, compute=ray.data.ActorPoolStrategy(size=2))
    rows.write_parquet("rows/")

A block that is repeated after the loss of a worker gives the same bits.
"""

from __future__ import annotations

import os
from typing import Any, Optional

from ._columns import ColumnPredictor


class Predictor:
    """A class for ``Dataset.map_batches``, which adds the columns "prediction" and "error" to each batch.

    Args:
        model: A model file that every worker can read, ``"zoo:NAME"``, or the bytes of a model file.
        column: The column of pictures: paths, bytes of files, or pixels.
        id_column: The column of ids; "path" where there is one.
        options: Those of :class:`apus.Predictor`. `threads` is what Ray grants (`num_cpus`), unless it is given.

    "prediction" has the row that ``apus predict`` writes, as JSON. A picture that cannot be read or decoded gets an
    "error" instead. Batches are tables of Arrow (``batch_format="pyarrow"``) or dictionaries of arrays.
    """

    def __init__(self, model, column: str = "bytes", id_column: Optional[str] = None, **options: Any):
        self.column, self.id_column = column, id_column
        self.predict = ColumnPredictor(model, options, granted_processors)

    def __call__(self, batch):
        names = batch.column_names if hasattr(batch, "column_names") else list(batch)
        id_column = self.id_column or ("path" if "path" in names else None)
        pictures = _values(batch[self.column])
        ids = [""] * len(pictures) if id_column is None else _values(batch[id_column])
        rows, errors = self.predict(pictures, ids)
        if not hasattr(batch, "append_column"):
            import numpy

            return {**batch, "prediction": numpy.array(rows, object), "error": numpy.array(errors, object)}
        import pyarrow

        batch = batch.append_column("prediction", pyarrow.array(rows, pyarrow.string()))
        return batch.append_column("error", pyarrow.array(errors, pyarrow.string()))


def _values(column) -> list:
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def granted_processors() -> Optional[int]:
    """The processors that Ray grants to this worker; None when it does not say."""
    import ray

    granted = ray.get_runtime_context().get_assigned_resources().get("CPU") if ray.is_initialized() else None
    granted = granted or float(os.environ.get("OMP_NUM_THREADS") or 0)
    return max(1, int(granted)) if granted else None
