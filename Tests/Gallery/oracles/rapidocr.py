"""The stages of RapidOCR, each alone: lines, the direction of a line, and its text; and all of them."""

import cv2
import numpy as np
from rapidocr import RapidOCR
from rapidocr.ch_ppocr_rec.typings import TextRecInput


def load(model, stage):
    engine = RapidOCR(params={"Global.log_level": "error"})
    if stage == "lines":
        detect = engine._load_det_model()

        def lines(picture):
            found = detect(cv2.imread(picture)).boxes
            return {"polygons": [] if found is None else [box.tolist() for box in found]}

        return lines
    if stage == "direction":
        classify = engine._load_cls_model()

        def direction(picture):
            picture = cv2.imread(picture)
            scores = classify.session(classify.resize_norm_img(picture)[None].astype(np.float32))[0]
            return {"scores": {"0": float(scores[0]), "180": float(scores[1])}}

        answer = direction
        answer.timed = lambda picture: classify(cv2.imread(picture))
        return answer
    if stage == "text":
        recognize = engine._load_rec_model()

        def text(picture):
            found = recognize(TextRecInput(img=cv2.imread(picture)))
            return {"text": found.txts[0], "score": float(found.scores[0])}

        return text

    def page(picture):
        found = engine(picture)
        if found.boxes is None:
            return {"polygons": [], "texts": []}
        return {"polygons": [box.tolist() for box in found.boxes], "texts": list(found.txts)}

    return page
