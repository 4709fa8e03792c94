"""Exports networks of torchvision and timm with both of PyTorch's ONNX exporters, and compares Apus with PyTorch.

    make parity-modern                              # every network, by both exporters
    make parity-modern ONLY=swin,vit EXPORTER=old   # those whose names contain one of these

Weights are random and seeded; batch normalisations get random statistics, as after training. Each file is run on two
seeded images. The figures are maxima over all numbers of all outputs, relative to the largest number of the output in
float64, which PyTorch computes. A network passes when

- the error of Apus, its difference from float64, is at most 3 times that of onnxruntime, or at most 1e-6;
- no node runs on the reference backend, but where a line says so;
- an image has the same bits alone as in the batch of two, where the file leaves the batch open.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnxruntime
import torch

warnings.filterwarnings("ignore")
# A build of PyTorch for the processor lacks these operators, without which torchvision cannot be imported.
for operator in ("torchvision::nms", "torchvision::qnms"):
    try:
        torch.library.define(operator, "(Tensor boxes, Tensor scores, float threshold) -> Tensor")
    except RuntimeError:
        pass
import timm  # noqa: E402
import torchvision  # noqa: E402

ERROR_RATIO = 3
ALWAYS_FINE = 1e-6

# Name, width and height; torchvision's names begin with "tv:".
NETWORKS = {
    "tv:vgg16": 224,
    "repvgg_a0": 224,
    "mobilenetv4_conv_small": 224,
    "tv:densenet121": 224,
    "tv:regnet_y_1_6gf": 224,
    "tv:convnext_tiny": 224,
    "vit_base_patch16_224": 224,
    "tv:mobilenet_v3_large": 224,
    "vit_small_patch14_dinov2": 224,
    "deit_tiny_patch16_224": 224,
    "swin_tiny_patch4_window7_224": 224,
    "tv:resnext50_32x4d": 224,
    "efficientnet_b0": 224,
    "tv:segmentation.deeplabv3_mobilenet_v3_large": 320,
    "fastvit_t8": 256,
    "tv:swin_t": 224,
    "tv:swin_v2_t": 256,
    "tv:vit_b_32": 224,
    "tv:efficientnet_v2_s": 224,
    "tv:shufflenet_v2_x1_0": 224,
    "tv:mnasnet1_0": 224,
    "tv:googlenet": 224,
    "tv:segmentation.lraspp_mobilenet_v3_large": 320,
    "tv:segmentation.fcn_resnet50": 224,
    "levit_128s": 224,
    "mobilevit_s": 256,
    "mobilevitv2_100": 256,
    "ghostnet_100": 224,
    "edgenext_small": 256,
    "poolformer_s12": 224,
    "efficientformer_l1": 224,
    "efficientformerv2_s0": 224,
    "mobileone_s0": 224,
    "hrnet_w18_small": 224,
    "resmlp_12_224": 224,
    "mixer_s16_224": 224,
    "beit_base_patch16_224": 224,
    "xcit_tiny_12_p16_224": 224,
    "cait_xxs24_224": 224,
    "res2net50_26w_4s": 224,
    "resnest14d": 224,
    "inception_next_tiny": 224,
    "twins_svt_small": 224,
    "pvt_v2_b0": 224,
    "convmixer_768_32": 224,
    "efficientvit_b0": 224,
    "repvit_m1": 224,
    "maxvit_tiny_tf_224": 224,
    "coatnet_nano_rw_224": 224,
    "hiera_tiny_224": 224,
    "eva02_tiny_patch14_336": 336,
    "vit_base_patch16_siglip_224": 224,
    "dm_nfnet_f0": 192,
    "tiny_vit_5m_224": 224,
    "davit_tiny": 224,
    "convnextv2_nano": 224,
    "mambaout_femto": 224,
    "starnet_s1": 224,
    "fastvit_sa12": 256,
    "mobilenetv4_hybrid_medium": 256,
}


class FirstOutput(torch.nn.Module):
    """A network of torchvision.models.segmentation, which answers with a dictionary."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)["out"]


def built(name):
    torch.manual_seed(7)
    if name.startswith("tv:segmentation."):
        model = FirstOutput(getattr(torchvision.models.segmentation, name.split(".")[1])(
            weights=None, weights_backbone=None))
    elif name == "tv:googlenet":
        model = torchvision.models.googlenet(aux_logits=False, init_weights=True)
    elif name.startswith("tv:"):
        model = getattr(torchvision.models, name[3:])()
    else:
        # Attention as PyTorch's own operation is exported as a dozen primitive operators, as others export it.
        keywords = {"img_size": 224} if "dinov2" in name else {}
        model = timm.create_model(name, pretrained=False, **keywords)
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.running_mean is not None:
                module.running_mean.normal_(0, 0.1)
                module.running_var.uniform_(0.7, 1.3)
                if module.weight is not None:
                    module.weight.uniform_(0.7, 1.3)
            if isinstance(module, torch.nn.Linear) and not module.weight.any():
                module.weight.normal_(0, 0.02)
        for key, parameter in model.named_parameters():
            if "layer_scale" in key or key.endswith(".gamma"):
                parameter.uniform_(0.1, 0.9)
    return model.eval()


