"""What the comparisons of tasks share: pictures, runs of the command, matching of objects, and rows of the table."""

import dataclasses
import json
import pathlib
import subprocess

import numpy as np
import skimage.data
from PIL import Image
from pycocotools import mask as coco_mask

# Width and height: the letterboxes of these round up and down, with odd borders and even ones.
SIZES = [(600, 400), (427, 640), (320, 320), (451, 300), (1000, 664), (123, 457), (640, 361), (257, 255)]


@dataclasses.dataclass
class Row:
    """A row of the table: what was compared, with what, and whether it is near enough."""

    task: str
    model: str
    peer: str
    compared: str
    deviation: str
    good: bool


def photos():
    data = skimage.data
    return [Image.fromarray(photo()) for photo in (data.astronaut, data.coffee, data.chelsea, data.rocket)]


def pictures(folder, sizes=SIZES):
    """Photos of the sizes, as files."""
    folder.mkdir(parents=True, exist_ok=True)
    base, paths = photos(), []
    for number, size in enumerate(sizes):
        path = folder / f"{size[0]}x{size[1]}.png"
        if not path.exists():
            base[number % len(base)].resize(size, Image.Resampling.BICUBIC).save(path)
        paths.append(path)
    return paths


def predict(apus, model, paths, *options):
    """The rows of `apus predict`, in the order of the pictures."""
    command = [apus, "predict", str(model), *map(str, paths), "--format", "jsonl", "--quiet", *options]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {run.stderr.strip()}")
    rows = {row["id"]: row for row in map(json.loads, run.stdout.splitlines())}
    return [rows[str(path)] for path in paths]


def edges(item, size):
    """The edges of a box in pixels: left, top, right, bottom."""
    x, y, width, height = item["box"]
    return np.array([x * size[0], y * size[1], (x + width) * size[0], (y + height) * size[1]])


def mask(item):
    runs = item["segmentation"]
    return coco_mask.decode({"size": runs["size"], "counts": runs["counts"].encode()}).astype(bool)


def overlap(first, second):
    union = (first | second).sum()
    return (first & second).sum() / union if union else 1.0


@dataclasses.dataclass
class Objects:
    """Objects of pictures beside those of the peer."""

    count: int = 0
    # Objects that only one of both has. With random weights, many confidences lie beside the limits.
    alone: int = 0
    place: float = 0.0
    score: float = 0.0
    overlaps: list = dataclasses.field(default_factory=list)
    points: float = 0.0

    def add(self, items, own_places, classes, scores, places, pair=None):
        """Matches objects of the same class, whose confidences are nearly equal, by the nearest place.

        pair(own, other) compares more of a pair.
        """
        used = set()
        for number, item in enumerate(items):
            near = [other for other in range(len(classes)) if other not in used
                    and classes[other] == item.get("index", 0) and abs(scores[other] - item["confidence"]) < 2e-3]
            distances = [np.abs(places[other] - own_places[number]).max() for other in near]
            if not near or min(distances) > 2:
                self.alone += 1
                continue
            other = near[int(np.argmin(distances))]
            used.add(other)
            self.count += 1
            self.place = max(self.place, float(min(distances)))
            self.score = max(self.score, abs(float(scores[other]) - item["confidence"]))
            if pair:
                pair(item, other)
        self.alone += len(classes) - len(used)

    @property
    def matched(self):
        """Whether nearly all objects have one of the peer's."""
        return self.count > 0 and self.alone <= 0.02 * self.count

    def row(self, task, model, peer, what, limit=1.0):
        deviation = f"{self.place:.3f} px, confidence {self.score:.1e}"
        good = self.matched and self.place <= limit
        if self.overlaps:
            deviation += f", IoU at least {min(self.overlaps):.4f}"
            good = good and min(self.overlaps) > 0.99
        if self.points:
            deviation += f", points {self.points:.3f} px"
            good = good and self.points <= limit
        return Row(task, model, peer, f"{self.count} {what}" + (f", {self.alone} alone" if self.alone else ""),
                   deviation, good)
