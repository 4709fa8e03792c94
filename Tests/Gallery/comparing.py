"""Compares the answers of Apus with those of a package, task by task.

Both sides are brought to one form, in pixels of the picture:

| kind | answer |
| --- | --- |
| boxes | boxes: [left, top, right, bottom, confidence or null, label], and points of each box |
| instances | boxes, and the union of their masks as a picture |
| classes | scores: confidence by label |
| text | text and score |
| polygons | polygons: the corners of each line |
| lines | polygons and texts |
| mask | a picture of the foreground, 0 to 255 |
| points | parts: for each face, hand or person, its points; NaN for those that are not compared |
| vector | vector |
| numbers | numbers |
| picture | a picture |

A comparison gives figures. Each has a limit, and the answers agree if no figure is above its limit.
"""

import numpy as np
from PIL import Image, ImageDraw

# The largest figures of answers that agree. Lengths of boxes and polygons are shares of the picture's sides.
LIMITS = {
    "boxes": {"unmatched": 0, "labels": 0, "sides": 1e-3, "scores": 1e-3, "points": 1e-3},
    "instances": {"unmatched": 0, "labels": 0, "sides": 1e-3, "scores": 1e-3, "1 - IoU": 5e-3},
    "classes": {"order": 0, "scores": 1e-3},
    "text": {"texts": 0, "scores": 1e-3},
    "polygons": {"unmatched": 0, "corners": 1e-3},
    "lines": {"unmatched": 0, "texts": 0, "corners": 1e-3},
    "mask": {"1 - IoU": 5e-3, "mean difference": 4e-3},
    "points": {"unmatched": 0, "pixels": 0.5},
    "vector": {"1 - cosine": 1e-4},
    "numbers": {"numbers": 1e-3},
    "picture": {"mean difference": 1 / 255},
}
# The kinds for which Apus writes a picture, with the options that ask for it.
PICTURES = {"mask": "--cutouts", "picture": "--images"}
# Two objects or lines are the same if they overlap at least so much.
LEAST_OVERLAP = 0.5


# What Apus says


def edges(box, size):
    """The edges in pixels of a box in fractions of the picture."""
    x, y, width, height = box
    return [x * size[0], y * size[1], (x + width) * size[0], (y + height) * size[1]]


def keypoints(points, size):
    """The places in pixels, and the depth where there is one, of points in fractions of the picture."""
    return [[p["x"] * size[0], p["y"] * size[1]] + ([p["z"] * size[0]] if "z" in p else []) for p in points]


def all_points(row, size, stages=None):
    """The points of each face, hand or person in a row, also of those that stages of a recipe found."""
    if row.get("landmarks") and row["landmarks"]["points"]:
        yield keypoints(row["landmarks"]["points"], size)
    for pose in row.get("poses") or []:
        yield keypoints(pose["keypoints"], size)
    for item in row.get("objects") or []:
        for name, answer in (item.get("answers") or {}).items():
            if not stages or name in stages:
                yield from all_points(answer, size)


def own_answer(row, kind, size, entry):
    """The answer in a row of Apus."""
    names = entry.get("labels", [])

    def label(item):
        return item["label"] or (names[item["index"]] if item["index"] < len(names) else str(item["index"]))

    if kind in ("boxes", "instances"):
        items = row.get("objects") or row.get("instances") or []
        return {"boxes": [[*edges(item["box"], size), item["confidence"], label(item)] for item in items],
                "points": [(np.array(item["points"]) * size).tolist() for item in items if item.get("points")],
                "counts": [item["segmentation"] for item in items if "segmentation" in item]}
    if kind == "classes":
        return {"scores": {label(item): item["confidence"] for item in row["predictions"]}}
    if kind == "text" and "heads" in row:
        best = [head["predictions"][0] for head in row["heads"]]
        return {"text": "".join(map(label, best)), "score": min(item["confidence"] for item in best)}
    if kind == "text":
        return {"text": row["text"], "score": row["lines"][0]["confidence"] if row["lines"] else 0.0}
    if kind in ("polygons", "lines"):
        lines = row["lines"]
        return {"polygons": [line["box"] for line in lines], "texts": [line.get("text") for line in lines]}
    if kind == "points":
        return {"parts": list(all_points(row, size, entry.get("stages")))}
    if kind == "vector":
        return {"vector": row["embedding"]}
    if kind == "numbers":
        return {"numbers": [item["value"] for item in row["regression"]]}
    return {}


# Figures


