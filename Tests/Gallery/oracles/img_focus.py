"""How important each part of a picture is."""

import numpy as np
from img_focus.detector import Salency
from PIL import Image


def load(model):
    network = Salency()

    def answer(path):
        picture = Image.open(path).convert("RGB")
        found = Image.fromarray(network.get_heatmap(picture)).resize(picture.size, Image.Resampling.BILINEAR)
        return {"mask": np.rint(np.asarray(found) * 255).astype(np.uint8)}

    answer.timed = lambda path: network.get_heatmap(Image.open(path).convert("RGB"))
    return answer
