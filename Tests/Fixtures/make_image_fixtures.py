"""Makes the files in Tests/Fixtures/images and the reference results of Pillow beside them.

    python3 -m venv venv && venv/bin/pip install pillow==13.0.0 numpy==2.4.6
    venv/bin/python Tests/Fixtures/make_image_fixtures.py

Every reference is `ImageOps.exif_transpose(image).convert("RGB")`, followed by `resize` where needed. Grey of 16 bits
is an exception: it keeps its high byte, as color of 16 bits does in Pillow, whereas Pillow would clip it.
"""

import io
import json
import struct
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

HERE = Path(__file__).parent
IMAGES = HERE / "images"
PHOTOS = HERE / "photos"
FILTERS = {
    "nearest": Image.Resampling.NEAREST,
    "box": Image.Resampling.BOX,
    "bilinear": Image.Resampling.BILINEAR,
    "hamming": Image.Resampling.HAMMING,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
}
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


def chunk(name, data, crc=None):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data) if crc is None else crc)


def packed(samples, depth):
    """Rows of samples (height, width, channels) as PNG packs them, each after filter type 0."""
    rows = []
    for row in samples:
        flat = row.reshape(-1)
        if depth == 16:
            data = flat.astype(">u2").tobytes()
        elif depth == 8:
            data = flat.astype(np.uint8).tobytes()
        else:
            bits = np.unpackbits(flat.astype(np.uint8)[:, None], axis=1)[:, 8 - depth:].reshape(-1)
            data = np.packbits(bits).tobytes()
        rows.append(b"\0" + data)
    return b"".join(rows)


def png(samples, depth, color_type, interlaced=False, before=b"", after=b"", end=True):
    height, width = samples.shape[:2]
    if interlaced:
        passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
        parts = [samples[y::dy, x::dx] for x, y, dx, dy in passes]
        data = b"".join(packed(part, depth) for part in parts if part.shape[0] and part.shape[1])
    else:
        data = packed(samples, depth)
    header = struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0, int(interlaced))
    file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + chunk(b"IDAT", zlib.compress(data, 9)) + after
    return file + chunk(b"IEND", b"") if end else file


def exif(orientation):
    tags = Image.Exif()
    tags[0x0112] = orientation
    return tags


def big_endian_exif(orientation):
    return b"MM\0*" + struct.pack(">IH", 8, 1) + struct.pack(">HHIHHI", 0x0112, 3, 1, orientation, 0, 0)


def segments(jpeg):
    """Yields (offset, marker, length with marker) of the segments before the first scan."""
    offset = 2
    while jpeg[offset + 1] != 0xDA:
        length = struct.unpack(">H", jpeg[offset + 2:offset + 4])[0] + 2
        yield offset, jpeg[offset + 1], length
        offset += length


def patched(jpeg, marker, at, replacement):
    for offset, found, _ in segments(jpeg):
        if found == marker:
            start = offset + at
            return jpeg[:start] + replacement + jpeg[start + len(replacement):]
    raise ValueError("no such marker")


def without(jpeg, marker):
    for offset, found, length in segments(jpeg):
        if found == marker:
            return jpeg[:offset] + jpeg[offset + length:]
    raise ValueError("no such marker")


