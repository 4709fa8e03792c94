"""Makes Tests/Fixtures/datasets: archives and arrays of small pictures, and answers with their metrics.

    pip install numpy pillow && python Tests/Fixtures/make_dataset_fixtures.py
"""

import gzip
import io
import json
import os
import tarfile
import zipfile

import numpy as np
from PIL import Image

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "datasets")
os.makedirs(folder, exist_ok=True)
random = np.random.default_rng(5)
pictures = random.integers(0, 256, (5, 8, 6, 3), dtype=np.uint8)
labels = np.array([3, 0, 2, 4, 1])


def png(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def add(archive, name, content, **fields):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    for field, value in fields.items():
        setattr(member, field, value)
    archive.addfile(member, io.BytesIO(content))


def samples(archive, prefix=""):
    for index, picture in enumerate(pictures):
        add(archive, f"{prefix}{index:04}.png", png(picture))
        if index % 2:
            add(archive, f"{prefix}{index:04}.json", json.dumps({"label": int(labels[index])}).encode())
        else:
            add(archive, f"{prefix}{index:04}.cls", f"{labels[index]}\n".encode())


def path(name):
    return os.path.join(folder, name)


with tarfile.open(path("ustar.tar"), "w", format=tarfile.USTAR_FORMAT) as archive:
    samples(archive)
plain = open(path("ustar.tar"), "rb").read()
with gzip.GzipFile(path("ustar.tar.gz"), "wb", mtime=0) as file:
    file.write(plain)
for name, form in (("pax.tar", tarfile.PAX_FORMAT), ("gnu.tar", tarfile.GNU_FORMAT)):
    with tarfile.open(path(name), "w", format=form) as archive:
        samples(archive, "a-folder-with-a-long-name/" * 6 + "é/")
with tarfile.open(path("odd.tar"), "w", format=tarfile.PAX_FORMAT) as archive:
    add(archive, "folder", b"", type=tarfile.DIRTYPE)
    add(archive, "README", b"no extension")
    add(archive, ".hidden.png", png(pictures[0]))
    add(archive, "link.png", b"", type=tarfile.SYMTYPE, linkname="other.png")
    add(archive, "alone.cls", b"7")
    add(archive, "two.left.png", png(pictures[0]))
    add(archive, "two.right.png", png(pictures[1]))
    add(archive, "two.cls", b"cat")
    add(archive, "web.webp", b"RIFF....WEBP")
    add(archive, "broken.png", b"not a picture")

np.save(path("rgb.npy"), pictures)
np.save(path("planes.npy"), np.ascontiguousarray(pictures.transpose(0, 3, 1, 2)))
np.save(path("gray.npy"), np.ascontiguousarray(pictures[..., 0]))
np.save(path("columns.npy"), np.asfortranarray(pictures))
np.save(path("numbers.npy"), pictures.transpose(0, 3, 1, 2).astype(">f8") / 255)
np.savez(path("stored.npz"), x_train=pictures[:3], y_train=labels[:3], x_test=pictures[3:], y_test=labels[3:])
np.savez_compressed(path("deflated.npz"), images=pictures, labels=labels)
with zipfile.ZipFile(path("other.npz"), "w") as archive:
    archive.writestr(zipfile.ZipInfo("notes.txt"), "no array")
with zipfile.ZipFile(path("bomb.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "|u1", "fortran_order": False, "shape": (1 << 19, 1 << 18, 3)})
    archive.writestr(
        zipfile.ZipInfo("images.npy"), file.getvalue() + bytes(1 << 20), compress_type=zipfile.ZIP_DEFLATED)

# Answers, and their metrics by scikit-learn's definitions with zero_division=0.
classes, count, bin_count = 7, 60, 10
scores = random.normal(0, 1.5, (count, classes))
# Class 6 is neither a label nor predicted.
scores[:, 6] = -20
truth = random.integers(0, classes - 1, count)
scores[np.arange(count), truth] += random.choice([0.0, 2.5], count)
confidences = (np.exp(scores) / np.exp(scores).sum(1, keepdims=True)).astype(np.float32)
order = np.argsort(-confidences, axis=1, kind="stable")
predicted = order[:, 0]
present = sorted(set(truth) | set(predicted))


def ratio(part, whole):
    return float(part) / float(whole) if whole else 0.0


precision = [ratio(((predicted == c) & (truth == c)).sum(), (predicted == c).sum()) for c in present]
recall = [ratio(((predicted == c) & (truth == c)).sum(), (truth == c).sum()) for c in present]
best = confidences.max(1).astype(np.float64)
edges = np.linspace(0, 1, bin_count + 1)
error = 0.0
for low, high in zip(edges[:-1], edges[1:]):
    inside = (best > low) & (best <= high)
    if inside.any():
        error += inside.mean() * abs((predicted == truth)[inside].mean() - best[inside].mean())
pairs = {}
for actual, found in zip(truth, predicted):
    if actual != found:
        pairs[int(actual), int(found)] = pairs.get((int(actual), int(found)), 0) + 1
json.dump(
    {
        "binCount": bin_count,
        "answers": [
            {"label": int(label), "confidences": [float(f"{value:.9g}") for value in row]}
            for label, row in zip(truth, confidences)
        ],
        "top1": float((predicted == truth).mean()),
        "top5": float((order[:, :5] == truth[:, None]).any(1).mean()),
        "classes": [int(c) for c in present],
        "precision": precision,
        "recall": recall,
        "meanPrecision": float(np.mean(precision)),
        "meanRecall": float(np.mean(recall)),
        "calibrationError": float(error),
        "confusions": [[*pair, number] for pair, number in sorted(pairs.items(), key=lambda e: (-e[1], e[0]))],
    },
    open(path("evaluation.json"), "w"),
)
json.dump({"shape": list(pictures.shape), "labels": labels.tolist(), "pixels": pictures.reshape(5, -1).tolist()},
          open(path("pictures.json"), "w"))
