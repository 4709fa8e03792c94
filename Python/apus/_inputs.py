"""Values of a caller as tensors of the library, without a copy where their layout allows it."""

from __future__ import annotations

import ctypes
import struct
import sys
from ctypes import addressof, byref, c_char, c_int64, c_void_p
from functools import lru_cache
from typing import Optional

from . import _dlpack
from ._element_types import CODES, FORMATS, OF_FORMATS, OF_TYPE_STRINGS, SIZES
from ._errors import ArgumentError, check, place
from ._handles import Handle
from ._library import library
from ._numpy import numpy, required
from ._structures import MAXIMUM_RANK

_EXTENTS = [c_int64 * rank for rank in range(MAXIMUM_RANK + 1)]
# The marks of the machine's own order of bytes in formats of buffers.
_NATIVE = "@=<" if sys.byteorder == "little" else "@=>!"
_borrow = library.apus_tensor_borrow


class Borrowed(Handle):
    """A tensor that reads memory of Python, and what owns that memory.

    The library must not read it any more when this object ends: runs that go on keep it.
    """

    __slots__ = ("owner", "start", "end")

    def __init__(self, pointer: int, owner, start: int, count: int):
        Handle.__init__(self, pointer)
        self.owner, self.start, self.end = owner, start, start + count


class TensorOwner:
    """What owns a tensor of the library."""

    __slots__ = ("_handle",)

    _handle: Handle


def tensor_handle(value, code: int = 1) -> Handle:
    """A tensor of the library that reads a value.

    `code` is the element type that numbers of Python become.
    """
    if _is_array_class(value.__class__):
        return _of_numpy_array(value)
    if isinstance(value, TensorOwner):
        return value._handle
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        return _of_array(value, interface)
    if hasattr(value, "__dlpack__"):
        return _dlpack.imported(value)
    if hasattr(value, "__array__") and numpy() is not None:
        array = numpy().asarray(value)
        return _of_array(array, array.__array_interface__)
    if isinstance(value, (list, tuple, int, float)):
        return _of_numbers(value, code)
    return _of_buffer(value)


def copied_bytes(code: int, shape: tuple, content: bytes) -> Handle:
    """A tensor with a copy of elements in row-major order."""
    return copied_memory(code, shape, content, len(content))


def copied_memory(code: int, shape: tuple, data, count: int) -> Handle:
    """A tensor with a copy of so many bytes at an address, or of bytes."""
    handle = ctypes.c_void_p()
    extents = (ctypes.c_int64 * len(shape))(*shape)
    check(library.apus_tensor_copy(code, len(shape), extents, data, count, byref(handle), place()))
    return Handle(handle.value)


@lru_cache(maxsize=64)
def _is_array_class(kind: type) -> bool:
    """Whether values of a class are arrays of NumPy, and not of a subclass."""
    module = sys.modules.get("numpy")
    return module is not None and kind is module.ndarray


@lru_cache(maxsize=64)
def _code_of_numpy_type(dtype) -> Optional[int]:
    return OF_TYPE_STRINGS.get(dtype.str)


@lru_cache(maxsize=256)
def _extents(shape: tuple):
    """The extents of a shape for the library, which only reads them."""
    return _EXTENTS[len(shape)](*shape)


def _of_numpy_array(array) -> Handle:
    """A tensor that reads an array. Rows of numbers that may be written need no interface, which is slow to make."""
    code = _code_of_numpy_type(array.dtype)
    shape, count = array.shape, array.nbytes
    if code and count and array.flags.c_contiguous and len(shape) <= MAXIMUM_RANK:
        try:
            memory = c_char.from_buffer(array)
        except TypeError:
            # Memory that may only be read.
            return _of_array(array, array.__array_interface__)
        address = addressof(memory)
        if address % SIZES[code] == 0:
            return _borrowed(code, shape, None, address, count, memory)
    return _of_array(array, array.__array_interface__)


def _of_array(value, interface: dict) -> Handle:
    code = OF_TYPE_STRINGS.get(interface["typestr"]) or _code_of(value)
    shape, strides, size = interface["shape"], interface.get("strides"), SIZES[code]
    address = interface["data"][0]
    if address % size or strides is not None and any(stride < 0 or stride % size for stride in strides):
        array = required("an array in this layout").array(value, order="C", copy=True)
        return _of_array(array, array.__array_interface__)
    if len(shape) > MAXIMUM_RANK:
        raise ArgumentError(f"an array has {len(shape)} axes, more than {MAXIMUM_RANK}", "shape")
    count, element_strides = size, None
    if strides is None:
        for extent in shape:
            count *= extent
    else:
        element_strides = _EXTENTS[len(shape)](*[stride // size for stride in strides])
        for extent, stride in zip(shape, strides):
            count = count + (extent - 1) * stride if extent else 0
            if not count:
                break
    return _borrowed(code, shape, element_strides, address, count, value)


def _borrowed(code: int, shape: tuple, strides, address: int, count: int, owner) -> Borrowed:
    handle = c_void_p()
    status = _borrow(
        code, len(shape), _extents(shape), strides, address, count, None, None, byref(handle), place())
    if status:
        check(status)
    return Borrowed(handle.value, owner, address, count)


def _code_of(value) -> int:
    """The element type of an array that NumPy has no string for."""
    name = str(getattr(value, "dtype", ""))
    if name in CODES and name == "bfloat16":
        return CODES[name]
    raise ArgumentError(f"elements of {name or 'this type'} are not read; convert the array first", "type")


def _of_buffer(value) -> Handle:
    """A tensor of what has Python's buffers, such as the module array and memoryview."""
    try:
        view = memoryview(value)
    except TypeError:
        raise ArgumentError(f"{type(value).__name__} is no array, tensor, buffer or list of numbers", "type") from None
    code = OF_FORMATS.get(view.format.lstrip(_NATIVE))
    if code is None:
        raise ArgumentError(f"elements of the format {view.format!r} are not read", "type")
    if not view.c_contiguous or view.readonly or view.nbytes == 0 or view.ndim > MAXIMUM_RANK:
        return copied_bytes(code, view.shape, view.tobytes())
    memory = (ctypes.c_char * view.nbytes).from_buffer(view)
    return _borrowed(code, view.shape, None, ctypes.addressof(memory), view.nbytes, memory)


def _of_numbers(value, code: int) -> Handle:
    """A tensor of numbers, or of nested lists of them."""
    shape = _shape(value)
    numbers = [value]
    for extent in shape:
        if not all(isinstance(row, (list, tuple)) and len(row) == extent for row in numbers):
            raise ArgumentError("lists of numbers in a list have different lengths", "shape")
        numbers = [number for row in numbers for number in row]
    if code not in FORMATS:
        raise ArgumentError("numbers of Python cannot become bfloat16; give an array or a tensor", "type")
    try:
        content = struct.pack(f"={len(numbers)}{FORMATS[code]}", *numbers)
    except (struct.error, OverflowError) as error:
        raise ArgumentError(f"a list has what is no number of the input's type: {error}", "type") from None
    return copied_bytes(code, shape, content)


def _shape(value) -> tuple:
    extents = []
    while isinstance(value, (list, tuple)):
        extents.append(len(value))
        if len(value) == 0:
            break
        if len(extents) > MAXIMUM_RANK:
            raise ArgumentError(f"lists are nested more than {MAXIMUM_RANK} deep", "shape")
        value = value[0]
    return tuple(extents)