def jpeg_files():
    color = Image.fromarray(scene())
    grey = Image.fromarray(scene(channels=1)[..., 0])
    square = Image.fromarray(scene(32, 32))
    inks = Image.frombytes("CMYK", (40, 28), scene(channels=4).tobytes())
    plain = encoded(color, "JPEG", quality=90, subsampling="4:4:4")
    yield "color-444.jpg", plain
    yield "color-422.jpg", encoded(color, "JPEG", quality=90, subsampling="4:2:2")
    yield "color-420.jpg", encoded(color, "JPEG", quality=60, subsampling="4:2:0")
    # The same number of blocks in each unit under other sampling factors is another valid picture.
    yield "color-440.jpg", patched(encoded(square, "JPEG", subsampling="4:2:2"), 0xC0, 11, b"\x12")
    yield "color-411.jpg", patched(encoded(square, "JPEG", subsampling="4:2:0"), 0xC0, 11, b"\x41")
    yield "odd-sampling.jpg", patched(encoded(square, "JPEG", subsampling="4:4:4"), 0xC0, 11, b"\x11\0\2\x11\1\3\x11\1")
    yield "progressive.jpg", encoded(color, "JPEG", quality=85, progressive=True)
    yield "restarts.jpg", encoded(color, "JPEG", quality=85, restart_marker_blocks=2)
    yield "grey.jpg", encoded(grey, "JPEG", quality=90)
    yield "one-pixel.jpg", encoded(color.crop((0, 0, 1, 1)), "JPEG")
    yield "rgb-adobe.jpg", encoded(color, "JPEG", quality=90, keep_rgb=True)
    cmyk = encoded(inks, "JPEG", quality=90)
    yield "cmyk-adobe.jpg", cmyk
    yield "ycck-adobe.jpg", patched(cmyk, 0xEE, 15, b"\2")
    yield "cmyk-plain.jpg", without(cmyk, 0xEE)
    for orientation in range(1, 9):
        yield f"orientation-{orientation}.jpg", encoded(color, "JPEG", quality=90, exif=exif(orientation))
    yield "orientation-bad.jpg", encoded(color, "JPEG", quality=90, exif=exif(9))
    tail = b"\xff\xe1" + struct.pack(">H", 6 + 26 + 2) + b"Exif\0\0" + big_endian_exif(6)
    yield "orientation-6-big-endian.jpg", plain[:2] + tail + plain[2:]
    yield "trailing-data.jpg", plain + b"more bytes \xff\xd8\xff" * 5
    yield "padded-end.jpg", plain[:-2] + bytes(4) + plain[-2:]


def png_files():
    color = scene()
    alpha = scene(channels=4)
    palette = bytes(random.integers(0, 256, 48, dtype=np.uint8))
    colors = chunk(b"PLTE", palette)
    indices = random.integers(0, 16, (28, 40, 1))
    deep = random.integers(0, 65536, (28, 40, 4))
    profile = chunk(b"iCCP", b"name\0\0" + zlib.compress(bytes(200)))
    yield "grey-1.png", png(color[..., :1] >> 7, 1, 0)
    yield "grey-2.png", png(color[..., :1] >> 6, 2, 0)
    yield "grey-4.png", png(color[..., :1] >> 4, 4, 0)
    yield "grey-8.png", png(color[..., :1], 8, 0)
    yield "grey-8-transparent.png", png(color[..., :1], 8, 0, before=chunk(b"tRNS", struct.pack(">H", 130)))
    yield "rgb-8.png", png(color, 8, 2)
    yield "rgb-8-transparent.png", png(color, 8, 2, before=chunk(b"tRNS", struct.pack(">HHH", *map(int, color[3, 4]))))
    yield "rgb-8-interlaced.png", png(color, 8, 2, interlaced=True)
    yield "rgb-16.png", png(deep[..., :3], 16, 2)
    yield "rgb-16-interlaced.png", png(deep[..., :3], 16, 2, interlaced=True)
    yield "palette-1.png", png(indices % 2, 1, 3, before=chunk(b"PLTE", palette[:6]))
    yield "palette-2.png", png(indices % 4, 2, 3, before=chunk(b"PLTE", palette[:12]))
    yield "palette-4.png", png(indices, 4, 3, before=colors)
    yield "palette-8.png", png(indices, 8, 3, before=colors)
    yield "palette-8-transparent.png", png(indices, 8, 3, before=colors + chunk(b"tRNS", bytes([0, 90, 255, 13])))
    yield "palette-4-interlaced.png", png(indices, 4, 3, interlaced=True, before=colors)
    yield "palette-8-missing-colors.png", png(indices, 8, 3, before=chunk(b"PLTE", palette[:24]))
    yield "grey-alpha-8.png", png(alpha[..., :2], 8, 4)
    yield "grey-alpha-16.png", png(deep[..., :2], 16, 4)
    yield "rgba-8.png", png(alpha, 8, 6)
    yield "rgba-8-interlaced.png", png(alpha, 8, 6, interlaced=True)
    yield "rgba-16.png", png(deep, 16, 6)
    yield "one-pixel.png", png(color[:1, :1], 8, 2)
    yield "narrow-interlaced.png", png(color[:, :3], 8, 2, interlaced=True)
    yield "gamma-and-profile.png", png(color, 8, 2, before=chunk(b"gAMA", struct.pack(">I", 100000)) + profile)
    yield "trailing-data.png", png(color, 8, 2) + b"more bytes"
    yield "orientation-6.png", png(color, 8, 2, before=chunk(b"eXIf", big_endian_exif(6)))
    yield "orientation-3-after.png", png(color, 8, 2, after=chunk(b"eXIf", big_endian_exif(3)))
    yield "png-named.jpg", png(color, 8, 2)


