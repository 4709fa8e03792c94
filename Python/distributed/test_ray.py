"""Ray Data on two actors, one of which is killed."""

import os

import pytest
import ray

import apus.ray
from killing import kill_once


class Dying(apus.ray.Predictor):
    """A predictor whose first worker is killed once."""

    def __init__(self, *arguments, flag, **options):
        super().__init__(*arguments, **options)
        self.flag = flag

    def __call__(self, batch):
        kill_once(self.flag, batch["path"].to_pylist())
        return super().__call__(batch)


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=4, include_dashboard=False, logging_level="error")
    yield
    ray.shutdown()


def test_rows_are_those_of_the_command_though_a_worker_dies(photos, squeezenet, compare, tmp_path):
    dataset = ray.data.read_binary_files(photos, include_paths=True, override_num_blocks=40)
    flag = str(tmp_path / "killed")
    rows = dataset.map_batches(
        Dying, fn_constructor_args=(squeezenet,), fn_constructor_kwargs={"top": 2, "flag": flag},
        batch_format="pyarrow", batch_size=32, num_cpus=1, compute=ray.data.ActorPoolStrategy(size=2))
    rows.drop_columns(["bytes"]).write_parquet(str(tmp_path / "rows"))
    assert os.path.exists(flag)
    read = ray.data.read_parquet(str(tmp_path / "rows")).take_all()
    compare([(row["path"], row["prediction"], row["error"]) for row in read])


def test_paths_and_dictionaries_of_arrays(photos, squeezenet, expected):
    paths = sorted(expected)[:64] + [None, "missing.jpg"]
    dataset = ray.data.from_items([{"file": path} for path in paths])
    rows = dataset.map_batches(
        apus.ray.Predictor, fn_constructor_args=(squeezenet, "file", "file"), fn_constructor_kwargs={"top": 2},
        batch_size=16, num_cpus=1, compute=ray.data.ActorPoolStrategy(size=1)).take_all()
    assert len(rows) == 66
    found = {row["file"]: row for row in rows}
    assert all(found[path]["prediction"] == expected[path] for path in paths[:64])
    assert "no picture" in found[None]["error"] and found["missing.jpg"]["error"].startswith("read: ")


def test_threads_are_those_that_ray_grants(squeezenet):
    @ray.remote(num_cpus=3)
    class Worker:
        def threads(self):
            return apus.ray.granted_processors()

    assert ray.get(Worker.remote().threads.remote()) == 3
