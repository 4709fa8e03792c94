"""LiteRT with XNNPACK, its default delegate, on the network as a .tflite file with the same weights and scales."""

from importlib.metadata import version

import numpy
from ai_edge_litert.interpreter import Interpreter

from tflite import convert


class Engine:
    version = version("ai-edge-litert")

    @staticmethod
    def prepare(model, one_image, folder, shape):
        convert(model, f"{folder}/model.tflite")

    def __init__(self, model, folder, threads, inputs, precision):
        self.interpreter = Interpreter(model_path=f"{folder}/model.tflite", num_threads=threads)
        self.interpreter.allocate_tensors()
        (entry,) = self.interpreter.get_input_details()
        self.interpreter.set_tensor(entry["index"], numpy.ascontiguousarray(numpy.transpose(inputs, (0, 2, 3, 1))))
        self.output = self.interpreter.get_output_details()[0]["index"]

    def run(self):
        self.interpreter.invoke()
        return self.interpreter.get_tensor(self.output)
