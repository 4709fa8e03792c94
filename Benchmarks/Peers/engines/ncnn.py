"""ncnn: converted by pnnx, float32, pool allocators. It has no batch dimension, so a batch is a loop over images."""

import importlib.util
import os

import ncnn
import numpy

from conversion import convert


class Engine:
    version = ncnn.__version__

    @staticmethod
    def prepare(model, one_image, folder, shape):
        image = ",".join(str(extent) for extent in (1, *shape[1:]))
        files = ("pnnxparam", "pnnxbin", "pnnxpy", "pnnxonnx", "ncnnparam", "ncnnbin", "ncnnpy")
        os.symlink(os.path.abspath(one_image), f"{folder}/model.onnx")
        # Calls the program inside the package, since the script of the same name imports torch.
        program = os.path.join(importlib.util.find_spec("pnnx").submodule_search_locations[0], "pnnx")
        convert([program, "model.onnx", f"inputshape=[{image}]", "fp16=0",
                 *[f"{file}=model.{file}" for file in files]], folder, f"{folder}/model.ncnnbin")

    def __init__(self, model, folder, threads, inputs, precision):
        self.net = ncnn.Net()
        self.allocators = (ncnn.UnlockedPoolAllocator(), ncnn.PoolAllocator())
        options = self.net.opt
        options.num_threads = threads
        options.blob_allocator, options.workspace_allocator = self.allocators
        options.use_fp16_packed = options.use_fp16_storage = options.use_fp16_arithmetic = False
        options.use_bf16_packed = options.use_bf16_storage = False
        if self.net.load_param(f"{folder}/model.ncnnparam") or self.net.load_model(f"{folder}/model.ncnnbin"):
            raise RuntimeError("ncnn refuses the model that pnnx made")
        self.images = [numpy.ascontiguousarray(image) for image in inputs]

    def run(self):
        outputs = []
        for image in self.images:
            extractor = self.net.create_extractor()
            extractor.input("in0", ncnn.Mat(image))
            status, output = extractor.extract("out0")
            if status:
                raise RuntimeError(f"extract answers {status}")
            outputs.append(numpy.array(output))
        return numpy.stack(outputs)
