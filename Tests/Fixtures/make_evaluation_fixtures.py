#!/usr/bin/env python3
"""Writes ground truths and results at random, and what pycocotools says of them.

    python3 -m venv venv && venv/bin/pip install numpy pycocotools
    venv/bin/python Tests/Fixtures/make_evaluation_fixtures.py

writes evaluation/KIND.truth.json, KIND.results.json and KIND.figures.json, small and for `swift test`. With a folder
and the path of the command, larger ones are made there and compared with what the command says:

    venv/bin/python Tests/Fixtures/make_evaluation_fixtures.py --large FOLDER --command .build/release/apus

Among the ground truth are crowds, classes without objects, pictures without objects, objects of every range of areas,
and (of masks) polygons of several parts, runs as numbers and as text. Among the results are equal confidences, more
than 100 in a picture, classes without marked objects, and boxes without area.
"""

import argparse
import contextlib
import io
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
from pycocotools import mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

KINDS = {"boxes": "bbox", "masks": "segm", "keypoints": "keypoints"}
WIDTH, HEIGHT = 320, 240


def a_box(random):
    side = float(random.choice([8, 24, 60, 120, 200]))
    width, height = (side * random.uniform(0.5, 1.2) for _ in range(2))
    x, y = random.uniform(-5, WIDTH - width / 2), random.uniform(-5, HEIGHT - height / 2)
    return [round(float(number), 2) for number in (x, y, width, height)]


def moved(random, box, amount):
    scale = amount * max(box[2], box[3])
    x, y, width, height = (float(number + random.normal() * scale) for number in box)
    return [round(x, 2), round(y, 2), round(max(0.0, width), 2), round(max(0.0, height), 2)]


def polygon(random, box, corners=7):
    x, y, width, height = box
    angles = np.sort(random.uniform(0, 2 * math.pi, corners))
    radii = random.uniform(0.6, 1.0, corners)
    points = np.stack([
        x + width / 2 + np.cos(angles) * radii * width / 2, y + height / 2 + np.sin(angles) * radii * height / 2], 1)
    return [round(float(number), 2) for number in points.ravel()]


def runs(polygons):
    return mask.merge(mask.frPyObjects(polygons, HEIGHT, WIDTH))


def uncompressed(encoded):
    pixels = mask.decode(encoded).ravel(order="F")
    counts, value = [], 0
    for start in np.split(np.arange(len(pixels)), np.flatnonzero(np.diff(pixels)) + 1):
        if pixels[start[0]] != value:
            counts.append(0)
        counts.append(len(start))
        value = 1 - int(pixels[start[0]])
    return {"size": [HEIGHT, WIDTH], "counts": counts}


def as_text(encoded):
    return {"size": [HEIGHT, WIDTH], "counts": encoded["counts"].decode()}


def mask_of(random, box):
    """A polygon of one or two parts, runs as numbers or as text."""
    parts = [polygon(random, box)]
    if random.random() < 0.3:
        parts.append(polygon(random, moved(random, box, 0.3) if box[2] > 1 else box, 5))
    encoded = runs(parts)
    return random.choice([0, 1, 2], p=[0.6, 0.2, 0.2]), parts, encoded


def points_of(random, box, amount=0.02):
    points = []
    for _ in range(17):
        points += [
            round(box[0] + float(random.uniform(0, 1)) * box[2], 2),
            round(box[1] + float(random.uniform(0, 1)) * box[3], 2), int(random.choice([0, 1, 2]))]
    return points


def moved_points(random, points, box, amount):
    result = []
    for index in range(17):
        result += [
            round(points[3 * index] + float(random.normal()) * amount * box[2], 2),
            round(points[3 * index + 1] + float(random.normal()) * amount * box[3], 2), 1]
    return result


