"""Networks of 8-bit integers, quantized by Apus and by onnxruntime, and the same in float32."""

import os
import subprocess

NETWORKS = ["mobilenet_v2", "resnet50"]
FOLDER = os.path.dirname(os.path.abspath(__file__))
PHOTOS = os.path.join(FOLDER, "../../Tests/Fixtures/photos")


def cases(apus, python, folder):
    """The name and the ONNX file of every case; files are made once."""
    os.makedirs(folder, exist_ok=True)
    for network in NETWORKS:
        def path(name):
            return os.path.join(folder, f"{network}-{name}")

        def make(result, command):
            if not os.path.exists(result):
                subprocess.run(command, check=True)
            return result

        floats = make(path("float32.onnx"), [apus, "export", f"zoo:{network}", "--batch", "1", "-o", path("float32.onnx")])
        ours = make(path("apus.onnx"), [apus, "quantize", floats, "--calibrate", PHOTOS, "--float-layers", "0", "-o",
                                        path("apus.onnx")])
        theirs = make(path("onnxruntime.onnx"), [python, os.path.join(FOLDER, "quantize.py"), floats,
                                                 path("onnxruntime.onnx")])
        yield f"{network} float32", floats
        yield f"{network} by Apus", ours
        yield f"{network} by onnxruntime", theirs
