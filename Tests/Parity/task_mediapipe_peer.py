"""Writes what MediaPipe's own pipelines find in pictures, as JSON: run in an environment of its own.

    python Tests/Parity/task_mediapipe_peer.py faces|hands|people PICTURE…
    python Tests/Parity/task_mediapipe_peer.py selfie FOLDER PICTURE…

`selfie` writes the foreground's share of each pixel into FOLDER.
"""

import json
import pathlib
import sys

import mediapipe
import numpy as np
from PIL import Image

solutions = mediapipe.solutions


def pixels(path):
    return np.asarray(Image.open(path).convert("RGB"))


def points_of(landmarks):
    return [[point.x, point.y, point.z] for point in landmarks.landmark]


def faces(paths):
    found = {}
    for selection, name in enumerate(["face_detection_short_range", "face_detection_full_range_sparse"]):
        with solutions.face_detection.FaceDetection(model_selection=selection, min_detection_confidence=0.5) as detector:
            found[name] = [[{
                "confidence": face.score[0],
                "box": [getattr(face.location_data.relative_bounding_box, key)
                        for key in ("xmin", "ymin", "width", "height")],
                "points": [[point.x, point.y] for point in face.location_data.relative_keypoints],
            } for face in detector.process(pixels(path)).detections or []] for path in paths]
    return found


def hands(paths):
    found = []
    for path in paths:
        with solutions.hands.Hands(static_image_mode=True, max_num_hands=4, model_complexity=1) as detector:
            result = detector.process(pixels(path))
        found.append([{"side": side.classification[0].label, "points": points_of(hand)} for hand, side in zip(
            result.multi_hand_landmarks or [], result.multi_handedness or [])])
    return {"hands": found}


def people(paths):
    found = []
    for path in paths:
        with solutions.pose.Pose(static_image_mode=True, model_complexity=1) as detector:
            person = detector.process(pixels(path)).pose_landmarks
        found.append([points_of(person)] if person else [])
    return {"people": found}


def selfie(paths):
    folder, made = pathlib.Path(paths[0]), []
    folder.mkdir(parents=True, exist_ok=True)
    with solutions.selfie_segmentation.SelfieSegmentation(model_selection=0) as segmenter:
        for path in paths[1:]:
            made.append(str(folder / f"{pathlib.Path(path).stem}.npy"))
            np.save(made[-1], segmenter.process(pixels(path)).segmentation_mask)
    return {"masks": made}


tasks = {"faces": faces, "hands": hands, "people": people, "selfie": selfie}
json.dump({"version": mediapipe.__version__, **tasks[sys.argv[1]](sys.argv[2:])}, sys.stdout)
