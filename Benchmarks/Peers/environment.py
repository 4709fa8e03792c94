"""The virtual environment in which the peers run, installed from PyPI."""

import os
import subprocess
import sys

# pnnx requires several gigabytes of torch, but needs it only for TorchScript.
PACKAGES = {
    "onnxruntime": [["onnxruntime==1.31.1"]],
    "openvino": [["openvino==2026.4.1"]],
    "ncnn": [["ncnn==1.0.20261020"], ["--no-deps", "pnnx==20261020"]],
    "mnn": [["MNN==3.6.1"]],
    "litert": [["ai-edge-litert==2.3.0"]],
    # torch reads no ONNX files; onnx2torch makes modules of them.
    "pytorch": [["torch==2.13.0", "torchvision==0.28.0", "onnx2torch==1.5.15"]],
}


class Environment:
    def __init__(self, folder):
        self.python = os.path.join(folder, "bin", "python")
        if not os.path.exists(self.python):
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)

    def install(self, engine):
        """Installs a peer, and returns the reason if it cannot be installed, or None."""
        for packages in PACKAGES[engine]:
            command = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
            answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if answer.returncode:
                errors = [line for line in answer.stdout.splitlines() if line.startswith("ERROR")]
                return (errors or answer.stdout.splitlines() or ["pip says nothing"])[-1]
        return None
