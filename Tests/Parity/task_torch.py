"""Preparing PyTorch's networks with random weights so that they find objects."""

import numpy as np
import torch
from PIL import Image

from task_comparing import photos

# A build of PyTorch for the processor lacks torchvision's operators, without which it cannot be imported. They are
# defined here by their descriptions at https://docs.pytorch.org/vision/stable/ops.html.
OPERATORS = {
    "nms": "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms": "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "roi_align": "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, "
                 "int sampling_ratio, bool aligned) -> Tensor",
}


def nms(boxes, scores, threshold):
    order = torch.argsort(scores, descending=True, stable=True)
    left, top, right, bottom = boxes[order].unbind(1)
    area, alive, kept = (right - left) * (bottom - top), torch.ones(len(order), dtype=torch.bool), []
    for place in range(len(order)):
        if not alive[place]:
            continue
        kept.append(int(order[place]))
        rest = slice(place + 1, None)
        width = (torch.minimum(right[place], right[rest]) - torch.maximum(left[place], left[rest])).clamp(min=0)
        height = (torch.minimum(bottom[place], bottom[rest]) - torch.maximum(top[place], top[rest])).clamp(min=0)
        shared = width * height
        alive[rest] &= ~(shared / (area[place] + area[rest] - shared) > threshold)
    return torch.tensor(kept, dtype=torch.long)


def samples(start, size, cells, count, extent):
    """A matrix that takes the mean of `count` interpolated samples for each of the cells of one axis."""
    places = (start + (np.arange(cells)[:, None] + (np.arange(count)[None] + 0.5) / count) * size).ravel()
    inside = (places >= -1) & (places <= extent)
    places = np.clip(places, 0, None)
    lower = np.minimum(np.floor(places).astype(int), extent - 1)
    upper = np.minimum(lower + 1, extent - 1)
    share = np.where(lower >= extent - 1, 0, places - lower)
    matrix = np.zeros((cells, extent))
    for number in np.flatnonzero(inside):
        matrix[number // count, lower[number]] += (1 - share[number]) / count
        matrix[number // count, upper[number]] += share[number] / count
    return matrix


def roi_align(features, rois, scale, height, width, ratio, aligned):
    maps = features.detach().numpy()
    result = np.zeros((len(rois), maps.shape[1], height, width), np.float32)
    for number, (picture, *box) in enumerate(rois.detach().numpy().astype(np.float64)):
        left, top, right, bottom = (edge * scale - (0.5 if aligned else 0) for edge in box)
        extents = (bottom - top, right - left) if aligned else (max(bottom - top, 1), max(right - left, 1))
        rows = samples(top, extents[0] / height, height, ratio if ratio > 0 else int(np.ceil(extents[0] / height)),
                       maps.shape[2])
        columns = samples(left, extents[1] / width, width, ratio if ratio > 0 else int(np.ceil(extents[1] / width)),
                          maps.shape[3])
        result[number] = np.einsum("ph,chw,qw->cpq", rows, maps[int(picture)], columns, optimize=True)
    return torch.from_numpy(result)


def import_torchvision():
    """torchvision, with operators of its own where a build of PyTorch lacks them."""
    import sys
    import types

    try:
        import torchvision
        torchvision.ops.nms(torch.zeros((1, 4)), torch.zeros(1), 0.5)
        return torchvision
    except (RuntimeError, OSError, AttributeError):
        for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
            del sys.modules[name]
    for name, form in OPERATORS.items():
        try:
            torch.library.define(f"torchvision::{name}", form)
        except RuntimeError:
            pass
    torch.library.impl("torchvision::nms", "CPU", nms)
    torch.library.impl("torchvision::roi_align", "CPU", roi_align)
    sys.modules["torchvision._meta_registrations"] = types.ModuleType("torchvision._meta_registrations")
    import torchvision
    import torchvision.ops
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("torchvision."):
            for name, replacement in (("_has_ops", has_operators), ("_assert_has_ops", assert_operators)):
                if hasattr(module, name):
                    setattr(module, name, replacement)
    return torchvision


def has_operators() -> bool:
    return True


def assert_operators() -> None:
    pass


def batch(size):
    """Photos of a size, [N, 3, height, width], from 0 to 1."""
    arrays = [np.asarray(photo.resize(size, Image.Resampling.BILINEAR)) for photo in photos()]
    return torch.from_numpy(np.stack(arrays)).permute(0, 3, 1, 2).float() / 255


def calibrate(model, run):
    """Gives each normalisation of a batch the statistics of what reaches it, in one run from the first to the last."""
    def measured(module, inputs):
        values = inputs[0].detach()
        module.running_mean.copy_(values.mean((0, 2, 3)))
        module.running_var.copy_(values.var((0, 2, 3)) + 1e-3)

    hooks = [module.register_forward_pre_hook(measured) for module in model.modules()
             if isinstance(module, torch.nn.BatchNorm2d) or type(module).__name__ == "FrozenBatchNorm2d"]
    model.eval()
    with torch.no_grad():
        run(model)
    for hook in hooks:
        hook.remove()
