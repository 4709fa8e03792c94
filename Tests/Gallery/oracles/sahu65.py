"""The encoder of CLIP whose vectors tell pictures that were generated."""

import pathlib
import sys
import types
import unittest.mock

sys.modules["fastapi"] = unittest.mock.MagicMock()

from sahu65.services.clip_probe import ClipProbeService  # noqa: E402
from sahu65.services.preprocess import decode_image, preprocess_for_clip  # noqa: E402


def load(model):
    settings = types.SimpleNamespace(model_dir=str(pathlib.Path(model).parent), ort_intra_threads=2)
    network = ClipProbeService(settings, model)
    network.load()

    def tensor(path):
        return preprocess_for_clip(decode_image(pathlib.Path(path).read_bytes())[0])

    def answer(path):
        return {"vector": network.session.run([network.output_name], {network.input_name: tensor(path)})[0]}

    answer.timed = lambda path: network.predict(tensor(path))
    return answer
