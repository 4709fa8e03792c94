"""Files that are damaged, enormous or unusual pictures, or not pictures."""

import os
import struct
import zlib

from cases import ANSWER, EITHER, ERROR, Case, chosen

FIXTURES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Fixtures")
PHOTO = os.path.join(FIXTURES, "photos", "rocket.jpg")
MODEL = os.path.join(FIXTURES, "models", "squeezenet1_1.onnx")


def cases(texts=("",)):
    for group in chosen((fixtures, kinds, png, jpeg, webp, gif, bmp, pnm, tiff, boxes, others, places), texts):
        for name, files, expected in group():
            if not isinstance(files, dict):
                files = {"picture": files}
            first = next(iter(files))
            yield Case(f"{group.__name__}/{name}", files, expected, [["predict", MODEL, first, "--format", "jsonl"]])


def content(*path):
    with open(os.path.join(FIXTURES, *path), "rb") as file:
        return file.read()


def fixtures():
    """Every kind that is decoded, whole and damaged."""
    folder = os.path.join(FIXTURES, "images")
    for name in sorted(os.listdir(folder)):
        if not name.endswith((".png", ".jpg")):
            continue
        whole = content("images", name)
        yield f"{name}", whole, ANSWER
        for part in (1, 3, 7, 30, 60, 90, 99):
            yield f"{name}, {part} % of it", whole[:len(whole) * part // 100], EITHER if part == 99 else ERROR
        yield f"{name} without its end", whole[:-2], EITHER
        for part in (20, 50, 80):
            damaged = bytearray(whole)
            for index in range(len(whole) * part // 100, min(len(whole), len(whole) * part // 100 + 16)):
                damaged[index] ^= 0x5A
            yield f"{name} damaged at {part} %", bytes(damaged), EITHER
        yield f"{name} twice", whole + whole, EITHER


def kinds():
    """Every other kind, whole, cut and damaged."""
    folder = os.path.join(FIXTURES, "pictures")
    for name in sorted(os.listdir(folder)):
        if name.endswith((".heic.png", ".avif.png", ".json")):
            continue
        whole = content("pictures", name)
        yield f"{name}", {name: whole}, ANSWER
        for part in (1, 5, 20, 50, 80):
            yield f"{name}, {part} % of it", {name: whole[:len(whole) * part // 100]}, EITHER if name in ("animated-0.gif", "animated-1.gif", "animated-2.gif", "animated-3.gif", "parts.gif", "pages.tif") else ERROR
        for part in (0, 3, 10, 20, 50, 80):
            damaged = bytearray(whole)
            start = len(whole) * part // 100
            for index in range(start + 8, min(len(whole), start + 24)):
                damaged[index] ^= 0x5A
            yield f"{name} damaged at {part} %", {name: bytes(damaged)}, EITHER
            damaged[start + 8:start + 16] = b"\xff" * 8
            yield f"{name} with large numbers at {part} %", {name: bytes(damaged)}, EITHER


def webp():
    def riff(*chunks):
        body = b"WEBP" + b"".join(name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for name, data in chunks)
        return b"RIFF" + struct.pack("<I", len(body)) + body

    def canvas(width, height, flags=0):
        return b"VP8X", bytes([flags, 0, 0, 0]) + struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]

    plain = content("pictures", "lossy.webp")
    picture = plain[12:16], plain[20:20 + struct.unpack("<I", plain[16:20])[0]]
    for size in ((1 << 24, 1 << 24), (16_383, 16_383), (1, 1 << 24), (13_000, 9_000)):
        yield f"canvas of {size}", riff(canvas(*size), picture), ERROR
        frame = struct.pack("<IIII", 0, 0, 0, 0)[:12] + bytes(4)
        yield f"animated canvas of {size}", riff(canvas(*size, 2), (b"ANIM", bytes(6)), (b"ANMF", frame + plain[12:])), ERROR
    yield "lossless of 16384 × 16384", riff((b"VP8L", b"\x2f\xff\xff\xff\x0f" + bytes(99))), ERROR
    yield "lossless of 10000 × 9000", riff((b"VP8L", b"\x2f" + struct.pack("<I", 9_999 | 8_999 << 14) + bytes(99))), ERROR
    yield "million chunks", riff(canvas(40, 28), *[(b"abcd", b"")] * 1_000_000, picture), EITHER
    yield "length beyond the file", plain[:4] + b"\xff\xff\xff\xff" + plain[8:], ERROR
    yield "chunk beyond the file", plain[:16] + b"\xff\xff\xff\x7f" + plain[20:], ERROR
    yield "no picture", riff(canvas(40, 28)), ERROR


def gif():
    def screen(width, height):
        return b"GIF89a" + struct.pack("<HHBBB", width, height, 0, 0, 0)

    def frame(left, top, width, height, data=b"\2\1\x44\0", flags=0):
        return b"," + struct.pack("<HHHHB", left, top, width, height, flags) + data

    for size in ((65_535, 65_535), (20_000, 20_000), (11_000, 10_900), (1, 65_535)):
        yield f"screen of {size}", screen(*size) + frame(0, 0, 1, 1) + b";", EITHER
        yield f"frame of {size}", screen(1, 1) + frame(0, 0, *size) + b";", ERROR
        yield f"frame at {size}", screen(1, 1) + frame(*size, 1, 1) + b";", EITHER
    yield "no frames", screen(1, 1) + b";", ERROR
    yield "million frames", screen(1, 1) + frame(0, 0, 1, 1) * 1_000_000 + b";", EITHER
    yield "million extensions", screen(1, 1) + b"!\xfe\1x\0" * 1_000_000 + frame(0, 0, 1, 1) + b";", EITHER
    yield "garbage between blocks", screen(1, 1) + b"x" * 10_000_000 + frame(0, 0, 1, 1) + b";", EITHER
    for bits in (0, 1, 8, 11, 12, 255):
        yield f"codes of {bits} bits", screen(9, 9) + frame(0, 0, 9, 9, bytes([bits]) + b"\xff" + bytes(range(255)) + b"\0"), EITHER
    yield "empty frame", screen(5, 5) + frame(0, 0, 0, 0) + b";", EITHER
    yield "screen of nothing", screen(0, 0) + frame(0, 0, 0, 0) + b";", ERROR


def bmp():
    def file(width, height, bits=24, compression=0, data=b"", colors=0, offset=54, size=40):
        return b"BM" + struct.pack("<IHHIIiiHHIIiiII", 58, 0, 0, offset, size, width, height, 1, bits, compression, 0, 0, 0, colors, 0) + data

    for size in (((1 << 31) - 1, (1 << 31) - 1), (1 << 30, -(1 << 31)), (65_536, 65_536), (0, 1), (1, 0), (-5, 5), (11_000, 10_900)):
        for bits, compression in ((1, 0), (8, 1), (24, 0), (32, 3)):
            yield f"{size} of {bits} bits", file(*size, bits, compression, bytes(2000)), ERROR
    yield "runs beyond the row", file(8, 8, 8, 1, bytes(1024) + b"\xff\1" * 2_000_000, offset=54 + 1024), EITHER
    yield "runs that only move", file(8, 8, 8, 1, bytes(1024) + b"\0\2\xff\0" * 2_000_000, offset=54 + 1024), EITHER
    yield "large runs", file(10_000, 9_000, 8, 1, bytes(1024) + b"\0\1", offset=54 + 1024), ANSWER
    yield "2^31 colours", file(4, 4, 8, 0, bytes(2000), colors=1 << 31), ERROR
    yield "pixels at 2^32 - 1", file(4, 4, 24, 0, bytes(99), offset=(1 << 32) - 1), ERROR
    for size in (0, 13, 41, 1 << 31):
        yield f"header of {size}", file(4, 4, 24, 0, bytes(99), size=size), ERROR


def pnm():
    for name, text in {"huge": b"P6 99999999 99999999 255\n", "large": b"P5 11000 10900 255\n", "wide": b"P4 4000000000 1\n", "no size": b"P6\n", "maximum 0": b"P5 1 1 0\n1",
                       "maximum 65536": b"P5 1 1 65536\n11", "negative": b"P2 -1 1 255\n1", "long number": b"P2 1 1 255 " + b"1" * 10_000_000, "endless comment": b"P2 # " + b"x" * 10_000_000,
                       "word": b"P3 1 1 255 red", "sample above the maximum": b"P2 1 1 9 10", "ten digits": b"P2 9999999999 9999999999 9999999999\n"}.items():
        yield name, text, ERROR
    yield "million comments", b"P1 " + b"#x\n" * 1_000_000 + b"1 1 1", ANSWER


def tiff():
    def file(*entries, data=b"", order="<", following=0):
        head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HIH", 42, 8, len(entries))
        body = b"".join(struct.pack(order + "HHII", tag, kind, count, value) for tag, kind, count, value in entries)
        return head + body + struct.pack(order + "I", following) + data

    def page(width=8, height=8, bits=8, samples=1, compression=1, rows=None, offset=200, count=64, photometric=1, planar=1):
        return ((256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, bits), (259, 3, 1, compression), (262, 3, 1, photometric), (273, 4, 1, offset),
                (277, 3, 1, samples), (278, 4, 1, rows or height), (279, 4, 1, count), (284, 3, 1, planar))

    yield "plain", {"a.tif": file(*page(), data=bytes(400))}, ANSWER
    for size in ((1 << 31, 1 << 31), ((1 << 32) - 1, 1), (1, (1 << 32) - 1), (65_536, 65_536), (0, 5), (5, 0), (11_000, 10_900)):
        for compression in (1, 5, 7, 8, 32_773, 4):
            yield f"{size}, compression {compression}", {"a.tif": file(*page(*size, compression=compression), data=bytes(400))}, ERROR
    for samples, bits in ((65_535, 8), (3, 64), (1, 65_535), (200, 16), (4, 3), (0, 8)):
        yield f"{samples} samples of {bits} bits", {"a.tif": file(*page(samples=samples, bits=bits), data=bytes(9_000))}, ERROR
    yield "strips beyond the file", {"a.tif": file(*page(offset=1 << 31, count=1 << 30))}, ERROR
    yield "tile of 2^31", {"a.tif": file(*page()[:5], (277, 3, 1, 1), (322, 4, 1, 1 << 31), (323, 4, 1, 1 << 31), (324, 4, 1, 200), (325, 4, 1, 64), data=bytes(400))}, ERROR
    yield "tile of 16384", {"a.tif": file(*page(compression=8)[:5], (277, 3, 1, 1), (322, 4, 1, 16_384), (323, 4, 1, 16_384), (324, 4, 1, 200), (325, 4, 1, 300_000),
                                          data=bytes(54) + zlib.compress(bytes(1 << 28), 9))}, EITHER
    yield "page that follows itself", {"a.tif": file(*page(), data=bytes(400), following=8)}, EITHER
    yield "pages beyond the file", {"a.tif": file(*page(), data=bytes(400), following=1 << 31)}, EITHER
    many = b"".join(struct.pack("<HI", 0, 8 + 6 * (index + 1)) for index in range(2_000))
    yield "empty pages", {"a.tif": b"II*\0\x08\0\0\0" + many}, ERROR
    yield "65535 entries", {"a.tif": b"II*\0\x08\0\0\0\xff\xff" + bytes(65_535 * 12)}, ERROR
    yield "no entries", {"a.tif": b"II*\0\x08\0\0\0\0\0\0\0\0\0"}, ERROR
    yield "BigTIFF at 2^64 - 1", {"a.tif": b"II+\0\x08\0\0\0" + b"\xff" * 8}, ERROR
    yield "zeros compressed", {"a.tif": file(*page(10_000, 9_000, compression=8, count=200_000), data=bytes(66) + zlib.compress(bytes(90_000_000), 9))}, EITHER


def boxes():
    """Files of boxes: HEIC, AVIF and JPEG 2000."""
    for name in ("color.heic", "color.avif", "rgb.jp2"):
        whole = content("pictures", name)
        for start in range(0, min(len(whole), 600), 4):
            damaged = bytearray(whole)
            damaged[start:start + 4] = b"\xff\xff\xff\xff"
            yield f"{name} with {start} of 2^32 - 1", {name: bytes(damaged)}, EITHER
        yield f"{name} with a million boxes", {name: whole + struct.pack(">I4s", 8, b"free") * 1_000_000}, EITHER
        yield f"{name} with an endless box", {name: whole + struct.pack(">I4s", 0, b"free")}, EITHER
    for size in ((1 << 31, 1 << 31), (65_536, 65_536), (10_000, 9_000), (30_000, 1)):
        whole = bytearray(content("pictures", "color.heic"))
        place = whole.index(b"ispe") + 8
        whole[place:place + 8] = struct.pack(">II", *size)
        yield f"HEIC of {size}", {"a.heic": bytes(whole)}, EITHER
        stream = bytearray(content("pictures", "codestream.j2k"))
        stream[8:16] = struct.pack(">II", *size)
        yield f"JPEG 2000 of {size}", {"a.j2k": bytes(stream)}, EITHER
        stream[24:32] = struct.pack(">II", *size)
        yield f"JPEG 2000 with a tile of {size}", {"a.j2k": bytes(stream)}, EITHER
        stream[24:32] = struct.pack(">II", 1, 1)
        yield f"JPEG 2000 with many tiles of {size}", {"a.j2k": bytes(stream)}, ERROR


def chunk(name, content, crc=None, length=None):
    body = name + content
    return struct.pack(">I", len(content) if length is None else length) + body + struct.pack(">I", zlib.crc32(body) if crc is None else crc)


def header(width, height, depth=8, color=2, compression=0, filtering=0, interlace=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, compression, filtering, interlace))


SIGNATURE, END = b"\x89PNG\r\n\x1a\n", chunk(b"IEND", b"")


def rows(width, height, bits=24, filtering=0):
    """Zeros, compressed in parts so that making a bomb needs little memory."""
    compressor = zlib.compressobj(9)
    row = bytes([filtering]) + bytes((width * bits + 7) // 8)
    parts = [compressor.compress(row) for _ in range(height)]
    return b"".join(parts) + compressor.flush()


def picture(*chunks, width=64, height=64, **options):
    depth = options.get("depth", 8)
    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}.get(options.get("color", 2), 3)
    return SIGNATURE + header(width, height, **options) + b"".join(chunks) + chunk(b"IDAT", rows(width, height, bits)) + END


def png():
    yield "plain", picture(), ANSWER
    for size in ((1 << 31, 1 << 31), ((1 << 31) - 1,) * 2, (1 << 31, 1), (1, (1 << 31) - 1), (100_000, 100_000), (0, 1), (1, 0), (0, 0), ((1 << 32) - 1, 1)):
        yield f"header of {size}", SIGNATURE + header(*size) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + END, ERROR
        yield f"header of {size} and 16 bits", SIGNATURE + header(*size, depth=16, color=6) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + END, ERROR
    for width, height, options in ((13_000, 13_000, {}), (13_000, 13_000, {"depth": 1, "color": 0}), (13_000, 13_000, {"depth": 8, "color": 0, "interlace": 1}), (170_000_000, 1, {"color": 0}), (1, 10_000_000, {"color": 0}), (9_000, 9_000, {"depth": 16, "color": 6})):
        bits = options.get("depth", 8) * {0: 1, 2: 3, 6: 4}[options.get("color", 2)]
        if options.get("interlace"):
            data = zlib.compress(bytes(200_000_000), 9)
        else:
            data = rows(width, height, bits)
        body = header(width, height, **options), chunk(b"IDAT", data) + END
        yield f"{width} × {height} {options}", SIGNATURE + b"".join(body), EITHER
        turned = chunk(b"eXIf", exif(6))
        yield f"{width} × {height} {options} turned", SIGNATURE + body[0] + turned + body[1], EITHER
    yield "too few rows", SIGNATURE + header(64, 64) + chunk(b"IDAT", rows(64, 10)) + END, ERROR
    yield "too many rows", SIGNATURE + header(64, 64) + chunk(b"IDAT", rows(64, 5_000_000)) + END, EITHER
    yield "no rows", SIGNATURE + header(64, 64) + END, ERROR
    yield "no end", picture()[:-12], ERROR
    yield "empty rows", SIGNATURE + header(64, 64) + chunk(b"IDAT", b"") + END, ERROR
    yield "rows that are no deflate", SIGNATURE + header(64, 64) + chunk(b"IDAT", b"\xff" * 999) + END, ERROR
    yield "unknown filter", SIGNATURE + header(64, 64) + chunk(b"IDAT", rows(64, 64, filtering=9)) + END, ERROR
    yield "bad CRC of the header", SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0), crc=1) + chunk(b"IDAT", rows(64, 64)) + END, ERROR
    yield "bad CRC of the rows", SIGNATURE + header(64, 64) + chunk(b"IDAT", rows(64, 64), crc=1) + END, ERROR
    yield "bad CRC of a text", picture(chunk(b"tEXt", b"a\0b", crc=1)), EITHER
    yield "chunk beyond the file", SIGNATURE + header(64, 64) + chunk(b"IDAT", rows(64, 64), length=1 << 30), ERROR
    yield "chunk of 2^31", SIGNATURE + header(64, 64) + chunk(b"IDAT", rows(64, 64), length=1 << 31) + END, ERROR
    yield "chunk of 2^32 - 1", SIGNATURE + header(64, 64) + chunk(b"eXIf", b"", length=(1 << 32) - 1) + END, ERROR
    yield "two headers", picture(header(64, 64)), ERROR
    yield "header later", SIGNATURE + chunk(b"tEXt", b"a\0b") + header(64, 64) + chunk(b"IDAT", rows(64, 64)) + END, ERROR
    for options in ({"depth": 3}, {"depth": 32}, {"color": 1}, {"color": 7}, {"color": 3, "depth": 16}, {"compression": 1}, {"filtering": 5}, {"interlace": 2}):
        yield f"{options}", picture(**options), ERROR
    yield "palette absent", picture(color=3), ERROR
    yield "palette empty", picture(chunk(b"PLTE", b""), color=3), ERROR
    yield "palette of 4 bytes", picture(chunk(b"PLTE", b"abcd"), color=3), ERROR
    yield "palette of 999 colours", picture(chunk(b"PLTE", b"abc" * 999), color=3), ERROR
    yield "palette later", SIGNATURE + header(64, 64, color=3) + chunk(b"IDAT", rows(64, 64, 8)) + chunk(b"PLTE", b"abc") + END, ERROR
    yield "palette with a long transparency", picture(chunk(b"PLTE", b"abc"), chunk(b"tRNS", b"\0" * 300), color=3), EITHER
    bomb = zlib.compress(bytes(1 << 28), 9)
    yield "text bomb", picture(chunk(b"zTXt", b"a\0\0" + bomb)), EITHER
    yield "international text bomb", picture(chunk(b"iTXt", b"a\0\1\0\0\0" + bomb)), EITHER
    yield "colour profile bomb", picture(chunk(b"iCCP", b"a\0\0" + bomb)), EITHER
    yield "two thousand text bombs", picture(chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(8_000_000), 9)) * 2_000), EITHER
    yield "long text", picture(chunk(b"tEXt", b"a\0" + b"x" * 50_000_000)), EITHER
    yield "million texts", picture(chunk(b"tEXt", b"a\0b") * 1_000_000), EITHER
    yield "million unknown chunks", picture(chunk(b"abCd", b"") * 1_000_000), EITHER
    yield "million empty rows", SIGNATURE + header(64, 64) + chunk(b"IDAT", b"") * 1_000_000 + chunk(b"IDAT", rows(64, 64)) + END, EITHER
    yield "critical unknown chunk", picture(chunk(b"ABCD", b"")), EITHER
    yield "bytes behind the end", picture() + b"x" * 1000, EITHER
    animation = chunk(b"acTL", struct.pack(">II", 2, 0)) + chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, 64, 64, 0, 0, 1, 1, 0, 0))
    second = chunk(b"fcTL", struct.pack(">IIIIIHHBB", 1, 64, 64, 0, 0, 1, 1, 0, 0)) + chunk(b"fdAT", struct.pack(">I", 2) + rows(64, 64))
    yield "animated", SIGNATURE + header(64, 64) + animation + chunk(b"IDAT", rows(64, 64)) + second + END, ANSWER
    for name, block in {"orientation": exif(6), "empty": b"", "cut": exif(6)[:9], "offset beyond": b"MM\0*\xff\xff\xff\xff", "endless": b"MM\0*\0\0\0\x08\xff\xff" + b"\0" * 20,
                        "orientation 0": exif(0), "orientation 9": exif(9), "orientation 65535": exif(65_535)}.items():
        yield f"EXIF {name}", picture(chunk(b"eXIf", block)), ANSWER


