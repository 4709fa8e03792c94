"""Makes a Core ML classifier of two classes, as a network and as a program, and onnxruntime's answers for the photos.

    python3 -m venv environment
    environment/bin/pip install coremltools==9.0 scikit-learn==1.5.1 onnx==1.20.1 onnxruntime==1.31.1 \
        numpy pillow==13.0.0
    environment/bin/python Tests/Fixtures/make_coreml_classifier_fixtures.py

The features are SqueezeNet's, with weights of 16 levels. A logistic regression, fitted on parts of the photos, tells
pictures of a cat from others. The files convert pictures to BGR and subtract the means.
"""

import json
import pathlib
import shutil

import coremltools as ct
import numpy as np
import onnx
import onnxruntime
from coremltools.converters.mil import Builder as mb
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder, quantization_utils
from coremltools.optimize import coreml as optimize
from make_coreml_package import settle
from onnx import helper, numpy_helper
from PIL import Image
from sklearn.linear_model import LogisticRegression

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "coreml" / "classifiers"
SIZE = 227
MEANS = [103.939, 116.779, 123.68]
LABELS = ["cat", "other"]
random = np.random.default_rng(5)
onnx_model = onnx.load(str(HERE / "models" / "squeezenet1_1.onnx"))


def rounded(weights, levels=16):
    """The weights, each rounded to the nearest of a few levels that k-means finds."""
    values = weights.flatten()
    centers = np.quantile(values, (np.arange(levels) + 0.5) / levels)
    for _ in range(12):
        nearest = np.abs(values[:, None] - centers).argmin(axis=1)
        centers = np.array([values[nearest == k].mean() if (nearest == k).any() else centers[k] for k in range(levels)])
    centers = centers.astype(np.float16).astype(np.float32)
    return centers[np.abs(values[:, None] - centers).argmin(axis=1)].reshape(weights.shape)


weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx_model.graph.initializer}
weights = {name: rounded(array) if array.ndim == 4 else array.astype(np.float16).astype(np.float32) for name, array in weights.items()}


def features():
    """The network up to the last fire, with the mean over the picture, in onnxruntime."""
    graph = onnx_model.graph
    last = next(index for index, node in enumerate(graph.node) if "conv10_w" in node.input)
    nodes = list(graph.node[:last]) + [helper.make_node("GlobalAveragePool", ["fire9"], ["features"])]
    tensors = [numpy_helper.from_array(weights[tensor.name], tensor.name) for tensor in graph.initializer if not tensor.name.startswith("conv10")]
    outputs = [helper.make_tensor_value_info("features", onnx.TensorProto.FLOAT, None)]
    part = helper.make_graph(nodes, "features", graph.input[:1], outputs, tensors)
    model = helper.make_model(part, opset_imports=onnx_model.opset_import, ir_version=onnx_model.ir_version)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return lambda batch: session.run(None, {"data": batch})[0][:, :, 0, 0]


def numbers(picture):
    """A picture of the network's size as its input, blue first."""
    array = np.asarray(picture.convert("RGB"), dtype=np.float32)[:, :, ::-1] - np.array(MEANS, dtype=np.float32)
    return array.transpose(2, 0, 1)


def center_crop(picture):
    """Resizes to cover the size, then crops from the middle."""
    scale = SIZE / min(picture.size)
    width, height = (max(SIZE, int(extent * scale)) for extent in picture.size)
    picture = picture.convert("RGB").resize((width, height), Image.BILINEAR)
    left, top = (width - SIZE) // 2, (height - SIZE) // 2
    return picture.crop((left, top, left + SIZE, top + SIZE))


def parts(picture, count):
    for _ in range(count):
        side = int(min(picture.size) * random.uniform(0.6, 1))
        left, top = (int(random.integers(0, extent - side + 1)) for extent in picture.size)
        part = picture.crop((left, top, left + side, top + side)).resize((SIZE, SIZE), Image.BILINEAR)
        yield part.transpose(Image.FLIP_LEFT_RIGHT) if random.random() < 0.5 else part


def fit(run, photos):
    rows, classes = [], []
    for name, photo in photos.items():
        is_cat = name.startswith("chelsea")
        batch = np.stack([numbers(part) for part in parts(photo, 45 if is_cat else 15)])
        rows.append(run(batch))
        classes += [0 if is_cat else 1] * len(batch)
    # Strong regularization, so that confidences are not just 0 and 1.
    head = LogisticRegression(C=1e-4, max_iter=5000).fit(np.concatenate(rows), classes)
    return (np.concatenate([-head.coef_, head.coef_]) / 2).astype(np.float32), \
        (np.concatenate([-head.intercept_, head.intercept_]) / 2).astype(np.float32)


def describe(model):
    model.author, model.license, model.version = "Apus", "Apache-2.0", "1.0"
    model.short_description = "Tells pictures of a cat from others."
    model.input_description["image"] = "The picture to classify."
    model.output_description["classLabel"] = "The likelier class."
    model.output_description["classLabelProbs"] = "The probability of each class."


