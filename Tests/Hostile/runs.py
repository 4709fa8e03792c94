"""Real or forged files of an earlier run: manifests, rows, indices of rows, arrays and databases."""

import copy
import json
import os
import sqlite3
import struct
import zlib

import images
from cases import ANSWER, EITHER, ERROR, Case, chosen
from images import MODEL

MOST = (1 << 63) - 1
EXTREMES = (MOST, -MOST, -MOST - 1, 1 << 64, -1, 10**12)


def cases(texts=("",)):
    for group in chosen((run_manifests, run_indices, run_arrays, run_databases), texts):
        for name, files, expected, runs in group():
            yield Case(f"{group.__name__}/{name}", files, expected, runs)


def checksum(data):
    return f"{zlib.crc32(data):08x}"


def manifest(rows, form="jsonl", shard=1, shards=2, count=2, others=(), state=None, index=None):
    document = {
        "version": "0.1.0", "state": "finished", "format": form, "total": count, "devices": [], "began": "", "seconds": 1.5,
        "stageSeconds": {"read": 0.5},
        "identity": {
            "model": "m", "modelFingerprint": "f", "options": {"order": "kept"}, "listCount": count * shards, "listFingerprint": "1",
            "shard": f"{shard}/{shards}"},
        "rows": {"finished": [[0, count]], "succeeded": count, "failed": 0, "ids": "0"},
        "checkpoint": {"byteCounts": [len(data) for data in (rows, *others)], "checksums": [checksum(data) for data in (rows, *others)], "state": state or {}},
    }
    if index is not None:
        document["index"] = {"byteCounts": [len(index)], "checksums": [checksum(index)], "state": {}}
    return document


def encoded(document):
    return json.dumps(document).encode()


ROWS = [b'{"id":"a","predictions":[],"error":null}\n{"id":"b","predictions":[],"error":null}\n', b'{"id":"c","predictions":[],"error":null}\n{"id":"d","predictions":[],"error":null}\n']
INDICES = [b"0 41\n3 41\n", b"1 41\n2 41\n"]
MERGE = ["merge", "a.jsonl", "b.jsonl", "-o", "all.jsonl"]
ORDERED = [*MERGE, "--ordered"]
RESUME = ["predict", MODEL, images.PHOTO, "-o", "a.jsonl", "--shard", "1/2", "--resume"]


def pair(change=None, both=False, files=()):
    """Two shards, with a change to the manifest of the first or of both."""
    documents = [manifest(rows, shard=place + 1, index=index) for place, (rows, index) in enumerate(zip(ROWS, INDICES))]
    result = {}
    for name, document, rows, index in zip("ab", documents, ROWS, INDICES):
        if change and (both or name == "a"):
            change(document)
        result |= {f"{name}.jsonl": rows, f"{name}.jsonl.run.json": encoded(document), f"{name}.jsonl.run.rows": index}
    return result | dict(files)


