#!/usr/bin/env python3
"""Writes segmentation/instances.json and pasted.json: masks by PyTorch from made up numbers, as pycocotools has them.

    python3 -m venv venv && venv/bin/pip install numpy torch torchvision pycocotools
    venv/bin/python Tests/Fixtures/make_instance_fixtures.py

The input has 64 x 64 pixels, and the prototypes [M, 16, 16] a quarter of that. Each case has the prototypes, the
coefficients and the box [left, top, right, bottom] of an object in pixels of the input, and the size of a picture that
lies in the middle of the input and reaches two of its edges. The weighted sum of the prototypes is enlarged by the
least of 1, 2 and 4 that brings the border to whole cells; the rest without the border is brought to the picture's size
(bilinear, align_corners=False). The mask is where that is above 0, within the box: the formula of
process_mask_native of https://github.com/ultralytics/ultralytics, version 8.4.

pasted.json has masks of boxes, [M, M], and the box [left, top, right, bottom] in pixels of a picture. The mask
is what paste_masks_in_image of torchvision makes of them, above a half.
"""

import json
import math
from pathlib import Path

import numpy as np
import torch
from pycocotools import mask

# A build of PyTorch for the processor lacks these operators, without which torchvision cannot be imported.
for operator in ("torchvision::nms", "torchvision::qnms"):
    try:
        torch.library.define(operator, "(Tensor boxes, Tensor scores, float threshold) -> Tensor")
    except RuntimeError:
        pass
from torchvision.models.detection.roi_heads import paste_masks_in_image  # noqa: E402

INPUT, CELLS = 64, 16


def case(seed, count, width, height, box):
    random = np.random.default_rng(seed)
    prototypes = random.normal(size=(count, CELLS, CELLS)).round(3).astype(np.float32)
    weights = random.normal(size=count).round(3).astype(np.float32)
    ratio = min(INPUT / width, INPUT / height)
    inside = [round(width * ratio), round(height * ratio)]
    left, top = ((INPUT - extent) // 2 for extent in inside)
    border = (INPUT - inside[0]) | (INPUT - inside[1])
    factor = 4 // math.gcd(4, border | border // 2)
    sums = (torch.from_numpy(weights) @ torch.from_numpy(prototypes).view(count, -1)).view(1, 1, CELLS, CELLS)
    if factor > 1:
        sums = torch.nn.functional.interpolate(sums, scale_factor=factor, mode="bilinear")
    cells = [extent * CELLS * factor // INPUT for extent in (left, top, *inside)]
    inner = sums[..., cells[1]:cells[1] + cells[3], cells[0]:cells[0] + cells[2]]
    resized = torch.nn.functional.interpolate(inner, (height, width), mode="bilinear")[0, 0]
    across, down = inside[0] / width, inside[1] / height
    edges = [(box[0] - left) / across, (box[1] - top) / down, (box[2] - left) / across, (box[3] - top) / down]
    columns, rows = np.arange(width)[None, :], np.arange(height)[:, None]
    within = (columns >= edges[0]) & (columns < edges[2]) & (rows >= edges[1]) & (rows < edges[3])
    found = (resized.numpy() > 0) & within
    encoded = mask.encode(np.asfortranarray(found.astype(np.uint8)))
    return {
        "prototypes": [round(float(n), 3) for n in prototypes.ravel()], "weights": [round(float(n), 3) for n in weights],
        "box": box, "width": width, "height": height, "counts": encoded["counts"].decode(), "area": int(found.sum())}


cases = [
    case(1, 2, 64, 64, [4, 8, 60, 50]), case(2, 3, 100, 50, [0, 0, 64, 64]), case(3, 2, 24, 48, [20, 5, 41, 60]),
    case(4, 1, 13, 13, [10, 10, 30, 33]), case(5, 2, 96, 90, [3, 0, 64, 60]), case(6, 3, 100, 67, [8, 4, 60, 61]),
    case(7, 2, 37, 90, [20, 1, 44, 60])]
path = Path(__file__).parent / "segmentation/instances.json"
path.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in cases) + "\n]\n")


def pasted(seed, cells, width, height, box):
    numbers = np.random.default_rng(seed).uniform(size=(cells, cells)).round(3).astype(np.float32)
    masks = torch.from_numpy(numbers)[None, None]
    found = paste_masks_in_image(masks, torch.tensor([box], dtype=torch.float32), (height, width))[0, 0].numpy() > 0.5
    encoded = mask.encode(np.asfortranarray(found.astype(np.uint8)))
    return {
        "numbers": [round(float(n), 3) for n in numbers.ravel()], "cells": cells, "box": box, "width": width,
        "height": height, "counts": encoded["counts"].decode(), "area": int(found.sum())}


cases = [
    pasted(1, 4, 40, 30, [4.5, 3.25, 31.75, 27.5]), pasted(2, 7, 30, 50, [0, 0, 30, 50]),
    pasted(3, 7, 64, 64, [20.9, 40.1, 27.3, 43.2]), pasted(4, 28, 50, 40, [0.4, 10.6, 49.9, 33]),
    pasted(5, 4, 20, 20, [10, 10, 10.25, 10.5])]
path = path.parent / "pasted.json"
path.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in cases) + "\n]\n")
