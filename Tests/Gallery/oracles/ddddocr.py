"""ddddocr: two readers of captchas, whose confidence counts what is between the characters too, and a detector.

The answers have no confidences.
"""

import pathlib

from ddddocr.core.detection_engine import DetectionEngine
from ddddocr.core.ocr_engine import OCREngine


def load(model, reader=None):
    if reader:
        engine = OCREngine(**{reader: True})
    else:
        engine = DetectionEngine()

    def answer(picture):
        content = pathlib.Path(picture).read_bytes()
        if not reader:
            return {"boxes": [[*box, None, "character"] for box in engine.predict(content)]}
        return {"text": engine.predict(content)}

    if reader:
        answer.labels = engine.charset_manager.get_charset()
    return answer
