"""Makes the files in Tests/Fixtures/pictures, of all kinds of picture but plain JPEG and PNG, and Pillow's results.

    python3 -m venv venv
    venv/bin/pip install pillow==13.0.0 pillow-heif==1.8.1 tifffile==2026.3.3 imagecodecs==2026.3.6 numpy==2.4.6
    venv/bin/python Tests/Fixtures/make_picture_fixtures.py [--wide FOLDER]

Every reference is `ImageOps.exif_transpose(image).convert("RGB")` of a frame. Grey of 16 bits keeps its high byte,
as color of 16 bits does in Pillow, whereas Pillow would clip it. HEIC and AVIF are compared within a tolerance, with
the pixels in a PNG file, since their color conversion differs between versions of libheif and from libavif's.

Luminance and chrominance in JPEG 2000 come from `opj_compress` of Debian's libopenjp2-tools; without it, these files
are left as they are.

With --wide, many more files, of larger pictures, are written to a folder for `make parity-pictures`.
"""

import argparse
import io
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import imagecodecs
import numpy as np
import pillow_heif
import tifffile
from PIL import Image, ImageCms, ImageOps

pillow_heif.register_heif_opener()
random = np.random.default_rng(20240229)


def scene(width=40, height=28, channels=3):
    """A smooth picture with an edge and some noise, without symmetry."""
    y, x = np.mgrid[0:height, 0:width]
    planes = []
    for channel in range(channels):
        plane = 120 + 90 * np.sin(x / (5 + channel) + channel) * np.cos(y / (7 - channel)) + (x > 2 * y) * 30
        planes.append(plane + random.normal(0, 4, plane.shape))
    return np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8)


def encoded(image, kind, **options):
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def exif(orientation):
    tags = Image.Exif()
    tags[0x0112] = orientation
    return tags


def webp_files(size):
    color, alpha = Image.fromarray(scene(*size)), Image.fromarray(scene(*size, 4))
    yield "lossy.webp", encoded(color, "WEBP", quality=80)
    yield "lossy-alpha.webp", encoded(alpha, "WEBP", quality=70)
    yield "lossless.webp", encoded(color, "WEBP", lossless=True)
    yield "lossless-alpha.webp", encoded(alpha, "WEBP", lossless=True, exact=True)
    yield "palette.webp", encoded(color.quantize(12).convert("RGB"), "WEBP", lossless=True)
    for orientation in (3, 6, 7):
        yield f"orientation-{orientation}.webp", encoded(color, "WEBP", exif=exif(orientation))
    frames = [Image.fromarray(scene(*size, 4)) for _ in range(3)]
    yield "animated.webp", encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    yield "one-pixel.webp", encoded(color.crop((0, 0, 1, 1)), "WEBP")


def gif_files(size):
    color = scene(*size)
    picture = Image.fromarray(color)
    yield "palette.gif", encoded(picture.quantize(200), "GIF", interlace=0)
    yield "interlaced.gif", encoded(picture.quantize(64), "GIF", interlace=1)
    yield "two-colors.gif", encoded(picture.quantize(2), "GIF")
    yield "grey.gif", encoded(picture.convert("L"), "GIF")
    noise = random.integers(0, 256, (size[1] * 2, size[0] * 2), dtype=np.uint8)
    yield "noise.gif", encoded(Image.fromarray(noise), "GIF")
    yield "transparent.gif", encoded(picture.quantize(30), "GIF", transparency=5)
    for disposal in (0, 1, 2, 3):
        frames = []
        for index in range(4):
            frame = picture.copy()
            frame.paste((index * 60, 255 - index * 50, 40), (3 + 5 * index, 2 + index, 12 + 6 * index, 9 + 3 * index))
            frames.append(frame.quantize(40 + index))
        yield f"animated-{disposal}.gif", encoded(
            frames[0], "GIF", save_all=True, append_images=frames[1:], disposal=disposal, loop=0, optimize=False)
    parts = [(0, 0, *size, None, 1), (5, 3, 9, 8, 2, 2), (12, 6, 20, 11, None, 1), (1, 1, 30, 20, 1, 3), (8, 8, 5, 5, None, 0)]
    # Pillow gives what grows beyond the screen after the first frame other colors.
    if size >= (40, 28) and size[1] >= 28:
        yield "parts.gif", gif(size, parts)
    yield "smaller-frame.gif", gif(size, [(7, 4, 21, 15, 3, 0)])
    yield "larger-frame.gif", gif((10, 9), [(3, 2, 21, 15, None, 0)])


