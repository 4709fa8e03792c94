"""Answers about pictures."""

from __future__ import annotations

import json
from ctypes import byref, c_char_p, c_int64, c_size_t, c_ubyte, c_void_p
from typing import Any, Iterable, Iterator, List, Optional, overload

from ._errors import Error, PictureError, check, error, place
from ._handles import Handle, text, utf8
from ._items import Item
from ._library import library
from ._pictures import file_of
from ._reports import table
from ._structures import ItemStructure
from ._tensors import Tensor


class Answer:
    """The answer to one picture: a sequence of items, such as classes or objects, and tensors.

    Which of them it has depends on the task; an answer of an embedder has the tensor ``"embedding"`` and no items.

    Attributes:
        picture: What was asked about; None in rows of a dataset.

    >>> answer = apus.Classifier(squeezenet, top=2)(photo)
    >>> answer.label, len(answer), answer[0].index
    ('espresso', 2, 967)
    >>> answer.row("coffee")["predictions"][1]["label"]
    'tea cup'
    >>> answer.to_pandas()["label"].tolist()
    ['espresso', 'tea cup']
    """

    __slots__ = ("_handle", "_failure", "_read_items", "picture", "__weakref__")

    def __init__(self, handle: Handle, picture: Any = None, failure: Optional[PictureError] = None):
        self._handle = handle
        # What was wrong with the picture before the library had it. The library's answer has an error in its place.
        self._failure = failure
        self._read_items: Optional[tuple[Item, ...]] = None
        self.picture = picture

    @property
    def error(self) -> Optional[Error]:
        """Why there is no answer; None when there is one. The place is the stage at fault, such as "decode", and the
        file that of the picture, where it has one."""
        failure = self._failure
        if failure is None:
            status = library.apus_answer_check(self._handle.pointer, place())
            if not status:
                return None
            failure = error(status)
        failure._file = file_of(self.picture)
        return failure

    @property
    def kind(self) -> str:
        """What the answer holds: "classes", "heads", "objects", "segments", "instances", "poses", "landmarks",
        "embeddings", "depth", "image", "text", "regression", "parts" or "outputs"."""
        kind = c_char_p()
        check(library.apus_answer_kind(self._handle.pointer, byref(kind), place()))
        return kind.value.decode()

    @property
    def size(self) -> Optional[tuple[int, int]]:
        """The width and height of the upright picture in pixels; None where they are not known."""
        width, height = c_int64(), c_int64()
        check(library.apus_answer_size(self._handle.pointer, byref(width), byref(height), place()))
        return (width.value, height.value) if width.value > 0 else None

    @property
    def items(self) -> tuple[Item, ...]:
        """The classes, objects, segments, people or lines of text, the most certain first."""
        if self._read_items is None:
            count = c_size_t()
            check(library.apus_answer_item_count(self._handle.pointer, byref(count), place()))
            self._read_items = tuple(self._item(index) for index in range(count.value))
        return self._read_items

    def _item(self, index: int) -> Item:
        structure = ItemStructure()
        check(library.apus_answer_item(self._handle.pointer, index, byref(structure), place()))
        return Item._reading(structure, self, index)

    @property
    def tensors(self) -> dict[str, Tensor]:
        """The numbers of the answer by name: "confidences" and "scores" of all classes, "embedding", "depth", "image",
        "classes" and "matte" of pixels, estimated "values", or outputs."""
        count = c_size_t()
        check(library.apus_answer_tensor_count(self._handle.pointer, byref(count), place()))
        return dict(self._tensor(index) for index in range(count.value))

    def _tensor(self, index: int) -> tuple:
        name, handle = c_char_p(), c_void_p()
        check(library.apus_answer_tensor(self._handle.pointer, index, byref(name), byref(handle), place()))
        return name.value.decode(), Tensor._owning(Handle(handle.value))

    def _mask(self, index: int) -> tuple:
        """The bytes of an item's mask, and its height and width."""
        width, height = self.size or (0, 0)
        pixels = (c_ubyte * (width * height))()
        check(library.apus_answer_mask(self._handle.pointer, index, pixels, len(pixels), place()))
        return pixels, (height, width)

    def _parts(self, item: int) -> dict:
        """What the further stages of a recipe say about an item."""
        count = c_size_t()
        check(library.apus_answer_part_count(self._handle.pointer, item, byref(count), place()))
        return dict(self._part(item, index) for index in range(count.value))

    def _part(self, item: int, index: int) -> tuple:
        name, handle = c_char_p(), c_void_p()
        check(library.apus_answer_part(self._handle.pointer, item, index, byref(name), byref(handle), place()))
        return name.value.decode(), Answer(Handle(handle.value))

    def json(self, id: str = "") -> str:
        """The row that ``apus predict`` writes for this answer, as JSON of one line."""
        row = text(library.apus_answer_json, self._handle.pointer, utf8(id))
        failure = self._failure
        if failure is None:
            return row
        why = {"stage": failure.place, "code": failure.code, "message": str(failure)}
        return json.dumps({**json.loads(row), "error": why}, ensure_ascii=False, separators=(",", ":"))

    def row(self, id: str = "") -> dict[str, Any]:
        """The row that ``apus predict`` writes for this answer."""
        return json.loads(self.json(id))

    @property
    def label(self) -> Optional[str]:
        """The label of the first item; None without one."""
        return self.items[0].label if self.items else None

    @property
    def confidence(self) -> Optional[float]:
        """The confidence of the first item; None without one."""
        return self.items[0].confidence if self.items else None

    def __len__(self) -> int:
        return len(self.items)

    def __bool__(self) -> bool:
        return self.error is None

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __repr__(self) -> str:
        failure = self.error
        if failure is not None:
            return f"<apus.Answer error: {failure}>"
        if self.items:
            shown = ", ".join(map(repr, self.items[:5])) + (", …" if len(self.items) > 5 else "")
            return f"<apus.Answer {self.kind}: {shown}>"
        return f"<apus.Answer {self.kind}: {', '.join(f'{n} {t!r}' for n, t in self.tensors.items()) or 'nothing'}>"

    def _repr_html_(self) -> Optional[str]:
        return table([item.row() for item in self.items]) if self.items else None

    def _repr_png_(self) -> Optional[bytes]:
        from ._drawing import png

        return png(self)

    def to_pandas(self) -> Any:
        """The items as a DataFrame of pandas; see :meth:`Answers.to_pandas`."""
        return Answers([self]).to_pandas()

    def to_arrow(self) -> Any:
        """A table of Arrow with one row."""
        return Answers([self]).to_arrow()


