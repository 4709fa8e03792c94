"""Answers as tables of pandas and Arrow.

The columns and their types follow from the kind of the answers, never from what was found in one picture or another, so
that tables of the same model can be joined, and files be written in pieces.
"""

from __future__ import annotations

from typing import Optional

_BOX = ("x", "y", "width", "height")
# The columns of pandas that items have behind index, label and confidence.
_OF_ITEMS = {
    "objects": _BOX, "parts": _BOX, "poses": _BOX, "text": _BOX, "segments": (*_BOX, "area"),
    "instances": (*_BOX, "area")}
# The tensor of answers that are one.
_OF_TENSORS = {"embeddings": "embedding", "depth": "depth", "image": "image", "regression": "values"}


def lines(named: list) -> list:
    """A line for each item, and one for each answer without items, with what went wrong."""
    return [line for id, answer in named for line in _lines(id, answer)]


def _lines(id: str, answer) -> list:
    failure = answer.error
    message = None if failure is None else str(failure)
    items = [] if failure is not None else [item.row() for item in answer.items]
    return [{"id": id, **item, "error": message} for item in items or [{}]]


def frame(named: list, kind: Optional[str] = None):
    """A DataFrame of lines. Numbers that no item has, such as a vector, are arrays in a column of their own."""
    import pandas

    kind = kind or _kind(answer for _, answer in named)
    found = [
        {**line, **_arrays(kind, answer)} if kind in _OF_TENSORS or kind == "outputs" else line
        for id, answer in named for line in _lines(id, answer)]
    arrays = ("outputs",) if kind == "outputs" else (_OF_TENSORS[kind],) if kind in _OF_TENSORS else ()
    # What strings become depends on the version of pandas.
    types = dict.fromkeys(("id", "label", "error"), pandas.Series(["text"]).dtype)
    types.update(dict.fromkeys(("index", "area", "track"), "Int64"))
    types.update(dict.fromkeys(("confidence", *_BOX), "float64"))
    types.update(dict.fromkeys(arrays, object))
    columns = dict.fromkeys(["id", "index", "label", "confidence", *_OF_ITEMS.get(kind, ()), *arrays])
    columns.update(dict.fromkeys(name for line in found for name in line if name != "error"))
    return pandas.DataFrame({
        name: pandas.Series([line.get(name) for line in found], dtype=types[name]) for name in [*columns, "error"]})


def _arrays(kind: str, answer) -> dict:
    """The numbers of an answer without items as arrays of NumPy; nothing where it has an error."""
    if answer.error is not None:
        return {}
    arrays = {name: tensor.numpy() for name, tensor in answer.tensors.items()}
    return {"outputs": arrays} if kind == "outputs" else arrays


def _kind(answers) -> Optional[str]:
    """The kind of all answers of a predictor; None without any."""
    return next((answer.kind for answer in answers), None)


def arrow(rows: list, answers: list, kind: Optional[str] = None):
    """A table of Arrow with a row for each picture, of which each has its row and its answer."""
    import pyarrow

    kind = kind or _kind(answers)
    text, real = pyarrow.string(), pyarrow.float64()
    why = pyarrow.struct([("stage", text), ("code", text), ("message", text)])
    fields = [("id", text)]
    if any("time" in row for row in rows):
        fields.append(("time", real))
    fields += _Members(pyarrow).of_kind(kind, rows, answers)
    # Files beside the rows, which have names where an option asks for them.
    known = {name for name, _ in fields} | {"error", "warning"}
    fields += [(name, text) for name in dict.fromkeys(name for row in rows for name in row) if name not in known]
    return pyarrow.Table.from_pylist(rows, schema=pyarrow.schema([*fields, ("error", why), ("warning", text)]))