def exported(model, name, exporter, size, path):
    example = torch.randn(1, 3, size, size)
    if exporter == "old":
        torch.onnx.export(
            model, example, str(path), dynamo=False, opset_version=17, input_names=["input"], output_names=["output"],
            dynamic_axes={"input": {0: "batch"}, "output": {0: "batch"}})
    else:
        torch.onnx.export(
            model, (torch.randn(2, 3, size, size),), str(path), dynamo=True, external_data=False, input_names=["input"],
            output_names=["output"], dynamic_shapes=({0: torch.export.Dim("batch", min=1, max=64)},), verbose=False)


def run(apus, path, images, folder, *arguments):
    np.save(folder / "input.npy", images)
    done = subprocess.run(
        [apus, "run", path, "--input", f"input={folder / 'input.npy'}", "-o", folder / "found", "--json", *arguments],
        capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return np.load(folder / "found" / "output.npy")


def on_reference(apus, path):
    """The names of the operators that run on the reference backend."""
    done = subprocess.run([apus, "plan", path, "--json"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    layers = json.loads(done.stdout)["layers"]
    return sorted({layer["operator"] for layer in layers if layer.get("backend") == "reference"})


def compared(apus, model, path, size, folder):
    images = torch.randn(2, 3, size, size, generator=torch.Generator().manual_seed(11))
    with torch.no_grad():
        exact = model.double()(images.double()).numpy()
        model.float()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    peer = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    theirs = peer.run(None, {"input": images.numpy()})[0]
    found = run(apus, path, images.numpy(), folder)
    alone = np.concatenate([run(apus, path, image[None].numpy(), folder) for image in images])
    largest = np.abs(exact).max()
    error, peer_error = (np.abs(array - exact).max() / largest for array in (found, theirs))
    reference = on_reference(apus, path)
    faults = []
    if found.shape != exact.shape or not error <= max(ERROR_RATIO * peer_error, ALWAYS_FINE):
        faults.append("the error is too large")
    if not np.array_equal(alone.view(np.uint32), found.view(np.uint32)):
        faults.append("an image alone has other bits")
    if reference:
        faults.append("on the reference: " + " ".join(reference))
    return error, peer_error, faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--apus", default=".build/release/apus")
    parser.add_argument("--only", default="", help="parts of names, with commas between them")
    parser.add_argument("--exporter", choices=["old", "new"], help="default: both")
    parser.add_argument("--keep", help="a folder that keeps the files, which are not exported again")
    parser.add_argument("--export-only", action="store_true", help="export into --keep, and compare nothing")
    arguments = parser.parse_args()
    parts = [part for part in arguments.only.split(",") if part]
    names = [name for name in NETWORKS if not parts or any(part in name for part in parts)]
    failures = 0
    print(f"torch {torch.__version__}, torchvision {torchvision.__version__}, timm {timm.__version__}, "
          f"onnxruntime {onnxruntime.__version__}")
    print(f"{'network':44} exporter  error of Apus  of onnxruntime")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary)
        folder.mkdir(exist_ok=True)
        for name in names:
            model = built(name)
            for exporter in [arguments.exporter] if arguments.exporter else ["old", "new"]:
                path = folder / f"{name.replace(':', '_').replace('.', '_')}-{exporter}.onnx"
                label = f"{name:44} {exporter:8}"
                try:
                    if not path.exists():
                        exported(model, name, exporter, NETWORKS[name], path)
                except Exception as error:
                    print(f"{label}  PyTorch cannot export it: {str(error).splitlines()[0][:100]}", flush=True)
                    path.unlink(missing_ok=True)
                    continue
                if arguments.export_only:
                    print(f"{label}  exported", flush=True)
                    continue
                try:
                    error, peer_error, faults = compared(arguments.apus, model, path, NETWORKS[name], pathlib.Path(temporary))
                    print(f"{label}  {error:13.1e}  {peer_error:14.1e}  {'FAILED: ' + ', '.join(faults) if faults else 'ok'}",
                          flush=True)
                    failures += bool(faults)
                except Exception as error:
                    print(f"{label}  FAILED: {error}", flush=True)
                    failures += 1
                if not arguments.keep:
                    path.unlink(missing_ok=True)
    sys.exit(1 if failures else 0)


main()