def gif(size, parts, colors=8):
    """A GIF of frames (left, top, width, height, transparent index, disposal) in uncompressed codes."""
    data = b"GIF89a" + struct.pack("<HHBBB", *size, 0x80 | 2, 6, 0) + bytes(random.integers(0, 256, 24, dtype=np.uint8))
    for left, top, width, height, transparent, disposal in parts:
        flags = disposal << 2 | (transparent is not None)
        data += b"!\xf9\4" + struct.pack("<BHBB", flags, 5, transparent or 0, 0)
        data += b"," + struct.pack("<HHHHB", left, top, width, height, 0) + b"\3"
        codes, bits, count = [], 0, 0
        for place, index in enumerate(random.integers(0, colors, width * height)):
            if place % 5 == 0:
                codes.append(8)
            codes.append(int(index))
        codes.append(9)
        packed = bytearray()
        for code in codes:
            bits, count = bits | code << count, count + 4
            while count >= 8:
                packed.append(bits & 255)
                bits, count = bits >> 8, count - 8
        packed.append(bits)
        for start in range(0, len(packed), 255):
            block = packed[start:start + 255]
            data += bytes([len(block)]) + block
        data += b"\0"
    return data + b";"


def bitmap(bits, rows, size, palette=b"", compression=0, masks=b"", top_down=False, colors=0):
    width, height = size
    offset = 54 + len(masks) + len(palette)
    header = struct.pack("<IiiHHIIiiII", 40, width, -height if top_down else height, 1, bits, compression, len(rows), 0, 0, colors, 0)
    return b"BM" + struct.pack("<IHHI", offset + len(rows), 0, 0, offset) + header + masks + palette + rows


