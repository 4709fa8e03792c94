"""Spark on two workers, one of which is killed."""

import os

import pytest
from pyspark.ml.functions import predict_batch_udf
from pyspark.sql import SparkSession

import apus.spark
from killing import kill_once


@pytest.fixture(scope="module")
def spark(python):
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = python
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session = (
        SparkSession.builder.master("local[2,4]")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "64")
        .getOrCreate())
    session.sparkContext.setLogLevel("FATAL")
    yield session
    session.stop()


@pytest.fixture
def files(spark, photos):
    return spark.read.format("binaryFile").load(photos).repartition(20)


def test_rows_are_those_of_the_command_though_a_worker_dies(spark, files, squeezenet, compare, tmp_path):
    flag = str(tmp_path / "killed")
    predictions = apus.spark.predictions(squeezenet, top=2)

    def dying(frames):
        def watched():
            for frame in frames:
                kill_once(flag, frame["path"])
                yield frame

        return predictions(watched())

    files.mapInPandas(dying, apus.spark.SCHEMA).write.parquet(str(tmp_path / "rows"))
    assert os.path.exists(flag)
    rows = spark.read.parquet(str(tmp_path / "rows")).collect()
    compare([(row.path, row.prediction, row.error) for row in rows])


def test_a_column_of_bytes(files, squeezenet, expected):
    predict = predict_batch_udf(
        apus.spark.make_predict_fn(squeezenet, top=2), return_type=apus.spark.fields(), batch_size=32)
    rows = files.limit(100).select("path", predict("content").alias("answer")).collect()
    assert len(rows) == 100
    for row in rows:
        wanted = expected[row.path.removeprefix("file:")]
        # Bytes have no path, and their rows no id.
        found = row.answer.prediction
        assert (found and found.partition(",")[2]) == (wanted and wanted.partition(",")[2])
        assert (row.answer.error is None) == (wanted is not None)
