"""The pictures of the gallery, by name. They come with packages of PyPI and Debian, or are drawn, always the same."""

import functools
import io
import pathlib
import random
import subprocess
import tarfile
import tempfile
import textwrap

import matplotlib
import skimage.data
import sklearn.datasets
from PIL import Image, ImageDraw, ImageFilter, ImageFont

MATPLOTLIB = pathlib.Path(matplotlib.get_data_path())
# Folders of packages whose pictures are taken as they are.
FOLDERS = [pathlib.Path(skimage.data.__file__).parent, pathlib.Path(sklearn.datasets.__file__).parent / "images",
           MATPLOTLIB / "sample_data"]
# Pictures of the package opencv-doc of Debian, which is fetched only for them.
OPENCV = {"4_barcodes.jpg", "Histogram_Comparison_Source_0.jpg", "Histogram_Comparison_Source_1.jpg",
          "Hull_Original_Image.jpg", "basketball1.png", "black_car.jpg", "cards.png", "fruits.jpg", "handDst.jpg",
          "handSrc.jpg", "imageTextN.png", "messi5.jpg", "sudoku.png", "tshirt.jpg"}
BACKGROUND = (90, 120, 110)
SENTENCE = "The quick brown fox jumps over the lazy dog while five boxing wizards jump quickly in the morning light. "


def font(size, style=""):
    return ImageFont.truetype(MATPLOTLIB / "fonts" / "ttf" / f"DejaVuSans{style}.ttf", size)


def photo(name):
    """A picture that comes with a package of PyPI."""
    return Image.open(next(folder / name for folder in FOLDERS if (folder / name).exists())).convert("RGB")


def unpack_opencv(folder):
    """Fetches OpenCV's documentation from Debian, and takes its pictures."""
    with tempfile.TemporaryDirectory() as download:
        subprocess.run(["apt-get", "download", "-qq", "opencv-doc"], cwd=download, check=True, capture_output=True)
        package = next(pathlib.Path(download).glob("*.deb"))
        files = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(files)) as archive:
            for member in archive:
                name = pathlib.PurePosixPath(member.name).name
                if name in OPENCV and member.isfile():
                    content = archive.extractfile(member).read()
                    picture = Image.open(io.BytesIO(content))
                    if picture.mode in ("L", "RGB"):
                        (folder / name).write_bytes(content)
                    else:  # Packages read palettes in several ways.
                        picture.convert("RGB").save(folder / name)


def faces():
    """Two faces in several sizes, one of them turned."""
    one, other = photo("astronaut.png"), photo("grace_hopper.jpg")
    canvas = Image.new("RGB", (1000, 640), BACKGROUND)
    for picture, size, place in ((one, (400, 400), (10, 10)), (one, (200, 200), (420, 20)),
                                 (other, (256, 303), (640, 10)), (other, (120, 142), (430, 240)),
                                 (one, (110, 110), (570, 260))):
        canvas.paste(picture.resize(size), place)
    turned = one.crop((120, 0, 400, 280)).rotate(25, resample=Image.Resampling.BICUBIC, fillcolor=BACKGROUND)
    canvas.paste(turned, (690, 340))
    return canvas


def hopper():
    picture = photo("grace_hopper.jpg")
    return picture.crop((int(picture.width * 0.25), 0, int(picture.width * 0.8), int(picture.height * 0.55)))


def aligned_face(source, box, side):
    """A small square with a face, for networks that take no more."""
    return photo(source).crop(box).resize((side, side))


def document():
    """A page with a title, text, a figure and a table."""
    page = Image.new("RGB", (900, 1200), "white")
    draw = ImageDraw.Draw(page)

    def write(x, y, text, size, style=""):
        draw.text((x, y), text, font=font(size, style), fill="black")

    def paragraph(y, count):
        for line in textwrap.wrap(SENTENCE * count, 80):
            write(60, y, line, 18)
            y += 24
        return y

    write(120, 60, "A Study of Small Networks", 44, "-Bold")
    write(300, 125, "J. Doe and M. Mustermann, 2026", 20)
    write(60, 190, "1 Introduction", 28, "-Bold")
    y = paragraph(235, 5)
    page.paste(photo("coffee.png").resize((390, 260)), (255, y + 30))
    write(255, y + 300, "Figure 1. A cup of coffee on a wooden table.", 16)
    write(60, y + 350, "2 Results", 28, "-Bold")
    y = paragraph(y + 395, 2) + 25
    write(60, y, "Table 1. Numbers of each network.", 16)
    rows = ["Network Size Speed Error", "Alpha 12MB 3.4ms 0.12", "Beta 25MB 7.9ms 0.08", "Gamma 98MB 28.1ms 0.05"]
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells.split()):
            left, top = 60 + column * 190, y + 28 + row * 36
            draw.rectangle((left, top, left + 190, top + 36), outline="black")
            write(left + 10, top + 7, cell, 18, "" if row else "-Bold")
    return page


def line(text, size):
    box = font(size).getbbox(text)
    canvas = Image.new("RGB", (int(box[2]) + 24, int(box[3]) + 20), "white")
    ImageDraw.Draw(canvas).text((12, 8), text, font=font(size), fill="black")
    return canvas


def plate(text):
    face = font(60, "Mono-Bold")
    box = face.getbbox(text)
    canvas = Image.new("RGB", (int(box[2]) + 50, int(box[3]) + 40), "white")
    draw = ImageDraw.Draw(canvas)
    draw.rounded_rectangle((3, 3, canvas.width - 4, canvas.height - 4), 12, outline="black", width=5)
    draw.text((25, 14), text, font=face, fill="black")
    return canvas


