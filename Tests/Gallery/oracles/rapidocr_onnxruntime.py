"""The stages of RapidOCR for onnxruntime, each alone: lines and the text of a line; and all of them."""

import cv2
from rapidocr_onnxruntime import RapidOCR


def load(model, stage):
    engine = RapidOCR()

    def lines(picture):
        found = engine.text_det(cv2.imread(picture))[0]
        return {"polygons": [] if found is None else [box.tolist() for box in found]}

    def text(picture):
        found, score = engine.text_rec(cv2.imread(picture))[0][0][:2]
        return {"text": found, "score": float(score)}

    def page(picture):
        found = engine(picture)[0] or []
        return {"polygons": [line[0] for line in found], "texts": [line[1] for line in found]}

    return {"lines": lines, "text": text, "page": page}[stage]