def bmp_files(size):
    color = scene(*size)
    picture = Image.fromarray(color)
    yield "rgb.bmp", encoded(picture, "BMP")
    yield "rgba.bmp", encoded(Image.fromarray(scene(*size, 4)), "BMP")
    yield "palette-8.bmp", encoded(picture.quantize(99), "BMP")
    yield "grey.bmp", encoded(picture.convert("L"), "BMP")
    yield "black-and-white.bmp", encoded(picture.convert("1"), "BMP")
    width, height = size
    palette = bytes(random.integers(0, 256, 64, dtype=np.uint8))
    row = (width * 4 + 31) // 32 * 4
    nibbles = bytes(random.integers(0, 256, row * height, dtype=np.uint8))
    yield "palette-4.bmp", bitmap(4, nibbles, size, palette)
    yield "palette-4-top-down.bmp", bitmap(4, nibbles, size, palette, top_down=True)
    yield "palette-1.bmp", bitmap(1, bytes(random.integers(0, 256, (width + 31) // 32 * 4 * height, dtype=np.uint8)), size, palette[:8])
    row = (width * 16 + 31) // 32 * 4
    words = bytes(random.integers(0, 256, row * height, dtype=np.uint8))
    yield "rgb-555.bmp", bitmap(16, words, size)
    yield "rgb-565.bmp", bitmap(16, words, size, compression=3, masks=struct.pack("<III", 0xF800, 0x7E0, 0x1F))
    long = bytes(random.integers(0, 256, width * height * 4, dtype=np.uint8))
    yield "rgb-32.bmp", bitmap(32, long, size)
    yield "xbgr-32.bmp", bitmap(32, long, size, compression=3, masks=struct.pack("<III", 0xFF000000, 0xFF0000, 0xFF00))
    runs = b""
    for _ in range(height):
        left = width
        while left > 0:
            count = int(min(left, random.integers(1, 9)))
            if count >= 3 and random.random() < 0.4:
                runs += bytes([0, count]) + bytes(random.integers(0, 16, count, dtype=np.uint8)) + bytes(count % 2)
            else:
                runs += bytes([count, int(random.integers(0, 16))])
            left -= count
        runs += b"\0\0"
    yield "runs-8.bmp", bitmap(8, runs + b"\0\1", size, palette, compression=1, colors=16)
    yield "runs-4.bmp", bitmap(4, b"".join(bytes([min(width, 255), int(v)]) + b"\0\0" for v in random.integers(0, 256, height)) + b"\0\1", size, palette, compression=2)
    core = struct.pack("<IHHHH", 12, width, height, 1, 24)
    rows = b"".join(bytes(line.tobytes()) + bytes(-width * 3 % 4) for line in color[::-1, :, ::-1])
    yield "os2.bmp", b"BM" + struct.pack("<IHHI", 26 + len(rows), 0, 0, 26) + core + rows


def pnm_files(size):
    width, height = size
    color, grey = scene(*size), scene(*size, 1)[..., 0]
    yield "color.ppm", encoded(Image.fromarray(color), "PPM")
    yield "grey.pgm", encoded(Image.fromarray(grey), "PPM")
    yield "bits.pbm", encoded(Image.fromarray(grey).convert("1"), "PPM")
    yield "color-text.ppm", b"P3 # a comment\n%d %d\n255\n" % size + " ".join(map(str, color.reshape(-1))).encode() + b"\n"
    yield "grey-text.pgm", b"P2\n%d %d\n100\n" % size + "\n".join(str(int(v) * 100 // 255) for v in grey.reshape(-1)).encode()
    yield "bits-text.pbm", b"P1\n%d %d\n" % size + "".join(str(v & 1) for v in grey.reshape(-1)).encode()
    yield "few-levels.ppm", b"P6\n%d %d\n77\n" % size + (color.astype(int) * 77 // 255).astype(np.uint8).tobytes()
    deep = random.integers(0, 65536, (height, width, 3))
    yield "color-16.ppm", b"P6\n%d %d\n65535\n" % size + deep.astype(">u2").tobytes()
    yield "color-10.ppm", b"P6\n%d %d\n1023\n" % size + (deep % 1024).astype(">u2").tobytes()


def tiff(array, **options):
    stream = io.BytesIO()
    tifffile.imwrite(stream, array, metadata=None, **options)
    return stream.getvalue()


def tiff_files(size):
    color, alpha, inks = scene(*size), scene(*size, 4), scene(*size, 4)
    picture = Image.fromarray(color)
    grey = picture.convert("L")
    for name in ("raw", "lzw", "deflate", "packbits", "jpeg", "zstd", "lzma"):
        compression = {"raw": None, "lzw": "tiff_lzw", "deflate": "tiff_adobe_deflate", "packbits": "packbits"}.get(name, name)
        yield f"rgb-{name}.tif", encoded(picture, "TIFF", compression=compression)
    yield "rgba.tif", encoded(Image.fromarray(alpha), "TIFF")
    yield "premultiplied.tif", tiff(alpha, photometric="rgb", extrasamples=["assocalpha"], compression="zlib")
    yield "cmyk.tif", encoded(Image.frombytes("CMYK", size, inks.tobytes()), "TIFF", compression="tiff_lzw")
    yield "palette.tif", encoded(picture.quantize(77), "TIFF", compression="tiff_lzw")
    yield "grey.tif", encoded(grey, "TIFF")
    yield "grey-alpha.tif", encoded(picture.convert("LA"), "TIFF", compression="tiff_lzw")
    yield "black-and-white.tif", encoded(picture.convert("1"), "TIFF")
    yield "fax-4.tif", encoded(picture.convert("1"), "TIFF", compression="group4")
    yield "fax-3.tif", encoded(picture.convert("1"), "TIFF", compression="group3")
    yield "inverted.tif", tiff(np.array(grey), photometric="miniswhite", compression="zlib")
    yield "float.tif", tiff((color[..., 0].astype(np.float32) - 40) * 1.5, photometric="minisblack")
    yield "rgb-16.tif", tiff(random.integers(0, 65536, (size[1], size[0], 3), dtype=np.uint16), photometric="rgb", compression="zlib", predictor=2)
    yield "rgb-16-big-endian.tif", tiff(random.integers(0, 65536, (size[1], size[0], 3), dtype=np.uint16), photometric="rgb", byteorder=">", compression="zlib")
    yield "tiles.tif", tiff(color, photometric="rgb", tile=(16, 16), compression="zlib")
    yield "tiles-raw.tif", tiff(color, photometric="rgb", tile=(16, 16))
    yield "planes.tif", tiff(np.moveaxis(color, -1, 0).copy(), photometric="rgb", planarconfig="separate", compression="zlib", rowsperstrip=5)
    yield "strips.tif", tiff(color, photometric="rgb", rowsperstrip=3, compression="zlib")
    yield "big.tif", tiff(color, photometric="rgb", bigtiff=True, compression="zlib")
    yield "ycbcr-jpeg.tif", tiff(color, photometric="ycbcr", compression="jpeg", subsampling=(1, 1))
    for orientation in (2, 6, 8):
        yield f"orientation-{orientation}.tif", encoded(picture, "TIFF", compression="tiff_lzw", tiffinfo={274: orientation})
    pages = [picture, grey.resize((30, 50)), picture.convert("1").resize((17, 11))]
    yield "pages.tif", encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:], compression="tiff_lzw")


def deep_grey_files(size):
    """16-bit grey, with the high bytes that are expected."""
    deep = random.integers(0, 65536, (size[1], size[0]), dtype=np.uint16)
    high = np.repeat((deep >> 8).astype(np.uint8)[..., None], 3, -1)
    yield "grey-16.tif", tiff(deep, photometric="minisblack"), high
    yield "grey-16-big-endian.tif", tiff(deep, photometric="minisblack", byteorder=">"), high
    yield "grey-16.pgm", b"P5\n%d %d\n65535\n" % size + deep.astype(">u2").tobytes(), high
    yield "grey-16.jp2", encoded(Image.fromarray(deep), "JPEG2000"), high


def apng_files(size):
    size = max(8, size[0] // 2), max(8, size[1] // 2)
    for disposal in (0, 1, 2):
        # Pillow does not go back to what was before a frame that is blended, since it blends into its only copy.
        for blend in (0, 1) if disposal < 2 else (0,):
            frames = [Image.fromarray(scene(*size, 4)) for _ in range(4)]
            for index, frame in enumerate(frames[1:]):
                # What does not change between frames is left out of them.
                width, height = size[0] // 3, size[1] // 2
                changed = frame.crop((0, 0, width, height))
                frame.paste(frames[index], (0, 0))
                frame.paste(changed, (size[0] // 4 + index, size[1] // 3))
            yield f"animated-{disposal}-{blend}.png", encoded(
                frames[0], "PNG", save_all=True, append_images=frames[1:], disposal=disposal, blend=blend)
    colors = [Image.fromarray(scene(*size)) for _ in range(2)]
    yield "animated-rgb.png", encoded(colors[0], "PNG", save_all=True, append_images=colors[1:])


def jpeg2000_files(size):
    color, alpha = Image.fromarray(scene(*size)), Image.fromarray(scene(*size, 4))
    yield "rgb.jp2", encoded(color, "JPEG2000")
    yield "rgba.jp2", encoded(alpha, "JPEG2000")
    yield "grey.jp2", encoded(color.convert("L"), "JPEG2000")
    yield "grey-alpha.jp2", encoded(color.convert("LA"), "JPEG2000")
    yield "lossy.jp2", encoded(color, "JPEG2000", irreversible=True, quality_mode="rates", quality_layers=[8])
    yield "codestream.j2k", encoded(color, "JPEG2000", no_jp2=True)
    yield "tiles.jp2", encoded(color, "JPEG2000", tile_size=(16, 16))
    yield "cmyk.jp2", encoded(Image.frombytes("CMYK", size, scene(*size, 4).tobytes()), "JPEG2000")


def heif_files(size):
    """Files of HEIC and AVIF, with the largest difference that is accepted."""
    color, alpha = Image.fromarray(scene(*size)), Image.fromarray(scene(*size, 4))
    yield "color.heic", encoded(color, "HEIF", quality=90, chroma=444), 3
    yield "color-420.heic", encoded(color, "HEIF", quality=90), 3
    yield "grey.heic", encoded(color.convert("L"), "HEIF", quality=90), 3
    yield "alpha.heic", encoded(alpha, "HEIF", quality=90, chroma=444), 3
    yield "orientation-6.heic", encoded(color, "HEIF", quality=90, chroma=444, exif=exif(6)), 3
    yield "color.avif", encoded(color, "AVIF", quality=90, subsampling="4:4:4"), 3
    yield "grey.avif", encoded(color.convert("L"), "AVIF", quality=90), 3
    yield "orientation-6.avif", encoded(color, "AVIF", quality=90, subsampling="4:4:4", exif=exif(6)), 3
    yield "orientation-4.avif", encoded(color, "AVIF", quality=90, subsampling="4:4:4", exif=exif(4)), 3


def shared_color_files(size):
    """AVIF of all arrangements of samples, with the largest difference that is accepted."""
    color = Image.fromarray(scene(*size))
    odd = color.crop((0, 0, size[0] - 3, size[1] - 1))
    for name, picture, options in (
        ("color-420.avif", color, dict(subsampling="4:2:0")),
        ("color-422.avif", color, dict(subsampling="4:2:2")),
        ("limited-420.avif", color, dict(subsampling="4:2:0", range="limited")),
        ("limited-422.avif", odd, dict(subsampling="4:2:2", range="limited")),
        ("limited-grey.avif", color, dict(subsampling="4:0:0", range="limited")),
        ("odd-420.avif", odd, dict(subsampling="4:2:0")),
        ("orientation-5-420.avif", odd, dict(subsampling="4:2:0", exif=exif(5))),
        ("orientation-6-420.avif", odd, dict(subsampling="4:2:0", exif=exif(6))),
    ):
        # Pillow does not interpolate the last column of odd widths.
        yield name, encoded(picture, "AVIF", quality=90, **options), 2 if picture is color else 5
    deep = scene(*size).astype(np.uint16) * 4
    yield "deep-420.avif", imagecodecs.avif_encode(deep, level=95, bitspersample=10, pixelformat="yuv420"), 3
    clear = scene(*size, 4)
    clear[..., 3] = 96 + clear[..., 3] // 2
    yield "premultiplied.avif", encoded(Image.fromarray(clear), "AVIF", quality=95, subsampling="4:2:0", alpha_premultiplied=True), 4
    # pillow-heif takes blue and red for differences there, and is off by up to 5.
    direct = dict(chroma=444, matrix_coefficients=0, color_primaries=1, transfer_characteristics=13, full_range_flag=0)
    yield "limited-rgb.heic", encoded(color, "HEIF", quality=95, **direct), 6
    clear[..., :3] = clear[..., :3].astype(int) * clear[..., 3:] // 255
    file = pillow_heif.from_pillow(Image.fromarray(clear))
    file[0].premultiplied_alpha = True
    stream = io.BytesIO()
    file.save(stream, quality=95, chroma=444)
    yield "premultiplied.heic", stream.getvalue(), 4
    yield "trailing.heic", encoded(color, "HEIF", quality=90, chroma=444) + b'    />\n</x:xmpmeta>\n<?xpacket end="w"?>', 3


def box(kind, *content):
    content = b"".join(content)
    return struct.pack(">I", 8 + len(content)) + kind + content


def full_box(kind, version, *content):
    return box(kind, struct.pack(">I", version << 24), *content)


def content_of(data, *kinds):
    for kind in kinds:
        offset = 0
        while data[offset + 4:offset + 8] != kind:
            offset += struct.unpack(">I", data[offset:offset + 4])[0]
        length = struct.unpack(">I", data[offset:offset + 4])[0]
        data = data[offset + (12 if kind == b"meta" else 8):offset + length]
    return data


def avif(files, columns, size, tile, properties=()):
    """An AVIF file of one picture or of a grid, made of AVIF files, with more properties of the whole."""
    shared = [box(b"av1C", content_of(files[0], b"meta", b"iprp", b"ipco", b"av1C")), full_box(b"ispe", 0, struct.pack(">II", *tile))]
    contents = [content_of(file, b"mdat") for file in files]
    count, whole = len(files), 1
    kinds, associations = [b"av01"] * count, {item + 1: [1, 2] for item in range(count)}
    more, references = list(properties), b""
    if count > 1:
        whole = count + 1
        kinds.append(b"grid")
        contents.append(struct.pack(">BBBBHH", 0, 0, count // columns - 1, columns - 1, *size))
        more.insert(0, full_box(b"ispe", 0, struct.pack(">II", *size)))
        references = full_box(b"iref", 0, box(b"dimg", struct.pack(f">HH{count}H", whole, count, *range(1, count + 1))))
    associations[whole] = associations.get(whole, []) + [128 | 3 + index for index in range(len(more))]
    table = [struct.pack(">HB", item, len(indices)) + bytes(indices) for item, indices in sorted(associations.items())]
    entries = [full_box(b"infe", 2, struct.pack(">HH", index + 1, 0), kind, b"\0") for index, kind in enumerate(kinds)]

    def meta(start):
        places = []
        for item, content in enumerate(contents):
            places.append(struct.pack(">HHHII", item + 1, 0, 1, start, len(content)))
            start += len(content)
        return full_box(
            b"meta", 0, full_box(b"hdlr", 0, bytes(4), b"pict", bytes(13)), full_box(b"pitm", 0, struct.pack(">H", whole)),
            full_box(b"iloc", 0, struct.pack(">HH", 0x4400, len(places)), *places),
            full_box(b"iinf", 0, struct.pack(">H", len(entries)), *entries), references,
            box(b"iprp", box(b"ipco", *shared, *more), full_box(b"ipma", 0, struct.pack(">I", len(table)), *table)))

    head = box(b"ftyp", b"avif", bytes(4), b"avifmif1miaf")
    return head + meta(len(head) + len(meta(0)) + 8) + box(b"mdat", *contents)


def composed_files():
    """Grids, and pictures of which only a part is shown, with the pixels that are expected."""
    picture = Image.fromarray(scene(128, 128))
    tiles = [picture.crop((left, top, left + 64, top + 64)) for top in (0, 64) for left in (0, 64)]
    grid = avif([encoded(tile, "AVIF", quality=60, subsampling="4:2:0") for tile in tiles], 2, (128, 100), (64, 64))
    yield "grid-420.avif", grid, upright(Image.open(io.BytesIO(grid)))
    size = (61, 47)
    single = encoded(Image.fromarray(scene(*size)), "AVIF", quality=60, subsampling="4:2:0")
    whole = upright(Image.open(io.BytesIO(single)))
    # 40 x 30 pixels from column 12 and row 8 on, then turned counterclockwise.
    part = box(b"clap", struct.pack(">IIIIiIiI", 40, 1, 30, 1, 3, 2, -1, 2))
    yield "part-420.avif", avif([single], 1, size, size, [part]), whole[8:38, 12:52]
    yield "turned-part-420.avif", avif([single], 1, size, size, [part, box(b"irot", b"\1")]), np.rot90(whole[8:38, 12:52])


def luminance_files(size):
    """JPEG 2000 of luminance and chrominance, which only the numbers of their samples tell."""
    if not shutil.which("opj_compress"):
        return
    width, height = size[0] & ~1, size[1] & ~1
    for name, (across, down) in (("luminance-422.j2k", (2, 1)), ("luminance-420.j2k", (2, 2))):
        planes = [random.integers(16, 240, (height, width), dtype=np.uint8)]
        planes += [random.integers(60, 200, (height // down, width // across), dtype=np.uint8) for _ in range(2)]
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "planes.raw", Path(folder) / name
            source.write_bytes(b"".join(plane.tobytes() for plane in planes))
            form = f"{width},{height},3,8,u@1x1:{across}x{down}:{across}x{down}"
            subprocess.run(["opj_compress", "-i", source, "-o", target, "-F", form, "-mct", "0", "-n", "3"], check=True, capture_output=True)
            yield name, target.read_bytes(), 1


def grey_alpha_files(size):
    """Grey that was multiplied by alpha, and as Pillow divides it."""
    pixels = scene(*size, 2)
    pixels[..., 1] = random.integers(0, 256, pixels.shape[:2], dtype=np.uint8)
    data = tiff(pixels, photometric="minisblack", extrasamples=["assocalpha"], planarconfig="contig", compression="zlib")
    yield "premultiplied-grey.tif", data, np.array(Image.open(io.BytesIO(data)).convert("LA").convert("RGB"))


def profile(primaries, gamma, grey=False):
    """An ICC profile of version 2 with a curve of one exponent, and a matrix unless it is of grey."""
    curve = struct.pack(">4sIIH2x", b"curv", 0, 1, round(gamma * 256))

    def point(values):
        return struct.pack(">4sI3i", b"XYZ ", 0, *(round(value * 65536) for value in values))

    white = (0.9642, 1.0, 0.8249)
    name = b"desc" + struct.pack(">II", 0, 11) + b"Wide color\0" + bytes(78)
    tags = {b"desc": name, b"wtpt": point(white), b"cprt": b"text" + bytes(4) + b"none\0"}
    if grey:
        tags[b"kTRC"] = curve
    else:
        tags |= {b"rXYZ": point(primaries[0]), b"gXYZ": point(primaries[1]), b"bXYZ": point(primaries[2]), b"rTRC": curve, b"gTRC": curve, b"bTRC": curve}
    place, table, body = 132 + 12 * len(tags), b"", b""
    for tag, content in tags.items():
        content += bytes(-len(content) % 4)
        table += struct.pack(">4sII", tag, place + len(body), len(content))
        body += content
    header = struct.pack(">I4sI4s4s4s12x4s4sIIIIIIII", place + len(body), b"none", 0x02400000, b"mntr", b"GRAY" if grey else b"RGB ", b"XYZ ", b"acsp", b"APPL", 0, 0, 0, 0, 0, 0, 0, 0)
    header = header[:68] + struct.pack(">3i", *(round(value * 65536) for value in white))
    return header.ljust(128, b"\0") + struct.pack(">I", len(tags)) + table + body


def profile_files(size):
    """Files with color profiles, and their pixels in sRGB."""
    color = Image.fromarray(scene(*size))
    wide = profile([(0.6097, 0.3111, 0.0195), (0.2053, 0.6257, 0.0609), (0.1492, 0.0632, 0.7446)], 2.2)
    grey = profile(None, 1.6, grey=True)
    for name, kind, picture, icc in (("profile.jpg", "JPEG", color, wide), ("profile.png", "PNG", color, wide), ("profile.tif", "TIFF", color, wide), ("profile.webp", "WEBP", color, wide),
                                     ("grey-profile.png", "PNG", color.convert("L"), grey), ("grey-profile.jpg", "JPEG", color.convert("L"), grey)):
        data = encoded(picture, kind, icc_profile=icc)
        image = Image.open(io.BytesIO(data))
        converted = ImageCms.profileToProfile(image, io.BytesIO(icc), ImageCms.createProfile("sRGB"), outputMode="RGB")
        yield name, data, np.array(converted)


def upright(image):
    return np.array(ImageOps.exif_transpose(image).convert("RGB"))


def entry(file, pixels, **more):
    height, width = pixels.shape[:2]
    return {"file": file, "width": width, "height": height, "crc32": zlib.crc32(pixels.tobytes()), **more}


def frames(path):
    """The frames and pages of a file, read in order."""
    image = Image.open(path)
    for index in range(getattr(image, "n_frames", 1)):
        image.seek(index)
        image.load()
        yield index, upright(image.copy() if index else image)


def ground_files():
    """Black strokes on nothing, whose transparent pixels are black, too."""
    pixels = np.zeros((9, 16, 4), dtype=np.uint8)
    pixels[2:4, 3:13, 3] = pixels[4:8, 7:9, 3] = 255
    picture = Image.fromarray(pixels)
    yield "transparent-text.png", encoded(picture, "PNG")
    yield "transparent-text.webp", encoded(picture, "WEBP", lossless=True)
    yield "transparent-text-animated.webp", encoded(
        picture, "WEBP", lossless=True, save_all=True, append_images=[Image.new("RGBA", picture.size)])
    indices = Image.fromarray((pixels[..., 3] > 0).astype(np.uint8), "P")
    indices.putpalette([0] * 6)
    yield "transparent-text.gif", encoded(indices, "GIF", transparency=0, optimize=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wide")
    options = parser.parse_args()
    folder = Path(options.wide) if options.wide else Path(__file__).parent / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    decoded = []
    sizes = [(1, 1), (3, 50), (40, 28), (97, 61), (160, 130), (333, 222)] if options.wide else [(40, 28)]
    for size in sizes:
        prefix = f"{size[0]}x{size[1]}-" if options.wide else ""
        for files in (webp_files, gif_files, bmp_files, pnm_files, tiff_files, jpeg2000_files):
            for name, data in files(size):
                path = folder / (prefix + name)
                path.write_bytes(data)
                try:
                    results = list(frames(path))
                except Exception as error:
                    print(f"Pillow: {path.name}: {error!r}", file=sys.stderr)
                    path.unlink()
                    continue
                decoded += [entry(path.name, pixels, frame=index) for index, pixels in results]
        for name, data, pixels in deep_grey_files(size):
            (folder / (prefix + name)).write_bytes(data)
            decoded.append(entry(prefix + name, pixels, frame=0))
        for name, data, tolerance in heif_files(size) if min(size) > 16 else []:
            path = folder / (prefix + name)
            path.write_bytes(data)
            pixels = upright(Image.open(path))
            reference = path.name + ".png"
            Image.fromarray(pixels).save(folder / reference)
            decoded.append(entry(path.name, pixels, frame=0, tolerance=tolerance, reference=reference))
        for name, data, pixels in profile_files(size):
            (folder / (prefix + name)).write_bytes(data)
            decoded.append(entry(prefix + name, pixels, frame=0, profile="srgb"))
        for name, data in apng_files(size):
            path = folder / (prefix + name)
            path.write_bytes(data)
            decoded += [entry(path.name, pixels, frame=index) for index, pixels in frames(path)]
    for size in sizes:
        prefix = f"{size[0]}x{size[1]}-" if options.wide else ""
        files = list(shared_color_files(size)) if min(size) > 16 else []
        for name, data, tolerance in files + list(luminance_files(size)):
            path = folder / (prefix + name)
            path.write_bytes(data)
            pixels = upright(Image.open(path))
            reference = path.name + ".png"
            Image.fromarray(pixels).save(folder / reference)
            decoded.append(entry(path.name, pixels, frame=0, tolerance=tolerance, reference=reference))
        for name, data, pixels in grey_alpha_files(size):
            (folder / (prefix + name)).write_bytes(data)
            decoded.append(entry(prefix + name, pixels, frame=0))
    for name, data, pixels in composed_files():
        (folder / name).write_bytes(data)
        Image.fromarray(np.ascontiguousarray(pixels)).save(folder / (name + ".png"))
        decoded.append(entry(name, pixels, frame=0, tolerance=2, reference=name + ".png"))
    for name, data in ground_files():
        (folder / name).write_bytes(data)
    (folder / "references.json").write_text(json.dumps({"decoded": decoded}, indent=0) + "\n")
    print(f"{len(decoded)} pictures")


main()