def deep_grey_files():
    """16-bit grey, with the high bytes that are expected."""
    deep = random.integers(0, 65536, (28, 40, 1))
    deep[0, :4, 0] = [0, 255, 256, 65535]
    for name, interlaced in [("grey-16.png", False), ("grey-16-interlaced.png", True)]:
        yield name, png(deep, 16, 0, interlaced), np.repeat((deep >> 8).astype(np.uint8), 3, -1)


def bad_files():
    """Files that are not decoded, with the code of their error."""
    color = scene()
    good = png(color, 8, 2)
    jpeg = encoded(Image.fromarray(color), "JPEG", quality=90)
    bomb = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    data = good.index(b"IDAT")
    yield "empty", b"", "empty"
    yield "page.jpg", b"<!DOCTYPE html>\n<html><body>404 not found</body></html>\n", "unrecognized"
    yield "pointer.png", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "unrecognized"
    yield "zeros.png", bytes(64), "unrecognized"
    yield "text.bmp", b"BM begins this line of text\n", "unrecognized"
    yield "bomb.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bomb) + chunk(b"IDAT", zlib.compress(bytes(1000))) \
        + chunk(b"IEND", b""), "too-large"
    yield "bomb.jpg", patched(jpeg, 0xC0, 5, struct.pack(">HH", 60000, 60000)), "too-large"
    yield "no-end-chunk.png", png(color, 8, 2, end=False), "truncated"
    yield "no-end-marker.jpg", jpeg[:-12], "truncated"
    progressive = encoded(Image.fromarray(color), "JPEG", quality=90, progressive=True)
    yield "no-last-scan.jpg", progressive[:progressive.rindex(b"\xff\xda")], "truncated"
    yield "wrong-checksum.png", good[:-20] + bytes([good[-20] ^ 1]) + good[-19:], "corrupt"
    yield "wrong-data.png", good[:data + 40] + bytes([good[data + 40] ^ 16]) + good[data + 41:], "corrupt"
    yield "wrong-checksum-of-text.png", png(color, 8, 2, before=chunk(b"tEXt", b"Title\0x", crc=1)), "corrupt"
    yield "too-few-rows.png", chunked_short(color), "corrupt"
    yield "no-palette.png", png(color[..., :1], 8, 3), "corrupt"
    yield "zero-width.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 0, 5, 8, 2, 0, 0, 0)), "corrupt"
    yield "late-header.png", b"\x89PNG\r\n\x1a\n" + chunk(b"tEXt", b"Title\0x" * 4) + good[8:], "corrupt"
    yield "marker-in-data.jpg", jpeg[:-120] + b"\xff\xd9", "corrupt"
    yield "no-height.jpg", patched(jpeg, 0xC0, 5, b"\0\0"), "unsupported"
    yield "no-width.jpg", patched(jpeg, 0xC0, 7, b"\0\0"), "corrupt"
    yield "twelve-bits.jpg", patched(jpeg, 0xC0, 4, b"\x0c"), "unsupported"
    yield "lossless.jpg", patched(jpeg, 0xC0, 1, b"\xc3"), "unsupported"
    yield "two-frames.jpg", jpeg[:2] + b"\xff\xc0\0\x0b\x08\0\x08\0\x08\1\1\x11\0" + jpeg[2:], "corrupt"


