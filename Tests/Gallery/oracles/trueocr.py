"""The stages of TrueOCR, each alone: lines, the direction of a page, and the text of a line."""

import pathlib

import cv2
from trueocr.page import PageEngine, orient_input
from trueocr.recognizer import Recognizer

DIRECTIONS = ("0", "90", "180", "270", "vertical")


def load(model, stage):
    folder = pathlib.Path(model).parent
    if stage == "text":
        recognize = Recognizer(folder, threads=2)

        def text(picture):
            found = recognize.predict_one(picture)
            return {"text": found.text, "score": found.confidence}

        return text
    engine = PageEngine(folder, threads=2)

    def lines(picture):
        found = engine.detect(cv2.imread(picture, cv2.IMREAD_GRAYSCALE))
        return {"boxes": [[*map(float, box), "line"] for box in found]}

    def direction(picture):
        page = orient_input(cv2.imread(picture, cv2.IMREAD_GRAYSCALE))
        return {"scores": dict(zip(DIRECTIONS, map(float, engine.orient.run(None, {"x": page[None, None]})[0][0])))}

    return {"lines": lines, "direction": direction}[stage]
