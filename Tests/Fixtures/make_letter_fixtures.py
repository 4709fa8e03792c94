"""Draws letters at known places: detection/letters.png, the same picture turned with an EXIF orientation, and
detection/boxes.json."""

import json
import pathlib

from PIL import Image, ImageChops, ImageDraw, ImageFont

folder = pathlib.Path(__file__).parent / "detection"
folder.mkdir(exist_ok=True)
size, paper = (480, 300), (250, 248, 240)
font = ImageFont.load_default(size=60)
letters = [
    ("A", (40, 40), (20, 90, 60)), ("K", (170, 150), (20, 40, 110)), ("R", (300, 50), (70, 60, 70)),
    ("M", (390, 190), (80, 10, 90)), ("5", (60, 200), (10, 110, 90)),
]
picture = Image.new("RGB", size, paper)
boxes = []
for letter, place, color in letters:
    alone = Image.new("RGB", size, paper)
    for image in (picture, alone):
        ImageDraw.Draw(image).text(place, letter, font=font, fill=color)
    left, top, right, bottom = ImageChops.difference(alone, Image.new("RGB", size, paper)).getbbox()
    boxes.append({"letter": letter, "x": left, "y": top, "width": right - left, "height": bottom - top})
picture.save(folder / "letters.png", optimize=True)
# The picture is stored on its side, and upright after a turn by 90° clockwise.
exif = Image.Exif()
exif[0x0112] = 6
picture.transpose(Image.Transpose.ROTATE_90).save(folder / "turned.jpg", quality=95, subsampling=0, exif=exif)
(folder / "boxes.json").write_text(json.dumps(boxes, indent=1) + "\n")
