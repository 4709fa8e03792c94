"""Makes JPEG files of many kinds from the photos of the repository, and among them some that are damaged."""

import random
from pathlib import Path

from PIL import Image, ImageOps

PHOTOS = Path(__file__).parents[1] / "Fixtures" / "photos"
# One file in this many is damaged.
DAMAGED = 50
MAXIMUM_EDGE = 1200


def make_pictures(folder: Path, count: int, seed: int) -> list:
    """Writes `count` files, each of which follows from the seed and its number. Returns their paths, in order."""
    photos = [Image.open(path).convert("RGB") for path in sorted(PHOTOS.iterdir())]
    folder.mkdir(parents=True)
    paths = []
    for number in range(count):
        path = folder / f"{number:05}.jpg"
        numbers = random.Random(f"{seed} {number}")
        _write(path, numbers.choice(photos), numbers)
        if number % DAMAGED == DAMAGED // 2:
            _damage(path, number // DAMAGED)
        paths.append(str(path))
    return paths


def _write(path: Path, photo: Image.Image, numbers: random.Random) -> None:
    """A part of a photo in some size, with some quality, form of the file and orientation."""
    width, height = (numbers.randrange(32, extent + 1) for extent in photo.size)
    left, upper = numbers.randrange(photo.width - width + 1), numbers.randrange(photo.height - height + 1)
    image = photo.crop((left, upper, left + width, upper + height))
    factor = min(numbers.uniform(0.4, 2), MAXIMUM_EDGE / max(image.size))
    image = image.resize([max(1, round(extent * factor)) for extent in image.size])
    if numbers.random() < 0.5:
        image = ImageOps.mirror(image)
    mode = numbers.choices(["RGB", "L", "CMYK"], [20, 3, 1])[0]
    options = {"quality": numbers.randrange(20, 99), "progressive": numbers.random() < 0.3}
    if mode == "RGB":
        options["subsampling"] = numbers.randrange(3)
    if numbers.random() < 0.2:
        exif = Image.Exif()
        exif[0x0112] = numbers.randrange(1, 9)
        options["exif"] = exif
    image.convert(mode).save(path, "JPEG", **options)


def _damage(path: Path, number: int) -> None:
    """Damages a file in one of several ways."""
    content = path.read_bytes()
    half = len(content) // 2
    path.write_bytes([
        b"", b"nothing", content[:300], content[:half], content[:half] + b"\xff\xd8" * 20 + content[half:],
        content[::-1], content[:-2], b"\x89PNG\r\n\x1a\n" + content,
    ][number % 8])
