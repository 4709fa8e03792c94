"""The inputs and outputs that a network declares."""

from __future__ import annotations

from ctypes import byref, c_size_t
from typing import NamedTuple, Optional, Tuple, Union

from ._element_types import NAMES
from ._errors import check, place
from ._structures import ValueStructure


class Value(NamedTuple):
    """An input or an output of a network.

    >>> Value("data", "float32", ("N", 3, 224, 224))
    data: float32[N, 3, 224, 224]
    """

    name: str
    #: The type of the elements, such as ``"float32"``; None when it is not known.
    dtype: Optional[str]
    #: The extent of each axis: a number, the name of one that is open, or None; None when no axis is known.
    shape: Optional[Tuple[Union[int, str, None], ...]]

    def __repr__(self) -> str:
        if self.shape is None:
            return f"{self.name}: {self.dtype or 'unknown'}"
        extents = ", ".join("?" if extent is None else str(extent) for extent in self.shape)
        return f"{self.name}: {self.dtype or 'unknown'}[{extents}]"


def values(count_function, function, model: int) -> tuple:
    """The inputs or the outputs of a model."""
    count = c_size_t()
    check(count_function(model, byref(count), place()))
    return tuple(_value(function, model, index) for index in range(count.value))


def _value(function, model: int, index: int) -> Value:
    structure = ValueStructure()
    check(function(model, index, byref(structure), place()))
    shape = None
    if structure.rank >= 0:
        shape = tuple(_extent(structure, axis) for axis in range(structure.rank))
    return Value(structure.name.decode(), NAMES.get(structure.type), shape)


def _extent(structure: ValueStructure, axis: int):
    extent, symbol = structure.extents[axis], structure.symbols[axis]
    return extent if extent >= 0 else None if symbol is None else symbol.decode()
