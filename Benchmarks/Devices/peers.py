"""Times onnxruntime's CUDA provider and PyTorch with cuDNN, if this Python has them.

    peers.py FOLDER NETWORKS BATCHES SECONDS

FOLDER holds NETWORK.onnx. Inputs and outputs are in the processor's memory, as with Apus. Prints a line
`ENGINE <tab> NETWORK <tab> BATCH <tab> MEDIAN MILLISECONDS` for each, or `ENGINE <tab> absent <tab> REASON`.
"""

import os
import statistics
import sys
import time

WARM_UPS = 10
# torchvision's names of the networks where they differ.
TORCHVISION = {
    "inception_v1": "googlenet",
}


def main():
    folder, networks, batches, seconds = sys.argv[1:]
    cases = [(network, int(batch)) for network in networks.split(",") for batch in batches.split(",")]
    for name, engines in (("onnxruntime CUDA", onnxruntime_engines), ("PyTorch", torch_engines)):
        try:
            runs = engines(folder)
        except Exception as error:
            print(name, "absent", " ".join(str(error).split()), sep="\t", flush=True)
            continue
        for engine, prepare in runs:
            for network, batch in cases:
                try:
                    median = measured(prepare(network, batch), float(seconds))
                    print(engine, network, batch, f"{median:.3f}", sep="\t", flush=True)
                except Exception as error:
                    print(f"{engine}, {network}, batch {batch}: {error}", file=sys.stderr)


def measured(run, seconds):
    for _ in range(WARM_UPS):
        run()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def side(network):
    return 299 if network == "inception_v3" else 224


def onnxruntime_engines(folder):
    import numpy
    import onnxruntime

    if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
        raise RuntimeError("this onnxruntime has no CUDA provider")

    def engine(uses_tf32):
        def prepare(network, batch):
            providers = [("CUDAExecutionProvider", {"use_tf32": uses_tf32}), "CPUExecutionProvider"]
            session = onnxruntime.InferenceSession(os.path.join(folder, network + ".onnx"), providers=providers)
            if session.get_providers()[0] != "CUDAExecutionProvider":
                raise RuntimeError("the CUDA provider does not start")
            declared = session.get_inputs()[0]
            shape = [batch, *declared.shape[1:]]
            inputs = {declared.name: numpy.random.rand(*shape).astype(numpy.float32)}
            return lambda: session.run(None, inputs)

        return prepare

    return [("onnxruntime f32", engine("0")), ("onnxruntime tf32", engine("1"))]


def torch_engines(folder):
    import torch
    import torchvision

    if not torch.cuda.is_available():
        raise RuntimeError("this PyTorch finds no GPU")

    def engine(uses_tf32, is_half=False):
        def prepare(network, batch):
            torch.backends.cuda.matmul.allow_tf32 = uses_tf32
            torch.backends.cudnn.allow_tf32 = uses_tf32
            torch.backends.cudnn.benchmark = True
            name = TORCHVISION.get(network, network)
            extra = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
            model = getattr(torchvision.models, name)(weights=None, **extra)
            model = model.eval().cuda().to(memory_format=torch.channels_last)
            if is_half:
                model = model.half()
            images = torch.rand(batch, 3, side(network), side(network))

            @torch.inference_mode()
            def run():
                on_device = images.cuda().to(memory_format=torch.channels_last)
                return model(on_device.half() if is_half else on_device).cpu()

            return run

        return prepare

    return [("PyTorch f32", engine(False)), ("PyTorch tf32", engine(True)), ("PyTorch f16", engine(True, True))]


main()
