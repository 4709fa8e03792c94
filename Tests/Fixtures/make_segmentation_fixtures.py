#!/usr/bin/env python3
"""Writes segmentation/references.json: classes of pixels by PyTorch, and their masks by pycocotools.

    python3 -m venv venv && venv/bin/pip install numpy torch pycocotools
    venv/bin/python Tests/Fixtures/make_segmentation_fixtures.py

Each case has maps of made up scores, [channels, height, width] row-major; the size of a picture; the class with the
largest score of each of its pixels, after PyTorch brought the maps to its size (bilinear, align_corners=False); and
the mask of each class as pycocotools encodes it, with its area and its box [x, y, width, height] in pixels.
"""

import json
from pathlib import Path

import numpy as np
import torch
from pycocotools import mask


def case(seed, channels, height, width, rows, columns):
    scores = np.random.default_rng(seed).normal(size=(channels, height, width)).round(3).astype(np.float32)
    resized = torch.nn.functional.interpolate(
        torch.from_numpy(scores)[None], size=(rows, columns), mode="bilinear", align_corners=False)[0]
    classes = resized.argmax(0).numpy()
    segments = []
    for index in np.unique(classes):
        encoded = mask.encode(np.asfortranarray((classes == index).astype(np.uint8)))
        segments.append({
            "index": int(index), "counts": encoded["counts"].decode(), "area": int(mask.area(encoded)),
            "box": [float(number) for number in mask.toBbox(encoded)]})
    return {
        "channels": channels, "height": height, "width": width, "scores": [round(float(n), 3) for n in scores.ravel()],
        "rows": rows, "columns": columns, "classes": classes.ravel().tolist(), "segments": segments,
        "first": [round(float(n), 6) for n in resized[0].numpy().ravel()]}


cases = [case(1, 3, 4, 5, 7, 9), case(2, 2, 5, 3, 5, 3), case(3, 5, 6, 8, 3, 4), case(4, 4, 2, 2, 40, 33)]
path = Path(__file__).parent / "segmentation/references.json"
path.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in cases) + "\n]\n")
