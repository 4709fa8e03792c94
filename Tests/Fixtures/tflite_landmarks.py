"""Cases of the custom operators of MediaPipe's mesh with attention, which LiteRT lacks. Outputs come from formulas."""

import numpy as np
from flatbuffers import flexbuffers

from tflite_models import Array, case, constant, model

TRANSFORM = dict(
    left_rotation_idx=1, right_rotation_idx=4, subset_idxs=[0, 1, 4, 6, 7, 2], target_rotation_radians=0.0, scale_x=1.5,
    scale_y=1.25, output_width=6, output_height=5)


def packed(options):
    return bytes(flexbuffers.Dumps(options))


def turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def shift(x, y):
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]])


def transform(landmarks, options):
    """The product of a shift to the box, a rotation, a scaling, and a shift from the middle of the feature map."""
    points = landmarks[0, :, :2].astype(np.float64)
    line = points[options["right_rotation_idx"]] - points[options["left_rotation_idx"]]
    angle = options["target_rotation_radians"] - np.arctan2(line[1], line[0])
    turned = points[options["subset_idxs"]] @ turn(angle)[:2, :2].T
    low, high = turned.min(0), turned.max(0)
    middle = turn(-angle)[:2, :2] @ ((low + high) / 2)
    size = np.array([options["output_width"], options["output_height"]], np.float64)
    scale = np.array([options["scale_x"], options["scale_y"]]) * (high - low) / size
    matrix = shift(*middle) @ turn(-angle) @ np.diag([*scale, 1]) @ shift(*(-size / 2))
    result = np.eye(4)
    result[:2, :2], result[:2, 3] = matrix[:2, :2], matrix[:2, 2]
    return result[None].astype(np.float32)


def sampled(image, matrix, options):
    height, width = image.shape[1:3]
    result = np.zeros((1, options["output_height"], options["output_width"], image.shape[3]), np.float32)
    for row, column in np.ndindex(result.shape[1:3]):
        x, y = matrix[0, :2].astype(np.float64) @ [column + 0.5, row + 0.5, 0, 1] - 0.5
        if not (0 <= x <= width - 1 and 0 <= y <= height - 1):
            continue
        left, top = int(x), int(y)
        right, bottom = min(left + 1, width - 1), min(top + 1, height - 1)
        weights = [(1 - y + top) * (1 - x + left), (1 - y + top) * (x - left), (y - top) * (1 - x + left), (y - top) * (x - left)]
        pixels = [image[0, top, left], image[0, top, right], image[0, bottom, left], image[0, bottom, right]]
        result[0, row, column] = sum(weight * pixel.astype(np.float64) for weight, pixel in zip(weights, pixels))
    return result


def moved(landmarks, matrix):
    result = landmarks.copy()
    ones = np.ones((landmarks.shape[1], 1))
    places = np.concatenate([landmarks[0, :, :2], 0 * ones, ones], 1).astype(np.float64)
    result[0, :, :2] = places @ matrix[0, :2].astype(np.float64).T
    return result


