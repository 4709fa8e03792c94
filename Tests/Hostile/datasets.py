"""Collections of records that are damaged or enormous, and files beside a model or in a cache."""

import gzip
import io
import json
import os
import struct
import tarfile
import zipfile

import images
from cases import ANSWER, EITHER, ERROR, Case, chosen
from images import MODEL


def cases(texts=("",)):
    for group in chosen((arrays, archives, manifests, labels, caches, options), texts):
        for name, files, expected, *arguments in group():
            first = next(iter(files), None)
            runs = arguments or [["predict", MODEL, first, "--format", "jsonl"]]
            yield Case(f"{group.__name__}/{name}", files, expected, runs)


def npy(header, data=b"", version=1, length=None):
    text = header.encode() if isinstance(header, str) else header
    size = len(text) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", size) + text + data


def described(shape, kind="|u1", order="False"):
    return f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n"


def arrays():
    good = npy(described("(2, 8, 8, 3)"), bytes(384))
    yield "good", {"a.npy": good}, ANSWER
    for part in range(0, len(good), 9):
        yield f"cut at {part}", {"a.npy": good[:part]}, ERROR
    for shape in ("(-1, 8, 8, 3)", "(4611686018427387904, 8, 8, 3)", "(9223372036854775807,)", "(99999999999999999999, 3)", "(1e9,)", "()", "(0, 8, 8, 3)", "(2, 0, 0, 3)",
                  "(2,) * 9", "(" * 10_000, "(" + "1, " * 20_000 + ")", "None", "'x'", "[2, 8]", "(True,)", "(2, 100000, 100000, 3)", "(1000000000, 8, 8, 3)"):
        yield f"shape {shape[:40]}", {"a.npy": npy(described(shape), bytes(384))}, ERROR
        yield f"shape {shape[:40]} in version 2", {"a.npy": npy(described(shape), bytes(384), version=2)}, ERROR
    for kind in ("O", "<f999", "<f4 ", "V8", "S10", "<c8", "", "\\x00", "[('a', '<f4')]", "=u1", "<f4", "<f8", ">f4", "|b1"):
        yield f"type {kind!r}", {"a.npy": npy(described("(2, 8, 8, 3)", kind), bytes(384))}, EITHER
    yield "header of 4 GB", {"a.npy": npy("{}", version=2, length=(1 << 32) - 1)}, ERROR
    yield "header that is code", {"a.npy": npy("__import__('os').system('true')\n")}, ERROR
    yield "header without end", {"a.npy": npy("{'descr': '" + "x" * 60_000)}, ERROR
    yield "keys twice", {"a.npy": npy("{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (1, 8, 8, 3)}\n", bytes(192))}, ERROR
    yield "not finite", {"a.npy": npy(described("(1, 3, 227, 227)", "<f4"), struct.pack("<f", float("nan")) * (3 * 227 * 227))}, EITHER

    def sparse(path):
        with open(path, "wb") as file:
            file.write(npy(described("(1000000, 224, 224, 3)")))
            file.truncate(200_000_000_000)

    yield "of 200 GB", {"a.npy": sparse}, EITHER, ["run", MODEL, "--input", "data=a.npy", "-o", "outputs"]
    yield "named pipe", {"a.npy": os.mkfifo}, ERROR


def zipped(entries, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method, compresslevel=9) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return stream.getvalue()


