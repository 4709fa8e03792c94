"""Forged indexes of vectors, and forged ground truths and results of objects."""

import json
import struct

from cases import ANSWER, EITHER, ERROR, Case, chosen

MOST = (1 << 63) - 1
SEARCH = [["search", "v.npy", "--id", "a"], ["duplicates", "v.npy"], ["duplicates", "v.npy", "--show", "pairs"]]
EVALUATE = [["evaluate", "--results", "results.json", "--annotations", "truth.json", "--json"]]


def cases(texts=("",)):
    for group in chosen((vector_files, marked_objects, marked_masks), texts):
        for name, files, expected, runs in group():
            yield Case(f"{group.__name__}/{name}", files, expected, runs)


def array(shape, numbers, kind="<f4", order="False"):
    text = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}"
    text += " " * (117 - len(text)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack(f"<{len(numbers)}f", *numbers)


def records(*ids, error="null"):
    return "".join(f'{{"id":{json.dumps(name)},"error":{error}}}\n' for name in ids).encode()


def vector_files():
    good, names = array("(3, 2)", [1, 0, 0, 1, 1, 1]), records("a", "b", "c")

    def files(content=good, lines=names, **others):
        return {"v.npy": content, "v.npy.records.jsonl": lines, **{k.replace("_", "."): v for k, v in others.items()}}

    yield "good", files(), ANSWER, SEARCH
    yield "no records", {"v.npy": good}, ERROR, SEARCH
    for shape in [f"({MOST}, 2)", f"({1 << 62}, {1 << 62})", "(3, 0)", "(0, 2)", "(3, 2, 1)", "(6,)", "()", "(2, 2)", "(4, 2)"]:
        yield f"shape {shape}", files(array(shape, [1, 0, 0, 1, 1, 1])), ERROR, SEARCH
    for kind in ["<f8", ">f4", "|u1", "<f2"]:
        yield f"type {kind}", files(array("(3, 2)", [1, 0, 0, 1, 1, 1], kind)), ERROR, SEARCH
    yield "columns first", files(array("(3, 2)", [1, 0, 0, 1, 1, 1], order="True")), ERROR, SEARCH
    for value in [float("nan"), float("inf"), 0.0]:
        yield f"vector of {value}", files(array("(3, 2)", [1, 0, value, value, 1, 1])), ERROR, SEARCH
    yield "error's vector", files(
        array("(3, 2)", [1, 0, float("nan"), float("nan"), 1, 1]),
        records("a") + records("b", error='{"stage":"s","code":"c","message":"m"}') + records("c")), ANSWER, SEARCH
    for scale in [1e38, 1e-38, 1e-45]:
        yield f"numbers of {scale}", files(array("(3, 2)", [scale, 0, 0, scale, scale, scale])), ANSWER, SEARCH
    for name, lines in [
            ("fewer", records("a", "b")), ("more", records("a", "b", "c", "d")), ("empty", b""), ("cut", names[:-3]),
            ("one line", b"x" * (3 << 20)), ("no lines", b"\0" * 100), ("breaks", b"\n" * (1 << 20))]:
        yield f"records {name}", files(lines=lines), ERROR, SEARCH
    yield "records of other text", files(lines=b"\xff\xfe\n" * 3), EITHER, SEARCH
    yield "equal ids", files(lines=records("a", "a", "a")), ANSWER, SEARCH
    equal = array("(20000, 2)", [1.0, 1.0] * 20000)
    yield "all equal", files(equal, records("a", *(f"{n}" for n in range(19999)))), EITHER, SEARCH
    for name, content in [
            ("text", b"no index"), ("cut", good[:100]), ("header", good[:20]), ("database", b"SQLite format 3\0" + b"x" * 4096),
            ("lines", b'{"id":"a","embedding":[1,2]}\n{"id":"b","embedding":[1]}\n'), ("huge", b'{"id":"a","embedding":[1e999]}\n'),
            ("nothing", b"")]:
        yield f"content {name}", {"v.npy": content, "v.npy.records.jsonl": names}, ERROR, SEARCH
    for name, manifest in [("text", b"{}"), ("list", b"[]"), ("deep", b"[" * 100000)]:
        yield f"manifest {name}", files() | {"v.npy.run.json": manifest}, ERROR, SEARCH


IMAGE = {"id": 1, "width": 10, "height": 8, "file_name": "a.jpg"}
MARKED = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 4, 4], "area": 16, "iscrowd": 0}
FOUND = {"image_id": 1, "category_id": 1, "bbox": [1, 1, 4, 4], "score": 0.5}


def truth(annotation=None, image=None, categories=({"id": 1, "name": "a"},), annotations=None):
    annotations = [MARKED | (annotation or {})] if annotations is None else annotations
    return json.dumps({
        "images": [IMAGE | (image or {})], "categories": list(categories), "annotations": annotations}).encode()