def landmarks():
    for name, change in [("level", {}), ("turned", dict(target_rotation_radians=0.7)), ("backwards", dict(
            left_rotation_idx=4, right_rotation_idx=1))]:
        options = {**TRANSFORM, **change}
        case(f"landmarks_to_transform_{name}", "CUSTOM", [Array([1, 8, 3])], [Array([1, 4, 4])], low=0, high=40,
             custom=("Landmarks2TransformMatrix", packed(options)), tolerance=1e-5,
             formula=lambda x, options=options: [transform(x, options)])
    size = dict(output_width=7, output_height=5)
    for name, matrix in [
        ("inside", [[0.8, 0.3, 0, 0.37], [-0.3, 0.7, 0, 2.46]]), ("beyond", [[2.1, 0.9, 0, -3], [-0.9, 2.1, 0, 1.5]]),
        ("edges", [[1, 0, 0, 0], [0, 1, 0, 1]]),
    ]:
        matrix = np.array([[*matrix, [0, 0, 1, 0], [0, 0, 0, 1]]], np.float32)
        case(f"transform_tensor_{name}", "CUSTOM", [Array([1, 6, 7, 3]), constant(matrix, "float32")],
             [Array([1, 5, 7, 3])], custom=("TransformTensorBilinear", packed(size)), tolerance=1e-5,
             formula=lambda x, matrix=matrix: [sampled(x, matrix, size)])
    case("transform_tensor_of_landmarks", "CUSTOM", [Array([1, 6, 7, 3]), Array([1, 4, 4])], [Array([1, 5, 7, 3])],
         low=-1, high=1, custom=("TransformTensorBilinear", packed(size)), tolerance=1e-5,
         formula=lambda x, matrix: [sampled(x, matrix, size)])
    for extent in (2, 3):
        case(f"transform_landmarks_{extent}", "CUSTOM", [Array([1, 5, extent]), Array([1, 4, 4])],
             [Array([1, 5, extent])], custom=("TransformLandmarks", b""), tolerance=1e-5,
             formula=lambda x, matrix: [moved(x, matrix)])


def hostile_landmarks():
    def box(name, message, shape=(1, 8, 3), options=None, **change):
        options = packed({**TRANSFORM, **change}) if options is None else options
        return f"box of landmarks {name}", model(
            "CUSTOM", [Array(shape)], [Array([1, 4, 4])], custom=("Landmarks2TransformMatrix", options)), message

    def map_of(name, message, shape=(1, 6, 7, 3), matrix=(1, 4, 4), options=None, **change):
        options = packed({**dict(output_width=7, output_height=5), **change}) if options is None else options
        return f"turned feature map {name}", model(
            "CUSTOM", [Array(shape), Array(matrix)], [Array([1, 5, 7, 3])],
            custom=("TransformTensorBilinear", options)), message

    def points(name, message, shape=(1, 5, 2), matrix=(1, 4, 4)):
        return f"turned landmarks {name}", model(
            "CUSTOM", [Array(shape), Array(matrix)], [Array(shape)], custom=("TransformLandmarks", b"")), message

    whole = packed(TRANSFORM)
    return [
        box("without options", "its options are", options=b""),
        box("of cut options", "its options are", options=whole[:-40]),
        box("of other options", "option left_rotation_idx is missing", options=packed({})),
        box("without a list", "option subset_idxs is missing", subset_idxs=3),
        box("of no landmarks", "around no landmarks", subset_idxs=[]),
        box("of a fraction", "subset_idxs is 0.5", subset_idxs=[0.5, 1.0]),
        box("of landmark -1", "there is no landmark -1", subset_idxs=[-1, 2]),
        box("of landmark 8", "there is no landmark 8 of 8", subset_idxs=[8, 2]),
        box("of a huge landmark", "there is no landmark 4611686018427387904", left_rotation_idx=1 << 62),
        box("of size 0", "the feature map's size is [6, 0]", output_height=0),
        box("of scale 0", "the scales are [0.0, 1.25]", scale_x=0.0),
        box("of scale NaN", "the scales are [nan, 1.25]", scale_x=float("nan")),
        box("of four axes", "are not [N, L, 2 or more]", shape=(1, 1, 1, 24)),
        map_of("without options", "its options are", options=b""),
        map_of("of no pixels", "a result of 0 × 5 pixels", output_width=0),
        map_of("of huge extents", "pixels", output_width=1 << 40),
        map_of("of three axes", "an input with 3 axes", shape=(6, 7, 3)),
        map_of("by other matrices", "do not fit", matrix=(1, 3, 3)),
        points("of four axes", "do not fit", shape=(1, 1, 1, 10)),
        points("of one number", "do not fit", shape=(1, 5, 1)),
        points("by no matrix", "do not fit", matrix=(4,)),
    ]
