"""The doors: each is a function that gives the rows for a job, by path.

    python3 doors.py DOOR JOB OUTPUT

A door runs in a process of its own. JOB is a file of JSON with the model, the folder, the paths in order, the options,
the command, the program of C, and a folder for what the door writes; OUTPUT gets the rows, as JSON.
"""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

from rows import Row, item, of_command


def command(job) -> dict:
    arguments = [word for name, value in job["options"].items() for word in (f"--{name}", str(value))]
    done = subprocess.run(
        [job["command"], "predict", job["model"], job["folder"], "--format", "jsonl", *arguments],
        capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return dict(map(of_command, done.stdout.splitlines()))


def c(job) -> dict:
    lists = Path(job["work"]) / "paths.txt"
    lists.write_text("".join(path + "\n" for path in job["paths"]))
    options = [word for pair in job["options"].items() for word in map(str, pair)]
    done = subprocess.run([job["program"], job["model"], str(lists), *options], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    rows = []
    for line in done.stdout.splitlines():
        kind, *fields = line.split("\t")
        if kind == "row":
            rows.append(Row(fields[0], None, None, []))
        elif kind == "error":
            _, code, place, message = fields
            rows.append(Row(None, f"{place}: {message}", code, []))
        else:
            index, *bits = fields[:6]
            rows[-1].items.append([int(index), fields[6] if len(fields) > 6 else None, *bits])
    return dict(zip(job["paths"], rows, strict=True))


def _keywords(job) -> dict:
    return {name.replace("-", "_"): value for name, value in job["options"].items()}


def python_bytes(job) -> dict:
    import apus

    predictor = apus.Predictor(job["model"], **_keywords(job))
    rows = {}
    for start in range(0, len(job["paths"]), 100):
        paths = job["paths"][start : start + 100]
        for path, answer in zip(paths, predictor([Path(path).read_bytes() for path in paths])):
            error = answer.error
            rows[path] = Row(answer.json(path), None, None, _items(answer)) if error is None else Row(
                None, f"{error.place}: {error}", error.code, [])
    return rows


def _items(answer) -> list:
    none = [math.nan] * 4
    return [
        item(found.index, found.label, found.confidence, none if found.box is None else found.box)
        for found in answer]


def python_rows(job) -> dict:
    import apus

    return dict(of_command(row.json) for row in apus.predict(job["model"], job["folder"], **_keywords(job)))


def ray(job) -> dict:
    import apus.ray
    import ray

    # Two for the actors, and one for what reads files; without it, nothing would ever be read.
    ray.init(num_cpus=3, include_dashboard=False, logging_level="error")
    pictures = ray.data.read_binary_files(job["folder"], include_paths=True)
    rows = pictures.map_batches(
        apus.ray.Predictor, fn_constructor_args=(job["model"],), fn_constructor_kwargs=_keywords(job),
        batch_format="pyarrow", batch_size=32, num_cpus=1, compute=ray.data.ActorPoolStrategy(size=2))
    return {
        row["path"]: Row(row["prediction"], row["error"])
        for row in rows.select_columns(["path", "prediction", "error"]).take_all()}


def _spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session = (
        SparkSession.builder.master("local[2]").config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1").config("spark.ui.enabled", "false").getOrCreate())
    session.sparkContext.setLogLevel("FATAL")
    return session


def spark(job) -> dict:
    import apus.spark

    files = _spark().read.format("binaryFile").load(job["folder"])
    rows = files.mapInPandas(apus.spark.predictions(job["model"], **_keywords(job)), apus.spark.SCHEMA).collect()
    # Spark's paths, which are the ids, are URLs.
    return {
        row.path.removeprefix("file:"): Row(
            row.prediction and row.prediction.replace('{"id":"file:', '{"id":"', 1), row.error)
        for row in rows}


def dask(job) -> dict:
    import apus.dask
    import dask.dataframe
    import pandas
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=job["work"]) as cluster:
        with Client(cluster):
            paths = dask.dataframe.from_pandas(pandas.DataFrame({"path": job["paths"]}), npartitions=20)
            rows = apus.dask.predictions(paths, job["model"], **_keywords(job)).compute().astype(object)
    rows = rows.where(rows.notna(), None)
    return {path: Row(row, error) for path, row, error in rows[["path", "prediction", "error"]].itertuples(index=False)}


#: The doors by name, and whether each tells the codes of errors, and items as numbers.
DOORS = {
    "command": (command, True, True), "C": (c, True, True), "Python, bytes": (python_bytes, True, True),
    "Python, a folder": (python_rows, True, True), "Ray Data": (ray, False, False), "Spark": (spark, False, False),
    "Dask": (dask, False, False),
}

#: Spark's reader of files passes empty ones over.
LEAVE_OUT_EMPTY_FILES = {"Spark"}

if __name__ == "__main__":
    with open(sys.argv[2]) as file:
        given = json.load(file)
    found = DOORS[sys.argv[1]][0](given)
    with open(sys.argv[3], "w") as file:
        json.dump(found, file)
