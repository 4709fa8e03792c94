"""OpenVINO: the unchanged ONNX file, tuned for latency, arrays shared with the caller.

For float32 it is told to compute so; for bfloat16 it is as it comes, which is bfloat16 where the processor has it.
"""

import openvino


class Engine:
    version = openvino.get_version().split("-")[0]

    def __init__(self, model, folder, threads, inputs, precision):
        options = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": threads,
        }
        if precision == "f32":
            options["INFERENCE_PRECISION_HINT"] = "f32"
        self.request = openvino.Core().compile_model(model, "CPU", options).create_infer_request()
        self.inputs = [inputs]

    def run(self):
        return self.request.infer(self.inputs, share_inputs=True, share_outputs=True)[0]
