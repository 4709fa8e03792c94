"""Makes Core ML pipelines that begin with a network: detectors of red and green squares, and classifiers of colors.

    python3 -m venv environment
    environment/bin/pip install coremltools==9.0 scikit-learn==1.5.1 numpy pillow==13.0.0
    environment/bin/python Tests/Fixtures/make_coreml_pipeline_fixtures.py

Tests/Fixtures/coreml/pipelines holds them with the picture scene.png; the expected results are in pipelines.json.
"""

import json
import pathlib
import shutil

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from coremltools.proto import FeatureTypes_pb2, Model_pb2
from make_coreml_package import settle
from PIL import Image, ImageDraw
from sklearn.linear_model import LogisticRegression

FOLDER = pathlib.Path(__file__).parent / "coreml" / "pipelines"
WIDTH, HEIGHT, CELL = 64, 32, 8
ROWS, COLUMNS = HEIGHT // CELL, WIDTH // CELL
# The amounts of red and green in RGB: the color minus the others.
COLORS = np.array([[1, -1, -1], [-1, 1, -1]], dtype=np.float32)


def boxes():
    """The cells, and the same cells slightly to the right with less confidence: [2 · cells, 4], center and size."""
    cells = [[(column + 0.5) / COLUMNS, (row + 0.5) / ROWS, 1 / COLUMNS, 1 / ROWS] for row in range(ROWS) for column in range(COLUMNS)]
    cells = np.array(cells, dtype=np.float32)
    return np.concatenate([cells, cells + [0.1 / COLUMNS, 0, 0, 0]]).astype(np.float32)


def array(feature, name, shape):
    entry = feature.add()
    entry.name = name
    entry.type.multiArrayType.dataType = FeatureTypes_pb2.ArrayFeatureType.DOUBLE
    entry.type.multiArrayType.shape.extend(shape)
    return entry


def detector_network(exact):
    """image → raw_confidence [cells, 2] and raw_coordinates [cells, 4]."""
    count = 2 * ROWS * COLUMNS
    network = NeuralNetworkBuilder(
        [("image", datatypes.Array(*([1] if exact else []), 3, HEIGHT, WIDTH))], [("raw_confidence", None), ("raw_coordinates", None)],
        disable_rank5_shape_mapping=exact)
    network.add_convolution(
        "colors", 3, 2, 1, 1, 1, 1, "valid", 1, COLORS.reshape(2, 3, 1, 1).transpose(2, 3, 1, 0), None, False, input_name="image",
        output_name="colors")
    network.add_activation("positive", "RELU", "colors", "positive")
    network.add_pooling("cells", CELL, CELL, CELL, CELL, "AVERAGE", "VALID", "positive", "cells")
    network.add_elementwise("less", ["cells"], "less", "MULTIPLY", alpha=0.9)
    if exact:
        for name in ["cells", "less"]:
            network.add_transpose(f"{name}_last", [0, 2, 3, 1], name, f"{name}_last")
            network.add_reshape_static(f"{name}_rows", f"{name}_last", f"{name}_rows", [ROWS * COLUMNS, 2])
        network.add_concat_nd("confidence", ["cells_rows", "less_rows"], "raw_confidence", axis=0)
        network.add_load_constant_nd("coordinates", "raw_coordinates", boxes(), [count, 4])
    else:
        # [C, H, W] are the last three of five axes: channels first, then all cells in one row.
        for name in ["cells", "less"]:
            network.add_permute(f"{name}_last", (0, 2, 3, 1), name, f"{name}_last")
            network.add_reshape(f"{name}_rows", f"{name}_last", f"{name}_rows", (1, ROWS * COLUMNS, 2), 0)
        network.add_permute("front", (0, 2, 1, 3), "cells_rows", "front")
        network.add_permute("front_less", (0, 2, 1, 3), "less_rows", "front_less")
        network.add_elementwise("both", ["front", "front_less"], "both", "CONCAT")
        network.add_permute("confidence", (0, 2, 1, 3), "both", "raw_confidence")
        network.add_load_constant("coordinates", "raw_coordinates", boxes().flatten(), [1, count, 4])
    network.set_pre_processing_parameters(image_input_names=["image"], is_bgr=False, image_scale=1 / 255)
    spec = network.spec
    del spec.description.output[:]
    array(spec.description.output, "raw_confidence", [count, 2])
    array(spec.description.output, "raw_coordinates", [count, 4])
    return spec


