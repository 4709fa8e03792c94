"""Whether two pictures show the same: each is compared with the first."""

from CapSpot.image_matcher import ONNXModel
from PIL import Image


def load(model):
    network, first = ONNXModel(model), []

    def answer(path):
        picture = Image.open(path)
        first.append(picture)
        return {"numbers": network.detect_image(first[0], picture).ravel()}

    return answer
