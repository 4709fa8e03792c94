"""Compares detectors of torchvision, exported to ONNX, with onnxruntime on the same file, at pictures of several sizes.

Weights are random and seeded; normalisations have the statistics of photos, and masks are scaled so that they have
edges. Boxes beside the limits of suppression change with the last digits, so that onnxruntime and PyTorch differ too:
the peer runs the same file. Masks of boxes are put into pictures by torchvision's paste_masks_in_image.

A box whose edge moves by a hundredth of a pixel moves its mask by a whole one, since masks are put on whole pixels. So
each mask is compared with what torchvision makes of the outputs that Apus's own network gave, and with those of
onnxruntime all pixels of all masks together.
"""

import numpy as np
import onnxruntime
import torch
from PIL import Image

from task_comparing import Objects, edges, mask, overlap, pictures, predict
from task_torch import batch, calibrate, import_torchvision

torchvision = import_torchvision()
from torchvision.models import detection  # noqa: E402
from torchvision.models.detection.roi_heads import paste_masks_in_image  # noqa: E402
from torchvision.models.detection.transform import resize_boxes  # noqa: E402

SIZES = [(600, 400), (427, 640), (320, 320), (257, 255)]
SMALL = {"min_size": 192, "max_size": 320}
# The constructor, its settings, and whether the export leaves masks in their boxes.
NETWORKS = {
    "Faster R-CNN MobileNetV3": ("fasterrcnn_mobilenet_v3_large_fpn", SMALL, False),
    "SSDLite MobileNetV3": ("ssdlite320_mobilenet_v3_large", {}, False),
    "Mask R-CNN ResNet-50": ("maskrcnn_resnet50_fpn", SMALL, False),
    "Mask R-CNN ResNet-50, masks of boxes": ("maskrcnn_resnet50_fpn", SMALL, True),
}


def boxes_only(result, shapes, sizes):
    """The postprocessing without putting masks into pictures."""
    for found, shape, size in zip(result, shapes, sizes):
        found["boxes"] = resize_boxes(found["boxes"], shape, size)
    return result


def network(constructor, settings):
    torch.manual_seed(3)
    model = getattr(detection, constructor)(weights=None, weights_backbone=None, num_classes=6, **settings)
    calibrate(model, lambda model: model(list(batch((320, 256)))))
    if "mask" in constructor:
        with torch.no_grad():
            model.roi_heads.mask_predictor.mask_fcn_logits.weight *= 40
    return model.eval()


def exported(name, folder):
    constructor, settings, in_boxes = NETWORKS[name]
    path = folder / f"{constructor}{'_boxes' if in_boxes else ''}.onnx"
    if path.exists():
        return path
    model = network(constructor, settings)
    if in_boxes:
        model.transform.postprocess = boxes_only
    names = ["boxes", "scores", "labels"] if "ssd" in constructor else ["boxes", "labels", "scores"]
    names += ["masks"] if "mask" in constructor else []
    folder.mkdir(parents=True, exist_ok=True)
    axes = {"image": {1: "height", 2: "width"}} | {output: {0: "count"} for output in names}
    torch.onnx.export(model, ([batch((320, 256))[0]],), str(path), dynamo=False, opset_version=17,
                      input_names=["image"], output_names=names, dynamic_axes=axes)
    return path


def pasted(outputs, size):
    """The outputs of a file, by their names, with masks of the picture's size."""
    if outputs.get("masks", np.zeros((0, 1, 1, 1))).shape[-1] == 28:
        boxes, masks = (torch.from_numpy(outputs[key]) for key in ("boxes", "masks"))
        outputs = outputs | {"masks": paste_masks_in_image(masks, boxes, (size[1], size[0])).numpy()}
    return outputs


def raw_outputs(apus, folder, path, paths):
    """The outputs of Apus's own network for each picture."""
    arrays = folder / "arrays"
    rows = predict(apus, path, paths, "--task", "raw", "--scale", "1/255", "--arrays", str(arrays))
    return [dict(np.load(arrays / row["arrays"])) for row in rows]


def compare(apus, folder, name):
    path, paths = exported(name, folder), pictures(folder / "pictures", SIZES)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    is_mask = "mask" in NETWORKS[name][0]
    found, shared, united = Objects(), 0, 0
    options = ["--min-confidence", "0.05", "--max-objects", "1000"]
    own_outputs = raw_outputs(apus, folder, path, paths) if is_mask else [{}] * len(paths)
    for picture, row, own in zip(paths, predict(apus, path, paths, *options), own_outputs):
        image = np.asarray(Image.open(picture).convert("RGB")).astype(np.float32) / 255
        height, width = image.shape[:2]
        outputs = session.run(None, {"image": np.ascontiguousarray(image.transpose(2, 0, 1))})
        peer = pasted(dict(zip([output.name for output in session.get_outputs()], outputs)), (width, height))
        own = pasted(own, (width, height))
        items = row.get("instances") or row.get("objects") or []

        def pair(item, other):
            nonlocal shared, united
            if is_mask:
                runs, theirs = mask(item), peer["masks"][other, 0] > 0.5
                shared, united = shared + (runs & theirs).sum(), united + (runs | theirs).sum()
                distances = np.abs(own["boxes"] - edges(item, (width, height))).max(axis=1)
                distances[own["labels"] != item["index"]] = np.inf
                found.overlaps.append(overlap(runs, own["masks"][int(np.argmin(distances)), 0] > 0.5))

        found.add(items, [edges(item, (width, height)) for item in items], peer["labels"], peer["scores"],
                  peer["boxes"], pair)
    versions = f"onnxruntime {onnxruntime.__version__}, torchvision {torchvision.__version__.split('+')[0]}"
    row = found.row("segment" if is_mask else "detect", f"{name} (random weights)", versions,
                    f"{'masks' if is_mask else 'boxes'} in {len(paths)} pictures")
    if is_mask:
        row.deviation += f" from the same outputs, {shared / united:.4f} of all pixels"
        row.good = bool(row.good and shared / united > 0.99)
    return row


def rows(apus, folder):
    for name in NETWORKS:
        yield compare(apus, folder / "torchvision", name)
