"""By how much a page is turned: OriNet looks at it in all four directions, and the mean of what it says counts."""

import numpy as np
from occular_deskew.orient_onnx import ANGLES, OriNetOrientation
from PIL import Image


def load(model, directions):
    network = OriNetOrientation(prefer_gpu=False)

    def read(path):
        return np.asarray(Image.open(path).convert("RGB"))

    def one(path):
        """What the network says of the picture as it is."""
        logits = network.session.run(None, {network.input_name: network._prep(read(path))[None]})[0][0]
        shares = np.exp(logits - logits.max())
        return {"scores": dict(zip(map(str, ANGLES), (shares / shares.sum()).tolist()))}

    def all_directions(path):
        turn, confidence = network.predict(read(path))
        return {"scores": {str(ANGLES[turn]): confidence}}

    answer = one if directions == 1 else all_directions
    answer.timed = lambda path: network.predict(read(path))
    return answer
