"""A reader of captchas with CTC, whose blank is the last class."""

import pathlib

from captcha_whisperer.constants import LABELS
from captcha_whisperer.recognizer import CaptchaRecognizer


def load(model):
    recognizer = CaptchaRecognizer(model)

    def answer(picture):
        found = recognizer.recognize_bytes(pathlib.Path(picture).read_bytes())
        return {"text": found["text"]}

    answer.labels = [*LABELS[:-1], "blank"]
    return answer