def run_manifests():
    yield "good", pair(), ANSWER, [MERGE, ORDERED, ["merge", "--verify", "a.jsonl", "b.jsonl"]]

    def setting(*path, to):
        def change(document):
            for key in path[:-1]:
                document = document[key]
            document[path[-1]] = to
        return change

    def all_rows(number, is_stream):
        def change(document):
            document["rows"] = {"finished": [[0, number]], "succeeded": number, "failed": 0}
            document["total"] = document["identity"]["listCount"] = None if is_stream else number
        return change

    changes = {}
    for number in EXTREMES:
        for path in (("rows", "succeeded"), ("rows", "failed"), ("total",), ("identity", "listCount")):
            changes[f"{path[-1]} {number}"] = setting(*path, to=number)
        changes[f"finished to {number}"] = setting("rows", "finished", to=[[0, number]])
        changes[f"finished from {number}"] = setting("rows", "finished", to=[[number, number + 1]])
        changes[f"length {number}"] = setting("checkpoint", "byteCounts", to=[number])
        changes[f"length of an index {number}"] = setting("index", "byteCounts", to=[number])
        changes[f"list of {number}"] = all_rows(number, False)
        changes[f"stream of {number}"] = all_rows(number, True)
    for number in (-1, 1e308, -1e308, float("inf"), float("nan"), "1", None, 1 << 70):
        changes[f"seconds {number}"] = setting("seconds", to=number)
        changes[f"stage {number}"] = setting("stageSeconds", "read", to=number)
    for text in ("1/9223372036854775807", "1/100000000", "0/0", "2/1", "-1/2", "1/2/3", "", "a/b", "1/99999999999999999999"):
        changes[f"shard {text}"] = setting("identity", "shard", to=text)
    for name, value in {
        "no lengths": [], "negative length": [-5], "many lengths": [82] * 100_000, "fraction": [1.5], "text": "82", "null": None,
    }.items():
        changes[name] = setting("checkpoint", "byteCounts", to=value)
    changes["no checkpoint"] = setting("checkpoint", to={"byteCounts": [], "state": {}})
    changes["many ranges"] = setting("rows", "finished", to=[[2 * place, 2 * place + 1] for place in range(300_000)])
    changes["ranges that meet"] = setting("rows", "finished", to=[[0, 1], [1, 2]])
    changes["other checksum"] = setting("checkpoint", "checksums", to=["00000000"])
    changes["long checksum"] = setting("checkpoint", "checksums", to=["x" * 100_000])
    changes["no checksum of a file"] = setting("checkpoint", "checksums", to=[])
    changes["sum of no number"] = setting("rows", "ids", to="x" * 100_000)
    changes["other format"] = setting("format", to="\x1b[31m")
    for name, change in changes.items():
        is_index = "index" in name
        for both in (False, True):
            runs = [ORDERED] if is_index else [MERGE, ORDERED, RESUME]
            yield f"{name}{' in both' if both else ''}", pair(change, both), ERROR, runs
        yield f"{name}, verified", pair(change), EITHER, [["merge", "--verify", "a.jsonl"]]


def run_indices():
    def files(index):
        return pair(lambda document: document.update(index={"byteCounts": [len(index)], "checksums": [checksum(index)], "state": {}}), files={"a.jsonl.run.rows": index})

    for name, index in {
        "empty": b"", "text": b"hello\n" * 2, "zero bytes": bytes(100), "no line end": b"0 41\n3 41", "one number": b"0\n3\n", "three numbers": b"0 41 1\n3 41 1\n",
        "negative": b"-1 41\n3 41\n", "huge place": b"9223372036854775807 41\n3 41\n", "huge length": b"0 9223372036854775807\n3 9223372036854775807\n", "too long": b"0 41\n3 42\n",
        "overflow": b"0 99999999999999999999\n3 41\n", "same place": b"0 41\n0 41\n", "falling": b"3 41\n0 41\n", "place of the other": b"0 41\n1 41\n", "beyond the list": b"0 41\n9 41\n",
        "line without end": b"1" * 20_000_000, "many lines": b"0 0\n" * 2_000_000, "missing row": b"0 41\n",
    }.items():
        yield name, files(index), ERROR, [ORDERED]
        yield f"{name}, not asked for", files(index), ANSWER, [MERGE]
    yield "gone", pair(files={"a.jsonl.run.rows": os.mkdir}), ERROR, [ORDERED]
    yield "pipe", pair(files={"a.jsonl.run.rows": os.mkfifo}), ERROR, [ORDERED]
    for name, make in {"folder": os.mkdir, "pipe": os.mkfifo, "device": lambda path: os.symlink("/dev/zero", path), "loop": lambda path: os.symlink(path, path)}.items():
        yield f"rows as a {name}", pair(files={"a.jsonl": make}), ERROR, [MERGE, ["merge", "--verify", "a.jsonl"]]
        yield f"manifest as a {name}", pair(files={"a.jsonl.run.json": make}), ERROR, [MERGE, RESUME]


