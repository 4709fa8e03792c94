"""Writes what MediaPipe's own pipeline finds in pictures of faces, as JSON: run in an environment of its own.

    python Tests/parity/task_faces.py PICTURE…
"""

import json
import sys

import mediapipe
import numpy as np
from PIL import Image

found = {"version": mediapipe.__version__}
for selection, name in enumerate(["face_detection_short_range", "face_detection_full_range_sparse"]):
    with mediapipe.solutions.face_detection.FaceDetection(
            model_selection=selection, min_detection_confidence=0.5) as detector:
        found[name] = []
        for path in sys.argv[1:]:
            faces = detector.process(np.asarray(Image.open(path).convert("RGB"))).detections or []
            found[name].append([{
                "confidence": face.score[0],
                "box": [getattr(face.location_data.relative_bounding_box, key)
                        for key in ("xmin", "ymin", "width", "height")],
                "points": [[point.x, point.y] for point in face.location_data.relative_keypoints],
            } for face in faces])
json.dump(found, sys.stdout)