def damaged_files():
    """JPEG files whose pixels are complete, with the pixels and what is wrong."""
    color = Image.fromarray(scene())
    for kind, options in ("baseline", {}), ("progressive", {"progressive": True}):
        jpeg = encoded(color, "JPEG", quality=90, **options)
        pixels = np.array(Image.open(io.BytesIO(jpeg)).convert("RGB"))
        missing = "the end marker is missing"
        yield f"no-end-{kind}.jpg", jpeg[:-2], pixels, missing
        yield f"half-an-end-{kind}.jpg", jpeg[:-1], pixels, missing
        yield f"much-padding-{kind}.jpg", jpeg[:-2] + bytes(400) + jpeg[-2:], pixels, "extraneous bytes before the end marker"
        first = 2 + next(length for _, _, length in segments(jpeg))
        between = jpeg[:first] + b"abc\0\xff\xff\0" + jpeg[first:]
        yield f"between-segments-{kind}.jpg", between, pixels, "7 extraneous bytes between segments"
        yield f"several-{kind}.jpg", between[:-2], pixels, f"7 extraneous bytes between segments; {missing}"


    yield from misstated_files(color)


def misstated_files(color):
    """JPEG files with fields that libjpeg takes for others with a warning, as Pillow decodes them."""
    def scan(jpeg, parameters):
        start = jpeg.index(b"\xff\xda")
        length = struct.unpack(">H", jpeg[start + 2:start + 4])[0]
        return jpeg[:start + length - 1] + bytes(parameters) + jpeg[start + 2 + length:]

    baseline = encoded(color, "JPEG", quality=90)
    bare = without(baseline, 0xE0)
    grey = encoded(color.convert("L"), "JPEG", quality=90)
    inks = encoded(Image.frombytes("CMYK", (40, 28), scene(channels=4).tobytes()), "JPEG", quality=90)
    adobe = b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0"
    revision = patched(baseline, 0xE0, 9, b"\2\7")
    parameters = "the parameters of a scan are not sequential"
    unknown = "Adobe's color transform {} is unknown for {} components, and taken for {}"
    for name, data, warning in (
        ("scan-of-zeros", scan(baseline, [0, 0, 0]), parameters),
        ("scan-of-zeros-no-end", scan(baseline, [0, 0, 0])[:-2], f"{parameters}; the end marker is missing"),
        ("scan-of-bits", scan(grey, [0, 63, 0x21]), parameters),
        ("scan-of-few", scan(bare, [1, 5, 0]), parameters),
        ("scan-restarts", scan(encoded(color, "JPEG", quality=90, restart_marker_blocks=1), [0, 0, 0]), parameters),
        ("revision-2", revision, "the revision 2 of JFIF is unknown"),
        ("revision-and-scan", scan(revision, [0, 0, 0]), f"the revision 2 of JFIF is unknown; {parameters}"),
        ("transform-5", bare[:2] + adobe + b"\5" + bare[2:], unknown.format(5, 3, 1)),
        ("transform-2", bare[:2] + adobe + b"\2" + bare[2:], unknown.format(2, 3, 1)),
        ("inks-transform-1", patched(inks, 0xEE, 15, b"\1"), unknown.format(1, 4, 2)),
        ("inks-transform-9", patched(inks, 0xEE, 15, b"\x09"), unknown.format(9, 4, 2)),
    ):
        whole = data if data.endswith(b"\xff\xd9") else data + b"\xff\xd9"
        yield f"{name}.jpg", data, np.array(Image.open(io.BytesIO(whole)).convert("RGB")), warning


