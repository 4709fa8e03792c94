"""Opens and predicts damaged and hostile files of every kind in Python: exceptions, never a dead interpreter.

    python3 Python/tests/hostile.py [--only TEXT] [--parts models,images] [--verbose]

The files are those of Tests/Hostile. An interpreter works on many of them one after another. What the package has no
function for, such as merging, is left out and counted.
"""

import argparse
import multiprocessing
import os
import resource
import shutil
import sys
import tempfile
import time
import unicodedata
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tests", "Hostile"))

import datasets  # noqa: E402
import images  # noqa: E402
import models  # noqa: E402
import running  # noqa: E402
import runs  # noqa: E402

TASKS = ("classify", "detect", "pose", "landmarks", "segment", "embed", "depth", "image", "raw")
# Options without a value.
FLAGS = ("resume",)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="cases whose names hold one of these, with commas between")
    parser.add_argument("--parts", default="models,images,datasets,runs", help="what is damaged or hostile")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--megabytes", type=int, default=1024, help="for a model without bytes")
    parser.add_argument("--per-byte", type=int, default=256, help="kibibytes that each byte of a model adds")
    parser.add_argument("--verbose", action="store_true", help="print what every call says")
    options = parser.parse_args()
    limits = running.Limits(options.seconds, options.megabytes, options.per_byte, 0)
    texts = options.only.split(",")
    parts = [part for part in (models, images, datasets, runs) if part.__name__ in options.parts.split(",")]
    every = (case for part in parts for case in part.cases(texts))
    counts = dict.fromkeys(["calls", "faults", "left out", "interpreters"], 0)
    worker = None
    with tempfile.TemporaryDirectory(prefix="apus-hostile-") as root:
        for case in every:
            if not any(text in case.name for text in texts):
                continue
            folder = os.path.join(root, "case")
            case.write(folder)
            allowed = limits.of(folder, case.files)
            for call in calls(case):
                if call is None:
                    counts["left out"] += 1
                    continue
                worker = worker or start(counts)
                outcome = ask(worker, folder, call, options.seconds)
                # Files beside a model are not there for its content, tasks may not fit a network, and inputs have the
                # network's own names.
                is_certain = call[0] not in TASKS and (call[0] != "content" or len(case.files) == 1)
                is_certain = is_certain and not (call[0] in ("model", "content") and case.name.endswith("another input"))
                faults = list(found(outcome, case.expected if is_certain else "either", allowed))
                counts["calls"] += 1
                counts["faults"] += bool(faults)
                if faults or options.verbose:
                    name = "FAULT" if faults else "fine "
                    print(f"{name} {case.name}: {call[0]}: {'; '.join(faults)} {outcome!r}"[:2000], flush=True)
                if outcome is None:
                    worker[0].kill()
                    worker = None
            shutil.rmtree(folder, ignore_errors=True)
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    sys.exit(1 if counts["faults"] or not counts["calls"] else 0)


def calls(case):
    """What is called for a case: a name, and arguments."""
    if not case.runs:
        yield from ((name, ["model.onnx"]) for name in ("model", "content", *TASKS))
        return
    for arguments in case.runs:
        command, *rest = arguments
        yield ("rows", rest) if command == "predict" else None
        if command == "predict" and len(case.runs) == 1 and rest[1] == "picture":
            yield "picture", rest


def start(counts):
    """A new interpreter that waits for calls."""
    counts["interpreters"] += 1
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=work, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def ask(worker, folder, call, seconds):
    """The outcome of a call; None when the interpreter is dead, or does not answer."""
    process, connection = worker
    begin, spent = time.monotonic(), running.processor_seconds(process.pid)
    try:
        connection.send((folder, *call))
        while not connection.poll(1):
            # On a busy machine the elapsed time means little.
            worked = running.processor_seconds(process.pid) - spent
            if worked > 4 * seconds or time.monotonic() - begin > 60 * seconds:
                return None
        return connection.recv()
    except (EOFError, OSError):
        process.join(5)
        return None


def found(outcome, expected, limits):
    """Each error as a phrase."""
    if outcome is None:
        yield "the interpreter is dead, or does not answer"
        return
    status, message, seconds, megabytes = outcome
    if status == "wrong":
        yield "raises what is no error of Apus"
    if status == "answer" and expected == "error":
        yield "answers"
    if status == "error" and expected == "answer":
        yield "refuses"
    if seconds > limits.seconds:
        yield f"takes {seconds:.1f} s"
    if megabytes > limits.megabytes + 256:
        yield f"takes {megabytes} MB"
    if any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in message):
        yield "the message holds control characters"
    if status == "error" and not message:
        yield "there is no message"


