"""Ten threads at once, and memory after many calls."""

import asyncio
import gc
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest

import apus
import networks


def test_ten_threads_share_a_model(model, classifier, picture, photo):
    scores, row = model(picture)[0].copy(), classifier(photo).json()

    def work(_):
        assert numpy.array_equal(model(picture)[0], scores)
        assert classifier(photo).json() == row
        return True

    with ThreadPoolExecutor(10) as threads:
        assert all(threads.map(work, range(100)))


def test_ten_threads_open_models(squeezenet, picture):
    with ThreadPoolExecutor(10) as threads:
        models = list(threads.map(lambda _: apus.Model(squeezenet, threads=1), range(10)))
    results = [model(picture)[0] for model in models]
    assert all(numpy.array_equal(result, results[0]) for result in results)


def resident() -> int:
    """The kibibytes of the process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


@pytest.fixture
def grown(capsys):
    """Calls a function many times, prints the memory after few and after all calls, and gives the KiB between them."""

    def measure(name, call, few, many):
        def after(count):
            for _ in range(count):
                call()
            gc.collect()
            return resident()

        first = after(few)
        last = after(many - few)
        with capsys.disabled():
            print(f"\n{name}: {first} KiB after {few:,} calls, {last} KiB after {many:,}")
        return last - first

    return measure


def test_memory_after_100_000_calls_is_that_after_1_000(doubling, grown):
    values = numpy.float32([[1, 2]])
    assert grown("runs", lambda: doubling(values)[0], 1_000, 100_000) < 2_000


@pytest.mark.filterwarnings("ignore:.*guessing")
def test_memory_after_many_predictions(grown, request):
    """10,000 predictions; 100,000 with --calls 100000."""
    many = request.config.getoption("calls")
    tasks = Path(__file__).parents[2] / "Tests" / "Fixtures" / "tasks"
    estimator = apus.DepthEstimator(str(tasks / "depth.onnx"), threads=1)
    content = (tasks / "small.png").read_bytes()
    assert grown("predictions", lambda: estimator(content).json(), many // 10, many) < 2_000


def test_memory_after_many_awaited_calls(doubling, grown):
    values = numpy.float32([[1, 2]])

    async def calls():
        await asyncio.gather(*[doubling.run_async(values) for _ in range(100)])

    assert grown("100 awaited runs", lambda: asyncio.run(calls()), 10, 200) < 4_000


def test_memory_of_predictions_errors_and_models(classifier, squeezenet, photo):
    def calls(count):
        for _ in range(count):
            classifier([photo, b"nothing"]).rows()
            try:
                apus.Model(b"nothing")
            except apus.Error:
                pass
        gc.collect()
        return resident()

    after_few = calls(100)
    assert calls(400) - after_few < 8_000


def test_memory_of_sessions(squeezenet):
    def sessions(count):
        for _ in range(count):
            apus.Model(squeezenet, threads=2).outputs
        gc.collect()
        return resident()

    after_few = sessions(10)
    assert sessions(60) - after_few < 16_000


def test_loops_give_their_memory_back():
    """Loops that collect 200 MB in pieces of 1 KiB, in one thread after another."""
    model = apus.Model(networks.collecting(), threads=1, loop_seconds=600)
    x = numpy.ones(256, numpy.float32)

    def resident_after_loop():
        assert model(numpy.int64(200_000), x)["copies"].shape == (200_000, 256)
        gc.collect()
        return resident()

    before = resident()
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(resident_after_loop).result() - before < 40_000
    assert resident_after_loop() - before < 40_000
