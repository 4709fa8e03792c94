"""Reads results that `apus predict` writes for other tools with the readers of these tools.

    python Tests/Parity/result_readers.py .build/release/apus

Runs a detector on pictures in which it finds coloured squares, writes COCO results, YOLO's text files, Pascal VOC's
XML and Label Studio's predictions, and reads each back: COCO's with pycocotools, YOLO's and VOC's with supervision,
Label Studio's with label-studio-sdk, which checks predictions against a labelling configuration. All boxes must be
those of the JSON rows, within half a pixel where a form has whole pixels. The points of people and the outlines of
masks, which networks of made up numbers give, are read by label-studio-sdk too. Prints a line for each reader.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import supervision
from label_studio_sdk.label_interface import LabelInterface
from onnx import TensorProto, helper, numpy_helper
from pycocotools.coco import COCO

FIXTURES = Path(__file__).resolve().parents[1] / "Fixtures"
MODEL = FIXTURES / "coreml/pipelines/Squares.mlmodel"
LABELLING = """
<View><Image name="image" value="$image"/>
  <RectangleLabels name="label" toName="image">
    <Label value="red"/><Label value="green"/><Label value="person"/></RectangleLabels>
  <PolygonLabels name="polygon" toName="image"><Label value="cat"/><Label value="dog"/></PolygonLabels>
  <KeyPointLabels name="keypoint" toName="image"><Label value="head"/><Label value="tail"/></KeyPointLabels></View>
"""


def predict(command, folder, *options, model=MODEL, task="detect"):
    tasks = ["--task", task] if task else []
    subprocess.run([command, "predict", model, "images", *tasks, "--quiet", *options], cwd=folder, check=True)


def expected_boxes(folder):
    """The boxes of each picture in pixels, with classes and confidences."""
    boxes = {}
    for line in (folder / "rows.jsonl").read_text().splitlines():
        row = json.loads(line)
        scale = np.array([row["width"], row["height"]] * 2)
        boxes[Path(row["id"]).name] = [
            (entry["index"], entry["confidence"], np.array(entry["box"]) * scale) for entry in row["objects"]]
    return boxes


def difference(found, expected):
    """The largest difference of boxes [left, top, right, bottom], taken in the order of their left edges."""
    found = sorted(map(tuple, found))
    expected = sorted((x, y, x + width, y + height) for _, _, (x, y, width, height) in expected)
    if len(found) != len(expected):
        return float("inf")
    return max((float(np.abs(np.array(a) - np.array(b)).max()) for a, b in zip(found, expected)), default=0.0)


def report(reader, value, limit):
    print(f"{reader:32} largest difference {value:.2g} pixels")
    return value <= limit


def with_supervision(folder, boxes):
    names = ["red", "green"]
    (folder / "data.yaml").write_text("names: [red, green]\n")
    yolo = supervision.DetectionDataset.from_yolo(
        images_directory_path=str(folder / "images"), annotations_directory_path=str(folder / "yolo/images"),
        data_yaml_path=str(folder / "data.yaml"))
    voc = supervision.DetectionDataset.from_pascal_voc(
        images_directory_path=str(folder / "images"), annotations_directory_path=str(folder / "voc/images"))
    isRight = True
    for name, dataset, limit in [("supervision, YOLO", yolo, 1e-3), ("supervision, Pascal VOC", voc, 0.5)]:
        worst = 0.0
        for path, _, detections in dataset:
            expected = boxes[Path(path).name]
            worst = max(worst, difference(detections.xyxy.tolist(), expected))
            found = sorted(dataset.classes[index] for index in detections.class_id)
            isRight &= found == sorted(names[index] for index, _, _ in expected)
        isRight &= report(name, worst, limit) and len(dataset) == len(boxes)
    return isRight


def with_pycocotools(folder, boxes):
    coco = COCO()
    ids = {name: int(Path(name).stem) for name in boxes}
    coco.dataset = {
        "images": [{"id": number, "file_name": name} for name, number in ids.items()],
        "categories": [{"id": 0}, {"id": 1}], "annotations": []}
    coco.createIndex()
    results = coco.loadRes(str(folder / "coco.json"))
    worst = 0.0
    for name, number in ids.items():
        found = [entry["bbox"] for entry in results.loadAnns(results.getAnnIds(imgIds=[number]))]
        worst = max(worst, difference([(x, y, x + w, y + h) for x, y, w, h in found], boxes[name]))
    return report("pycocotools, COCO", worst, 1e-3)


def with_label_studio(folder, boxes):
    interface = LabelInterface(LABELLING)
    worst, isRight = 0.0, True
    for task in json.loads((folder / "tasks.json").read_text()):
        prediction = task["predictions"][0]
        # Raises where a prediction does not go with the labelling configuration.
        interface.validate_prediction(prediction)
        isRight &= bool(interface.validate_prediction(prediction)) and bool(interface.validate_task({"data": task["data"]}))
        found = []
        for entry in prediction["result"]:
            value, size = entry["value"], (entry["original_width"], entry["original_height"])
            left, top = value["x"] / 100 * size[0], value["y"] / 100 * size[1]
            found.append((left, top, left + value["width"] / 100 * size[0], top + value["height"] / 100 * size[1]))
        worst = max(worst, difference(found, boxes[Path(task["data"]["image"]).name]))
    return report("label-studio-sdk, predictions", worst, 1e-3) and isRight


def write_fixed_network(path, outputs, metadata):
    """Writes a network that gives the same outputs for every picture: 0 times a mean of it, plus numbers."""
    nodes = [helper.make_node("ReduceMean", ["image"], ["mean"], axes=[1, 2, 3], keepdims=0)]
    nodes += [helper.make_node("Mul", ["mean", "zero"], ["nothing"])]
    initializers = [numpy_helper.from_array(np.float32([0]), "zero")]
    for name, numbers in outputs.items():
        nodes.append(helper.make_node("Add", ["nothing", f"{name}/numbers"], [name]))
        initializers.append(numpy_helper.from_array(numbers[None].astype(np.float32), f"{name}/numbers"))
    floats = TensorProto.FLOAT
    graph = helper.make_graph(
        nodes, "fixed", [helper.make_tensor_value_info("image", floats, [1, 3, 64, 64])],
        [helper.make_tensor_value_info(name, floats, [1, *numbers.shape]) for name, numbers in outputs.items()],
        initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    helper.set_model_props(model, metadata)
    onnx.save(model, path)


def columns(*objects):
    """The numbers of 84 places of Ultralytics' outputs, [numbers of an object, 84], of which the first have objects."""
    result = np.zeros((len(objects[0]), 84))
    result[:, :len(objects)] = np.transpose(objects)
    return result