def objects(marked=None, found=None):
    return {"truth.json": truth() if marked is None else marked, "results.json": json.dumps([FOUND] if found is None else found).encode()}


def marked_objects():
    yield "good", objects(), ANSWER, EVALUATE
    yield "no results", objects(found=[]), ANSWER, EVALUATE
    yield "no objects", objects(truth(annotations=[])), ANSWER, EVALUATE
    for number in [1e308, -1e308, 1e-320, MOST, -MOST - 1]:
        for place in range(4):
            box = [1, 1, 4, 4]
            box[place] = number
            yield f"box {place} of {number}", objects(truth({"bbox": box}), [FOUND | {"bbox": box}]), ANSWER, EVALUATE
        yield f"area of {number}", objects(truth({"area": number})), ANSWER, EVALUATE
        yield f"score of {number}", objects(found=[FOUND | {"score": number}] * 2), ANSWER, EVALUATE
        yield f"id of {number}", objects(truth(image={"id": number})), EITHER, EVALUATE
    for value in [None, "x", [], {}, [1], True]:
        yield f"box is {value}", objects(truth({"bbox": value})), EITHER, EVALUATE
        yield f"picture is {value}", objects(found=[FOUND | {"image_id": value}]), ERROR, EVALUATE
        yield f"class is {value}", objects(found=[FOUND | {"category_id": value}]), EITHER, EVALUATE
    yield "equal pictures", objects(json.dumps({"images": [IMAGE, IMAGE], "categories": [], "annotations": []}).encode()), ERROR, EVALUATE
    yield "equal classes", objects(truth(categories=({"id": 1, "name": "a"},) * 2)), ERROR, EVALUATE
    yield "names", objects(truth(categories=({"id": 1, "name": "\x1b[2J\n\0"},))), ANSWER, [EVALUATE[0][:-1]]
    yield "many objects", objects(truth(annotations=[MARKED | {"id": n} for n in range(20000)]), [FOUND] * 20000), ANSWER, EVALUATE
    for name, content in [("text", b"no JSON"), ("deep", b"[" * 200000), ("cut", truth()[:-20]), ("empty", b""), ("list", b"[]")]:
        yield f"truth is {name}", objects(content), ERROR, EVALUATE
        yield f"results are {name}", objects() | {"results.json": content}, ANSWER if name == "list" else ERROR, EVALUATE


def marked_masks():
    runs = [[*EVALUATE[0], "--kind", "masks"]]
    whole = {"size": [8, 10], "counts": [0, 80]}
    for name, shape, expected in [
            ("good", whole, ANSWER), ("polygon", [[1, 1, 5, 1, 5, 5]], ANSWER), ("no polygon", [], ERROR),
            ("empty polygon", [[]], ERROR), ("two corners", [[1, 1, 5, 5]], ERROR), ("odd", [[1, 1, 5, 1, 5, 5, 1]], ERROR),
            ("far", [[1e300, 1, 5, 1, 5, 5]], ERROR), ("long", [[-1e6, -1e6, 1e6, 1e6, -1e6, 1e6] * 20], ERROR),
            ("outside", [[-50, -50, 50, -50, 50, 50]], ANSWER), ("points", [[3, 3] * 50], ANSWER),
            ("text", {"size": [8, 10], "counts": "x"}, ERROR), ("long text", {"size": [8, 10], "counts": "o" * 100000}, ERROR),
            ("other size", {"size": [80, 1], "counts": [0, 80]}, ANSWER), ("no size", {"size": [], "counts": [0, 80]}, ERROR),
            ("vast", {"size": [MOST, MOST], "counts": [MOST]}, ERROR), ("large", {"size": [1 << 31, 1 << 31], "counts": [0, 1 << 62]}, ERROR),
            ("wide", {"size": [1 << 24, 1 << 24], "counts": [0, 1 << 48]}, ANSWER),
            ("sum beyond", {"size": [8, 10], "counts": [MOST, MOST]}, ERROR), ("negative", {"size": [8, 10], "counts": [-1, 81]}, ERROR),
            ("negative size", {"size": [-8, -10], "counts": [80]}, ERROR), ("many runs", {"size": [100000, 10], "counts": [1] * 1000000}, ANSWER)]:
        other = [FOUND | {"segmentation": shape}] * 3
        yield name, objects(truth({"segmentation": shape}), other), expected, runs
    yield "no masks", objects(), ERROR, runs
    yield "no points", objects(), ERROR, [[*EVALUATE[0], "--kind", "keypoints"]]
    yield "unknown size", objects(truth({"segmentation": [[1, 1, 5, 1, 5, 5]]}, {"width": -1}), [FOUND | {"segmentation": whole}]), ERROR, runs
