"""Dask on two workers, one of which is killed."""

import os
from pathlib import Path

import dask
import dask.dataframe
import pandas
import pytest
from distributed import Client, LocalCluster

import apus.dask
from killing import kill_once


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("dask"))
    with dask.config.set({"distributed.scheduler.allowed-failures": 5}):
        with LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=folder) as cluster:
            with Client(cluster) as client:
                yield client


def dying(frame, flag):
    kill_once(flag, frame["path"])
    return frame


def test_rows_are_those_of_the_command_though_a_worker_dies(client, squeezenet, expected, compare, tmp_path):
    paths = dask.dataframe.from_pandas(pandas.DataFrame({"path": list(expected)}), npartitions=20)
    flag = str(tmp_path / "killed")
    rows = apus.dask.predictions(paths.map_partitions(dying, flag, meta=paths._meta), squeezenet, top=2)
    rows.to_parquet(str(tmp_path / "rows"))
    assert os.path.exists(flag)
    read = pandas.read_parquet(tmp_path / "rows").astype(object).where(lambda table: table.notna(), None)
    compare(read[["path", "prediction", "error"]].itertuples(index=False))


def test_bytes_with_ids(client, squeezenet, expected):
    paths = sorted(expected)[:20]
    frame = pandas.DataFrame({"name": paths, "content": [Path(path).read_bytes() for path in paths]})
    with dask.config.set({"dataframe.convert-string": False}):
        rows = apus.dask.predictions(
            dask.dataframe.from_pandas(frame, npartitions=3), squeezenet, "content", "name", top=2).compute()
    assert rows.prediction.tolist() == [expected[path] for path in paths]


def test_threads_are_those_of_the_worker(client):
    assert client.submit(apus.dask.granted_processors).result() == 1
