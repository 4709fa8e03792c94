"""Makes int8 files of TensorFlow Lite of the networks that integers.py times: keras_int8.py FOLDER

Needs tensorflow, which is too large for the environment of the peers: run it once in an environment of its own. The weights
are random, as those of the ONNX files.
"""

import os
import sys

import numpy
import tensorflow

NETWORKS = {
    "mobilenet_v2": tensorflow.keras.applications.MobileNetV2,
    "resnet50": tensorflow.keras.applications.ResNet50,
}

for name, network in NETWORKS.items():
    converter = tensorflow.lite.TFLiteConverter.from_keras_model(network(weights=None, input_shape=(224, 224, 3)))
    converter.optimizations = [tensorflow.lite.Optimize.DEFAULT]
    random = numpy.random.default_rng(1)
    converter.representative_dataset = lambda: ([random.random((1, 224, 224, 3), numpy.float32)] for _ in range(4))
    converter.target_spec.supported_ops = [tensorflow.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tensorflow.int8
    with open(os.path.join(sys.argv[1], f"{name}-int8.tflite"), "wb") as file:
        file.write(converter.convert())
