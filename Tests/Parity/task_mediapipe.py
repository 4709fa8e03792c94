"""Compares MediaPipe's networks with its own pipelines in Python, which need an environment of their own."""

import importlib.metadata
import json
import pathlib
import shutil
import subprocess

import numpy as np
import skimage.data
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from task_comparing import Row, mask, overlap, predict

RECIPES = pathlib.Path(__file__).parents[2] / "Documentation" / "Recipes"
# The package fonts-noto-color-emoji of Debian.
EMOJI = pathlib.Path("/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf")


def rgb(path):
    return Image.open(path).convert("RGB")


def peer(python, script, *arguments):
    """What a script of MediaPipe's environment prints, from JSON."""
    command = [python, str(pathlib.Path(__file__).with_name(script)), *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def in_litert(path, pixels):
    """The outputs of a network in LiteRT."""
    from ai_edge_litert.interpreter import Interpreter
    interpreter = Interpreter(model_path=str(path))
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], pixels)
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]


def litert():
    return f"ai-edge-litert {importlib.metadata.version('ai-edge-litert')}"


def crops(folder, name, boxes, edge):
    """Squares of a photo of a person, as files."""
    folder = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    astronaut, paths = Image.fromarray(skimage.data.astronaut()), []
    for number, (left, top, size) in enumerate(boxes):
        paths.append(folder / f"{number}.png")
        astronaut.crop((left, top, left + size, top + size)).resize((edge, edge)).save(paths[-1])
    return paths


def face_crops(folder):
    return crops(folder, "crops", [(150, 50, 160), (130, 20, 192), (160, 40, 144)], 192)


def mesh(apus, folder, models):
    """The mesh of a face on crops, beside its network in LiteRT."""
    path, paths, worst = models / "face_landmark" / "face_landmark.tflite", face_crops(folder), 0.0
    for crop, row in zip(paths, predict(apus, path, paths)):
        outputs = in_litert(path, np.asarray(rgb(crop)).astype(np.float32)[None] / 255)
        points = next(output for output in outputs if output.size == 1404).reshape(-1, 3)[:, :2]
        own = np.array([[point["x"], point["y"]] for point in row["landmarks"]["points"]]) * 192
        worst = max(worst, np.abs(own - points).max()) if len(own) else np.inf
    return Row("landmarks", "MediaPipe's face mesh", litert(), f"468 points of {len(paths)} faces",
               f"{worst:.1e} px of 192", bool(worst < 0.1))


def iris(apus, folder, models):
    """The points of an eye on crops, beside its network in LiteRT."""
    path, worst = models / "iris_landmark" / "iris_landmark.tflite", 0.0
    paths = crops(folder, "eyes", [(180, 85, 44), (225, 90, 44), (170, 75, 64)], 64)
    for crop, row in zip(paths, predict(apus, path, paths)):
        outputs = in_litert(path, np.asarray(rgb(crop)).astype(np.float32)[None] / 255)
        points = np.concatenate([output.reshape(-1, 3) for output in sorted(outputs, key=lambda output: -output.size)])
        own = np.array([[point["x"], point["y"]] for point in row["landmarks"]["points"]]) * 64
        worst = max(worst, np.abs(own - points[:, :2]).max()) if len(own) == len(points) else np.inf
    return Row("landmarks", "MediaPipe's iris", litert(), f"76 points of {len(paths)} eyes", f"{worst:.1e} px of 64",
               bool(worst < 0.1))


def attention(apus, folder, python, models):
    """MediaPipe's mesh of a face with attention on the same crops, beside its own graph."""
    path = models / "face_landmark" / "face_landmark_with_attention.tflite"
    paths = face_crops(folder)
    made = peer(python, "task_face_mesh.py", *paths)
    worst = depth = 0.0
    for row, points in zip(predict(apus, path, paths), made["points"]):
        own = np.array([[point["x"], point["y"], point["z"]] for point in row["landmarks"]["points"]])
        distance = np.abs(own - points) * 192 if len(own) == len(points) else np.full((1, 3), np.inf)
        worst, depth = max(worst, distance[:, :2].max()), max(depth, distance[:, 2].max())
    return Row("landmarks", "MediaPipe's face mesh with attention", f"mediapipe {made['version']}",
               f"478 points of {len(paths)} faces", f"{worst:.1e} px of 192, depth {depth:.1e}",
               bool(worst < 0.1 and depth < 0.1))