def make(kind, seed, pictures, classes, objects):
    random = np.random.default_rng(seed)
    categories = [{"id": 3 * index + 2, "name": f"class {index}"} for index in range(1 if kind == "keypoints" else classes)]
    images = [
        {"id": 10 * index + 7, "width": WIDTH, "height": HEIGHT, "file_name": f"{10 * index + 7:012}.jpg"}
        for index in range(pictures)]
    random.shuffle(images)
    annotations, results = [], []

    def category(last):
        # The last class has no objects, and the one before it no results.
        return categories[int(random.integers(0, max(1, len(categories) - last)))]["id"]

    for number, image in enumerate(images):
        count = 0 if number % 5 == 4 else int(random.integers(1, objects))
        for _ in range(count):
            box = a_box(random)
            entry = {
                "id": len(annotations) + 1, "image_id": image["id"], "category_id": category(1), "bbox": box,
                "area": round(box[2] * box[3] * float(random.uniform(0.5, 1)), 2),
                "iscrowd": int(random.random() < 0.15)}
            if kind == "masks":
                form, parts, encoded = mask_of(random, box)
                if entry["iscrowd"] or form == 1:
                    entry["segmentation"] = uncompressed(encoded)
                else:
                    entry["segmentation"] = parts if form == 0 else as_text(encoded)
                entry["area"] = float(mask.area(encoded))
            if kind == "keypoints":
                entry["keypoints"] = points_of(random, box)
                if random.random() < 0.15:
                    entry["keypoints"][2::3] = [0] * 17
                entry["num_keypoints"] = sum(flag > 0 for flag in entry["keypoints"][2::3])
            annotations.append(entry)
            for _ in range(int(random.choice([0, 1, 1, 2]))):
                found = moved(random, box, float(random.choice([0.0, 0.01, 0.05, 0.15])))
                result = {
                    "image_id": image["id"],
                    "category_id": entry["category_id"] if random.random() < 0.9 else category(0),
                    "score": round(float(random.uniform(0, 1)), 1 if random.random() < 0.5 else 4)}
                if kind == "boxes":
                    result["bbox"] = found
                elif kind == "masks":
                    amount = float(random.choice([0.0, 0.01, 0.05, 0.15])) * box[2]
                    result["segmentation"] = as_text(runs([
                        [number + float(random.normal()) * amount for number in part] for part in parts]))
                else:
                    result["keypoints"] = moved_points(
                        random, entry["keypoints"], box, float(random.choice([0.0, 0.02, 0.08, 0.3])))
                results.append(result)
        for _ in range(int(random.integers(0, 4)) + (120 if number == 1 and kind == "boxes" else 0)):
            box = a_box(random)
            result = {
                "image_id": image["id"], "category_id": category(0), "score": round(float(random.uniform(0, 1)), 2)}
            if kind == "boxes":
                result["bbox"] = box
            elif kind == "masks":
                result["segmentation"] = as_text(runs([polygon(random, box)]))
            else:
                result["keypoints"] = points_of(random, box)
            results.append(result)
    order = random.permutation(len(results))
    results = [results[index] for index in order]
    return {"images": images, "categories": categories, "annotations": annotations}, results


def figures(kind, truth, results):
    """The figures of pycocotools, and the average precision of each class."""
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = json.loads(json.dumps(truth))
        coco.createIndex()
        evaluation = COCOeval(coco, coco.loadRes(json.loads(json.dumps(results))), KINDS[kind])
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    precision = evaluation.eval["precision"][:, :, :, 0, -1]
    classes = {}
    for index, category in enumerate(evaluation.params.catIds):
        values = precision[:, :, index]
        values = values[values > -1]
        classes[str(category)] = float(values.mean()) if values.size else None
    stats = [None if value == -1 else float(value) for value in evaluation.stats]
    if kind == "keypoints":
        names = ["AP", "AP50", "AP75", "APmedium", "APlarge", "AR", "AR50", "AR75", "ARmedium", "ARlarge"]
    else:
        names = ["AP", "AP50", "AP75", "APsmall", "APmedium", "APlarge", "AR1", "AR10", "AR100", "ARsmall", "ARmedium",
                 "ARlarge"]
    return {"figures": dict(zip(names, stats)), "classes": classes}


def write(folder, kind, truth, results):
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in [("truth", truth), ("results", results), ("figures", figures(kind, truth, results))]:
        (folder / f"{kind}.{name}.json").write_text(json.dumps(value, separators=(",", ":")) + "\n")


def largest_difference(kind, folder, command):
    output = subprocess.run(
        [command, "evaluate", "--results", folder / f"{kind}.results.json", "--annotations",
         folder / f"{kind}.truth.json", "--kind", kind, "--json"], check=True, capture_output=True, text=True).stdout
    found = json.loads(output)
    expected = json.loads((folder / f"{kind}.figures.json").read_text())
    pairs = [(found["figures"].get(name), value) for name, value in expected["figures"].items()]
    classes = {str(entry["category"]): entry.get("AP") for entry in found["classes"]}
    pairs += [(classes.get(name), value) for name, value in expected["classes"].items()]
    if any((one is None) != (other is None) for one, other in pairs):
        return math.inf, len(pairs)
    return max(abs(one - other) for one, other in pairs if one is not None), len(pairs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", type=Path)
    parser.add_argument("--command")
    options = parser.parse_args()
    if options.large is None:
        folder = Path(__file__).parent / "evaluation"
        for seed, (kind, objects) in enumerate([("boxes", 7), ("masks", 5), ("keypoints", 5)]):
            write(folder, kind, *make(kind, seed, 14, 5, objects))
        return
    failures = 0
    print("kind       seed  figures  largest difference")
    for kind in KINDS:
        for seed in range(100, 106):
            write(options.large, kind, *make(kind, seed, 150 if kind == "boxes" else 60, 12, 14))
            difference, count = largest_difference(kind, options.large, options.command)
            failures += difference > 1e-6
            print(f"{kind:9} {seed:5} {count:8} {difference:18.1e}")
    sys.exit(1 if failures else 0)


main()
