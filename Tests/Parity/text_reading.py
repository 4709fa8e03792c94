"""Compares reading text with RapidOCR's own pipeline, on pictures with text of every kind.

Use: python Tests/Parity/text_reading.py APUS FOLDER

The models are those in the wheel of rapidocr-onnxruntime. Boxes have to lie within a pixel of the page in which they
are looked for, whose sides have at most 2,000 pixels or so; texts have to be equal when RapidOCR reads its lines one by
one. It reads six lines together by default, and pads them to the widest, which changes the numbers of the shorter ones;
the last column counts the texts that are equal then.
"""

import importlib.util
import json
import pathlib
import subprocess
import sys

import numpy as np
import rapidocr_onnxruntime
import skimage.data
from PIL import Image, ImageDraw, ImageFont

# The package itself would import Matplotlib.
FONT = pathlib.Path(importlib.util.find_spec("mplfonts").origin).parent / "fonts" / "NotoSansCJKsc-Regular.otf"
# 2,000, rounded to a multiple of 32.
LONGEST_SIDE = 1984
ENGLISH = [
    "The quick brown fox jumps over the lazy dog.",
    "Pack my box with five dozen liquor jugs!",
    "Invoice 2024-0815: 3 x 19.99 = 59.97 EUR",
    "How vexingly quick daft zebras jump (again).",
]
CHINESE = ["今天的天气非常好", "请在这里签名并注明日期", "北京市海淀区中关村大街", "数量：12件，总价：350元"]


def page(lines, size, height, color=0, background=255, start=(30, 25), spacing=1.7, picture=None):
    """A picture with lines of text of a height in pixels."""
    picture = picture or Image.new("RGB", size, (background,) * 3)
    draw, font = ImageDraw.Draw(picture), ImageFont.truetype(str(FONT), height)
    for number, line in enumerate(lines):
        draw.text((start[0], start[1] + number * height * spacing), line, font=font, fill=(color,) * 3)
    return picture


def turned(picture, degrees):
    return picture.rotate(degrees, expand=True, resample=Image.Resampling.BICUBIC, fillcolor=(255, 255, 255))


def upside_down():
    """A page whose second line stands upside down."""
    picture = page(ENGLISH[:1], (760, 200), 30)
    line = page(ENGLISH[1:2], (700, 60), 30, start=(5, 5)).rotate(180)
    picture.paste(line, (30, 110))
    return picture


def vertical():
    picture = Image.new("RGB", (420, 560), (255, 255, 255))
    for column, text in enumerate(CHINESE[:3]):
        page(list(text), None, 40, start=(320 - column * 110, 20), spacing=1.12, picture=picture)
    return picture


def columns():
    picture = page(ENGLISH, (1180, 330), 22)
    page(ENGLISH[::-1], None, 22, start=(620, 25), picture=picture)
    page(CHINESE, None, 22, start=(30, 180), picture=picture)
    return picture


def noisy():
    picture = np.asarray(page(ENGLISH + CHINESE, (800, 420), 26, color=235, background=60)).astype(int)
    noise = np.random.default_rng(0).normal(0, 12, picture.shape)
    return Image.fromarray(np.clip(picture + noise, 0, 255).astype(np.uint8))


PICTURES = {
    "page": lambda: Image.fromarray(skimage.data.page()),
    "text": lambda: Image.fromarray(skimage.data.text()),
    "astronaut": lambda: Image.fromarray(skimage.data.astronaut()),
    "english": lambda: page(ENGLISH, (800, 260), 28),
    "chinese": lambda: page(CHINESE, (640, 300), 32),
    "two languages": lambda: page(ENGLISH[:2] + CHINESE[:2], (800, 280), 28),
    "columns": columns,
    "turned by 7": lambda: turned(page(ENGLISH, (800, 260), 28), 7),
    "turned by 30": lambda: turned(page(CHINESE, (640, 300), 32), 30),
    "turned by 90": lambda: turned(page(ENGLISH, (800, 260), 28), 90),
    "turned by 180": lambda: turned(page(ENGLISH, (800, 260), 28), 180),
    "a line upside down": upside_down,
    "vertical": vertical,
    "large letters": lambda: page(["GRAND", "总统府"], (900, 420), 130),
    "small letters": lambda: page(ENGLISH + CHINESE, (420, 170), 11),
    "white on dark, noisy": noisy,
    "larger than 2000": lambda: page(ENGLISH + CHINESE, (2730, 1510), 90, start=(120, 80)),
    "eight times as wide": lambda: page(ENGLISH[2:3], (1000, 90), 34),
    "24 rows high": lambda: page(["Total 42.50 EUR"], (260, 24), 16, start=(8, 0)),
    "no text": lambda: Image.new("RGB", (300, 200), (250, 250, 250)),
}


def recipe(folder):
    """The project's recipe, with the paths of the models in the package."""
    models = pathlib.Path(rapidocr_onnxruntime.__file__).parent / "models"
    recipe = json.loads((pathlib.Path(__file__).parents[2] / "Documentation" / "Recipes" / "text.recipe.json").read_text())
    for stage in recipe["stages"]:
        stage["model"] = str(models / stage["model"])
    path = folder / "text.recipe.json"
    path.write_text(json.dumps(recipe, indent=2))
    return path


def reading(engine, path, together):
    engine.text_rec.rec_batch_num = together
    lines, _ = engine(str(path))
    return [(np.array(box), text, score) for box, text, score in lines or []]


def main():
    apus, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    pictures = folder / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    paths = {}
    for name, make in PICTURES.items():
        paths[name] = pictures / f"{name.replace(' ', '_')}.png"
        make().save(paths[name])
    command = [apus, "predict", str(recipe(folder)), *map(str, paths.values()), "--format", "jsonl", "--quiet"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    answers = {row["id"]: row for row in map(json.loads, output.splitlines())}
    engine = rapidocr_onnxruntime.RapidOCR()
    heading = ("picture", "lines", "farthest corner", "equal texts", "largest difference of confidence", "in batches of six")
    print(f"{heading[0]:22} {heading[1]:>6}  {heading[2]:>15}  {heading[3]:>11}  {heading[4]:>32}  {heading[5]:>17}")
    failures, total = 0, [0, 0, 0]
    for name, path in paths.items():
        lines = answers[str(path)]["lines"]
        expected, batched = reading(engine, path, 1), reading(engine, path, 6)
        count, same = len(expected), len(lines) == len(expected)
        pairs = list(zip(lines, expected)) if same else []
        corner = max((np.abs(np.array(line["box"]) - box).max() for line, (box, _, _) in pairs), default=0)
        texts = sum(line["text"] == text for line, (_, text, _) in pairs)
        score = max((abs(line["confidence"] - score) for line, (_, _, score) in pairs), default=0)
        also = sum(line["text"] == text for line, (_, text, _) in zip(lines, batched)) if same else 0
        pixel = max(1, max(Image.open(path).size) / LONGEST_SIDE)
        good = same and corner <= pixel + 0.01 and texts == count
        failures += not good
        total = [total[0] + count, total[1] + texts, total[2] + also]
        number = str(count) if same else f"{len(lines)}/{count}"
        print(f"{name:22} {number:>6}  {corner:15.2f}  {texts:>5} of {count:<2}  {score:32.6f}  {also:>11} of {count:<2}"
              + ("" if good else "  DIFFERS"))
        if not good:
            for line in lines:
                print("    Apus    ", line["text"], line["box"])
            for box, text, _ in expected:
                print("    RapidOCR", text, box.tolist())
    print(f"{total[1]} of {total[0]} texts are equal, {total[2]} in batches of six; {failures} pictures differ")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