class Answers(List[Answer]):
    """The answers to a list of pictures, in their order. An answer is false when it has an error.

    >>> answers = apus.Classifier(squeezenet, top=1)([photo, b"nothing"])
    >>> [answer.label if answer else answer.error.place for answer in answers]
    ['espresso', 'decode']
    >>> answers.to_pandas(ids=["a", "b"]).columns.tolist()
    ['id', 'index', 'label', 'confidence', 'error']
    """

    def rows(self, ids: Optional[Iterable[str]] = None) -> list[dict[str, Any]]:
        """The rows that ``apus predict`` writes for these answers; ids are paths, or else positions."""
        return [answer.row(id) for answer, id in zip(self, self._ids(ids))]

    def _ids(self, ids) -> list:
        return list(ids) if ids is not None else [
            answer.picture if isinstance(answer.picture, str) else str(position)
            for position, answer in enumerate(self)]

    def to_pandas(self, ids: Optional[Iterable[str]] = None) -> Any:
        """A DataFrame of pandas with a line for each item, and one for each answer without items.

        Vectors, maps of depth and pictures are arrays in a column "embedding", "depth" or "image", and the outputs of
        a network a dictionary of arrays in the column "outputs".

        >>> table = apus.Embedder(squeezenet)([photo, photo]).to_pandas(ids=["a", "b"])
        >>> table.embedding[0].shape, str(table.embedding[1].dtype)
        ((1000,), 'float32')
        """
        from ._tables import frame

        return frame(list(zip(self._ids(ids), self)))

    def to_arrow(self, ids: Optional[Iterable[str]] = None) -> Any:
        """A table of Arrow with a row for each picture: what ``apus predict`` writes, an error and a warning.

        The types of its columns depend on the model alone, whatever was found and whatever failed.

        >>> str(apus.Embedder(squeezenet)([photo]).to_arrow().schema.field("embedding").type)
        'list<item: float>'
        """
        from ._tables import arrow

        return arrow(self.rows(ids), list(self))

    def _repr_html_(self) -> str:
        from ._tables import lines

        return table(lines(list(zip(self._ids(None), self))))
