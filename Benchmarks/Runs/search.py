"""Times the search for the pictures that are most like one, in an index of made up vectors, beside NumPy.

    make bench-search ARGUMENTS="--count 1000000 --width 512 --rounds 5"

The command reads the array from the file each time, from the system's cache of files where that has room; NumPy has the
array and the lengths of its vectors in memory. Both give the same neighbours, or the script fails. The time of copying
the file's bytes to one place in memory is the limit that reading sets.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy

COMMAND = ".build/release/apus"


def make_index(path, count, width):
    """Writes normally distributed vectors and their ids, as apus predict --task embed does."""
    array = numpy.lib.format.open_memmap(path, "w+", numpy.float32, (count, width))
    numbers = numpy.random.default_rng(0)
    for start in range(0, count, 50_000):
        rows = array[start:start + 50_000]
        rows[:] = numbers.standard_normal(rows.shape, dtype=numpy.float32)
    array.flush()
    with open(path + ".records.jsonl", "w") as file:
        for row in range(count):
            file.write(json.dumps({"id": f"{row:08}.jpg", "error": None}, separators=(",", ":")) + "\n")


def timed(function):
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def read(path, buffer):
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", default=".cache/bench-search")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    path = os.path.join(arguments.folder, f"{arguments.count}x{arguments.width}.npy")
    if not os.path.exists(path + ".records.jsonl"):
        make_index(path, arguments.count, arguments.width)
    vectors = numpy.load(path)
    lengths = numpy.sqrt(numpy.einsum("ij,ij->i", vectors, vectors))
    times = {"apus search": [], "NumPy": [], "reading": []}
    buffer = bytearray(1 << 20)
    for number in range(arguments.rounds):
        row = number * 7919 % arguments.count

        def search():
            command = [COMMAND, "search", path, "--id", f"{row:08}.jpg", "--top", "5"]
            return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

        def with_numpy():
            similarities = vectors @ vectors[row] / (lengths * lengths[row])
            similarities[row] = -2
            best = numpy.argpartition(-similarities, 5)[:5]
            return sorted(best.tolist(), key=lambda position: -similarities[position])

        seconds, answer = timed(search)
        times["apus search"].append(seconds)
        seconds, expected = timed(with_numpy)
        times["NumPy"].append(seconds)
        times["reading"].append(timed(lambda: read(path, buffer))[0])
        found = [neighbor["position"] for neighbor in answer["neighbors"]]
        if found != expected:
            sys.exit(f"search.py: for {row:08}.jpg apus finds {found}, and NumPy {expected}")
    size = os.path.getsize(path)
    print(f"{arguments.count:,} vectors of {arguments.width} float32, {size / 1e9:.2f} GB, "
          f"{os.cpu_count()} processors, {arguments.rounds} rounds in turns")
    for name, all_times in times.items():
        print(f"{name:12} minimum {min(all_times):.3f} s, median {statistics.median(all_times):.3f} s, "
              f"{size / min(all_times) / 1e9:.1f} GB/s")


main()