def network(head):
    builder = NeuralNetworkBuilder([("image", datatypes.Array(3, SIZE, SIZE))], [("classLabelProbs", None)], mode="classifier")
    names = {"data": "image"}
    for node in onnx_model.graph.node:
        name, source, target = node.output[0], names.get(node.input[0], node.input[0]), node.output[0]
        if node.input[-1] == "conv10_b":
            break
        if node.op_type == "Conv":
            w = weights[node.input[1]]
            pads = next((a.ints for a in node.attribute if a.name == "pads"), [0] * 4)
            stride = 2 if name == "conv1" else 1
            builder.add_convolution(
                name, w.shape[1], w.shape[0], w.shape[2], w.shape[3], stride, stride, "valid", 1, w.transpose(2, 3, 1, 0),
                weights[node.input[2]], True, input_name=source, output_name=target, padding_top=pads[0], padding_left=pads[1],
                padding_bottom=pads[2], padding_right=pads[3])
        elif node.op_type == "Relu":
            builder.add_activation(name, "RELU", source, target)
        elif node.op_type == "MaxPool":
            builder.add_pooling(name, 3, 3, 2, 2, "MAX", "VALID", source, target)
        else:
            builder.add_elementwise(name, [names.get(x, x) for x in node.input], target, "CONCAT")
    builder.add_pooling("mean", 1, 1, 1, 1, "AVERAGE", "VALID", "fire9", "features", is_global=True)
    builder.add_inner_product("head", head[0], head[1], head[0].shape[1], 2, True, "features", "scores")
    builder.add_softmax("softmax", "scores", "classLabelProbs")
    builder.set_class_labels(LABELS, "classLabel", "classLabelProbs")
    builder.set_pre_processing_parameters(
        image_input_names=["image"], is_bgr=True, blue_bias=-MEANS[0], green_bias=-MEANS[1], red_bias=-MEANS[2], image_scale=1)

    def table(nbits, values):
        levels, codes = np.unique(values, return_inverse=True)
        return np.pad(levels, (0, 16 - len(levels))), codes.reshape(np.shape(values)).astype(np.uint8)

    spec = quantization_utils.quantize_weights(
        ct.models.MLModel(builder.spec, skip_model_load=True), 4, "custom_lut", lut_function=table,
        selector=Convolutions())
    model = ct.models.MLModel(getattr(spec, "get_spec", lambda: spec)(), skip_model_load=True)
    describe(model)
    (FOLDER / "Cats.mlmodel").write_bytes(model.get_spec().SerializeToString())


class Convolutions(quantization_utils.QuantizedLayerSelector):
    def do_quantize(self, layer, weight_param=None):
        return layer.WhichOneof("layer") == "convolution" and weight_param != "bias" and layer.name != "conv1"


def program(head):
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, SIZE, SIZE))], opset_version=ct.target.iOS16)
    def squeezenet(image):
        values = {"data": image}
        for node in onnx_model.graph.node:
            x = [values.get(name) for name in node.input]
            if node.input[-1] == "conv10_b":
                break
            if node.op_type == "Conv":
                pads = next((a.ints for a in node.attribute if a.name == "pads"), [0] * 4)
                stride = 2 if node.output[0] == "conv1" else 1
                y = mb.conv(x=x[0], weight=weights[node.input[1]], bias=weights[node.input[2]], strides=[stride] * 2,
                            pad_type="custom", pad=[pads[0], pads[2], pads[1], pads[3]])
            elif node.op_type == "Relu":
                y = mb.relu(x=x[0])
            elif node.op_type == "MaxPool":
                y = mb.max_pool(x=x[0], kernel_sizes=[3, 3], strides=[2, 2], pad_type="valid")
            else:
                y = mb.concat(values=x, axis=1)
            values[node.output[0]] = y
        y = mb.reduce_mean(x=values["fire9"], axes=[2, 3], keep_dims=False)
        return mb.softmax(x=mb.linear(x=y, weight=head[0], bias=head[1]), axis=1, name="probabilities")

    model = ct.convert(
        squeezenet, convert_to="mlprogram", compute_precision=ct.precision.FLOAT32, minimum_deployment_target=ct.target.iOS16,
        inputs=[ct.ImageType(name="image", shape=(1, 3, SIZE, SIZE), color_layout=ct.colorlayout.BGR,
                             bias=[-mean for mean in MEANS], scale=1)],
        classifier_config=ct.ClassifierConfig(LABELS, "classLabel"), skip_model_load=True)
    config = optimize.OptimizationConfig(global_config=optimize.OpPalettizerConfig(mode="unique", weight_threshold=512))
    model = optimize.palettize_weights(model, config)
    spec = model.get_spec()
    ct.utils.rename_feature(spec, spec.description.predictedProbabilitiesName, "classLabelProbs")
    model = ct.models.MLModel(spec, weights_dir=model.weights_dir, skip_model_load=True)
    describe(model)
    model.save(str(FOLDER / "CatsProgram.mlpackage"))
    settle(FOLDER / "CatsProgram.mlpackage")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    run = features()
    photos = {path.name: Image.open(path).convert("RGB") for path in sorted((HERE / "photos").glob("*.*"))}
    head = fit(run, photos)
    network(head)
    program(head)
    answers = {}
    for name, photo in photos.items():
        scores = run(numbers(center_crop(photo))[None])[0] @ head[0].T + head[1]
        powers = np.exp(scores - scores.max())
        answers[name] = dict(zip(LABELS, (powers / powers.sum()).astype(float)))
    (FOLDER.parent / "classifiers.json").write_text(json.dumps(answers, indent=1) + "\n")
    print(answers)


main()
