"""Exports vision networks of torchvision with coremltools, and compares the command's outputs with PyTorch's.

    python3 -m venv environment && environment/bin/pip install torch==2.7.0 torchvision==0.22.0 coremltools==9.0 numpy
    environment/bin/python Tests/Parity/coreml_programs.py .build/release/apus [--only mobilenet_v2,vit]

Weights are random. Each network is exported in float32, and three networks also in float16, with weights of 8 bits, and
with a table of 64 levels. The last two forms round the weights; their outputs must be those of the same rounded weights
in float32.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import warnings

import coremltools as ct
import coremltools.optimize.coreml as optimize
import numpy as np
import torch
import torchvision

warnings.filterwarnings("ignore")
# coremltools cannot convert PyTorch's fused attention operation.
torch.backends.mha.set_fastpath_enabled(False)

NETWORKS = {
    "mobilenet_v2": (lambda: torchvision.models.mobilenet_v2(), 96),
    "resnet18": (lambda: torchvision.models.resnet18(), 96),
    "vit": (lambda: torchvision.models.VisionTransformer(64, 16, 4, 4, 96, 192), 64),
    "mobilenet_v3_small": (lambda: torchvision.models.mobilenet_v3_small(), 96),
    "efficientnet_b0": (lambda: torchvision.models.efficientnet_b0(), 96),
    "shufflenet_v2": (lambda: torchvision.models.shufflenet_v2_x0_5(), 96),
    "squeezenet1_1": (lambda: torchvision.models.squeezenet1_1(), 96),
    "densenet121": (lambda: torchvision.models.densenet121(), 64),
    "googlenet": (lambda: torchvision.models.googlenet(aux_logits=False, init_weights=False), 96),
    "inception_v3": (lambda: torchvision.models.inception_v3(aux_logits=False, init_weights=False), 139),
    "mnasnet": (lambda: torchvision.models.mnasnet0_5(), 96),
    "regnet_y_400mf": (lambda: torchvision.models.regnet_y_400mf(), 96),
    "convnext_tiny": (lambda: torchvision.models.convnext_tiny(), 64),
    "swin_v2": (lambda: torchvision.models.SwinTransformer(
        [4, 4], 32, [2, 2], [2, 4], [4, 4], block=torchvision.models.swin_transformer.SwinTransformerBlockV2,
        downsample_layer=torchvision.models.swin_transformer.PatchMergingV2), 64),
    "swin": (lambda: torchvision.models.SwinTransformer([4, 4], 32, [2, 2], [2, 4], [4, 4]), 64),
    "lraspp": (lambda: Segmentation(torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights_backbone=None)), 96),
    "deeplab": (lambda: Segmentation(torchvision.models.segmentation.deeplabv3_mobilenet_v3_large(weights_backbone=None)), 96),
    "fcn_resnet50": (lambda: Segmentation(torchvision.models.segmentation.fcn_resnet50(weights_backbone=None)), 64),
    "small": (lambda: Small(), 48),
}


class Segmentation(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)["out"]


class Small(torch.nn.Module):
    """Layers that the others lack: transposed convolutions, instance and group norms, pixel shuffle, interpolation."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Sequential(
            torch.nn.Conv2d(3, 16, 5, 2, 2, padding_mode="reflect"), torch.nn.InstanceNorm2d(16, affine=True), torch.nn.PReLU(16),
            torch.nn.Conv2d(16, 32, 3, 2, 1, groups=4), torch.nn.GroupNorm(4, 32), torch.nn.GELU())
        self.up = torch.nn.ConvTranspose2d(32, 16, 4, 2, 1)
        self.shuffle = torch.nn.Sequential(torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.PixelShuffle(2), torch.nn.Hardswish())

    def forward(self, x):
        y = self.shuffle(self.up(self.first(x)))
        y = torch.cat([y, x[:, :, ::1, :]], dim=1)
        y = torch.nn.functional.interpolate(y, scale_factor=0.5, mode="bilinear", align_corners=False)
        y = torch.nn.functional.interpolate(y, size=(30, 30), mode="bilinear", align_corners=True)
        y = torch.nn.functional.interpolate(y, scale_factor=2, mode="nearest")
        y = torch.nn.functional.avg_pool2d(y, 3, 2, 1, count_include_pad=False) + torch.nn.functional.max_pool2d(y, 3, 2, 1)
        y = torch.nn.functional.adaptive_avg_pool2d(y, (5, 5))
        y = y.clamp(-2, 2) * torch.sigmoid(y.mean(dim=1, keepdim=True)) + y.std(dim=1, keepdim=True)
        return torch.nn.functional.log_softmax(y.flatten(2).transpose(1, 2), dim=-1)


