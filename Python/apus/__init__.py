"""Apus, an inference engine for vision networks.

    import apus

    classifier = apus.Classifier("squeezenet1_1.onnx")
    print(classifier("coffee.png").label)

    model = apus.Model("squeezenet1_1.onnx", threads=2)
    scores = model(array)["prob"]

    for row in apus.predict("squeezenet1_1.onnx", "photos/"):
        print(row["id"], row["predictions"][0]["label"])

    apus.run("squeezenet1_1.onnx", "photos/", "rows.jsonl", resume=True, progress=True)

Nothing but Python is required; arrays are those of NumPy where it is installed.
"""

from __future__ import annotations

from ._answers import Answer, Answers
from ._datasets import Progress, Row, Rows
from ._errors import (
    ArgumentError, BackendError, BugError, Cancelled, Error, FileError, ForkError, HandleError, InvalidModelError,
    OutOfMemoryError, PictureError, UnsupportedModelError)
from ._handles import document as _document
from ._items import Box, Item, Point
from ._library import library as _functions
from ._library import version as __version__
from ._models import Model
from ._outputs import Outputs
from ._predictors import (
    Classifier, DepthEstimator, Detector, Embedder, ImageGenerator, LandmarkFinder, PoseEstimator, Predictor,
    Regressor, Segmenter, TextReader, predict, run)
from ._reports import Report
from ._tensors import Tensor
from ._values import Value


def devices() -> Report:
    """The processor with the number of threads that models use, the backends and the devices, as ``apus devices``
    says them.

    >>> apus.devices()["processors"] >= 1
    True
    """
    return Report(_document(_functions.apus_devices))


__all__ = [
    "Answer", "Answers", "ArgumentError", "BackendError", "Box", "BugError", "Cancelled", "Classifier",
    "DepthEstimator", "Detector", "Embedder", "Error", "FileError", "ForkError", "HandleError", "ImageGenerator",
    "InvalidModelError", "Item", "LandmarkFinder", "Model", "OutOfMemoryError", "Outputs", "PictureError", "Point",
    "PoseEstimator", "Predictor", "Progress", "Regressor", "Report", "Row", "Rows", "Segmenter", "Tensor",
    "TextReader", "UnsupportedModelError", "Value", "__version__", "devices", "predict", "run"]