def archives():
    array = npy(described("(2, 8, 8, 3)"), bytes(384))
    good = zipped([("a.npy", array)])
    yield "npz", {"a.npz": good}, ANSWER
    for part in range(0, len(good), 31):
        yield f"npz cut at {part}", {"a.npz": good[:part]}, EITHER
    yield "npz bomb", {"a.npz": zipped([("a.npy", npy(described("(50000, 100, 100, 3)"), bytes(50_000 * 300)))])}, EITHER
    yield "npz of one huge row", {"a.npz": zipped([("a.npy", npy(described("(1, 20000, 20000, 3)"), bytes(1_200_000_000)))])}, EITHER
    yield "npz with 100000 entries", {"a.npz": zipped([(f"{i}.npy", b"") for i in range(100_000)], zipfile.ZIP_STORED)}, EITHER
    yield "npz without entries", {"a.npz": zipped([])}, EITHER
    yield "npz with names out of it", {"a.npz": zipped([("../../evil.npy", array), ("/etc/x.npy", array), ("\x1b[31m.npy", array)])}, EITHER
    for offset, name in ((16, "crc"), (20, "size"), (24, "real size"), (42, "offset")):
        place = good.rindex(b"PK\1\2") + offset
        yield f"npz with a wrong {name}", {"a.npz": good[:place] + b"\xff\xff\xff\x7f" + good[place + 4:]}, EITHER
    end = good.rindex(b"PK\5\6")
    yield "npz with a directory elsewhere", {"a.npz": good[:end + 16] + b"\xff\xff\xff\x7f" + good[end + 20:]}, ERROR
    yield "npz with 65535 entries of one", {"a.npz": good[:end + 8] + b"\xff\xff\xff\xff" + good[end + 12:]}, EITHER

    def tar(entries, mode="w"):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode=mode) as archive:
            for name, content, *kind in entries:
                member = tarfile.TarInfo(name)
                member.size = len(content)
                if kind:
                    member.type, member.linkname = kind[0], "/etc/passwd"
                archive.addfile(member, io.BytesIO(content))
        return stream.getvalue()

    picture = images.picture()
    whole = tar([("a.png", picture)])
    yield "tar", {"a.tar": whole}, ANSWER
    for part in (0, 100, 511, 512, 600, 1000, len(whole) - 1):
        yield f"tar cut at {part}", {"a.tar": whole[:part]}, EITHER
    for name, kind in (("symbolic link", tarfile.SYMTYPE), ("hard link", tarfile.LNKTYPE), ("device", tarfile.CHRTYPE), ("pipe", tarfile.FIFOTYPE), ("folder", tarfile.DIRTYPE)):
        yield f"tar with a {name}", {"a.tar": tar([("a.png", b"", kind), ("b.png", picture)])}, EITHER
    yield "tar with names out of it", {"a.tar": tar([("../../evil.png", picture), ("/tmp/evil.png", picture), ("\x1b[31m.png", picture)])}, EITHER

    def sparse_tar(size):
        def make(path):
            header = bytearray(whole[:512])
            header[124:136] = b"\x80" + size.to_bytes(11, "big")
            header[148:156] = b"%06o\0 " % sum(header[:148] + b" " * 8 + header[156:512])
            with open(path, "wb") as file:
                file.write(header)
                file.truncate(512 + size)
                file.seek(0, 2)
                file.write(bytes(1024))
        return make

    for size in (257 << 20, 3 << 30, 200 << 30):
        yield f"tar with a sparse member of {size} bytes", {"a.tar": sparse_tar(size)}, ERROR
    yield "tar with a name twice", {"a.tar": tar([("a.png", picture)] * 2)}, ERROR
    for size in (b"77777777777\0", b"-0000000001\0", b"xxxxxxxxxxx\0", b"\x80" + b"\xff" * 11, b"\xff" * 12):
        header = bytearray(whole)
        header[124:136] = size
        header[148:156] = b"%06o\0 " % sum(header[:148] + b" " * 8 + header[156:512])
        yield f"tar with a size of {size!r}", {"a.tar": bytes(header)}, ERROR
    yield "tar with a long pax header", {"a.tar": tar([("x" * 5_000_000 + ".png", picture)])}, EITHER
    yield "tar of 100000 empty files", {"a.tar": tar([(f"{i}.png", b"") for i in range(100_000)])}, EITHER
    yield "tar of zeros", {"a.tar": whole[:512] + bytes(50_000_000)}, EITHER
    yield "tar.gz", {"a.tar.gz": gzip.compress(whole)}, ANSWER
    yield "tar.gz cut", {"a.tar.gz": gzip.compress(whole)[:-20]}, EITHER
    yield "tar.gz bomb", {"a.tar.gz": gzip.compress(tar([("a.png", bytes(400_000_000))]), 9)}, ERROR
    yield "tar.gz bomb behind the end", {"a.tar.gz": gzip.compress(whole + bytes(400_000_000), 9)}, EITHER
    yield "tar.gz with a wrong checksum", {"a.tar.gz": gzip.compress(whole)[:-8] + b"\0" * 8}, EITHER
    yield "tar as a pipe", {"a.tar": os.mkfifo}, ERROR