def oriented_files():
    """Small files of four kinds, with orientations in EXIF, XMP and what stands for them."""
    color = Image.fromarray(scene(8, 6))
    tag = "tiff:Orientation"
    packets = {
        "attribute": f'<x:xmpmeta><rdf:Description {tag}="6"/></x:xmpmeta>',
        "element": f"<x:xmpmeta><{tag}>8</{tag}></x:xmpmeta>",
        "apostrophes": f"<x:xmpmeta><rdf:Description {tag}='6'/></x:xmpmeta>",
        "second": f"<rdf:Description {tag}='6'/><{tag}/><{tag}>x</{tag}><{tag}>3</{tag}>",
        "none": "<x:xmpmeta/>",
        "nine": f'<rdf:Description {tag}="9"/><{tag}>3</{tag}>',
        "cut": f"<x:xmpmeta><{tag}>",
    }
    blocks = {
        "missing": big_endian_exif(6).replace(b"\x01\x12", b"\x01\x0f"),
        "upright": big_endian_exif(1),
        "turned": big_endian_exif(5),
        "nine": big_endian_exif(9),
        "byte": big_endian_exif(6).replace(b"\x01\x12\0\3", b"\x01\x12\0\1"),
        "long": b"MM\0*" + struct.pack(">IHHHIII", 8, 1, 0x0112, 4, 1, 7, 0),
        "two": b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x0112, 3, 2, 6, 3, 0),
        "twice": b"MM\0*" + struct.pack(">IHHHIHHHHIHHI", 8, 2, 0x0112, 3, 1, 6, 0, 0x0112, 3, 1, 3, 0, 0),
        "empty": b"",
    }

    def hexadecimal(block, name="exif"):
        digits = (b"Exif\0\0" + block).hex()
        lines = "\n".join(digits[start:start + 72] for start in range(0, len(digits), 72))
        return f"\n{name}\n{len(block) + 6:8}\n{lines}\n".encode()

    def variants(kind):
        for name, packet in packets.items():
            yield f"xmp-{name}", None, packet.encode()
        for name, block in blocks.items():
            yield f"exif-{name}", block, None
            yield f"exif-{name}-xmp", block, packets["attribute"].encode()

    for name, block, packet in variants("JPEG"):
        head = b"".join(b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data for data in (
            [b"Exif\0\0" + block] if block is not None else []) + (
            [b"http://ns.adobe.com/xap/1.0/\0" + packet] if packet else []))
        jpeg = encoded(color, "JPEG", quality=90)
        yield f"{name}.jpg", jpeg[:2] + head + jpeg[2:]
    jpeg, block = encoded(color, "JPEG", quality=90), b"Exif\0\0" + blocks["turned"]
    parts = [block[:20], b"Exif\0\0" + block[20:]]
    yield "exif-in-parts.jpg", jpeg[:2] + b"".join(
        b"\xff\xe1" + struct.pack(">H", len(part) + 2) + part for part in parts) + jpeg[2:]
    yield "exif-prefixed-twice.jpg", jpeg[:2] + b"\xff\xe1" + struct.pack(
        ">H", len(block) + 8) + b"Exif\0\0" + block + jpeg[2:]

    def itext(packet, compressed):
        return chunk(b"iTXt", b"XML:com.adobe.xmp\0" + bytes([compressed, 0]) + b"\0\0" + (
            zlib.compress(packet) if compressed else packet))

    samples = scene(8, 6)
    for index, (name, block, packet) in enumerate(variants("PNG")):
        chunks = (chunk(b"eXIf", block) if block is not None else b"") + (itext(packet, index % 2) if packet else b"")
        yield f"{name}.png", png(samples, 8, 2, **{"after" if index % 3 else "before": chunks})
    raw = b"Raw profile type exif\0"
    turned, packet = hexadecimal(blocks["turned"]), packets["attribute"].encode()
    for name, chunks in {
        "profile": chunk(b"tEXt", raw + turned),
        "profile-compressed": chunk(b"zTXt", raw + b"\0" + zlib.compress(turned)),
        "profile-international": chunk(b"iTXt", raw + b"\1\0\0\0" + zlib.compress(turned)),
        "profile-other": chunk(b"tEXt", b"Raw profile type APP1\0" + turned),
        "profile-before-exif": chunk(b"tEXt", raw + turned) + chunk(b"eXIf", blocks["upright"]),
        "profile-missing-xmp": chunk(b"tEXt", raw + hexadecimal(blocks["missing"])) + itext(packet, 1),
        "text-exif": chunk(b"tEXt", b"exif\0" + blocks["turned"]),
        "text-xmp": chunk(b"tEXt", b"XML:com.adobe.xmp\0" + packet),
        "two-exif": chunk(b"eXIf", blocks["turned"]) + chunk(b"eXIf", blocks["long"]),
    }.items():
        yield f"{name}.png", png(samples, 8, 2, after=chunks)
    for name, block, packet in variants("WebP"):
        more = {"exif": block} if block else {}
        yield f"{name}.webp", encoded(color, "WebP", lossless=True, xmp=packet or b"", **more)
    for name, packet in packets.items():
        yield f"xmp-{name}.tif", encoded(color, "TIFF", tiffinfo={700: packet.encode()})
        for orientation in (1, 3):
            yield f"tag-{orientation}-xmp-{name}.tif", encoded(
                color, "TIFF", tiffinfo={700: packet.encode(), 274: orientation})


