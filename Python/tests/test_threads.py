"""Ten threads at once, and memory after many calls."""

import gc
import resource
from concurrent.futures import ThreadPoolExecutor

import numpy

import apus


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


def test_memory_after_100_000_calls_is_that_after_1_000(doubling):
    values = numpy.float32([[1, 2]])

    def calls(count):
        for _ in range(count):
            doubling(values)[0]
        gc.collect()
        return resident()

    after_few = calls(1_000)
    assert calls(99_000) - after_few < 2_000


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
