"""OpenVINO: the unchanged ONNX file, float32 arithmetic, tuned for latency, arrays shared with the caller."""

import openvino


class Engine:
    version = openvino.get_version().split("-")[0]

    def __init__(self, model, folder, threads, inputs):
        options = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32",
            "INFERENCE_NUM_THREADS": threads,
        }
        self.request = openvino.Core().compile_model(model, "CPU", options).create_infer_request()
        self.inputs = [inputs]

    def run(self):
        return self.request.infer(self.inputs, share_inputs=True, share_outputs=True)[0]
