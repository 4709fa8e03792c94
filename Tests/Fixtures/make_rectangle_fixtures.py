"""Writes text/rectangles.json: the rectangles of OpenCV around several outlines, bit by bit.

    python make_rectangle_fixtures.py [COUNT]

Needs opencv-python-headless 5.0 and pyclipper 1.4. COUNT is the number of rectangles of each kind, 8 without it.
"""

import json
import math
import pathlib
import sys

import cv2
import numpy as np
import pyclipper

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 8
random = np.random.default_rng(29)


def entry(kind, points):
    """The corners as `get_mini_boxes` of RapidOCR orders them, and the shorter side."""
    box = cv2.minAreaRect(points)
    corners = sorted(cv2.boxPoints(box).tolist(), key=lambda corner: corner[0])
    left, right = (sorted(half, key=lambda corner: corner[1]) for half in (corners[:2], corners[2:]))
    return {"kind": kind, "points": points.reshape(-1, 2).tolist(),
            "corners": [left[0], right[0], right[1], left[1]], "side": min(box[1])}


def polygon():
    """A turned rectangle that Clipper grew."""
    center, sides = random.uniform(100, 300, 2), random.uniform(5, 150, 2)
    angle = random.choice([0, random.uniform(-3.2, 3.2)])
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * sides / 2 @ turn.T + center
    offset = pyclipper.PyclipperOffset()
    offset.AddPath(corners.astype(int).tolist(), pyclipper.JT_ROUND, pyclipper.ET_CLOSEDPOLYGON)
    return np.array(offset.Execute(0.8 * sides.prod() / sides.sum())[0], np.int32)


def outlines():
    """The outlines of regions and of holes in a mask."""
    noise = cv2.GaussianBlur((random.random((40, 60)) * 255).astype(np.uint8), (0, 0), random.uniform(1, 3))
    mask = (noise > np.percentile(noise, random.uniform(30, 80))).astype(np.uint8)
    found, parents = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    for points, parent in zip(found, parents[0]):
        if len(cv2.convexHull(points)) > 2:
            yield "hole" if parent[3] >= 0 else "region", points


found = {"polygon": [polygon() for _ in range(COUNT)], "region": [], "hole": [],
         "points": [np.argwhere(random.random((12, 40)) < 0.1)[:, ::-1].astype(np.int32) for _ in range(COUNT)]}
while min(map(len, found.values())) < COUNT:
    for kind, points in outlines():
        if len(found[kind]) < COUNT:
            found[kind].append(points)
entries = [entry(kind, points) for kind, outlines_of_kind in found.items() for points in outlines_of_kind]
path = pathlib.Path(__file__).parent / "text" / "rectangles.json"
path.write_text("[\n" + ",\n".join(map(json.dumps, entries)) + "\n]\n")