def exif(orientation):
    return struct.pack(">2sHIHHHIHHI", b"MM", 42, 8, 1, 0x0112, 3, 1, orientation, 0, 0)


def segment(marker, content, length=None):
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2 if length is None else length) + content


def frame_at(data):
    """The offset of the frame header's content, and its marker."""
    place = 2
    while data[place + 1] not in (0xC0, 0xC1, 0xC2):
        place += 2 + struct.unpack(">H", data[place + 2:place + 4])[0]
    return place + 4, data[place + 1]


def sized(data, width, height):
    place, _ = frame_at(data)
    return data[:place + 1] + struct.pack(">HH", height, width) + data[place + 5:]


def jpeg():
    plain, progressive, inks = content("images", "color-420.jpg"), content("images", "progressive.jpg"), content("images", "cmyk-adobe.jpg")
    for name, data in (("plain", plain), ("progressive", progressive), ("CMYK", inks), ("4:4:4", content("images", "color-444.jpg"))):
        for size in ((65_500, 65_500), (65_535, 65_535), (13_000, 13_000), (65_000, 2_700), (9_000, 9_000), (0, 9), (9, 0), (1, 65_500)):
            yield f"{name} that claims {size}", sized(data, *size), ERROR
            yield f"{name} that claims {size}, turned", sized(data[:2] + segment(0xE1, b"Exif\0\0" + exif(6)) + data[2:], *size), ERROR
    place, marker = frame_at(plain)
    for name, offset, number in (("12 bits", 0, 12), ("0 bits", 0, 0), ("no components", 5, 0), ("2 components", 5, 2), ("255 components", 5, 255), ("sampling of 0", 7, 0), ("sampling of 15", 7, 0xFF), ("table 255", 8, 255)):
        damaged = bytearray(plain)
        damaged[place + offset] = number
        yield name, bytes(damaged), ERROR
    for other in (0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF):
        damaged = bytearray(plain)
        damaged[place - 3] = other
        yield f"frame marker {other:X}", bytes(damaged), EITHER
    scan = plain.index(b"\xff\xda")
    yield "scans without end", plain[:-2] + plain[scan:-2] * 20_000, EITHER
    yield "progressive scans without end", progressive[:-2] + progressive[progressive.index(b"\xff\xda"):-2] * 5_000, EITHER
    large = sized(progressive, 10_000, 10_000)
    yield "large progressive scans", large[:-2] + large[large.index(b"\xff\xda"):-2] * 200, EITHER
    yield "no end", plain[:-2], ANSWER
    yield "half a megabyte before the end", plain[:-2] + bytes(500_000) + plain[-2:], ANSWER
    first = 4 + struct.unpack(">H", plain[4:6])[0]
    yield "million bytes between segments", plain[:first] + b"x" * 1_000_000 + plain[first:], ANSWER
    yield "no scan", plain[:scan] + b"\xff\xd9", ERROR
    yield "only start and end", b"\xff\xd8\xff\xd9", ERROR
    yield "only start", b"\xff\xd8\xff", ERROR
    yield "segment of 0", plain[:2] + segment(0xE1, b"", 0) + plain[2:], ERROR
    yield "segment of 1", plain[:2] + segment(0xE1, b"", 1) + plain[2:], ERROR
    yield "segment beyond the file", plain[:2] + segment(0xE1, b"", 65_535), ERROR
    yield "two frames", plain[:scan] + plain[2:], EITHER
    yield "thousand comments", plain[:2] + segment(0xFE, b"x" * 65_533) * 1_000 + plain[2:], ANSWER
    yield "million empty comments", plain[:2] + segment(0xFE, b"") * 1_000_000 + plain[2:], ANSWER
    yield "fill bytes", plain[:2] + b"\xff" * 10_000_000 + plain[2:], EITHER
    yield "no tables", b"".join([plain[:2], plain[place - 4:]]), ERROR
    yield "garbage scan", plain[:scan + 20] + bytes(range(1, 255)) * 40 + b"\xff\xd9", EITHER
    for number in range(10):
        yield f"EXIF orientation {number}", plain[:2] + segment(0xE1, b"Exif\0\0" + exif(number)) + plain[2:], ANSWER
    for name, block in {"empty": b"", "cut": exif(6)[:9], "offset beyond": b"MM\0*\xff\xff\xff\xff", "entries": b"MM\0*\0\0\0\x08\xff\xff" + b"\0" * 20,
                        "offset to itself": b"MM\0*\0\0\0\0", "wrong order": b"XX\0*\0\0\0\x08", "orientation as text": exif(6).replace(b"\0\x03", b"\0\x02"),
                        "count of 2^32 - 1": exif(6).replace(b"\0\0\0\x01", b"\xff" * 4)}.items():
        yield f"EXIF {name}", plain[:2] + segment(0xE1, b"Exif\0\0" + block) + plain[2:], ANSWER
    yield "EXIF twice", plain[:2] + segment(0xE1, b"Exif\0\0" + exif(6)) + segment(0xE1, b"Exif\0\0" + exif(3)) + plain[2:], ANSWER


