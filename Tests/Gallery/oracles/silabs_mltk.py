"""Networks of MLTK. Its code for networks asks TensorFlow only for the interpreter and its schema, which LiteRT has.

The answers are those of LiteRT's reference kernels, whose integers are defined. Its default kernels round otherwise: a
confidence moves by up to 0.08. What is timed is the default.
"""

import functools
import importlib.util
import pathlib
import sys
import types

import ai_edge_litert.schema_py_generated as schema
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from PIL import Image

core = types.ModuleType("mltk.core")
core.__path__ = [str(pathlib.Path(importlib.util.find_spec("mltk").origin).parent / "core")]
tensorflow = types.ModuleType("tensorflow")
tensorflow.lite = types.SimpleNamespace(Interpreter=Interpreter)
sys.modules.update({"mltk.core": core, "tensorflow": tensorflow})
for name in ("tensorflow_lite_support", "tensorflow_lite_support.metadata"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["tensorflow_lite_support.metadata.schema_py_generated"] = schema

from mltk.core.tflite_model import TfliteModel  # noqa: E402
from mltk.core.tflite_model_parameters import TfliteModelParameters  # noqa: E402


def pixels(path, mode, size, steps):
    """What the package's generator of pictures, and the script of the network, make of a picture."""
    picture = Image.open(path).convert(mode).resize((size, size), Image.Resampling.BILINEAR)
    values = np.asarray(picture, np.float32).reshape(size, size, -1)
    if steps == "cifar":  # models/tinyml/image_classification.py
        return (values - 128) / 128
    if steps == "standardize":  # samplewise_center and samplewise_std_normalization
        values = values - values.mean()
        return values / (values.std() + 1e-6)
    if steps == "fingerprint":  # models/siliconlabs/fingerprint_signature_generator.py
        return (np.clip(values, 0, 255) - 128).astype(np.int8)[6:186, 6:186]
    return values


def load(model, mode, size, steps=None):
    # The interpreter of a network is made when it first predicts.
    default, reference = (TfliteModel.load_flatbuffer_file(model) for _ in range(2))
    classes = dict(TfliteModelParameters.load_from_tflite_model(reference)).get("classes")

    def outputs(network, options, picture):
        return network.predict(pixels(picture, mode, size, steps), y_dtype=np.float32, interpreter_kwargs=options)

    def answer(picture):
        numbers = outputs(reference, {"experimental_op_resolver_type": OpResolverType.BUILTIN_REF}, picture)
        if steps == "fingerprint":
            return {"vector": numbers}
        return {"scores": dict(zip(classes, map(float, numbers)))}

    answer.timed = functools.partial(outputs, default, None)
    return answer