def captcha(text):
    """Turned characters under lines and dots."""
    dice, canvas = random.Random(text), Image.new("RGB", (160, 60), (238, 240, 235))
    for number, character in enumerate(text):
        tile = Image.new("L", (44, 56))
        ImageDraw.Draw(tile).text((10, 4), character, font=font(36, "-Bold"), fill=255)
        tile = tile.rotate(dice.uniform(-25, 25), resample=Image.Resampling.BICUBIC)
        canvas.paste((dice.randrange(120), dice.randrange(120), 150), (4 + number * 37, dice.randrange(4)), tile)
    draw = ImageDraw.Draw(canvas)
    draw.line([(0, dice.randrange(60)), (80, dice.randrange(60)), (160, dice.randrange(60))], (90, 130, 90), 2)
    for _ in range(60):
        draw.point((dice.randrange(160), dice.randrange(60)), (120, 90, 90))
    return canvas


def slider(name, x, y, side=44):
    """A captcha with a piece at the left and its gap."""
    picture, mask = photo(name).resize((320, 180)), Image.new("L", (320, 180))
    draw, half = ImageDraw.Draw(mask), side // 2
    draw.rounded_rectangle((x, y, x + side, y + side), 5, fill=255)
    for left, top in ((x + side - 8, y + half - 8), (x + half - 8, y - 8)):
        draw.ellipse((left, top, left + 16, top + 16), fill=255)
    around = (x - 10, y - 10, x + side + 10, y + side + 10)
    piece, outline = picture.crop(around), mask.crop(around)
    picture.paste(Image.eval(picture, lambda value: int(value * 0.45)), (0, 0), mask)
    picture.paste((235, 235, 235), (0, 0), mask.filter(ImageFilter.FIND_EDGES))
    picture.paste(piece, (5, y - 10), outline)
    picture.paste((250, 250, 250), (5, y - 10), outline.filter(ImageFilter.FIND_EDGES))
    return picture


def bar_code(digits):
    """EAN-13, three pixels a module."""
    odd = "0001101 0011001 0010011 0111101 0100011 0110001 0101111 0111011 0110111 0001011".split()
    right = ["".join("10"[int(bit)] for bit in code) for code in odd]
    parities = "OOOOOO OOEOEE OOEEOE OOEEEO OEOOEE OEEOOE OEEEOO OEOEOE OEOEEO OEEOEO".split()[int(digits[0])]
    left = [odd[int(digit)] if parity == "O" else right[int(digit)][::-1]
            for digit, parity in zip(digits[1:7], parities)]
    bits = "101" + "".join(left) + "01010" + "".join(right[int(digit)] for digit in digits[7:]) + "101"
    code = Image.new("RGB", (len(bits) * 3, 150), "white")
    for place, bit in enumerate(bits):
        if bit == "1":
            ImageDraw.Draw(code).rectangle((place * 3, 0, place * 3 + 2, 149), fill="black")
    return code


def book():
    """The page of a book with its ISBN and bar code."""
    page = Image.new("RGB", (900, 1200), "white")
    draw = ImageDraw.Draw(page)
    lines = ["Library Cataloguing in Publication Data",
             "A Study of Small Networks / J. Doe. - Berlin: Example Press, 2026",
             "ISBN 978-3-16-148410-0", "I. Networks  II. Doe  III. TP391", "Price: 48.00"]
    for number, text in enumerate(lines):
        draw.text((80, 340 + number * 34), text, font=font(22), fill="black")
    draw.text((500, 860), "ISBN 978-3-16-148410-0", font=font(22), fill="black")
    page.paste(bar_code("9783161484100"), (480, 900))
    return page


DRAWN = {
    "faces_mosaic.png": faces,
    "faces_512.png": lambda: faces().crop((420, 0, 932, 512)),
    "face_astronaut.png": lambda: photo("astronaut.png").crop((150, 0, 330, 200)),
    "face_hopper.png": hopper,
    **{f"face_{name}_{side}.png": functools.partial(aligned_face, source, box, side)
       for name, source, box in (("astronaut", "astronaut.png", (166, 62, 286, 182)),
                                 ("hopper", "grace_hopper.jpg", (180, 70, 380, 270))) for side in (32, 64)},
    "document.png": document,
    "document_180.png": lambda: document().rotate(180),
    "document_90.png": lambda: document().transpose(Image.Transpose.ROTATE_90),
    "line_hello.png": lambda: line("Hello World 2026", 36),
    "line_hello_180.png": lambda: line("Hello World 2026", 36).rotate(180),
    "line_invoice.png": lambda: line("Invoice No. 48-2291-B", 30),
    "line_price.png": lambda: line("Total: $1,234.56", 40),
    "plate_eu.png": lambda: plate("B AB 1234"),
    "plate_us.png": lambda: plate("7ABC123"),
    "captcha_8A3K.png": lambda: captcha("8A3K"),
    "captcha_5729.png": lambda: captcha("5729"),
    "captcha_wxyz.png": lambda: captcha("wxyz"),
    "slider_1.png": lambda: slider("china.jpg", 200, 60),
    "slider_2.png": lambda: slider("flower.jpg", 150, 90),
    "slider_3.png": lambda: slider("rocket.jpg", 240, 50),
    "book.png": book,
}


def make(name, folder):
    """The path of a picture in the folder, or none if it cannot be had here."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    if path.exists():
        return path
    if name in DRAWN:
        DRAWN[name]().save(path)
    elif name in OPENCV:
        try:
            unpack_opencv(folder)
        except (OSError, subprocess.CalledProcessError):
            return None
    else:
        source = next(place / name for place in FOLDERS if (place / name).exists())
        path.write_bytes(source.read_bytes())
    return path