def manifests():
    good = {"p.png": images.picture()}
    for name, text, expected in (
        ("good", b"path,label\np.png,1\n", ANSWER), ("empty", b"", ERROR), ("header alone", b"path\n", EITHER), ("no column", b"a,b\n1,2\n", ERROR),
        ("columns twice", b"path,path\np.png,p.png\n", ERROR), ("open quote", b'path\n"p.png\n', ERROR), ("quote without end", b'path\n"' + b"x" * 20_000_000, ERROR), ("line without end", b"path\n" + b"x" * 20_000_000, ERROR),
        ("zero bytes", b"path\np\0.png\n", ERROR), ("not text", b"path\n\xff\xfe\n", ERROR), ("too many cells", b"path\np.png,1,2,3\n", ERROR), ("too few cells", b"id,path\n1\n", ERROR),
        ("devices", b"path\n/dev/zero\n", ERROR), ("files without an end", b"path\n/proc/kmsg\n", ERROR), ("folders", b"path\n/etc\n", ERROR), ("up", b"path\n../../../../etc/passwd\n", ERROR), ("million columns", b"path" + b"," * 1_000_000 + b"\n", ERROR),
        ("same id", b"id,path\n1,p.png\n1,p.png\n", ERROR), ("formulas", b"id,path\n=cmd|' /C calc'!A0,p.png\n", ANSWER), ("escapes", b"id,path\n\x1b[31mred,p.png\n", ANSWER), ("byte order mark", b"\xef\xbb\xbfpath\np.png\n", ANSWER),
        ("carriage returns", b"path\r\np.png\r\n", ANSWER), ("itself", b"path\nm.csv\n", ERROR), ("addresses", b"path\nhttp://127.0.0.1/x.png\n", ERROR), ("UTF-16", "path\np.png\n".encode("utf-16"), ERROR),
    ):
        yield name, {"m.csv": text, **good}, expected
        yield f"{name}, as CSV", {"m.csv": text, **good}, EITHER, ["predict", MODEL, "m.csv", "--format", "csv"]
    for name, make in {"device": lambda path: os.symlink("/dev/zero", path), "pipe": os.mkfifo, "folder": os.mkdir}.items():
        yield f"list as a {name}", {"m.csv": make}, ERROR
    for name, text, expected in (
        ("good", b'{"path": "p.png"}\n', ANSWER), ("cut", b'{"path": "p.p', ERROR), ("list", b'["p.png"]\n', ERROR), ("number", b"1\n", ERROR), ("path of a number", b'{"path": 1}\n', ERROR), ("path of null", b'{"path": null}\n', ERROR),
        ("deep", b'{"path": ' + b"[" * 500_000 + b"\n", ERROR), ("deep closed", b'{"path": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", ERROR), ("keys twice", b'{"path": "p.png", "path": "q.png"}\n', EITHER), ("surrogates", b'{"path": "\\ud800"}\n', ERROR),
        ("huge id", b'{"path": "p.png", "id": 1e999}\n', ERROR), ("id of 2^64", b'{"path": "p.png", "id": 18446744073709551616}\n', EITHER), ("line without end", b'{"path": "' + b"x" * 20_000_000, ERROR),
    ):
        yield f"JSON Lines, {name}", {"m.jsonl": text, **good}, expected


def labels():
    photo = images.PHOTO
    for name, content in {
        "empty": b"", "one": b"a\n", "not text": b"\xff\xfe\n", "zero bytes": b"a\0b\n", "escapes": b"\x1b[31mred\n" * 1000, "formulas": b"=1+1\n" * 1000, "huge line": b"x" * 60_000_000, "million lines": b"x\n" * 1_000_000,
        "too large": b"x\n" * 40_000_000, "deep": b"[" * 1_000_000, "deep closed": b"[" * 100_000 + b"]" * 100_000, "null": b"null", "number": b"12", "list of numbers": b"[1, 2]", "cut": b'["a", "b', "object of lists": b'{"0": ["n01", "tench"]}', "index of 2^64": b'{"18446744073709551616": "a"}',
        "index of -1": b'{"-1": "a"}', "nested id2label": b'{"id2label": ' * 50_000 + b'{"0": "a"}' + b"}" * 50_000,
    }.items():
        for form in ("jsonl", "csv", "table"):
            yield f"{name}, as {form}", {"labels.txt": content}, EITHER, ["predict", MODEL, photo, "--labels", "labels.txt", "--format", form]
    for name, make in {"folder": os.mkdir, "pipe": os.mkfifo, "device": lambda path: os.symlink("/dev/zero", path), "link to itself": lambda path: os.symlink(path, path)}.items():
        yield name, {"labels.txt": make}, ERROR, ["predict", MODEL, photo, "--labels", "labels.txt"]
        yield f"preprocessing as a {name}", {"p.json": make}, ERROR, ["predict", MODEL, photo, "--preprocess", "p.json"]


def caches():
    """Files that an earlier run has kept are used only if they are plausible."""
    photo = images.PHOTO
    layer = "Conv {pads=[1, 1, 1, 1]} (float32[1, 3, 8, 8] row-major) → float32[1, 4, 8, 8]"
    entry = {"microseconds": {"\x1b[31m": 1.0}, "threads": 1, "images": 1}
    document = {"format": "apus tuning 1", "devices": {"cpu": {layer: entry}}}
    for name, content in {
        "empty": b"", "text": b"hello", "null": b"null", "list": b"[]", "deep": b"[" * 1_000_000, "number": b"1e999", "cut": b'{"format": "apus tuning 1", "devices": {"x', "other format": b'{"format": 999999999999999999999, "devices": {}}', "negative format": b'{"format": -1, "devices": {}}',
        "devices of a list": b'{"format": "apus tuning 1", "devices": []}', "good": json.dumps(document).encode(), "twice": b'{"format": "apus tuning 1", "format": 2, "devices": {}, "devices": {}}', "huge": b" " * 70_000_000,
        **{f"of {number}": json.dumps({**document, "devices": {"cpu": {layer: {**entry, "threads": number, "images": number, "microseconds": {"x": number}}}}}).encode() for number in (0, -1, 1e308, 1e-320, 1 << 63, "a", None)},
        "many": json.dumps({**document, "devices": {"cpu": {f"{layer}{i}": entry for i in range(200_000)}}}).encode(),
    }.items():
        yield f"times {name}", {"cache/apus/tuning.json": content}, ANSWER, ["predict", MODEL, photo, "--format", "jsonl"]
        yield f"given times {name}", {"tuning.json": content}, EITHER, ["predict", MODEL, photo, "--tuning-file", "tuning.json"]
    for name, make in {"folder": os.mkdir, "pipe": os.mkfifo, "device": lambda path: os.symlink("/dev/zero", path), "link to itself": lambda path: os.symlink(path, path)}.items():
        yield f"times as a {name}", {"cache/apus/tuning.json": make}, ANSWER, ["predict", MODEL, photo, "--format", "jsonl"]
    for name, content in {"empty": b"", "null": b"null", "cut": b'{"version":', "deep": b"[" * 1_000_000, "other": b'{"rows": -1, "records": 1e99}', "huge": b" " * 70_000_000}.items():
        files = {"rows.jsonl": b'{"id":"a"}\n', "rows.jsonl.run.json": content}
        yield f"run manifest {name}", files, ERROR, ["predict", MODEL, photo, "-o", "rows.jsonl", "--resume"]
        yield f"merge with a run manifest {name}", files, ERROR, ["merge", "rows.jsonl", "-o", "all.jsonl"]


def options():
    """Invalid arguments, which must have the same results as files."""
    for arguments in (
        ["--batch", "99999999999999999999"], ["--batch", "-1"], ["--top", "-1"], ["--top", "99999999999"], ["--threads", "0"], ["--threads", "1e9"], ["--streams", "99999"], ["--memory-limit", "0"], ["--memory-limit", "-1"],
        ["--memory-limit", "1e400"], ["--memory-limit", "99999999T"], ["--memory-limit", "1K"], ["--scale", "1/0"], ["--scale", "nan"], ["--mean", "1,2"], ["--std", "0,0,0"], ["--min-confidence", "nan"], ["--maximum-pixels", "0"], ["--shard", "9/2"],
        ["--shard", "0/0"], ["--timeout", "1e-320"], ["--timeout", "inf"], ["--device", "\x1b[31m"], ["--backend", "\x1b[31m"], ["--labels", ""], ["--preprocess", "\0"[:0]], ["--frames", "99999999x99999999xrgb24"], ["--frames", "0x0xrgb24"],
    ):
        yield " ".join(arguments).replace("\x1b", "ESC"), {}, EITHER, ["predict", MODEL, images.PHOTO, "--format", "jsonl", *arguments]