def run_arrays():
    def header(shape):
        text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
        return b"\x93NUMPY\x01\0" + struct.pack("<H", 118) + text.ljust(117) + b"\n"

    records = b'{"id":"a","error":null}\n{"id":"b","error":null}\n'
    merge = [["merge", "a.npy", "-o", "all.npy"], ["merge", "a.npy", "-o", "all.npy", "--ordered"]]
    for name, shape, expected in (
        ("good", "(2, 3)", ANSWER), ("no rows", "(0, 3)", ERROR), ("huge", f"({MOST}, {MOST})", ERROR), ("huge row", f"(2, {MOST})", ERROR), ("huge count", f"({MOST}, 3)", ERROR),
        ("other count", "(3, 2)", ERROR), ("negative", "(-2, 3)", ERROR), ("no extents", "()", ERROR), ("broken", "(2,", ERROR),
    ):
        array = header(shape) + bytes(24)
        for rows in (2, *EXTREMES) if name == "good" else (2,):
            index = b"0 24\n1 24\n"
            document = manifest(array, "npy", 1, 1, others=(records,), state={"rows": rows}, index=index)
            files = {"a.npy": array, "a.npy.records.jsonl": records, "a.npy.run.json": encoded(document), "a.npy.run.rows": index}
            yield f"{name}, {rows} rows", files, expected if rows == 2 else ERROR, merge


def run_databases():
    tables = """
        CREATE TABLE runs (id INTEGER PRIMARY KEY, model TEXT, fingerprint TEXT, options TEXT, shard TEXT);
        CREATE TABLE records (id INTEGER PRIMARY KEY, run INTEGER, name TEXT, error_stage TEXT, error_code TEXT, error_message TEXT);
        CREATE TABLE predictions (record INTEGER, rank INTEGER, class INTEGER, label TEXT, confidence REAL);
        CREATE TABLE places (record INTEGER PRIMARY KEY, position INTEGER);
        INSERT INTO runs VALUES (1, 'm', 'f', '{}', '1/1');
        INSERT INTO records VALUES (0, 1, 'a', NULL, NULL, NULL), (1, 1, 'b', NULL, NULL, NULL);
        INSERT INTO predictions VALUES (0, 1, 5, 'x', 0.5);
        INSERT INTO places VALUES (0, 0), (1, 1);
        """
    merge = [["merge", "a.sqlite", "-o", "all.sqlite"], ["merge", "a.sqlite", "-o", "all.sqlite", "--ordered"]]
    document = manifest(b"", "sqlite", 1, 1, state={"tables": 3})
    document["checkpoint"] = {"byteCounts": [], "state": {"tables": 3}}

    def made(script):
        def make(path):
            database = sqlite3.connect(path)
            database.executescript(script)
            database.commit()
            database.close()
        return make

    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id, 1 AS run, 'a' || x AS name, NULL AS error_stage, NULL AS error_code, NULL AS error_message FROM n"
    for name, script, expected in (
        ("good", "", ANSWER), ("huge place", f"UPDATE records SET id = {MOST} WHERE id = 1", ERROR), ("negative place", "UPDATE records SET id = -1 WHERE id = 1", ERROR),
        ("no name", "UPDATE records SET name = NULL", ERROR), ("name of bytes", "UPDATE records SET name = x'fffe'", ERROR), ("one name", "UPDATE records SET name = 'a'", ERROR),
        ("text for a class", "UPDATE predictions SET class = 'x'", ERROR), ("huge rank", f"UPDATE predictions SET rank = {MOST}", ERROR), ("no table", "DROP TABLE predictions", ERROR),
        ("endless view", f"DROP TABLE records; CREATE VIEW records AS {endless}", ERROR), ("endless places", "DROP TABLE places; CREATE VIEW places AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS record, x AS position FROM n", EITHER),
        ("endless runs", "DROP TABLE runs; CREATE VIEW runs AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id, 'm' AS model, 'f' AS fingerprint, '' AS options, '' AS shard FROM n", ERROR),
        ("place of nothing", "UPDATE places SET record = 7 WHERE record = 1", EITHER), ("far place", f"UPDATE places SET position = {MOST - 1} WHERE record = 1", EITHER), ("same place", "UPDATE places SET position = 0", EITHER),
        ("more rows", "INSERT INTO records VALUES (2, 1, 'c', NULL, NULL, NULL)", ERROR), ("error", "UPDATE records SET error_stage = 'x' WHERE id = 1", ERROR), ("trigger", "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END", EITHER),
    ):
        yield name, {"a.sqlite": made(tables + script + ";"), "a.sqlite.run.json": encoded(document)}, expected, merge
    for name, content in {"empty": b"", "text": b"hello", "header alone": b"SQLite format 3\0" + bytes(84), "garbage": b"SQLite format 3\0" + bytes(range(256)) * 64}.items():
        yield name, {"a.sqlite": content, "a.sqlite.run.json": encoded(document)}, ERROR, merge
