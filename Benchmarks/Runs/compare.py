"""Times a batch run of Apus beside its parts, and beside a script with Pillow, a pool of workers and onnxruntime.

    make bench-runs ARGUMENTS="--count 2000 --rounds 3"

Makes JPEG files by cutting 640 x 480 out of the photos of the repository, then times in turns: decoding, prediction and
the whole run of Apus, and the script with a pool of threads and of processes. Loading is not timed. If the network gets
half of the processors, the other half decodes; if it gets all of them, both share them.
"""

import argparse
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import onnxruntime
import PIL
from PIL import Image

MODEL = "Tests/Fixtures/models/squeezenet1_1.onnx"
PHOTOS = "Tests/Fixtures/photos"
PROGRAM = ".build/release/run-benchmark"


def make_pictures(folder, count):
    """Cuts the pictures, each at a position that follows from its number."""
    os.makedirs(folder, exist_ok=True)
    photos = [Image.open(os.path.join(PHOTOS, name)).convert("RGB") for name in sorted(os.listdir(PHOTOS))]
    photos = [photo.resize((max(960, photo.width), max(720, photo.height))) for photo in photos]
    for index in range(count):
        path = os.path.join(folder, f"{index:06}.jpg")
        if os.path.exists(path):
            continue
        numbers = random.Random(index)
        photo = photos[index % len(photos)]
        left, top = numbers.randrange(photo.width - 639), numbers.randrange(photo.height - 479)
        photo.crop((left, top, left + 640, top + 480)).save(path, quality=85)


def prepare(path):
    """The steps of the model's preprocessor_config.json."""
    image = Image.open(path).convert("RGB").resize((227, 227), Image.Resampling.BILINEAR)
    pixels = numpy.asarray(image, dtype=numpy.float32)
    pixels = pixels - numpy.array([123.68, 116.779, 103.939], dtype=numpy.float32)
    return numpy.ascontiguousarray(pixels[:, :, ::-1].transpose(2, 0, 1))


def script(pool, files, threads, batch):
    """Images per second of the script, with a pool of threads or of processes."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(MODEL, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    if pool == "threads":
        workers = ThreadPoolExecutor(threads)
        prepared = lambda: workers.map(prepare, files)
    else:
        workers = multiprocessing.get_context("spawn").Pool(threads)
        workers.map(abs, range(threads))
        prepared = lambda: workers.imap(prepare, files, chunksize=batch)
    start = time.perf_counter()
    waiting, best = [], []

    def predict():
        scores = session.run(None, {name: numpy.stack(waiting)})[0].reshape(len(waiting), -1)
        best.extend(numpy.argsort(-scores, axis=1)[:, :5].tolist())
        waiting.clear()

    for pixels in prepared():
        waiting.append(pixels)
        if len(waiting) == batch:
            predict()
    if waiting:
        predict()
    seconds = time.perf_counter() - start
    assert len(best) == len(files)
    if pool == "threads":
        workers.shutdown()
    else:
        workers.terminate()
    return len(files) / seconds, 0.0


def part(name, folder, threads, batch):
    """Images per second of a part of Apus, and the process's peak of memory in MiB."""
    answer = subprocess.run(
        [PROGRAM, name, MODEL, folder, str(threads), str(batch)], check=True, capture_output=True, text=True)
    return tuple(float(word) for word in answer.stdout.split())


def compare(options, threads, folder, files):
    """Times everything in turns with a number of threads, and prints rates and ratios."""
    contenders = {
        "apus decode": lambda: part("decode", folder, threads, options.batch),
        "apus predict": lambda: part("predict", folder, threads, options.batch),
        "apus run": lambda: part("run", folder, threads, options.batch),
        "script, threads": lambda: script("threads", files, threads, options.batch),
        "script, processes": lambda: script("processes", files, threads, options.batch),
    }
    rounds = [{name: measure() for name, measure in contenders.items()} for _ in range(options.rounds)]

    print(f"{options.count} JPEG files of 640 x 480, {MODEL}, batches of {options.batch}, {threads} threads for the "
          f"network and as many to decode, {len(os.sched_getaffinity(0))} processors, {options.rounds} rounds in turns")
    print("img/s, maximum / median")
    for name in contenders:
        rates = [round[name][0] for round in rounds]
        memory = max(round[name][1] for round in rounds)
        print(f"  {name:17} {max(rates):8.1f} / {statistics.median(rates):.1f}"
              + (f"   {memory:.1f} MiB at most" if memory else ""))

    def ratio(title, other):
        ratios = [round["apus run"][0] / other({name: value[0] for name, value in round.items()}) for round in rounds]
        best = {name: max(round[name][0] for round in rounds) for name in contenders}
        print(f"  {title:35} {best['apus run'] / other(best):.2f} of the maxima, "
              f"{statistics.median(ratios):.2f} median of rounds")

    ratio("run / the slower part", lambda rate: min(rate["apus decode"], rate["apus predict"]))
    # With every processor in use, both parts together are slower than each alone.
    ratio("run / both on the same processors",
          lambda rate: 1 / (1 / rate["apus decode"] + 1 / rate["apus predict"]))
    ratio("run / the better script", lambda rate: max(rate["script, threads"], rate["script, processes"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch", type=int, default=8)
    processors = len(os.sched_getaffinity(0))
    parser.add_argument("--threads", default=",".join(map(str, sorted({max(1, processors // 2), processors}))))
    parser.add_argument("--folder", default=".cache/bench-runs/pictures")
    options = parser.parse_args()
    folder = os.path.join(options.folder, str(options.count))
    make_pictures(folder, options.count)
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    print(f"onnxruntime {onnxruntime.__version__}, Pillow {PIL.__version__}, Python {sys.version.split()[0]}")
    for threads in options.threads.split(","):
        compare(options, int(threads), folder, files)


if __name__ == "__main__":
    main()
