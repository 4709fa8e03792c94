"""Models in several processes: pickled, forked, and at the end of an interpreter."""

import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time

import numpy
import pytest

import apus

# Shells have what runs in the background ignore interrupts, and so would its children.
INTERRUPTIBLE = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"

ENDS = """
import sys, threading, asyncio, numpy, apus, networks
model = apus.Model(sys.argv[1], threads=2)
several = numpy.zeros((64, 3, 227, 227), numpy.float32)
"""


def label(arguments):
    classifier, photo = arguments
    return os.getpid(), classifier(photo).label


def test_ten_processes_that_were_spawned(classifier, photo):
    with multiprocessing.get_context("spawn").Pool(10) as processes:
        results = processes.map(label, [(classifier, photo)] * 30, chunksize=1)
    assert {text for _, text in results} == {"espresso"}
    assert os.getpid() not in {process for process, _ in results}


def test_forked_processes_are_refused_with_advice(classifier, photo):
    def child(connection):
        try:
            classifier(photo)
        except BaseException as error:
            connection.send((type(error).__name__, str(error)))

    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    processes = [context.Process(target=child, args=(theirs,)) for _ in range(10)]
    for process in processes:
        process.start()
    for process in processes:
        assert ours.poll(20)
        kind, message = ours.recv()
        assert kind == "ForkError" and "spawn" in message and "forkserver" in message
        process.join(20)
        assert process.exitcode == 0


def test_ten_processes_that_were_forked_before_the_first_model(python, squeezenet, photo):
    """The parent and its children, all of which open a model afterwards."""
    program = """
import os, sys, apus
children = []
for _ in range(10):
    child = os.fork()
    if not child:
        children = None
        break
    children.append(child)
classifier = apus.Classifier(sys.argv[1])
os.write(1, classifier(sys.argv[2]).json().encode() + b"\\n")
if children: sys.exit(max(os.waitpid(child, 0)[1] for child in children))
"""
    rows = python(program, squeezenet, photo).split("\n")[:-1]
    assert len(rows) == 11 and len(set(rows)) == 1 and "espresso" in rows[0]


def test_pickled_models_that_were_not_used_can_be_forked(python, squeezenet, photo, classifier, tmp_path):
    (tmp_path / "classifier").write_bytes(pickle.dumps(classifier))
    program = """
import os, pickle, sys, apus
classifier = pickle.load(open(sys.argv[1], "rb"))
assert "not opened yet" in repr(classifier)
child = os.fork()
print(classifier(sys.argv[2]).label, flush=True)
if child: sys.exit(os.waitpid(child, 0)[1])
"""
    assert python(program, tmp_path / "classifier", photo).split() == ["espresso"] * 2


def test_copies_open_once_and_have_the_same_options(classifier, photo, model, picture):
    copies = [pickle.loads(pickle.dumps(classifier)) for _ in range(3)]
    assert {copy(photo).json() for copy in copies} == {classifier(photo).json()}
    assert len({id(copy._engine) for copy in copies}) == 1 and type(copies[0]) is apus.Classifier
    assert copies[0].options == classifier.options
    assert numpy.array_equal(pickle.loads(pickle.dumps(model))(picture)[0], model(picture)[0])


def test_a_model_that_changed_is_refused(squeezenet, tmp_path):
    path = tmp_path / "model.onnx"
    shutil.copy(squeezenet, path)
    model = apus.Model(path)
    pickled = pickle.dumps(model)
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(apus.Error, match="changed since it was pickled"):
        pickle.loads(pickled).inputs
    path.write_bytes(path.read_bytes()[:-1])
    model = apus.Model(path)
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(apus.Error, match="changed since it was opened"):
        pickle.dumps(model)


def test_models_from_bytes_and_the_zoo_are_pickled(doubling):
    assert pickle.loads(pickle.dumps(doubling))([[1.0, 2.0]]).tensors[0].tolist() == [[2, 4]]
    copy = pickle.loads(pickle.dumps(apus.Model("zoo:squeezenet1_1", seed=3)))
    assert copy.inputs[0].shape[1] == 3