def suppression(count):
    spec = Model_pb2.Model()
    spec.specificationVersion = 4
    array(spec.description.input, "raw_confidence", [count, 2])
    array(spec.description.input, "raw_coordinates", [count, 4])
    for name in ["iouThreshold", "confidenceThreshold"]:
        entry = spec.description.input.add()
        entry.name = name
        entry.type.doubleType.SetInParent()
        entry.type.isOptional = True
    array(spec.description.output, "confidence", [0, 2])
    array(spec.description.output, "coordinates", [0, 4])
    nms = spec.nonMaximumSuppression
    nms.confidenceInputFeatureName, nms.coordinatesInputFeatureName = "raw_confidence", "raw_coordinates"
    nms.confidenceOutputFeatureName, nms.coordinatesOutputFeatureName = "confidence", "coordinates"
    nms.iouThresholdInputFeatureName, nms.confidenceThresholdInputFeatureName = "iouThreshold", "confidenceThreshold"
    nms.iouThreshold, nms.confidenceThreshold = 0.4, 0.5
    nms.pickTop.perClass = True
    nms.stringClassLabels.vector.extend(["red", "green"])
    return spec


def pipeline(models, inputs, outputs, kind="pipeline"):
    spec = Model_pb2.Model()
    spec.specificationVersion = 4
    holder = getattr(spec, kind)
    (holder if kind == "pipeline" else holder.pipeline).models.extend(models)
    for features, target in [(inputs, spec.description.input), (outputs, spec.description.output)]:
        for feature in features:
            target.add().CopyFrom(feature)
    spec.description.metadata.author = "Apus"
    return spec


def detectors():
    count = 2 * ROWS * COLUMNS
    for name, exact in [("Squares", True), ("SquaresOlder", False)]:
        network, last = detector_network(exact), suppression(count)
        spec = pipeline([network, last], list(network.description.input) + list(last.description.input)[2:], last.description.output)
        spec.description.metadata.shortDescription = "Finds red and green squares."
        spec.description.input[0].shortDescription = "The picture to search."
        (FOLDER / f"{name}.mlmodel").write_bytes(spec.SerializeToString())

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, HEIGHT, WIDTH))], opset_version=ct.target.iOS16)
    def squares(image):
        x = mb.relu(x=mb.conv(x=image, weight=COLORS.reshape(2, 3, 1, 1)))
        x = mb.avg_pool(x=x, kernel_sizes=[CELL, CELL], strides=[CELL, CELL], pad_type="valid")
        rows = mb.reshape(x=mb.transpose(x=x, perm=[0, 2, 3, 1]), shape=[ROWS * COLUMNS, 2])
        confidence = mb.concat(values=[rows, mb.mul(x=rows, y=np.float32(0.9))], axis=0, name="raw_confidence")
        # A program's outputs are computed.
        zero = mb.mul(x=mb.reduce_sum(x=confidence, axes=[1], keep_dims=True), y=np.float32(0))
        return confidence, mb.add(x=zero, y=boxes(), name="raw_coordinates")

    first = ct.convert(
        squares, convert_to="mlprogram", compute_precision=ct.precision.FLOAT32, minimum_deployment_target=ct.target.iOS16,
        inputs=[ct.ImageType(name="image", shape=(1, 3, HEIGHT, WIDTH), scale=1 / 255)], skip_model_load=True)
    # Thresholds that the model fixes, and the program's other inputs.
    last = suppression(count)
    del last.description.input[2:]
    last.nonMaximumSuppression.iouThresholdInputFeatureName = last.nonMaximumSuppression.confidenceThresholdInputFeatureName = ""
    both = ct.utils.make_pipeline(first, ct.models.MLModel(last, skip_model_load=True))
    both.save(str(FOLDER / "SquaresProgram.mlpackage"))
    settle(FOLDER / "SquaresProgram.mlpackage")


