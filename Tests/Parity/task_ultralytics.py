"""Compares networks that Ultralytics exports with its own results, at pictures of many sizes.

Weights are random and seeded, since real ones cannot be fetched by name; normalisations have the statistics of photos,
and the last layers are scaled so that some anchors are confident.
"""

import os
import pathlib

import numpy as np
import torch

from task_comparing import Objects, edges, mask, overlap, pictures, predict
from task_torch import batch, calibrate, import_torchvision

import_torchvision()
os.environ["YOLO_VERBOSE"] = "false"
import ultralytics  # noqa: E402
from ultralytics import YOLO  # noqa: E402
from PIL import Image  # noqa: E402

EDGE = 320
NETWORKS = {"yolov8n": "detect", "yolov8n-obb": "detect", "yolov8n-seg": "segment", "yolov8n-pose": "pose"}


def letterboxed():
    """Photos with borders, as networks see them."""
    images = batch((EDGE, EDGE))
    for image, border in zip(images, (0, 40, 53, 80)):
        if border:
            photo = torch.nn.functional.interpolate(image[None], (EDGE - 2 * border, EDGE), mode="bilinear")[0]
            image.fill_(114 / 255)
            image[:, border:EDGE - border] = photo
    return torch.cat([images, images.transpose(2, 3)])


def make_confident(model, head):
    """Scales the logits of classes so that a few of the anchors has a confidence above the limit of 0.25, and the
    distances of edges, so that boxes differ."""
    logits = {}
    layers = [layer[-1] for layer in head.cv3]
    hooks = [layer.register_forward_hook(lambda layer, _, values: logits.__setitem__(layer, values)) for layer in layers]
    with torch.no_grad():
        model(letterboxed())
        for layer, hook in zip(layers, hooks):
            hook.remove()
            values = logits[layer] - layer.bias[:, None, None]
            scale = 1.5 / values.std()
            best = values.amax(1).flatten() * scale
            layer.weight *= scale
            layer.bias.fill_(-1.0986 - best.quantile(0.97))
        for layer in head.cv2:
            layer[-1].weight *= 2


def exported(name, folder):
    path = folder / f"{name}.onnx"
    if path.exists():
        return path
    torch.manual_seed(1)
    yolo = YOLO(f"{name}.yaml")
    calibrate(yolo.model, lambda model: model(letterboxed()))
    make_confident(yolo.model, yolo.model.model[-1])
    folder.mkdir(parents=True, exist_ok=True)
    made = pathlib.Path(yolo.export(format="onnx", imgsz=EDGE, simplify=False, opset=17, verbose=False))
    made.rename(path)
    return path


def compare(apus, folder, name):
    path, paths = exported(name, folder), pictures(folder / "pictures")
    found, yolo = Objects(), YOLO(str(path), task=None)
    for picture, row in zip(paths, predict(apus, path, paths)):
        size = Image.open(picture).size
        result = yolo.predict(str(picture), imgsz=EDGE, retina_masks=True, verbose=False)[0]
        items = row.get("instances") or row.get("poses") or row.get("objects") or []
        peer = result.boxes if result.obb is None else result.obb
        if result.obb is None:
            own, places = [edges(item, size) for item in items], peer.xyxy.numpy()
            # Apus leaves out what lies beside the picture.
            inside = [number for number, box in enumerate(places) if box[2] > box[0] and box[3] > box[1]]
        else:
            own = [np.array(item["corners"]) * size for item in items]
            # Ultralytics begins at the lower right.
            places = peer.xyxyxyxy.numpy()[:, [2, 1, 0, 3]]
            inside = [number for number, corners in enumerate(places) if (corners.max(0) > 0).all()
                      and (corners.min(0) < size).all()]
        classes, scores = peer.cls.int().numpy()[inside], peer.conf.numpy()[inside]

        def pair(item, other):
            other = inside[other]
            if "segmentation" in item:
                found.overlaps.append(overlap(mask(item), result.masks.data[other].numpy().astype(bool)))
            if "keypoints" in item:
                points = np.array([[point["x"], point["y"]] for point in item["keypoints"]]) * size
                points = np.clip(points, 0, size)
                found.points = max(found.points, np.abs(points - result.keypoints.xy[other].numpy()).max())

        found.add(items, own, classes, scores, places[inside], pair)
    what = {"detect": "boxes", "segment": "masks", "pose": "poses"}[NETWORKS[name]]
    what = "turned boxes" if "obb" in name else what
    peer = f"ultralytics {ultralytics.__version__}"
    return found.row(NETWORKS[name], f"{name} (random weights)", peer, f"{what} in {len(paths)} pictures")


def rows(apus, folder):
    for name in NETWORKS:
        yield compare(apus, folder / "ultralytics", name)
