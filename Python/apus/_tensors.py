"""Tensors: numbers with a shape, in memory that the library owns or borrows."""

from __future__ import annotations

import ctypes
import struct
from ctypes import byref

from . import _dlpack
from ._element_types import CODES, FORMATS, NAMES, SIZES, TYPE_STRINGS
from ._errors import check, place
from ._handles import Handle
from ._inputs import Borrowed, TensorOwner, copied_bytes, copied_memory, tensor_handle
from ._library import library
from ._numpy import numpy, required
from ._structures import ElementsStructure

_get = library.apus_tensor_get


class Tensor(TensorOwner):
    """Numbers with a shape, which other libraries read without a copy.

    ``numpy.asarray(tensor)`` shares the memory, which may only be read; it lives as long as either of them.
    ``torch.from_dlpack(tensor)`` is a copy, since tensors of PyTorch can always be written.

    >>> tensor = Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> tensor.shape, tensor.dtype
    ((2, 2), 'float32')
    >>> tensor.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    __slots__ = ("_elements", "_keep", "__weakref__")

    def __init__(self, values):
        handle = tensor_handle(values)
        self._handle, self._elements, self._keep = handle, None, None
        if isinstance(handle, Borrowed):
            self._handle, self._elements = _copy(self), None

    @classmethod
    def _owning(cls, handle: Handle, keep=None) -> Tensor:
        """A tensor of the library; `keep` is what owns the memory besides it."""
        tensor = cls.__new__(cls)
        tensor._handle, tensor._elements, tensor._keep = handle, None, keep
        return tensor

    def _described(self) -> ElementsStructure:
        elements = self._elements
        if elements is None:
            elements = ElementsStructure()
            status = _get(self._handle.pointer, byref(elements), place())
            if status:
                check(status)
            self._elements = elements
        return elements

    @property
    def shape(self) -> tuple:
        """The extent of each axis, outermost first."""
        elements = self._described()
        return tuple(elements.extents[: elements.rank])

    @property
    def strides(self) -> tuple:
        """The distance between neighbors along each axis, in elements."""
        elements = self._described()
        return tuple(elements.strides[: elements.rank])

    @property
    def dtype(self) -> str:
        """The type of the elements, such as ``"float32"``."""
        return NAMES[self._described().type]

    @property
    def size(self) -> int:
        """The number of elements."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * SIZES[self._described().type]

    @property
    def __array_interface__(self) -> dict:
        elements = self._described()
        type_string = TYPE_STRINGS.get(elements.type)
        if type_string is None:
            raise AttributeError("NumPy has no elements of bfloat16")
        size, rank = SIZES[elements.type], elements.rank
        return {
            "version": 3, "shape": tuple(elements.extents[:rank]), "typestr": type_string,
            "data": (elements.data or 0, True), "strides": tuple([stride * size for stride in elements.strides[:rank]])}

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError(f"{array.dtype} cannot become {dtype} without a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    def numpy(self):
        """An array of NumPy that reads the tensor's memory."""
        module = required("an array")
        if self._described().type != CODES["bfloat16"]:
            return module.asarray(_Memory(self, self.__array_interface__))
        import ml_dtypes

        bits = {**_Memory.interface_of_bits(self), "typestr": TYPE_STRINGS[8]}
        return module.asarray(_Memory(self, bits)).view(ml_dtypes.bfloat16)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if stream is not None:
            raise BufferError("a tensor in memory has no stream")
        if dl_device is not None and tuple(dl_device) != _dlpack.CPU:
            raise BufferError("the tensor is in memory, and cannot be exported to a device")
        is_versioned = max_version is not None and max_version[0] >= 1
        if copy is False:
            if not is_versioned:
                raise BufferError("the memory may only be read, which DLPack says from version 1 on; ask for a copy")
            return _dlpack.exported(self._handle, is_versioned, False)
        # Most libraries would write to memory that may only be read.
        return _dlpack.exported(_copy(self), is_versioned, True)

    def __dlpack_device__(self) -> tuple:
        return _dlpack.CPU

    def tobytes(self) -> bytes:
        """The elements in row-major order."""
        elements = self._described()
        if self.strides == row_major_strides(self.shape) or self.size == 0:
            return ctypes.string_at(elements.data, self.nbytes) if self.size else b""
        size, data = SIZES[elements.type], elements.data
        return b"".join(ctypes.string_at(data + offset * size, size) for offset in _offsets(self.shape, self.strides))

    def tolist(self):
        """The elements as nested lists of numbers."""
        code = self._described().type
        raw = self.tobytes()
        if code == 4:
            # A bfloat16 is the upper half of a float32.
            raw = b"".join(b"\0\0" + raw[index : index + 2] for index in range(0, len(raw), 2))
        numbers = list(struct.unpack(f"={self.size}{'f' if code == 4 else FORMATS[code]}", raw))
        return _nested(numbers, self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a tensor without axes has no length")
        return self.shape[0]

    def __getitem__(self, index):
        return (self.numpy() if numpy() is not None else self.tolist())[index]

    def __iter__(self):
        return iter(self.numpy() if numpy() is not None else self.tolist())

    def __float__(self) -> float:
        return float(self._only())

    def __int__(self) -> int:
        return int(self._only())

    def _only(self):
        if self.size != 1:
            raise TypeError(f"a tensor of shape {self.shape} is not one number")
        value = self.tolist()
        while isinstance(value, list):
            value = value[0]
        return value

    def __repr__(self) -> str:
        extents = ", ".join(str(extent) for extent in self.shape)
        return f"<apus.Tensor {self.dtype}[{extents}]>"

    def __reduce__(self):
        return _restored, (self._described().type, self.shape, self.tobytes())


class _Memory:
    """The memory of a tensor for NumPy, whose array then keeps the tensor alive."""

    __slots__ = ("tensor", "__array_interface__")

    def __init__(self, tensor: Tensor, interface: dict):
        self.tensor = tensor
        self.__array_interface__ = interface

    @staticmethod
    def interface_of_bits(tensor: Tensor) -> dict:
        data = tensor._described().data
        return {
            "version": 3, "shape": tensor.shape, "data": (data or 0, True),
            "strides": tuple(stride * 2 for stride in tensor.strides)}


def row_major_strides(shape: tuple) -> tuple:
    """The strides of elements that follow one another, in elements.

    >>> row_major_strides((2, 3, 4))
    (12, 4, 1)
    """
    strides, distance = [], 1
    for extent in reversed(shape):
        strides.append(distance)
        distance *= extent
    return tuple(reversed(strides))


def _offsets(shape: tuple, strides: tuple):
    """The place of every element, in row-major order."""
    if not shape:
        yield 0
        return
    for index in range(shape[0]):
        for rest in _offsets(shape[1:], strides[1:]):
            yield index * strides[0] + rest


def _nested(numbers: list, shape: tuple):
    if not shape:
        return numbers[0]
    width = len(numbers) // shape[0] if shape[0] else 0
    return [_nested(numbers[index * width : (index + 1) * width], shape[1:]) for index in range(shape[0])]


def _copy(tensor: Tensor) -> Handle:
    elements, strides = tensor._described(), tensor.strides
    if tensor.size == 0 or strides == row_major_strides(tensor.shape):
        return copied_memory(elements.type, tensor.shape, elements.data, tensor.nbytes)
    return copied_bytes(elements.type, tensor.shape, tensor.tobytes())


def _restored(code: int, shape: tuple, content: bytes) -> Tensor:
    return Tensor._owning(copied_bytes(code, shape, content))
