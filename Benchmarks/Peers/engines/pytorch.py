"""PyTorch: a module of the ONNX file, frozen by TorchScript, channels last; for bfloat16 under autocast."""

import onnx
import torch

# torchvision, which onnx2torch imports, looks for these although a build of torch without GPUs may lack them.
for operator in ("nms", "qnms"):
    if not hasattr(torch.ops.torchvision, operator):
        torch.library.define(f"torchvision::{operator}", "(Tensor boxes, Tensor scores, float threshold) -> Tensor")

import onnx2torch  # noqa: E402


class Engine:
    version = torch.__version__

    def __init__(self, model, folder, threads, inputs, precision):
        torch.set_num_threads(threads)
        module = onnx2torch.convert(onnx.load(model)).eval().to(memory_format=torch.channels_last)
        self.inputs = torch.from_numpy(inputs).to(memory_format=torch.channels_last)
        self.precision = precision
        with torch.inference_mode(), self.autocast():
            traced = torch.jit.trace(module, self.inputs, check_trace=False)
            self.module = torch.jit.freeze(traced)

    def autocast(self):
        # Frozen weights are rounded when the module is traced, not in every run.
        return torch.autocast("cpu", torch.bfloat16, enabled=self.precision == "bf16", cache_enabled=False)

    def run(self):
        with torch.inference_mode(), self.autocast():
            return self.module(self.inputs).float().numpy()
