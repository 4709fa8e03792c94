"""The parts of answers: classes, objects, segments, people and lines of text."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

from ._numpy import numpy
from ._structures import ItemStructure


class Box(NamedTuple):
    """A rectangle in fractions of the upright picture, from its upper left."""

    x: float
    y: float
    width: float
    height: float

    def pixels(self, size: tuple[float, float]) -> tuple[float, float, float, float]:
        """The left, upper, right and lower edge in pixels of a picture with this width and height.

        >>> Box(0.25, 0.5, 0.5, 0.25).pixels((400, 200))
        (100.0, 100.0, 300.0, 150.0)
        """
        width, height = size
        right, lower = (self.x + self.width) * width, (self.y + self.height) * height
        return self.x * width, self.y * height, right, lower


class Point(NamedTuple):
    """A point in fractions of the upright picture, from its upper left; corners of lines of text are in pixels."""

    name: Optional[str]
    x: float
    y: float
    #: The depth; None when there is none.
    z: Optional[float]
    #: None when it is not known.
    confidence: Optional[float]


class Item:
    """A class, an object, a segment, a person, or a line of text.

    Attributes:
        index: The class; None when there is none.
        label: The name of the class, or the text of the line; None when there is none.
        confidence: None when it is not known.
        box: None when there is none.
        points: The named points of a person or a face, or the corners of a line of text.
        track: The number of the object in all frames of a video; None when there is none.
        area: The number of pixels of the mask; None without one.

    >>> item = apus.Classifier(squeezenet)(photo)[0]
    >>> item.index, item.label, item.box, item.points, item.mask
    (967, 'espresso', None, (), None)
    >>> item.row().keys()
    dict_keys(['index', 'label', 'confidence'])
    """

    __slots__ = ("index", "label", "confidence", "box", "points", "track", "area", "_answer", "_position")

    index: Optional[int]
    label: Optional[str]
    confidence: Optional[float]
    box: Optional[Box]
    points: tuple[Point, ...]
    track: Optional[int]
    area: Optional[int]

    @classmethod
    def _reading(cls, structure: ItemStructure, answer, position: int) -> Item:
        item = cls.__new__(cls)
        item.index = structure.index if structure.index >= 0 else None
        item.label = None if structure.label is None else structure.label.decode()
        item.confidence = _number(structure.confidence)
        item.box = None if math.isnan(structure.box[0]) else Box(*structure.box)
        item.points = tuple(_point(structure.points[index]) for index in range(structure.point_count))
        item.track = structure.track if structure.track >= 0 else None
        item.area = structure.area if structure.area >= 0 else None
        item._answer, item._position = answer, position
        return item

    @property
    def mask(self) -> Any:
        """The mask: True for each pixel that belongs to the item, as an array [height, width] of NumPy, or without
        NumPy as bytes of 0 and 1, row after row; None without one."""
        if self.area is None:
            return None
        pixels, shape = self._answer._mask(self._position)
        module = numpy()
        if module is None:
            return bytes(pixels)
        return module.ctypeslib.as_array(pixels).reshape(shape).view(bool)

    @property
    def answers(self) -> dict[str, Any]:
        """What the further stages of a recipe say about the item: an :class:`apus.Answer` for the name of each stage.
        Empty where the model is no recipe."""
        return self._answer._parts(self._position)

    def row(self) -> dict[str, Any]:
        """What is known of the item, in one level."""
        row = {"index": self.index, "label": self.label, "confidence": self.confidence}
        if self.box is not None:
            row.update(self.box._asdict())
        for name in ("area", "track"):
            if getattr(self, name) is not None:
                row[name] = getattr(self, name)
        return row

    def __repr__(self) -> str:
        name = self.label if self.label is not None else "item" if self.index is None else f"class {self.index}"
        confidence = "" if self.confidence is None else f" {self.confidence:.3f}"
        box = "" if self.box is None else " at " + " ".join(f"{number:.3f}" for number in self.box)
        return f"{name!r}{confidence}{box}"


def _number(value: float) -> Optional[float]:
    return None if math.isnan(value) else value


def _point(structure) -> Point:
    name = None if structure.name is None else structure.name.decode()
    return Point(name, structure.x, structure.y, _number(structure.z), _number(structure.confidence))