def others():
    """Files of kinds that are not decoded."""
    for name, data in {
        "empty": b"", "one byte": b"\xff", "zeros": bytes(1_000_000), "text": b"hello\n", "a web page": b"<!doctype html><p>404",
        "ICO": b"\0\0\1\0\1\0", "AVIF": b"\0\0\0\x1cftypavif" + bytes(16), "HEIC": b"\0\0\0\x1cftypheic" + bytes(16), "SVG": b'<svg xmlns="http://www.w3.org/2000/svg"/>',
        "XML bomb": b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>', "PDF": b"%PDF-1.7", "ZIP": b"PK\3\4" + bytes(99), "gzip": b"\x1f\x8b\x08" + bytes(99),
        "PPM": b"P6 99999999 99999999 255\n", "OpenEXR": b"v/1\x01" + bytes(99), "JPEG 2000": b"\xff\x4f\xff\x51" + bytes(99), "JPEG XL": b"\xff\x0a" + bytes(99), "PNG signature alone": SIGNATURE, "half a PNG signature": SIGNATURE[:4],
        "MNG": b"\x8aMNG\r\n\x1a\n", "ONNX": content("models", "squeezenet1_1.onnx")[:10_000], "escape codes": b"\x1b]0;owned\x07" * 99,
    }.items():
        yield name, data, ERROR
    yield "PNG named JPEG", {"wrong.jpg": picture()}, ANSWER
    yield "JPEG named PNG", {"wrong.png": content("images", "color-420.jpg")}, ANSWER
    yield "PNG named ONNX", {"wrong.onnx": picture()}, ANSWER
    yield "text named PNG", {"wrong.png": b"hello"}, ERROR
    for name in ("a\nb.png", "\x1b[31mred.png", "=1+1.png", "\u202egnp.png", "x" * 240 + ".png", "%s%n.png", "-.png", "@x.png"):
        yield f"name {name[:12]!r}", {"./" + name: picture()}, ANSWER
        yield f"damaged, name {name[:12]!r}", {"./" + name: b"hello"}, ERROR
    yield "name that is no text", {"./\udcff\udcfe.png": b"hello"}, ERROR


