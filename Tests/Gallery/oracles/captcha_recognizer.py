"""The segmenter of captchas with a slider."""

import numpy as np
from captcha_recognizer.slider import Slider


def load(model):
    slider = Slider()

    def answer(picture):
        boxes, masks = slider.predict(slider.image_to_array(picture))[0]
        found = {"boxes": [[*box[:4].tolist(), float(box[4]), "s"] for box in boxes]}
        if len(masks):
            found["masks"] = np.any(masks, axis=0).astype(np.uint8) * 255
        return found

    return answer
