"""The detector of ISBNs and bar codes of isbnx. What it does not need is replaced by mocks."""

import sys
import unittest.mock

from PIL import Image

for name in ("pyzbar", "pyzbar.pyzbar", "mneia_isbn", "cfunbook", "fitz", "pymupdf", "rarfile", "py7zr", "send2trash",
             "dedupx", "pdf_inspector"):
    sys.modules[name] = unittest.mock.MagicMock()

from isbnx.config import settings  # noqa: E402
from isbnx.detector import Detector  # noqa: E402


def load(model):
    settings.detector.model_path = model
    settings.detector.padding = 0  # Boxes grow by it, so that text is not cut.
    Detector._ocr = None  # It reads what the boxes hold.
    detector = Detector()

    def answer(picture):
        found = detector.detect(Image.open(picture).convert("RGB"))
        # The names of the classes are those that the file has.
        return {"boxes": [[*map(int, each.box), float(each.score), f'{each.class_id}:"{each.class_id}"']
                          for each in found]}

    return answer