def classifiers(scene):
    """The mean color, which a logistic regression or another network classifies."""
    random = np.random.default_rng(3)
    labels = ["red", "green", "blue"]
    x = random.uniform(0, 255, (300, 3))
    head = LogisticRegression(C=1e-3, multi_class="ovr").fit(x, x.argmax(axis=1))

    def colors(network_kind=None):
        network = NeuralNetworkBuilder([("image", datatypes.Array(3, 16, 16))], [("color", None)])
        network.add_pooling("mean", 1, 1, 1, 1, "AVERAGE", "VALID", "image", "color", is_global=True)
        network.set_pre_processing_parameters(image_input_names=["image"], is_bgr=False)
        del network.spec.description.output[:]
        array(network.spec.description.output, "color", [3])
        return network.spec

    glm = Model_pb2.Model()
    glm.specificationVersion = 4
    array(glm.description.input, "color", [3])
    label = glm.description.output.add()
    label.name = "classLabel"
    label.type.stringType.SetInParent()
    probabilities = glm.description.output.add()
    probabilities.name = "classLabelProbs"
    probabilities.type.dictionaryType.stringKeyType.SetInParent()
    glm.description.predictedFeatureName, glm.description.predictedProbabilitiesName = "classLabel", "classLabelProbs"
    for row in head.coef_:
        glm.glmClassifier.weights.add().value.extend(row)
    glm.glmClassifier.offset.extend(head.intercept_)
    glm.glmClassifier.classEncoding = 1
    glm.glmClassifier.stringClassLabels.vector.extend(labels)
    spec = pipeline([colors(), glm], colors().description.input, glm.description.output, "pipelineClassifier")
    spec.description.predictedFeatureName, spec.description.predictedProbabilitiesName = "classLabel", "classLabelProbs"
    (FOLDER / "Colors.mlmodel").write_bytes(spec.SerializeToString())

    network = NeuralNetworkBuilder([("color", datatypes.Array(3))], [("classLabelProbs", None)], mode="classifier")
    network.add_inner_product("head", head.coef_.astype(np.float32), head.intercept_.astype(np.float32), 3, 3, True, "color", "scores")
    network.add_softmax("softmax", "scores", "classLabelProbs")
    network.set_class_labels(labels, "classLabel", "classLabelProbs")
    spec = pipeline([colors(), network.spec], colors().description.input, network.spec.description.output, "pipelineClassifier")
    spec.description.predictedFeatureName, spec.description.predictedProbabilitiesName = "classLabel", "classLabelProbs"
    (FOLDER / "ColorNetworks.mlmodel").write_bytes(spec.SerializeToString())

    patch = scene.resize((32, 16), Image.BILINEAR).crop((8, 0, 24, 16))
    mean = np.asarray(patch, dtype=np.float64).reshape(-1, 3).mean(axis=0)
    scores = head.coef_ @ mean + head.intercept_
    powers = np.exp(scores - scores.max())
    return {
        "Colors": dict(zip(labels, map(float, head.predict_proba([mean])[0]))),
        "ColorNetworks": dict(zip(labels, map(float, powers / powers.sum()))),
    }


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    scene = Image.new("RGB", (WIDTH, HEIGHT), (20, 20, 20))
    draw = ImageDraw.Draw(scene)
    draw.rectangle([16, 8, 23, 15], fill=(255, 0, 0))
    draw.rectangle([40, 16, 47, 23], fill=(0, 230, 0))
    scene.save(FOLDER / "scene.png")
    detectors()
    answers = classifiers(scene)
    (FOLDER.parent / "pipelines.json").write_text(json.dumps(answers, indent=1) + "\n")


main()
