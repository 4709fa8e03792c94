"""Compares detectors of torchvision, exported to ONNX, with onnxruntime on the same file, at pictures of several sizes.

Weights are random and seeded; normalisations have the statistics of photos, and masks are scaled so that they have
edges. Boxes beside the limits of suppression change with the last digits, so that onnxruntime and PyTorch differ too:
the peer runs the same file. Masks of boxes are put into pictures by torchvision's paste_masks_in_image.
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


def compare(apus, folder, name):
    path, paths = exported(name, folder), pictures(folder / "pictures", SIZES)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    found = Objects()
    options = ["--min-confidence", "0.05", "--max-objects", "1000"]
    for picture, row in zip(paths, predict(apus, path, paths, *options)):
        image = np.asarray(Image.open(picture).convert("RGB")).astype(np.float32) / 255
        height, width = image.shape[:2]
        outputs = session.run(None, {"image": np.ascontiguousarray(image.transpose(2, 0, 1))})
        peer = dict(zip([output.name for output in session.get_outputs()], outputs))
        if peer.get("masks", np.zeros((0, 1, 1, 1))).shape[-1] == 28:
            masks = paste_masks_in_image(
                torch.from_numpy(peer["masks"]), torch.from_numpy(peer["boxes"]), (height, width))
            peer["masks"] = masks.numpy()
        items = row.get("instances") or row.get("objects") or []

        def pair(item, other):
            if "segmentation" in item:
                found.overlaps.append(overlap(mask(item), peer["masks"][other, 0] > 0.5))

        found.add(items, [edges(item, (width, height)) for item in items], peer["labels"], peer["scores"],
                  peer["boxes"], pair)
    is_mask = "mask" in NETWORKS[name][0]
    versions = f"onnxruntime {onnxruntime.__version__}, torchvision {torchvision.__version__.split('+')[0]}"
    return found.row("segment" if is_mask else "detect", f"{name} (random weights)", versions,
                     f"{'masks' if is_mask else 'boxes'} in {len(paths)} pictures")


def rows(apus, folder):
    for name in NETWORKS:
        yield compare(apus, folder / "torchvision", name)