def points_with_label_studio(command, folder):
    """Reads back people with points, and masks of objects."""
    people = columns([32, 32, 32, 16, 0.875, 24, 32, 0.75, 40, 34, 0.25], [8, 32, 8, 8, 0.5, 4, 32, 0.5, 8, 28, 1])
    write_fixed_network(
        folder / "pose.onnx", {"output0": people},
        {"task": "pose", "kpt_shape": "[2, 3]", "names": "{0: 'person'}", "kpt_names": "{0: ['head', 'tail']}"})
    left = np.tile(np.where(np.arange(4) < 2, 1, -1), (4, 1))
    write_fixed_network(
        folder / "masks.onnx",
        {"output0": columns([32, 32, 64, 64, 0.875, 0, 1, 0], [16, 32, 16, 16, 0, 0.5, 0, 1]),
         "output1": np.stack([left, np.ones((4, 4))])}, {"task": "segment", "names": "{0: 'cat', 1: 'dog'}"})
    interface = LabelInterface(LABELLING)
    worst, is_right = 0.0, True
    for name, option, row_kind in [("pose", [], "poses"), ("masks", ["--mask-form", "polygons"], "instances")]:
        predict(command, folder, "-o", f"{name}.jsonl", *option, model=f"{name}.onnx", task=None)
        predict(command, folder, "-o", f"{name}.json", "--format", "label-studio", model=f"{name}.onnx", task=None)
        rows = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        for row, task in zip(rows, json.loads((folder / f"{name}.json").read_text()), strict=True):
            prediction = task["predictions"][0]
            is_right &= bool(interface.validate_prediction(prediction))
            size = np.array([row["width"], row["height"]])
            if name == "pose":
                points = [point for pose in row[row_kind] for point in pose["keypoints"]]
                expected = [(point["x"] * size[0], point["y"] * size[1]) for point in points]
                found = [(region["value"]["x"], region["value"]["y"])
                         for region in prediction["result"] if region["type"] == "keypointlabels"]
            else:
                expected = [corner for thing in row[row_kind] for line in thing["segmentation"]
                            for corner in zip(line[::2], line[1::2])]
                found = [corner for region in prediction["result"] for corner in region["value"]["points"]]
            is_right &= len(found) == len(expected) > 0
            worst = max(worst, float(np.abs(np.array(found) / 100 * size - np.array(expected)).max()))
    return report("label-studio-sdk, points and masks", worst, 1e-3) and is_right


def main():
    command = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "images").mkdir()
        shutil.copy(FIXTURES / "coreml/pipelines/scene.png", folder / "images/000001.png")
        shutil.copy(FIXTURES / "photos/coffee.png", folder / "images/000002.png")
        predict(command, folder, "-o", "rows.jsonl", "--yolo", "yolo", "--voc", "voc")
        predict(command, folder, "-o", "coco.json", "--format", "coco")
        predict(command, folder, "-o", "tasks.json", "--format", "label-studio")
        boxes = expected_boxes(folder)
        checks = [check(folder, boxes) for check in [with_pycocotools, with_supervision, with_label_studio]]
        checks.append(points_with_label_studio(command, folder))
    if not all(checks) or sum(map(len, boxes.values())) == 0:
        sys.exit("result_readers.py: not all results are read back as they were written")


main()
