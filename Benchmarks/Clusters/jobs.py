"""The jobs that are timed; each runs in a process of its own.

    python3 jobs.py JOB FOLDER WORKERS BATCH COMMAND

Prints the number of rows and the seconds between the first finished batch and the last, so that the start of an engine,
of its workers and of a model is not counted.
"""

import os
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "Runs"))

MODEL = str(Path(__file__).parents[2] / "Tests" / "Fixtures" / "models" / "squeezenet1_1.onnx")


# Pictures of a block of Ray and of a partition of Spark. With the few of their own choice, workers wait for the next.
PICTURES_AT_ONCE = 256


class Peer:
    """What a script of Pillow and onnxruntime does with the contents of files."""

    # More pictures at once are no faster in onnxruntime.
    BATCH = 8

    def __init__(self, threads: int):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(MODEL, options, providers=["CPUExecutionProvider"])
        self.input = self.session.get_inputs()[0].name

    def __call__(self, contents) -> list:
        """The best class of each picture, and its confidence."""
        from io import BytesIO

        import numpy
        from compare import prepare

        answers = []
        for start in range(0, len(contents), self.BATCH):
            pixels = [prepare(BytesIO(content)) for content in contents[start : start + self.BATCH]]
            scores = self.session.run(None, {self.input: numpy.stack(pixels)})[0].reshape(len(pixels), -1)
            answers += [f"{row.argmax()} {row.max()}" for row in scores]
        return answers


def command(folder: str, workers: int, batch: int, executable: str) -> dict:
    """`apus predict` with as many threads as there are workers."""
    process = subprocess.Popen(
        [executable, "predict", MODEL, folder, "--top", "1", "--threads", str(workers), "--format", "jsonl"],
        stdout=subprocess.PIPE)
    ended = defaultdict(int)
    for line in process.stdout:
        assert b'"error":null' in line
        ended[time.monotonic()] += 1
    assert process.wait() == 0
    return ended


class RayApus:
    """Apus, and when a batch was finished."""

    def __init__(self):
        import apus.ray

        self.predict = apus.ray.Predictor(MODEL, top=1)

    def __call__(self, batch):
        return finished(self.predict(batch).select(["path", "prediction"]))


class RayPeer:
    """Pillow and onnxruntime, and when a batch was finished."""

    def __init__(self):
        from apus.ray import granted_processors

        self.peer = Peer(granted_processors())

    def __call__(self, batch):
        import pyarrow

        rows = self.peer(batch["bytes"].to_pylist())
        return finished(batch.select(["path"]).append_column("prediction", pyarrow.array(rows)))


def finished(table):
    import pyarrow

    return table.append_column("finished", pyarrow.array([time.monotonic()] * len(table)))


def ray(predictor, folder: str, workers: int, batch: int) -> dict:
    import ray

    # One more, for what reads files.
    ray.init(num_cpus=workers + 1, include_dashboard=False, logging_level="error")
    blocks = max(2 * workers, len(os.listdir(folder)) // PICTURES_AT_ONCE)
    rows = ray.data.read_binary_files(folder, include_paths=True, override_num_blocks=blocks).map_batches(
        predictor, batch_format="pyarrow", batch_size=batch, num_cpus=1,
        compute=ray.data.ActorPoolStrategy(size=workers))
    return counted((row["prediction"], row["finished"]) for row in rows.iter_rows())


def spark(predictions, folder: str, workers: int, batch: int) -> dict:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session = (
        SparkSession.builder.master(f"local[{workers}]").config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1").config("spark.ui.enabled", "false")
        # A file counts as its own size and this, up to 128 MB for each partition.
        .config("spark.sql.files.openCostInBytes", str((128 << 20) // PICTURES_AT_ONCE - 50_000))
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", str(batch)).getOrCreate())
    session.sparkContext.setLogLevel("FATAL")
    files = session.read.format("binaryFile").load(folder)
    rows = files.mapInPandas(predictions, "path string, prediction string, finished double").collect()
    return counted((row.prediction, row.finished) for row in rows)


def spark_apus():
    import apus.spark

    predictions = apus.spark.predictions(MODEL, top=1)

    def over(frames):
        for frame in predictions(frames):
            yield frame.drop(columns="error").assign(finished=time.monotonic())

    return over


def spark_peer():
    def over(frames):
        import jobs

        peer = jobs.worker_peer()
        for frame in frames:
            rows = peer(list(frame["content"]))
            yield frame[["path"]].assign(prediction=rows, finished=time.monotonic())

    return over


_peers: list = []


def worker_peer() -> Peer:
    """One session for each worker process."""
    if not _peers:
        _peers.append(Peer(1))
    return _peers[0]


def counted(rows) -> dict:
    """The number of rows for each time at which a batch was finished."""
    ended = defaultdict(int)
    for prediction, when in rows:
        assert prediction is not None
        ended[when] += 1
    return ended


JOBS = {
    "apus predict": command,
    "Ray, Apus": lambda *given: ray(RayApus, *given[:3]),
    "Ray, peer": lambda *given: ray(RayPeer, *given[:3]),
    "Spark, Apus": lambda *given: spark(spark_apus(), *given[:3]),
    "Spark, peer": lambda *given: spark(spark_peer(), *given[:3]),
}


def main():
    job, folder, workers, batch, executable = sys.argv[1:]
    ended = JOBS[job](folder, int(workers), int(batch), executable)
    first, last = min(ended), max(ended)
    print("rows", sum(ended.values()), sum(ended.values()) - ended[first], last - first)


if __name__ == "__main__":
    # Workers find the classes in the module, not in this program.
    import jobs

    jobs.main()