def places():
    yield "folder without pictures", {"folder": os.mkdir}, EITHER
    yield "named pipe", {"pipe.png": os.mkfifo}, ERROR
    yield "device", {"device.png": lambda path: os.symlink("/dev/zero", path)}, ERROR
    yield "random device", {"device.png": lambda path: os.symlink("/dev/urandom", path)}, ERROR
    yield "link to itself", {"loop.png": lambda path: os.symlink(path, path)}, ERROR
    yield "link to nothing", {"broken.png": lambda path: os.symlink("nothing", path)}, ERROR

    def folder_with_everything(path):
        os.mkdir(path)
        os.mkfifo(os.path.join(path, "pipe.png"))
        os.symlink("/dev/zero", os.path.join(path, "device.png"))
        os.symlink(path, os.path.join(path, "loop"))
        os.symlink("..", os.path.join(path, "up"))
        os.mkdir(os.path.join(path, "folder.png"))
        with open(os.path.join(path, "good.png"), "wb") as file:
            file.write(picture())

    yield "folder with everything", {"folder": folder_with_everything}, EITHER

    def deep(path):
        os.mkdir(path)
        inner = path
        for _ in range(500):
            inner += "/d"
            os.mkdir(inner)
        with open(inner + "/good.png", "wb") as file:
            file.write(picture())

    yield "deep folders", {"folder": deep}, EITHER

    def sparse(size):
        def make(path):
            with open(path, "wb") as file:
                file.write(picture())
                file.truncate(size)
        return make

    yield "picture of 8 GB", {"large.png": sparse(8 << 30)}, EITHER
    yield "zeros of 8 GB", {"large.png": lambda path: open(path, "wb").truncate(8 << 30)}, ERROR
