"""Runs that coroutines await."""

import asyncio
import gc
import os
import time
from pathlib import Path

import networks
import numpy
import pytest

import apus


def test_a_thousand_calls_in_flight(doubling):
    async def call(number):
        outputs = await doubling.run_async(numpy.float32([[number, -number]]))
        return outputs[0].tolist() == [[2 * number, -2 * number]]

    async def all_calls():
        return await asyncio.gather(*[call(number) for number in range(1000)])

    assert all(asyncio.run(all_calls()))


def test_a_thousand_pictures_in_flight(classifier, photo):
    content = Path(photo).read_bytes()
    expected = classifier(photo).json()

    async def all_calls():
        return await asyncio.gather(*[classifier.run_async(content) for _ in range(1000)])

    assert {answer.json() for answer in asyncio.run(all_calls())} == {expected}


def test_the_loop_goes_on_meanwhile(model, picture):
    async def watched():
        turns = 0
        run = asyncio.ensure_future(model.run_async(numpy.concatenate([picture] * 16)))
        while not run.done():
            turns += 1
            await asyncio.sleep(0)
        return turns, (await run)[0].shape

    turns, shape = asyncio.run(watched())
    assert turns > 1 and shape == (16, 1000)


def test_errors_are_raised_where_they_are_awaited(doubling, classifier):
    with pytest.raises(apus.ArgumentError, match="shape"):
        asyncio.run(doubling.run_async(numpy.float32([1])))
    with pytest.raises(apus.PictureError, match="missing.png"):
        asyncio.run(classifier.run_async("missing.png"))


def test_cancelled_calls_end_and_others_are_right(model, picture):
    expected = model(picture)[0].copy()

    async def some_cancelled():
        calls = [asyncio.ensure_future(model.run_async(picture)) for _ in range(40)]
        await asyncio.sleep(0)
        for call in calls[::2]:
            call.cancel()
        return await asyncio.gather(*calls, return_exceptions=True)

    results = asyncio.run(some_cancelled())
    assert all(numpy.array_equal(result[0], expected) for result in results[1::2])
    assert all(isinstance(result, asyncio.CancelledError) for result in results[::2])


def test_loops_that_end_early_leave_no_descriptors(model, picture):
    def descriptors():
        return len(os.listdir("/proc/self/fd"))

    async def left():
        asyncio.ensure_future(model.run_async(numpy.concatenate([picture] * 4)))
        await asyncio.sleep(0)

    asyncio.run(model.run_async(picture))
    before = descriptors()
    for _ in range(20):
        asyncio.run(left())
    time.sleep(0.5)
    gc.collect()
    asyncio.run(model.run_async(picture))
    assert descriptors() <= before + 2
    from apus import _work

    assert not _work._reading


def test_a_call_of_a_network_without_end_is_cancelled():
    model = apus.Model(networks.endless(), loop_seconds=1)

    async def impatient():
        await asyncio.wait_for(model.run_async(numpy.float32([0, 0])), 0.1)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(impatient())