def chunked_short(color):
    header = struct.pack(">IIBBBBB", 40, 28, 8, 2, 0, 0, 0)
    data = zlib.compress(packed(color[:20], 8))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def upright(path):
    return ImageOps.exif_transpose(Image.open(path)).convert("RGB")


def entry(file, pixels, **more):
    height, width = pixels.shape[:2]
    return {"file": file, "width": width, "height": height, "crc32": zlib.crc32(pixels.tobytes()), **more}


def shortest(edge, longest=None, whole=int):
    """Hugging Face's size for `shortest_edge`, as a function of width and height; `whole` rounds the long edge."""
    def size(width, height):
        short, long = min(width, height), max(width, height)
        exact = edge
        if longest is not None and long / short * edge > longest:
            exact = longest * short / long
        new_short = round(exact)
        new_long = long if short == new_short else whole(exact * long / short)
        return (new_short, new_long) if width <= height else (new_long, new_short)
    return size


def within(max_width, max_height):
    def size(width, height):
        scale = min(max_height / height, max_width / width)
        return int(width * scale), int(height * scale)
    return size


def center_crop(pixels, width, height):
    """Hugging Face's center crop, which surrounds a smaller image with black."""
    have_height, have_width = pixels.shape[:2]
    top, left = -((height - have_height) // -2), -((width - have_width) // -2)
    canvas = np.zeros((max(height, have_height), max(width, have_width), 3), np.uint8)
    y, x = max(top, 0), max(left, 0)
    canvas[y:y + have_height, x:x + have_width] = pixels
    y, x = max((have_height - height) // 2, 0), max((have_width - width) // 2, 0)
    return canvas[y:y + height, x:x + width]


IMAGENET = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
CLIP = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
HALF = [0.5] * 3, [0.5] * 3
PREPROCESSING = [
    # The name of a configuration in the tests, photo, size, crop, scale, mean, std, flip, filter.
    ("squeezenet", "photos/rocket.jpg", (227, 227), None, None, [123.68, 116.779, 103.939], [1] * 3, True, 2),
    ("efficientnet-lite", "photos/chelsea.png", shortest(256, whole=round), (224, 224), None, [127] * 3, [128] * 3, False, 3),
    ("vit", "photos/chelsea.png", (224, 224), None, 1 / 255, *HALF, False, 2),
    ("clip", "photos/rocket.jpg", shortest(224), (224, 224), 1 / 255, *CLIP, False, 3),
    ("resnet", "photos/chelsea.png", shortest(256), (224, 224), 1 / 255, *IMAGENET, False, 3),
    ("convnext-384", "photos/chelsea.png", (384, 384), None, 1 / 255, *IMAGENET, False, 3),
    ("levit", "photos/rocket.jpg", shortest(256), (224, 224), 1 / 255, *IMAGENET, False, 3),
    ("mobilevit", "photos/coffee.png", shortest(288), (256, 256), 1 / 255, None, None, True, 2),
    ("crop-larger", "photos/rocket.jpg", shortest(60), (75, 130), 1 / 255, *IMAGENET, False, 1),
    ("crop-odd", "photos/rocket.jpg", shortest(61), (50, 33), 0.1, None, None, False, 0),
    ("longest", "photos/rocket.jpg", shortest(300, 400), None, 1 / 255, *IMAGENET, False, 2),
    ("within", "photos/rocket.jpg", within(123, 200), None, 1 / 255, *IMAGENET, False, 4),
    ("plain", "images/rgb-8.png", (40, 28), None, None, None, None, False, 0),
]


def main():
    for folder in (IMAGES, IMAGES / "bad", IMAGES / "damaged", IMAGES / "oriented"):
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            if old.is_file():
                old.unlink()
    decoded, resized, bad = [], [], []
    for name, data in [*jpeg_files(), *png_files()]:
        (IMAGES / name).write_bytes(data)
        decoded.append(entry(f"images/{name}", np.array(upright(IMAGES / name))))
    for name, data, pixels in deep_grey_files():
        (IMAGES / name).write_bytes(data)
        decoded.append(entry(f"images/{name}", pixels))
    for name, data, code in bad_files():
        (IMAGES / "bad" / name).write_bytes(data)
        bad.append({"file": f"images/bad/{name}", "code": code})
    damaged = []
    for name, data, pixels, warning in damaged_files():
        (IMAGES / "damaged" / name).write_bytes(data)
        damaged.append(entry(f"images/damaged/{name}", pixels, warning=warning))
    oriented = []
    for name, data in oriented_files():
        (IMAGES / "oriented" / name).write_bytes(data)
        oriented.append(entry(f"images/oriented/{name}", np.array(upright(IMAGES / "oriented" / name))))

    sizes = [(224, 224), (227, 227), (341, 256), (97, 300), (700, 40), (1, 1), (640, 600), (1000, 17)]
    for photo in sorted(PHOTOS.iterdir()):
        image = upright(photo)
        decoded.append(entry(f"photos/{photo.name}", np.array(image)))
        unchanged = [(image.width, 100), (100, image.height), image.size]
        for name, resample in FILTERS.items():
            for size in sizes + unchanged:
                pixels = np.array(image.resize(size, resample))
                resized.append(entry(f"photos/{photo.name}", pixels, filter=name))
    for name, resample in FILTERS.items():
        for size in [(12, 9), (97, 71), (40, 5), (1, 28), (36, 19), (36, 20), (300, 2), (9, 200)]:
            pixels = np.array(upright(IMAGES / "rgb-8.png").resize(size, resample))
            resized.append(entry("images/rgb-8.png", pixels, filter=name, bytes=pixels.tobytes().hex()
                                 if pixels.size < 400 else None))
    fitted = []
    for name, resample in FILTERS.items():
        for size in [(224, 224), (300, 100), (100, 300), (1000, 1000), (7, 5)]:
            pixels = np.array(ImageOps.pad(upright(PHOTOS / "rocket.jpg"), size, resample, (114, 3, 250)))
            fitted.append(entry("photos/rocket.jpg", pixels, filter=name))
    preprocessed = []
    for name, file, size, crop, scale, mean, std, flip, resample in PREPROCESSING:
        image = upright(HERE / file)
        pixels = np.array(image.resize(size(*image.size) if callable(size) else size, resample))
        if crop:
            pixels = center_crop(pixels, *crop)
        numbers = pixels.astype(np.float32)
        if scale is not None:
            numbers = numbers * np.float32(scale)
        if mean is not None:
            numbers = (numbers - np.array(mean, np.float32)) / np.array(std, np.float32)
        if flip:
            numbers = numbers[..., ::-1]
        assert numbers.dtype == np.float32
        preprocessed.append(entry(file, numbers, name=name, crc32_channels_first=zlib.crc32(
            np.ascontiguousarray(numbers.transpose(2, 0, 1)).tobytes())))
    grey = np.array(upright(PHOTOS / "chelsea.png").convert("L").resize((64, 48), Image.Resampling.BICUBIC))
    references = {
        "decoded": decoded, "resized": resized, "bad": bad, "damaged": damaged, "oriented": oriented, "fitted": fitted, "preprocessed": preprocessed,
        "grey": entry("photos/chelsea.png", grey, filter="bicubic"),
    }
    (IMAGES / "references.json").write_text(json.dumps(references, indent=0) + "\n")


main()