class _Members:
    """The members of a row behind its id, with the types that Arrow has for them."""

    def __init__(self, pyarrow):
        self.arrow = pyarrow
        self.text, self.whole, self.real = pyarrow.string(), pyarrow.int64(), pyarrow.float64()
        self.reals = pyarrow.list_(self.real)
        self.size = [("width", self.whole), ("height", self.whole)]
        self.label = [("index", self.whole), ("label", self.text)]
        self.object = [
            *self.label, ("confidence", self.real), ("box", self.reals), ("corners", pyarrow.list_(self.reals)),
            ("track", self.whole), ("points", pyarrow.list_(self.reals))]
        self.points = pyarrow.list_(pyarrow.struct(
            [("name", self.text), ("x", self.real), ("y", self.real), ("z", self.real), ("confidence", self.real)]))

    def of_kind(self, kind: Optional[str], rows: list, answers: list) -> list:
        """The members of rows of a kind. Rows and answers tell what else their types depend on."""
        several, struct, size = self.several, self.arrow.struct, self.size
        if kind == "classes":
            return [("predictions", several([*self.label, ("confidence", self.real)]))]
        if kind == "heads":
            return [("heads", several([
                ("name", self.text), ("predictions", several([*self.label, ("confidence", self.real)]))]))]
        if kind == "objects":
            return [*size, ("objects", several(self.object))]
        if kind == "parts":
            return [*size, ("objects", several([*self.object, *self.stages(answers)]))]
        if kind == "segments":
            return [*size, ("segments", several([*self.label, ("area", self.whole), ("box", self.reals)]
                                                + self.mask(rows, "segments")))]
        if kind == "instances":
            return [*size, ("instances", several([
                *self.label, ("confidence", self.real), ("area", self.whole), ("box", self.reals),
                *self.mask(rows, "instances")]))]
        if kind == "poses":
            return [*size, ("poses", several([
                ("confidence", self.real), *self.label, ("box", self.reals), ("keypoints", self.points)]))]
        if kind == "landmarks":
            return [*size, ("landmarks", struct([("confidence", self.real), ("points", self.points)]))]
        if kind == "embeddings":
            return [("embedding", self.arrow.list_(self.arrow.float32()))]
        if kind == "depth":
            return [*size, ("depth", struct([
                ("minimum", self.real), ("maximum", self.real), ("median", self.real), ("range", self.reals)]))]
        if kind == "image":
            return [("image", struct([*size, ("channels", self.whole)]))]
        if kind == "regression":
            return [("regression", several([*self.label, ("value", self.real)]))]
        if kind == "text":
            direction = struct([("degrees", self.whole), ("confidence", self.real)])
            return [*size, ("text", self.text), ("lines", several([
                ("text", self.text), ("confidence", self.real), ("box", self.arrow.list_(self.reals)),
                ("direction", direction)]))]
        if kind == "outputs":
            return [("outputs", several([
                ("name", self.text), ("type", self.text), ("shape", self.arrow.list_(self.whole)),
                ("values", self.arrow.list_(self.number(rows)))]))]
        return []

    def several(self, members: list):
        return self.arrow.list_(self.arrow.struct(members))

    def mask(self, rows: list, key: str) -> list:
        """A mask, whose form an option says: compressed, as counts, or as polygons."""
        masks = [item["segmentation"] for row in rows for item in row.get(key) or []]
        wholes = self.arrow.list_(self.whole)
        if masks and isinstance(masks[0], list):
            return [(name, self.arrow.list_(wholes)) for name in ("segmentation", "holes")]
        counts = wholes if masks and isinstance(masks[0]["counts"], list) else self.text
        return [("segmentation", self.arrow.struct([("size", wholes), ("counts", counts)]))]

    def stages(self, answers: list) -> list:
        """What the further stages of a recipe say about an object."""
        kinds = {
            stage: part for answer in answers if answer.error is None for item in answer.items
            for stage, part in item.answers.items()}
        stages = [
            (stage, self.arrow.struct(self.of_kind(part.kind, [], [part]))) for stage, part in kinds.items()]
        return [("answers", self.arrow.struct(stages))] if stages else []

    def number(self, rows: list):
        """The type of the numbers of outputs: their own where all have one, and otherwise one that holds them."""
        types = {output["type"] for row in rows for output in row.get("outputs") or []}
        if len(types) == 1:
            name = {"bool": "bool_", "bfloat16": "float32", "float16": "float32"}.get(*types, *types)
            if hasattr(self.arrow, name):
                return getattr(self.arrow, name)()
        return self.whole if types and all("int" in name for name in types) else self.real
