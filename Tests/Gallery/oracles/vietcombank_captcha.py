"""A reader of captchas with five digits, each of which has an output."""

from vietcombank_captcha import VietcombankCaptcha


def load(model):
    reader = VietcombankCaptcha(model)
    return lambda picture: {"text": reader.predict(picture)}
