"""The graphs of MediaPipe."""

import mediapipe
import numpy as np
from mediapipe.python.solution_base import SolutionBase
from PIL import Image

MODULES = "mediapipe/modules/"
THRESHOLD = "TensorsToDetectionsCalculator.min_score_thresh"


def face(attention):
    detector = "facedetectionshortrangecpu__facedetectionshortrange__facedetection__"
    return SolutionBase(
        binary_graph_path=MODULES + "face_landmark/face_landmark_front_cpu.binarypb",
        side_inputs={"num_faces": 4, "with_attention": attention, "use_prev_landmarks": False},
        calculator_params={detector + THRESHOLD: 0.5, "facelandmarkcpu__ThresholdingCalculator.threshold": 0.5},
        outputs=["multi_face_landmarks"])


def hands(complexity):
    return SolutionBase(
        binary_graph_path=MODULES + "hand_landmark/hand_landmark_tracking_cpu.binarypb",
        side_inputs={"model_complexity": complexity, "num_hands": 4, "use_prev_landmarks": False},
        calculator_params={"palmdetectioncpu__" + THRESHOLD: 0.5,
                           "handlandmarkcpu__ThresholdingCalculator.threshold": 0.5},
        outputs=["palm_detections", "multi_hand_landmarks"])


def people():
    landmarks = "poselandmarkbyroicpu__tensorstoposelandmarksandsegmentation__"
    return SolutionBase(
        binary_graph_path=MODULES + "pose_landmark/pose_landmark_cpu.binarypb",
        side_inputs={"model_complexity": 1, "smooth_landmarks": False, "enable_segmentation": False,
                     "smooth_segmentation": False, "use_prev_landmarks": False},
        calculator_params={"posedetectioncpu__" + THRESHOLD: 0.5,
                           landmarks + "ThresholdingCalculator.threshold": 0.5},
        outputs=["pose_detection", "pose_landmarks"])


def boxes(detections, label, width, height):
    found = {"boxes": [], "points": []}
    for detection in detections or []:
        box, points = detection.location_data.relative_bounding_box, detection.location_data.relative_keypoints
        left, top, right, bottom = box.xmin, box.ymin, box.xmin + box.width, box.ymin + box.height
        found["boxes"].append([left * width, top * height, right * width, bottom * height, detection.score[0], label])
        found["points"].append([[point.x * width, point.y * height] for point in points])
    return found


def parts(landmarks, width, height):
    return {"parts": [[[point.x * width, point.y * height] for point in each.landmark] for each in landmarks or []]}


def visible(body, width, height):
    """The points of a body; those that it hides are no numbers."""
    return [[point.x * width, point.y * height] if point.visibility >= 0.5 else [np.nan] * 2 for point in body.landmark]


def load(model, graph, **options):
    solutions = mediapipe.solutions
    network = {
        "faces": lambda: solutions.face_detection.FaceDetection(min_detection_confidence=0.5, **options),
        "mesh": lambda: face(**options),
        "palms": lambda: hands(**options),
        "hands": lambda: hands(**options),
        "person": people,
        "pose": people,
        "selfie": lambda: solutions.selfie_segmentation.SelfieSegmentation(**options),
    }[graph]()

    def answer(path):
        picture = np.ascontiguousarray(np.asarray(Image.open(path).convert("RGB")))
        height, width = picture.shape[:2]
        if graph == "selfie":
            return {"mask": np.rint(network.process(picture).segmentation_mask * 255).clip(0, 255).astype(np.uint8)}
        if graph == "faces":
            return boxes(network.process(picture).detections, "face", width, height)
        found = network.process(input_data={"image": picture})
        if graph == "mesh":
            return parts(found.multi_face_landmarks, width, height)
        if graph == "palms":
            return boxes(found.palm_detections, "palm", width, height)
        if graph == "hands":
            return parts(found.multi_hand_landmarks, width, height)
        if graph == "person":
            person = found.pose_detection
            return boxes([person] if person else [], "anchor of a person", width, height)
        body = found.pose_landmarks
        return {"parts": [visible(body, width, height)] if body else []}

    return answer
