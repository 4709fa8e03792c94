"""The package itself: its import, its examples, and life without NumPy."""

import ast
import base64
import doctest
import importlib
import inspect
import os
import pickle
import pkgutil
import pydoc
import typing
from pathlib import Path

import networks
import pytest

import apus
from conftest import FIXTURES


def modules() -> list:
    return [name for _, name, _ in pkgutil.iter_modules(apus.__path__) if name not in ("ray", "spark", "dask")]


@pytest.mark.filterwarnings("ignore:.*guessing")
@pytest.mark.parametrize("name", ["__init__", *modules()])
def test_examples(name, squeezenet, photo, photos):
    module = apus if name == "__init__" else importlib.import_module(f"apus.{name}")
    names = {
        "apus": apus, "os": os, "squeezenet": squeezenet, "photo": photo, "photos": photos,
        "tiny": networks.doubling(), "depth": str(FIXTURES / "tasks" / "depth.onnx"),
        "enlarging": str(FIXTURES / "tasks" / "super_open.onnx"), "small": str(FIXTURES / "tasks" / "small.png"),
        "detecting": str(FIXTURES / "text" / "detector.onnx"), "lines": str(FIXTURES / "text" / "two.png"),
        "recipe": str(FIXTURES / "text" / "text.recipe.json")}
    assert doctest.testmod(module, extraglobs=names).failed == 0


def test_the_import_fetches_nothing_that_is_large(python):
    loaded = python("import sys, apus; print(*sys.modules)").split()
    large = {"numpy", "pandas", "pyarrow", "PIL", "tqdm", "asyncio", "multiprocessing", "html"}
    assert not large & set(loaded)


def test_without_numpy(python, squeezenet, photo):
    program = """
import sys
sys.modules["numpy"] = sys.modules["PIL"] = sys.modules["tqdm"] = None
import apus, base64, warnings
outputs = apus.Model(base64.b64decode(sys.argv[3]))([[1.0, 2.0]])
assert isinstance(outputs[0], apus.Tensor) and outputs[0].tolist() == [[2, 4]] and outputs["y"][0] == [2, 4]
assert [list(row) for row in outputs[0]] == [[2, 4]]
try: outputs[0].numpy()
except ImportError as error: print(error)
classifier = apus.Classifier(sys.argv[1])
answer = classifier(sys.argv[2])
assert answer.label == "espresso" and answer._repr_png_() is None
warnings.simplefilter("ignore")
for item in apus.Segmenter("zoo:unet")(sys.argv[2]):
    assert sum(item.mask) == item.area and len(item.mask) == 240000
"""
    assert "NumPy" in python(program, squeezenet, photo, base64.b64encode(networks.doubling()).decode())


def test_names_are_documented_and_listed():
    for name in apus.__all__:
        value = getattr(apus, name)
        assert name == "__version__" or value.__doc__, name
        for member, function in vars(value).items() if isinstance(value, type) else ():
            if not member.startswith("_") and callable(function):
                assert function.__doc__, f"{name}.{member}"


def test_every_class_of_a_task_has_an_example_and_says_its_arguments():
    for kind in (*apus.Predictor.__subclasses__(), apus.Answer, apus.Answers, apus.Item, apus.Rows):
        assert ">>> " in kind.__doc__, kind
    text = pydoc.render_doc(apus.Classifier)
    assert "task:" in text and "options:" in text and "min_confidence=0.5" in text


def test_hints_can_be_evaluated_in_python_3_9():
    """Unions with a bar are those of Python 3.10."""
    for file in Path(apus.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            hints = [getattr(node, "annotation", None), getattr(node, "returns", None)]
            for hint in filter(None, hints):
                assert not any(isinstance(part, ast.BitOr) for part in ast.walk(hint)), f"{file}: {ast.unparse(hint)}"
    for name in apus.__all__:
        value = getattr(apus, name)
        for member in vars(value).values() if isinstance(value, type) else [value]:
            function = getattr(member, "fget", None) or getattr(member, "__func__", member)
            if inspect.isfunction(function) and function.__module__.startswith("apus."):
                typing.get_type_hints(function)


TYPED = """
from pathlib import Path
from typing import List, Optional
import apus

classifier = apus.Classifier("squeezenet1_1.onnx", top=3)
label: Optional[str] = classifier("coffee.png").label
label = classifier(Path("coffee.png"))[0].label
label = classifier(open("coffee.png", "rb")).label
labels: List[Optional[str]] = [answer.label for answer in classifier(["coffee.png", b"..."])]
answers: apus.Answers = apus.Detector("yolov8n.onnx")(Path("photos").glob("*.png"))
answers.to_pandas()

async def label_of(path: str) -> Optional[str]:
    return (await classifier.run_async(path)).label

async def labels_of(paths: List[str]) -> List[Optional[str]]:
    return [answer.label for answer in await classifier.run_async(paths)]
"""


def test_a_picture_has_an_answer_and_a_list_answers_for_mypy(tmp_path, monkeypatch):
    interface = pytest.importorskip("mypy.api")
    monkeypatch.setenv("MYPYPATH", str(Path(apus.__file__).parents[1]))
    (tmp_path / "typed.py").write_text(TYPED)
    options = ["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path / "cache")]
    found, errors, status = interface.run([*options, str(tmp_path / "typed.py")])
    assert status == 0, found + errors


def test_errors_are_pickled():
    error = pickle.loads(pickle.dumps(apus.PictureError("message", "code", "decode", 10)))
    assert (str(error), error.code, error.place, error.status) == ("message", "code", "decode", 10)


def test_a_library_that_is_missing(python):
    program = """
import os
os.environ["APUS_LIBRARY"] = "/missing.so"
try: import apus
except ImportError as error: print(error)
"""
    assert "missing.so" in python(program)