def randomize(model):
    """Makes batch normalizations' statistics differ from 0 and 1, as after training, and last layers from 0."""
    for module in model.modules():
        if isinstance(module, torch.nn.Linear) and not module.weight.any():
            module.weight.normal_(0, 0.2)
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.5, 1.5)


def forms(name):
    yield "float32", None
    if name in ("mobilenet_v2", "resnet18", "vit"):
        yield "float16", None
        yield "linear8", optimize.OpLinearQuantizerConfig(mode="linear_symmetric")
        yield "palette6", optimize.OpPalettizerConfig(mode="uniform", nbits=6)


def exported(model, example, form, config, path):
    traced = torch.jit.trace(model, example, check_trace=False)
    precision = ct.precision.FLOAT16 if form == "float16" else ct.precision.FLOAT32
    program = ct.convert(
        traced, inputs=[ct.TensorType(name="x", shape=example.shape)], convert_to="mlprogram", compute_precision=precision,
        minimum_deployment_target=ct.target.iOS16, skip_model_load=True)
    if config and form == "linear8":
        program = optimize.linear_quantize_weights(program, optimize.OptimizationConfig(global_config=config))
    elif config:
        program = optimize.palettize_weights(program, optimize.OptimizationConfig(global_config=config))
    if config:
        optimize.decompress_weights(program).save(str(path).replace(form, form + "-plain"))
    program.save(path)


def outputs(executable, package, folder):
    """The command's result for the input in a folder, or its error."""
    run = subprocess.run(
        [executable, "run", str(package), "--input", f"x={folder / 'x.npy'}", "-o", str(folder / "outputs")],
        capture_output=True, text=True)
    if run.returncode:
        return run.stderr.strip()
    return np.load(run.stdout.splitlines()[1].split()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("executable")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", help="a folder that keeps the packages, which are not made again")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else list(NETWORKS)
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(exist_ok=True)
        for name in wanted:
            build, size = NETWORKS[name]
            torch.manual_seed(7)
            model = build().eval()
            with torch.no_grad():
                randomize(model)
                example = torch.randn(1, 3, size, size)
                expected = model(example).numpy()
            np.save(folder / "x.npy", example.numpy())
            for form, config in forms(name):
                path = folder / f"{name}-{form}.mlpackage"
                if not path.exists():
                    try:
                        exported(model, example, form, config, str(path))
                    except Exception as error:
                        print(f"{name} {form}: coremltools cannot export it: {str(error).splitlines()[:1]}", flush=True)
                        break
                found = outputs(options.executable, path, folder)
                if config and not isinstance(found, str):
                    expected_here = outputs(options.executable, folder / f"{name}-{form}-plain.mlpackage", folder)
                else:
                    expected_here = expected
                if isinstance(found, str) or isinstance(expected_here, str):
                    print(f"{name} {form}: {[each for each in (found, expected_here) if isinstance(each, str)]}", flush=True)
                    failures += 1
                    continue
                difference = np.abs(found - expected_here).max() / np.abs(expected_here).max()
                limit = 2e-2 if form == "float16" else 1e-4
                bad = found.shape != expected.shape or not difference < limit
                failures += bad
                print(f"{name} {form}: {difference:.2g}{' is too much' if bad else ''}", flush=True)
    sys.exit(1 if failures else 0)


main()
