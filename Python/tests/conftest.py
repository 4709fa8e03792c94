"""What the tests share: the fixtures of the repository, the command, and small networks."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import apus
import networks

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "Tests" / "Fixtures"


def pytest_addoption(parser):
    parser.addoption("--calls", type=int, default=10_000, help="how many predictions to look at memory after")


@pytest.fixture(scope="session")
def squeezenet() -> str:
    return str(FIXTURES / "models" / "squeezenet1_1.onnx")


@pytest.fixture(scope="session")
def photos() -> str:
    return str(FIXTURES / "photos")


@pytest.fixture(scope="session")
def photo(photos) -> str:
    return os.path.join(photos, "coffee.png")


@pytest.fixture(scope="session")
def all_photos(photos) -> list:
    return sorted(os.path.join(photos, name) for name in os.listdir(photos))


@pytest.fixture(scope="session")
def model(squeezenet) -> apus.Model:
    return apus.Model(squeezenet, threads=2)


@pytest.fixture(scope="session")
def classifier(squeezenet) -> apus.Classifier:
    return apus.Classifier(squeezenet, top=3)


@pytest.fixture(scope="session")
def doubling() -> apus.Model:
    return apus.Model(networks.doubling(), threads=1)


@pytest.fixture(scope="session")
def picture():
    """Numbers as inputs of SqueezeNet, different in every place."""
    return numpy.random.default_rng(7).normal(0, 60, (1, 3, 227, 227)).astype(numpy.float32)


@pytest.fixture(scope="session")
def command():
    """Runs the command of the same build, and gives its standard output."""
    executable = os.environ.get("APUS_COMMAND", str(ROOT / ".build" / "release" / "apus"))

    def run(*arguments, status=(0, 1)) -> str:
        done = subprocess.run([executable, *map(str, arguments)], capture_output=True, text=True, timeout=300)
        assert done.returncode in status, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def python():
    """Runs a program in a new interpreter, and gives what it prints; it has to end well and in time."""

    def run(program: str, *arguments, status=0, seconds=120, python=sys.executable) -> str:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "Python"), str(Path(__file__).parent)])}
        done = subprocess.run(
            [python, "-c", program, *map(str, arguments)], capture_output=True, text=True, timeout=seconds,
            env=environment)
        assert done.returncode == status, done.stderr
        return done.stdout

    return run