def faces(apus, folder, python, models):
    """The detectors of faces."""
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
    made = peer(python, "task_mediapipe_peer.py", "faces", *paths)
    for name in ("face_detection_short_range", "face_detection_full_range_sparse"):
        rows = predict(apus, models / "face_detection" / f"{name}.tflite", paths, "--task", "detect")
        box = point = score = 0.0
        same, count = True, 0
        for path, row, peers in zip(paths, rows, made[name]):
            size = np.array(Image.open(path).size)
            same = same and len(row["objects"]) == len(peers)
            for own, other in zip(row["objects"], peers):
                edge = max(other["box"][2:] * size)
                box = max(box, np.abs((np.array(own["box"]) - other["box"]) * np.tile(size, 2)).max() / edge)
                point = max(point, np.abs((np.array(own["points"]) - other["points"]) * size).max() / edge)
                score = max(score, abs(own["confidence"] - other["confidence"]))
                count += 1
        yield Row("detect", name.replace("_", " "), f"mediapipe {made['version']}",
                  f"{count} faces in {len(paths)} pictures",
                  f"box {box:.2%} and points {point:.2%} of the face, confidence {score:.3f}",
                  bool(same and point < 0.01 and box < 0.01))


def recipe(folder, models, name):
    """A recipe of the project beside the networks that it names."""
    folder = folder / "recipes"
    folder.mkdir(parents=True, exist_ok=True)
    stages = json.loads((RECIPES / name).read_text())["stages"]
    for model in (stage["model"] for stage in stages):
        shutil.copy(next(models.rglob(model)), folder / model)
    return pathlib.Path(shutil.copy(RECIPES / name, folder / name))


def draw_hands(folder):
    """Hands with arms in several directions, as files."""
    folder.mkdir(parents=True, exist_ok=True)
    font, paths = ImageFont.truetype(str(EMOJI), 109), []
    for hand in ("\U0001f590\U0001f3fd", "\u270b\U0001f3fd", "\U0001f590\U0001f3fc"):
        for angle in (0, -20, 35):
            layer = Image.new("RGBA", (200, 260))
            ImageDraw.Draw(layer).text((30, 20), hand, font=font, embedded_color=True)
            picture = Image.new("RGB", layer.size, (60, 70, 90))
            skin = layer.getpixel((95, 90))[:3]
            ImageDraw.Draw(picture).polygon([(72, 120), (118, 120), (125, 260), (65, 260)], fill=skin)
            picture.paste(layer, (0, 0), layer)
            picture = picture.resize((600, 780), Image.Resampling.BICUBIC).rotate(angle, fillcolor=(60, 70, 90))
            paths.append(folder / f"{len(paths)}.png")
            picture.filter(ImageFilter.GaussianBlur(3)).save(paths[-1])
    return paths


class Points:
    """Points of poses beside those of the peer, as shares of the longer side of the box around them."""

    def __init__(self):
        self.count, self.worst, self.depth, self.same = 0, 0.0, 0.0, True

    def add(self, poses, others, size, least=0.0):
        """Poses in the order of the peer's; points with less confidence than `least` are left out."""
        self.same = self.same and len(poses) == len(others)
        for pose, other in zip(poses, others):
            other = np.array(other)
            own = np.array([[point["x"], point["y"], point["z"]] for point in pose["keypoints"]])
            shown = np.array([point.get("confidence", 1) >= least for point in pose["keypoints"]])
            scale = np.array([size[0], size[1], size[0]])
            edge = np.ptp(other[shown, :2] * scale[:2], axis=0).max()
            distance = (np.abs(own - other[:, :3]) * scale)[shown] / edge
            self.worst, self.depth = max(self.worst, distance[:, :2].max()), max(self.depth, distance[:, 2].max())
            self.count += 1

    def row(self, model, version, what, limit):
        return Row("pose", model, f"mediapipe {version}", f"{self.count} {what}",
                   f"points {self.worst:.2%} of the box, depth {self.depth:.2%}",
                   bool(self.same and self.count and self.worst < limit))


