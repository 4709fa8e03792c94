"""Writes networks of the zoo with coremltools' builder, layer by layer, and compares the command with onnxruntime.

    python3 -m venv environment && environment/bin/pip install coremltools==9.0 onnx onnxruntime numpy
    environment/bin/python Tests/Parity/coreml_networks.py .build/release/apus [--only resnet18,mobilenet_v2]

Each network is exported as ONNX. Its layers become the layers of a Core ML neural network, once with the legacy shape
rules (features of rank 5) and once with arrays of any rank. Weights are stored in float32.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import coremltools as ct
import numpy as np
import onnx
import onnxruntime
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder

NETWORKS = [
    "squeezenet1_0", "squeezenet1_1", "resnet18", "resnet34", "resnet50", "inception_v1", "inception_v3", "mobilenet_v1",
    "mobilenet_v2", "vgg16",
]
TOLERANCE = 1e-4


class Network:
    """A network of ONNX while its nodes become layers."""

    def __init__(self, model, has_any_rank):
        self.has_any_rank = has_any_rank
        graph = model.graph
        self.constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self.input = next(value for value in graph.input if value.name not in self.constants)
        shape = [dimension.dim_value or 1 for dimension in self.input.type.tensor_type.shape.dim]
        self.builder = NeuralNetworkBuilder(
            [(self.input.name, datatypes.Array(*(shape if has_any_rank else shape[1:])))], [(graph.output[0].name, None)],
            disable_rank5_shape_mapping=has_any_rank)
        for node in graph.node:
            attributes = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
            getattr(self, node.op_type)(node.name or node.output[0], node, attributes)

    @staticmethod
    def padding(attributes):
        top, left, bottom, right = attributes.get("pads", [0, 0, 0, 0])
        return {"padding_top": top, "padding_left": left, "padding_bottom": bottom, "padding_right": right}

    def Conv(self, name, node, attributes):
        weights = self.constants[node.input[1]]
        bias = self.constants[node.input[2]] if len(node.input) > 2 else None
        strides = attributes.get("strides", [1, 1])
        if attributes.get("auto_pad", b"NOTSET") == b"SAME_UPPER":
            border = {"border_mode": "same", "same_padding_asymmetry_mode": "BOTTOM_RIGHT_HEAVY"}
        else:
            border = {"border_mode": "valid", **self.padding(attributes)}
        self.builder.add_convolution(
            name, kernel_channels=weights.shape[1], output_channels=weights.shape[0], height=weights.shape[2],
            width=weights.shape[3], stride_height=strides[0], stride_width=strides[1],
            groups=attributes.get("group", 1), W=weights.transpose(2, 3, 1, 0), b=bias, has_bias=bias is not None,
            dilation_factors=attributes.get("dilations", [1, 1]), input_name=node.input[0], output_name=node.output[0], **border)

    def pool(self, kind, name, node, attributes):
        kernel, strides = attributes["kernel_shape"], attributes.get("strides", [1, 1])
        ceil = attributes.get("ceil_mode", 0)
        self.builder.add_pooling(
            name, height=kernel[0], width=kernel[1], stride_height=strides[0], stride_width=strides[1], layer_type=kind,
            padding_type="INCLUDE_LAST_PIXEL" if ceil else "VALID", exclude_pad_area=not attributes.get("count_include_pad", 0),
            input_name=node.input[0], output_name=node.output[0], **self.padding(attributes))

    def MaxPool(self, *layer):
        self.pool("MAX", *layer)

    def AveragePool(self, *layer):
        self.pool("AVERAGE", *layer)

    def GlobalAveragePool(self, name, node, attributes):
        self.builder.add_pooling(
            name, height=1, width=1, stride_height=1, stride_width=1, layer_type="AVERAGE", padding_type="VALID",
            input_name=node.input[0], output_name=node.output[0], is_global=True)

    def BatchNormalization(self, name, node, attributes):
        gamma, beta, mean, variance = (self.constants[value] for value in node.input[1:])
        self.builder.add_batchnorm(
            name, channels=gamma.size, gamma=gamma, beta=beta, mean=mean, variance=variance, input_name=node.input[0],
            output_name=node.output[0], epsilon=attributes.get("epsilon", 1e-5))

    def Relu(self, name, node, attributes):
        self.builder.add_activation(name, "RELU", node.input[0], node.output[0])

    def Clip(self, name, node, attributes):
        least, most = (float(self.constants[bound]) for bound in node.input[1:])
        self.builder.add_clip(name, node.input[0], node.output[0], min_value=least, max_value=most)

    def Add(self, name, node, attributes):
        self.builder.add_elementwise(name, list(node.input), node.output[0], mode="ADD")

    def Concat(self, name, node, attributes):
        self.builder.add_elementwise(name, list(node.input), node.output[0], mode="CONCAT")

    def Flatten(self, name, node, attributes):
        if self.has_any_rank:
            self.builder.add_flatten_to_2d(name, node.input[0], node.output[0], axis=attributes.get("axis", 1))
        else:
            self.builder.add_flatten(name, 0, node.input[0], node.output[0])

    def Gemm(self, name, node, attributes):
        weights = self.constants[node.input[1]]
        weights = weights if attributes.get("transB", 0) else weights.T
        self.builder.add_inner_product(
            name, W=weights, b=self.constants[node.input[2]], input_channels=weights.shape[1], output_channels=weights.shape[0],
            has_bias=True, input_name=node.input[0], output_name=node.output[0])

    def Softmax(self, name, node, attributes):
        if self.has_any_rank:
            self.builder.add_softmax_nd(name, node.input[0], node.output[0], axis=attributes.get("axis", -1))
        else:
            self.builder.add_softmax(name, node.input[0], node.output[0])

    def LRN(self, name, node, attributes):
        self.builder.add_lrn(
            name, node.input[0], node.output[0], alpha=attributes.get("alpha", 1e-4), beta=attributes.get("beta", 0.75),
            local_size=attributes["size"], k=attributes.get("bias", 1.0))


def outputs(executable, path, name, array, folder):
    """The command's result for an array, or its error."""
    np.save(folder / "input.npy", array)
    run = subprocess.run(
        [executable, "run", str(path), "--input", f"{name}={folder / 'input.npy'}", "-o", str(folder / "outputs")],
        capture_output=True, text=True)
    if run.returncode:
        return run.stderr.strip()
    return np.load(run.stdout.splitlines()[1].split()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("executable")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name in options.only.split(",") if options.only else NETWORKS:
            path = folder / f"{name}.onnx"
            subprocess.run([options.executable, "export", f"zoo:{name}", "-o", str(path)], check=True, capture_output=True)
            model = onnx.load(path)
            session = onnxruntime.InferenceSession(str(path))
            value = session.get_inputs()[0]
            shape = [1 if isinstance(extent, str) or extent is None else extent for extent in value.shape]
            array = np.random.default_rng(7).standard_normal(shape, dtype=np.float32)
            expected = session.run(None, {value.name: array})[0]
            for form, has_any_rank in [("rank 5", False), ("any rank", True)]:
                network = Network(model, has_any_rank)
                file = folder / f"{name}.mlmodel"
                ct.models.utils.save_spec(network.builder.spec, str(file))
                found = outputs(options.executable, file, value.name, array, folder)
                if isinstance(found, str):
                    verdict, failures = f"FAILED: {found}", failures + 1
                elif found.size != expected.size:
                    verdict, failures = f"FAILED: {found.shape} for {expected.shape}", failures + 1
                else:
                    error = np.abs(found.ravel() - expected.ravel()).max() / np.abs(expected).max()
                    failures += not error <= TOLERANCE
                    verdict = f"{'ok' if error <= TOLERANCE else 'FAILED'}, largest relative error {error:.1e}"
                print(f"{name:14s} {form:9s} {verdict}", flush=True)
            path.unlink()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