def test_what_belongs_to_a_process_is_not_pickled(classifier, photo):
    with pytest.raises(TypeError, match="process"):
        pickle.dumps(classifier(photo))


@pytest.mark.parametrize("ending", [
    "threading.Thread(target=lambda: [model(several) for _ in range(50)], daemon=True).start()",
    "loop = asyncio.new_event_loop(); tasks = [loop.create_task(model.run_async(several.copy())) for _ in range(20)];"
    " loop.run_until_complete(asyncio.sleep(0.01))",
    "rows = apus.predict(sys.argv[1], *sys.argv[2:]); next(rows)",
    "keep = model(several[:1]); array = keep[0]; capsule = keep.tensors[0].__dlpack__()",
    "import numpy as n; other = n.from_dlpack(model(several[:1]).tensors[0])",
    "threading.Thread(target=lambda: apus.Classifier(sys.argv[1])([sys.argv[2]] * 500), daemon=True).start();"
    " import time; time.sleep(0.05)",
])
def test_an_interpreter_exits_in_the_middle(python, squeezenet, all_photos, ending):
    python(ENDS + ending, squeezenet, *all_photos, seconds=30)


@pytest.fixture
def many(all_photos, tmp_path) -> str:
    """A folder of 1,500 photos."""
    folder = tmp_path / "many"
    folder.mkdir()
    shutil.copy(all_photos[3], tmp_path / "photo.jpg")
    for index in range(1500):
        os.link(tmp_path / "photo.jpg", folder / f"{index:04}.jpg")
    return str(folder)


@pytest.mark.parametrize("work", [
    "apus.run(classifier, folder, folder + '.jsonl')",
    "list(classifier.predict(folder))",
    "classifier([os.path.join(folder, name) for name in os.listdir(folder)])",
    "apus.Model(sys.argv[1], threads=1).bench(time=60)",
    "apus.Model(sys.argv[1], threads=1).compare('cpu', 'reference', seconds=60)",
])
def test_an_interrupt_ends_long_work(squeezenet, many, work):
    program = f"""
{INTERRUPTIBLE}
import os, sys, apus
folder = sys.argv[2]
classifier = apus.Classifier(sys.argv[1])
print("ready", flush=True)
try: {work}
except KeyboardInterrupt: print("ended")
"""
    with subprocess.Popen(
            [sys.executable, "-c", program, squeezenet, many], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        try:
            assert process.communicate(timeout=10)[0] == "ended\n"
        finally:
            process.kill()
    assert process.returncode == 0


def test_an_interrupted_run_is_resumed(squeezenet, many, tmp_path, command):
    program = INTERRUPTIBLE + """
import os, signal, sys, threading, apus
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try: apus.run(sys.argv[1], sys.argv[2], sys.argv[3])
except KeyboardInterrupt: print("ended")
"""
    output = tmp_path / "rows.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", program, squeezenet, many, str(output)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout == "ended\n", done.stderr
    summary = apus.run(squeezenet, many, output, resume=True)
    assert 0 < summary["resumed"] < 1500
    command("predict", squeezenet, many, "-o", tmp_path / "expected.jsonl")
    assert output.read_bytes() == (tmp_path / "expected.jsonl").read_bytes()


INTERRUPTED = """
import os, signal, sys, threading, time, warnings
import apus, numpy
warnings.simplefilter("ignore")
# A shell that starts the tests in the background has the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
model = apus.Model("zoo:resnet50", threads=1)
pixels = numpy.zeros((256, 3, 224, 224), numpy.float32)

def interrupt():
    # A run has begun where the process has used some time.
    start = time.process_time()
    while time.process_time() - start < 1:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    model(pixels)
    print("ended")
except KeyboardInterrupt:
    print("interrupted")
small = numpy.zeros((1, 3, 224, 224), numpy.float32)
print(model(small)[0].shape)
"""


def test_an_interrupt_ends_a_run(python):
    assert python(INTERRUPTED).split("\n")[:2] == ["interrupted", "(1, 1000)"]
