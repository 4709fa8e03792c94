"""onnxruntime: the unchanged ONNX file, all graph optimisations."""

import onnxruntime

from values import test_values


class Engine:
    version = onnxruntime.__version__

    def __init__(self, model, folder, threads, inputs, precision):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        first, *others = self.session.get_inputs()
        self.inputs = {first.name: inputs} | {other.name: test_values(other.shape) for other in others}

    def run(self):
        return self.session.run(None, self.inputs)[0]
