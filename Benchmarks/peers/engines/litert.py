"""LiteRT with XNNPACK, its default delegate: a .tflite file of the same network, with weights of its own."""

from importlib.metadata import version

import numpy
from ai_edge_litert.interpreter import Interpreter


class Engine:
    version = version("ai-edge-litert")

    def __init__(self, model, folder, threads, inputs):
        self.interpreter = Interpreter(model_path=model, num_threads=threads)
        self.interpreter.allocate_tensors()
        (entry,) = self.interpreter.get_input_details()
        pixels = numpy.transpose(inputs, (0, 2, 3, 1))
        scale, zero_point = entry["quantization"]
        if scale:
            kind = numpy.iinfo(entry["dtype"])
            pixels = numpy.clip(numpy.round(pixels / scale) + zero_point, kind.min, kind.max)
        self.interpreter.set_tensor(entry["index"], pixels.astype(entry["dtype"]))
        self.output = self.interpreter.get_output_details()[0]["index"]

    def run(self):
        self.interpreter.invoke()
        return self.interpreter.get_tensor(self.output)