def work(connection):
    """Makes calls until the other side is gone, and says how they ended."""
    import apus

    warnings.simplefilter("ignore")
    base = resident()
    while True:
        try:
            folder, name, arguments = connection.recv()
        except EOFError:
            return
        os.chdir(folder)
        start, processor = time.monotonic(), time.process_time()
        status, message = "answer", ""
        try:
            # Errors of records are no exceptions.
            message = CALLS[name](apus, name, *arguments) or ""
            status = "error" if message else "answer"
        except apus.Error as error:
            status, message = "error", str(error)
        except Exception as error:
            status, message = "wrong", repr(error)
        os.chdir("/")
        # On a busy machine the elapsed time means little.
        seconds = min(time.monotonic() - start, time.process_time() - processor)
        connection.send((status, message, seconds, resident() - base))


def resident():
    """The most megabytes that the process has had since the last time."""
    with open("/proc/self/status") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return peak >> 10


def limited(path):
    """The options that give a model the memory that the command gives it, whatever was opened before."""
    kibibytes = (512 << 10) + 256 * min(os.path.getsize(path), 1 << 20) if os.path.isfile(path) else 1 << 20
    return {"memory_limit": f"{min(kibibytes, machine_kibibytes() * 3 // 4)}K"}


def machine_kibibytes():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 10


def call_model(apus, name, path):
    use(apus.Model(path, **limited(path)))


def call_content(apus, name, path):
    """The same without a file. What is no file has no content."""
    if not os.path.isfile(path):
        return call_model(apus, name, path)
    with open(path, "rb") as file:
        use(apus.Model(file.read(1 << 26), **limited(path)))


def use(model):
    model.describe()
    model.plan()
    inputs = {}
    for value in model.inputs:
        shape = [extent if isinstance(extent, int) else 1 for extent in value.shape or []]
        inputs[value.name] = zeros(value.dtype or "float32", shape)
    for tensor in model(inputs).tensors:
        tensor.shape, tensor.tobytes() if tensor.nbytes < 1 << 20 else None


def zeros(dtype, shape):
    import apus
    from apus._element_types import CODES, SIZES
    from apus._inputs import copied_bytes

    size = SIZES[CODES[dtype]]
    for extent in shape:
        size *= extent
    if size > 1 << 28:
        raise apus.ArgumentError("the input is too large for this test")
    return apus.Tensor._owning(copied_bytes(CODES[dtype], tuple(shape), bytes(size)))


def call_task(apus, name, path):
    # As in the tests of the command, pictures are not cut into tiles.
    resize = {"resize": "fill"} if name == "image" else {}
    read(apus.Predictor(path, task=name, **resize, **limited(path))([images.PHOTO]))


def read(answers):
    """Reads everything in answers."""
    for answer in answers:
        answer.json("id"), answer.size, repr(answer), answer.tensors if answer else None
        for item in answer.items:
            item.row(), item.points
        if answer.items and answer.items[0].area is not None:
            answer.items[0].mask


def call_picture(apus, name, model, path, *_):
    classifier = classifiers.get(model) or classifiers.setdefault(model, apus.Classifier(model))
    with open(path, "rb") as file:
        # One after the other, since the limit of memory is that of one picture.
        answers = [answer for source in (path, file.read(1 << 26)) for answer in classifier([source])]
    read(answers)
    return "".join(str(answer.error) for answer in answers if answer.error)


classifiers = {}


def call_rows(apus, name, *arguments):
    """What the command does with these arguments."""
    paths, options, rest = [], {}, list(arguments)
    while rest:
        argument = rest.pop(0)
        if not argument.startswith("-"):
            paths.append(argument)
            continue
        key, equals, value = argument.lstrip("-").partition("=")
        options[key.replace("-", "_")] = True if key in FLAGS else value if equals else rest.pop(0)
    output = options.pop("o", None)
    model, *inputs = paths
    if output is not None:
        return "some records failed" if apus.run(model, inputs, output, **options)["failed"] else ""
    if options.get("format") == "jsonl":
        del options["format"]
    rows = list(apus.predict(model, *inputs, **options))
    read([row.answer for row in rows[:1000]])
    return "".join(row["error"]["message"] for row in rows if row["error"])


CALLS = {
    "model": call_model, "content": call_content, "picture": call_picture, "rows": call_rows,
    **dict.fromkeys(TASKS, call_task)}


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