def pairs(overlaps):
    """Pairs of a matrix of overlaps, the largest overlap first, each row and column at most once."""
    found, overlaps = [], np.array(overlaps, float)
    while overlaps.size and overlaps.max() >= LEAST_OVERLAP:
        first, second = np.unravel_index(overlaps.argmax(), overlaps.shape)
        found.append((int(first), int(second)))
        overlaps[first], overlaps[:, second] = -1, -1
    return found


def box_overlaps(ours, theirs):
    first, second = np.array(ours, float)[:, None], np.array(theirs, float)[None]
    sides = np.minimum(first[..., 2:], second[..., 2:]) - np.maximum(first[..., :2], second[..., :2])
    common = np.clip(sides, 0, None).prod(-1)
    areas = [np.clip(boxes[..., 2:] - boxes[..., :2], 0, None).prod(-1) for boxes in (first, second)]
    return common / np.maximum(areas[0] + areas[1] - common, 1e-9)


def beyond(differences, size, allowance):
    """The largest difference of x and y beyond the allowance in pixels, as a share of the picture's sides."""
    rest = np.clip(np.abs(differences) - allowance, 0, None).reshape(-1, 2) / size
    return float(rest.max()) if rest.size else 0.0


def within(box, size):
    """The part of a box that lies in the picture."""
    return np.clip(box[:4], 0, np.tile(size, 2)).tolist() + list(box[4:])


def compare_boxes(ours, theirs, size, allowance):
    own, other = ([within(box, size) for box in answer["boxes"]] for answer in (ours, theirs))
    if not own or not other:
        return {"unmatched": len(own) + len(other)}
    found = pairs(box_overlaps([box[:4] for box in own], [box[:4] for box in other]))
    figures = {"unmatched": len(own) + len(other) - 2 * len(found), "labels": 0, "sides": 0.0, "scores": 0.0}
    for first, second in found:
        one, two = own[first], other[second]
        figures["labels"] += one[5] != two[5]
        figures["sides"] = max(figures["sides"], beyond(np.subtract(one[:4], two[:4]), size, allowance))
        if two[4] is not None:
            figures["scores"] = max(figures["scores"], abs(one[4] - two[4]))
        if theirs.get("points"):
            points = ours["points"][first] if first < len(ours["points"]) else None
            same = points is not None and len(points) == len(theirs["points"][second])
            distance = beyond(np.subtract(points, theirs["points"][second]), size, allowance) if same else np.inf
            figures["points"] = max(figures.get("points", 0.0), distance)
    return figures


def decoded(counts, size):
    """The mask of the lengths of runs, which go down the columns."""
    runs, flat, place = counts["counts"], np.zeros(size[0] * size[1], bool), 0
    for number, run in enumerate(runs):
        flat[place:place + run] = number % 2 == 1
        place += run
    return flat.reshape(size[0], size[1]).T


def overlap(first, second):
    union = (first | second).sum()
    return float((first & second).sum() / union) if union else 1.0


def compare_instances(ours, theirs, size, allowance):
    figures = compare_boxes({**ours, "points": []}, {**theirs, "points": []}, size, allowance)
    masks = [decoded(counts, size) for counts in ours["counts"]]
    own = np.any(masks, axis=0) if masks else np.zeros(size[::-1], bool)
    other = read(theirs["masks"]) > 0 if theirs.get("masks") else np.zeros(size[::-1], bool)
    return {**figures, "1 - IoU": 1 - overlap(own, other)}


def compare_classes(ours, theirs, size, allowance):
    own, other = ours["scores"], theirs["scores"]
    ranked = [name for name in sorted(other, key=other.get, reverse=True) if other[name] >= 0.01]
    fallen = any(own.get(one, 0) < own.get(two, 0) - 1e-3 for one, two in zip(ranked, ranked[1:]))
    return {"order": int(fallen or max(own, key=own.get) not in ranked),
            "scores": max(abs(own.get(name, 0) - other[name]) for name in other)}


def compare_text(ours, theirs, size, allowance):
    figures = {"texts": int(ours["text"] != theirs["text"])}
    return {**figures, "scores": abs(ours["score"] - theirs["score"])} if "score" in theirs else figures


def filled(polygon, size):
    canvas = Image.new("1", size)
    ImageDraw.Draw(canvas).polygon([tuple(point) for point in polygon], fill=1)
    return np.asarray(canvas)


def polygon_overlaps(ours, theirs, size):
    first, second = ([filled(polygon, size) for polygon in polygons] for polygons in (ours, theirs))
    return [[overlap(one, two) for two in second] for one in first]