def poses_of(row, stage):
    return [pose for part in row["objects"] for pose in part["answers"][stage]["poses"]]


def hands(apus, folder, python, models):
    """Palms and the points of their hands. MediaPipe takes pictures for mirrored ones, so that left is right there."""
    if not EMOJI.exists():
        return Row("pose", "hands", "mediapipe", "nothing", "needs the package fonts-noto-color-emoji", False)
    paths, points = draw_hands(folder / "hands"), Points()
    made = peer(python, "task_mediapipe_peer.py", "hands", *paths)
    rows = predict(apus, recipe(folder, models, "hands.recipe.json"), paths)
    for row, others in zip(rows, made["hands"]):
        poses = poses_of(row, "hand")
        points.add(poses, [other["points"] for other in others], (600, 780))
        sides = [{"Left": "Right", "Right": "Left"}[other["side"]] for other in others]
        points.same = points.same and [pose["label"] for pose in poses] == sides
    return points.row("hands of palm_detection_full and hand_landmark_full", made["version"], "drawn hands", 0.01)


def people_pictures(folder):
    astronaut, paths = Image.fromarray(skimage.data.astronaut()), []
    folder = folder / "people"
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in (("astronaut", astronaut), ("turned", astronaut.rotate(15)),
                          ("small", astronaut.resize((300, 280))), ("wide", astronaut.resize((900, 600)))):
        paths.append(folder / f"{name}.png")
        picture.save(paths[-1])
    return paths


def people(apus, folder, python, models):
    """A person and the points of the body. MediaPipe's pipeline looks for one person."""
    paths, points = people_pictures(folder), Points()
    made = peer(python, "task_mediapipe_peer.py", "people", *paths)
    rows = predict(apus, recipe(folder, models, "people.recipe.json"), paths)
    for path, row, others in zip(paths, rows, made["people"]):
        points.add(poses_of(row, "pose")[:1], others, Image.open(path).size, least=0.9)
    return points.row("people of pose_detection and pose_landmark_full", made["version"], "people, visible points", 0.01)


def selfie(apus, folder, python, models):
    """The foreground of pictures of a person."""
    paths, overlaps = people_pictures(folder), []
    made = peer(python, "task_mediapipe_peer.py", "selfie", folder / "selfies", *paths)
    model = models / "selfie_segmentation" / "selfie_segmentation.tflite"
    for row, path in zip(predict(apus, model, paths), made["masks"]):
        other = np.load(path) > 0.5
        own = [mask(segment) for segment in row["segments"] if segment["index"] == 1]
        overlaps.append(overlap(own[0] if own else np.zeros_like(other), other))
    return Row("segment", "MediaPipe's selfie segmentation", f"mediapipe {made['version']}",
               f"the foreground of {len(paths)} pictures", f"IoU at least {min(overlaps):.4f}", min(overlaps) > 0.99)


def rows(apus, folder, python):
    package = subprocess.run([python, "-c", "import importlib.util; print(importlib.util.find_spec('mediapipe').origin)"],
                             check=True, capture_output=True, text=True).stdout.strip()
    models = pathlib.Path(package).parent / "modules"
    yield mesh(apus, folder, models)
    yield attention(apus, folder, python, models)
    yield iris(apus, folder, models)
    yield from faces(apus, folder, python, models)
    yield hands(apus, folder, python, models)
    yield people(apus, folder, python, models)
    yield selfie(apus, folder, python, models)
