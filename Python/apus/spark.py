"""Apus in Spark.

    files = spark.read.format("binaryFile").load("photos/")
    rows = files.mapInPandas(apus.spark.predictions("squeezenet1_1.onnx", top=1), apus.spark.SCHEMA)
    rows.write.parquet("rows/")

or, beside other columns,

    predict = predict_batch_udf(
        apus.spark.make_predict_fn("squeezenet1_1.onnx"), return_type=apus.spark.fields(), batch_size=32)
    files.withColumn("answer", predict("content"))

A worker process opens a model once. A task that is repeated gives the same bits.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, Optional

from ._columns import ColumnPredictor

#: The columns of :func:`predictions`.
SCHEMA = "path string, prediction string, error string"


def fields():
    """The type of what :func:`make_predict_fn` makes."""
    from pyspark.sql.types import StringType, StructField, StructType

    return StructType([StructField("prediction", StringType()), StructField("error", StringType())])


def predictions(model, **options: Any) -> Callable[[Iterator], Iterator]:
    """A function for ``mapInPandas`` over files that ``binaryFile`` reads, or frames with the columns path and content.

    Args:
        model: A model file that every worker can read, ``"zoo:NAME"``, or the bytes of a model file.
        options: Those of :class:`apus.Predictor`. `threads` is what Spark grants (`spark.task.cpus`), unless given.

    Rows have the columns of ``SCHEMA``: "prediction" is the row that ``apus predict`` writes, as JSON, and "error" what
    went wrong with a picture.
    """
    predict = ColumnPredictor(model, options, granted_processors)

    def over(frames: Iterator) -> Iterator:
        import pandas

        for frame in frames:
            rows, errors = predict(frame["content"], frame["path"])
            yield pandas.DataFrame(
                {"path": frame["path"].to_numpy(), "prediction": _texts(rows), "error": _texts(errors)})

    return over


def make_predict_fn(model, **options: Any) -> Callable:
    """A function for ``predict_batch_udf`` over a column of paths or of the bytes of files.

    Arguments are those of :func:`predictions`; the type of the result is :func:`fields`. Ids in rows are the paths, and
    empty for bytes.
    """
    predict = ColumnPredictor(model, options, granted_processors)

    def make() -> Callable:
        def over(pictures):
            rows, errors = predict(pictures, [value if isinstance(value, str) else "" for value in pictures])
            return {"prediction": _texts(rows), "error": _texts(errors)}

        return over

    return make


def _texts(values: list):
    import numpy

    return numpy.array(values, object)


def granted_processors() -> Optional[int]:
    """The processors that Spark grants to a task; None outside of one."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return None if context is None else max(1, context.cpus())