def corner_distance(one, two, size, allowance):
    """The distance of polygons whose corners may start at another place or go the other way."""
    one = np.array(one)
    ways = [np.roll(way, shift, axis=0) for way in (one, one[::-1]) for shift in range(len(one))]
    return min(beyond(way - np.array(two), size, allowance) for way in ways)


def compare_polygons(ours, theirs, size, allowance):
    own, other = ours["polygons"], theirs["polygons"]
    if not own or not other:
        return {"unmatched": len(own) + len(other)}
    found = pairs(polygon_overlaps(own, other, size))
    distances = [corner_distance(own[first], other[second], size, allowance) for first, second in found]
    figures = {"unmatched": len(own) + len(other) - 2 * len(found), "corners": max(distances, default=0.0)}
    if theirs.get("texts"):
        figures["texts"] = sum(ours["texts"][first] != theirs["texts"][second] for first, second in found)
    return figures


def read(path):
    """A picture in colour or grey, without its alpha channel."""
    picture = Image.open(path)
    return np.asarray(picture.convert("L" if picture.mode in ("L", "1", "I", "F") else "RGB"))


def compare_mask(ours, theirs, size, allowance):
    other = read(theirs["mask"]).astype(float)
    own = np.asarray(Image.open(ours["file"]).getchannel("A"), float) if ours.get("file") else np.zeros_like(other)
    if own.shape != other.shape:
        return {"1 - IoU": 1.0, "mean difference": 1.0}
    difference = float(np.abs(own - other).mean() / 255)
    return {"1 - IoU": 1 - overlap(own >= 128, other >= 128), "mean difference": difference}


def compare_points(ours, theirs, size, allowance):
    own, other = ours["parts"], [part for part in theirs["parts"] if part]
    if not own or not other:
        return {"unmatched": len(own) + len(other)}

    def distance(one, two):
        if len(one) != len(two):
            return np.inf
        return float(np.nanmax(np.linalg.norm(np.array(one)[:, :2] - np.array(two)[:, :2], axis=1)))

    left, worst = list(other), 0.0
    for part in own[:len(other)]:
        distances = [distance(part, candidate) for candidate in left]
        nearest = int(np.argmin(distances))
        worst = max(worst, distances[nearest])
        left.pop(nearest)
    return {"unmatched": abs(len(own) - len(other)), "pixels": worst}


def compare_numbers(ours, theirs, size, allowance):
    return {"numbers": float(np.abs(np.subtract(ours["numbers"], theirs["numbers"])).max())}


def compare_vector(ours, theirs, size, allowance):
    first, second = np.array(ours["vector"], float).ravel(), np.array(theirs["vector"], float).ravel()
    if first.shape != second.shape:
        return {"1 - cosine": np.inf}
    return {"1 - cosine": float(1 - first @ second / np.linalg.norm(first) / np.linalg.norm(second))}


def compare_picture(ours, theirs, size, allowance):
    first, second = (read(path).astype(float) for path in (ours["file"], theirs["picture"]))
    if first.shape != second.shape:
        return {"mean difference": 1.0}
    return {"mean difference": float(np.abs(first - second).mean() / 255)}


COMPARISONS = {"boxes": compare_boxes, "instances": compare_instances, "classes": compare_classes, "text": compare_text,
               "polygons": compare_polygons, "lines": compare_polygons, "mask": compare_mask, "points": compare_points,
               "vector": compare_vector, "numbers": compare_numbers, "picture": compare_picture}


def compare(kind, ours, theirs, size, entry):
    """The figures of one picture. An allowance in pixels is for packages that round or cut their coordinates."""
    return COMPARISONS[kind](ours, theirs, tuple(size), entry.get("allowed_pixels", 0))


def worst(all_figures):
    """The largest figures of several pictures; what is counted is added up."""
    total = {}
    for figures in all_figures:
        for name, value in figures.items():
            counted = name in ("unmatched", "labels", "order", "texts")
            total[name] = total.get(name, 0) + value if counted else max(total.get(name, 0.0), value)
    return total


def agree(kind, figures, entry):
    limits = {**LIMITS[kind], **entry.get("limits", {})}
    return all(value <= limits[name] for name, value in figures.items())


def spoken(figures):
    """The figures as a short text."""
    return ", ".join(f"{name} {value}" if isinstance(value, int) else f"{name} {value:.2g}"
                     for name, value in figures.items()) or "nothing found by both"

