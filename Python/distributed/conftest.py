"""What the tests of all engines share: many photos, and the command's rows for them."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "Tests" / "Fixtures"
COUNT = int(os.environ.get("APUS_PICTURES", "2000"))

# Workers of the engines import the package and the tests too.
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "Python"), str(Path(__file__).parent)])


@pytest.fixture(scope="session")
def squeezenet() -> str:
    return str(FIXTURES / "models" / "squeezenet1_1.onnx")


@pytest.fixture(scope="session")
def photos(tmp_path_factory) -> str:
    """A folder of JPEG files, each another part of a photo, and among them some that are no pictures."""
    folder = tmp_path_factory.mktemp("photos")
    sources = [Image.open(path).convert("RGB") for path in sorted((FIXTURES / "photos").iterdir())]
    random = numpy.random.default_rng(3)
    for index in range(COUNT):
        source = sources[index % len(sources)]
        edge = int(random.integers(100, min(source.size)))
        left, upper = (int(random.integers(0, length - edge + 1)) for length in source.size)
        path = folder / f"{index:05}.jpg"
        source.crop((left, upper, left + edge, upper + edge)).save(path, quality=90)
        if index % 500 == 250:
            path.write_bytes(path.read_bytes()[:700])
    (folder / "poison.jpg").write_bytes(b"nothing")
    return str(folder)


@pytest.fixture(scope="session")
def expected(squeezenet, photos) -> dict:
    """The command's rows by path, and None for pictures that have no answer."""
    executable = os.environ.get("APUS_COMMAND", str(ROOT / ".build" / "release" / "apus"))
    done = subprocess.run(
        [executable, "predict", squeezenet, photos, "--top", "2"], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    rows = {}
    for line in done.stdout.splitlines():
        path = line[len('{"id":"') :].partition('"')[0]
        rows[path] = None if '"predictions":null' in line else line
    assert len(rows) == COUNT + 1 and sum(row is None for row in rows.values()) == 1 + (COUNT + 249) // 500
    return rows


@pytest.fixture
def compare(expected):
    """Compares rows of an engine, as (path, prediction, error), with those of the command."""

    def check(rows):
        found = {path.removeprefix("file:"): (row, error) for path, row, error in rows}
        assert len(found) == len(expected)
        for path, row in expected.items():
            prediction, error = found[path]
            # Spark's ids are URLs.
            assert (prediction and prediction.replace('"id":"file:', '"id":"')) == row
            assert (error is None) == (row is not None)
        assert found[next(path for path in expected if path.endswith("poison.jpg"))][1].startswith("decode: ")

    return check


@pytest.fixture(scope="session")
def python() -> str:
    return sys.executable
