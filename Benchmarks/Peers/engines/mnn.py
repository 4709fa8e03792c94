"""MNN: converted by mnnconvert, high precision, which is float32."""

import os
import sys

import MNN
import numpy

from conversion import convert


class Engine:
    version = MNN.version()

    @staticmethod
    def prepare(model, one_image, folder, shape):
        program = os.path.join(os.path.dirname(sys.executable), "mnnconvert")
        convert([program, "-f", "ONNX", "--modelFile", os.path.abspath(model), "--MNNModel", "model.mnn",
                 "--bizCode", "peers"], folder, f"{folder}/model.mnn")

    def __init__(self, model, folder, threads, inputs, precision):
        self.interpreter = MNN.Interpreter(f"{folder}/model.mnn")
        self.session = self.interpreter.createSession({"backend": "CPU", "numThread": threads, "precision": "high"})
        self.input = self.interpreter.getSessionInput(self.session)
        self.output = self.interpreter.getSessionOutput(self.session)
        self.given = self.host(inputs.shape, inputs)
        self.shape = self.output.getShape()
        self.answer = self.host(self.shape, numpy.empty(self.shape, numpy.float32))

    @staticmethod
    def host(shape, values):
        return MNN.Tensor(tuple(shape), MNN.Halide_Type_Float, values, MNN.Tensor_DimensionType_Caffe)

    def run(self):
        self.input.copyFrom(self.given)
        self.interpreter.runSession(self.session)
        self.output.copyToHostTensor(self.answer)
        return self.answer.getNumpyData().reshape(self.shape)
