"""The package itself: its import, its examples, and life without NumPy."""

import base64
import doctest
import importlib
import os
import pickle
import pkgutil

import networks
import pytest

import apus


def modules() -> list:
    return [name for _, name, _ in pkgutil.iter_modules(apus.__path__) if name not in ("ray", "spark", "dask")]


@pytest.mark.parametrize("name", ["__init__", *modules()])
def test_examples(name, squeezenet, photo, photos):
    module = apus if name == "__init__" else importlib.import_module(f"apus.{name}")
    names = {
        "apus": apus, "os": os, "squeezenet": squeezenet, "photo": photo, "photos": photos,
        "tiny": networks.doubling()}
    assert doctest.testmod(module, extraglobs=names).failed == 0


def test_the_import_fetches_nothing_that_is_large(python):
    loaded = python("import sys, apus; print(*sys.modules)").split()
    assert not {"numpy", "pandas", "pyarrow", "PIL", "tqdm", "asyncio", "multiprocessing"} & set(loaded)


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
