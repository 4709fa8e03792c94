"""Quantizes an ONNX file with onnxruntime: quantize.py MODEL OUTPUT

Unsigned activations and signed weights with a scale for each channel, which onnxruntime computes fastest on x86.
"""

import os
import sys
import tempfile

import numpy
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process


class Noise(CalibrationDataReader):
    def __init__(self, model):
        (entry,) = model.graph.input
        shape = [extent.dim_value for extent in entry.type.tensor_type.shape.dim]
        random = numpy.random.default_rng(1)
        self.batches = iter([{entry.name: random.random(shape, numpy.float32)} for _ in range(4)])

    def get_next(self):
        return next(self.batches, None)


source, result = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    # Folds normalizations into weights.
    prepared = os.path.join(folder, "prepared.onnx")
    quant_pre_process(source, prepared, skip_symbolic_shape=True)
    quantize_static(prepared, result, Noise(onnx.load(prepared)), quant_format=QuantFormat.QDQ, per_channel=True,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
