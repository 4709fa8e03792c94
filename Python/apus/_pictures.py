"""Pictures of a caller: paths, bytes, images of Pillow, and arrays."""

from __future__ import annotations

import collections.abc
import ctypes
import os
from typing import Optional

from ._errors import ArgumentError, PictureError
from ._handles import Handle, create, utf8_path
from ._inputs import Borrowed, copied_bytes, tensor_handle
from ._library import library
from ._numpy import required
from ._tensors import Tensor

# Modes of Pillow with pixels of 8 bits, and their channels.
_CHANNELS = {"L": 1, "RGB": 3, "RGBA": 4}
# Modes of Pillow with larger numbers, which files can hold.
_DEEP_MODES = ("I", "I;16", "I;16B", "I;16L", "I;16N")
# Modes of Pillow with alpha that colors were multiplied with, and what they are converted to first.
_MULTIPLIED_MODES = {"La": "LA", "RGBa": "RGBA"}


def several(value) -> Optional[collections.abc.Sequence]:
    """Several pictures: a list, what a list can be made of, or an array with an axis for them; None for one picture."""
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, (collections.abc.Iterator, collections.abc.Set)) and not hasattr(value, "read"):
        return list(value)
    if hasattr(value, "to_list") and hasattr(value, "iloc"):
        # A column of pandas.
        return value.to_list()
    shape = getattr(value, "shape", None)
    return value if isinstance(shape, tuple) and len(shape) == 4 else None


def file_of(value) -> Optional[str]:
    """The file that a picture is read from: a path, or that of an open file or of an image of Pillow; None without."""
    if isinstance(value, (str, os.PathLike)):
        return os.fsdecode(value)
    name = getattr(value, "name", None) if hasattr(value, "read") else getattr(value, "filename", None)
    return name or None if isinstance(name, str) else None


def picture_handle(value) -> Handle:
    """A picture of the library.

    Raises:
        ArgumentError: The value is no picture.
        PictureError: The file of an image of Pillow, or a file that is open, cannot be read.
    """
    if isinstance(value, (str, os.PathLike)):
        return create(library.apus_picture_file, utf8_path(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        content = bytes(value)
        return create(library.apus_picture_bytes, content, len(content))
    if hasattr(value, "read"):
        try:
            content = value.read()
        except OSError as error:
            raise PictureError(str(error), "unreadable", "read", 10) from error
        if not isinstance(content, bytes):
            raise ArgumentError("a file is opened to read bytes: open(path, \"rb\")", "type")
        return picture_handle(content)
    if hasattr(value, "getexif") and hasattr(value, "tobytes"):
        return _of_pillow(value)
    return _of_array(value)


def _of_pillow(image) -> Handle:
    """A picture of Pillow, upright as its file says. Alpha is ignored, as in files."""
    try:
        image = _readable(image)
        pixels = image.tobytes()
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        # Pillow's readers of files raise exceptions of many kinds.
        raise PictureError(str(error), "corrupt", "decode", 10) from error
    if image.mode == "I;16":
        from io import BytesIO

        file = BytesIO()
        image.save(file, "PNG")
        return picture_handle(file.getvalue())
    return create(
        library.apus_picture_pixels, pixels, image.width, image.height, _CHANNELS[image.mode], 0, len(pixels))


def _readable(image):
    """An image in a mode of 8 bits that the library takes, or in the one mode of 16 bits that Pillow always writes."""
    from PIL import ImageOps

    image = ImageOps.exif_transpose(image)
    image.load()
    if image.mode in _DEEP_MODES:
        return image if image.mode == "I;16" else image.convert("I").convert("I;16")
    if image.mode in _MULTIPLIED_MODES:
        image = image.convert(_MULTIPLIED_MODES[image.mode])
    return image if image.mode in _CHANNELS else image.convert("RGB")


def _of_array(value) -> Handle:
    """Pixels of 8 bits, in rows; or other numbers, which the network takes as they are."""
    if value is None or isinstance(value, (int, float)):
        raise ArgumentError(f"{type(value).__name__} is no picture", "type")
    described = Tensor._owning(tensor_handle(value))
    if described.dtype != "uint8":
        numbers = _owned(described)
        return create(library.apus_picture_tensor, numbers.pointer)
    shape, strides = described.shape, described.strides
    if len(shape) == 2:
        shape, strides = (*shape, 1), (*strides, 1)
    if len(shape) != 3 or shape[2] not in (1, 3, 4):
        raise ArgumentError(
            f"an array of pixels has the axes height, width and 1, 3 or 4 channels, not {list(described.shape)}",
            "shape")
    height, width, channels = shape
    if strides[2] != 1 or strides[1] != channels or height > 1 and strides[0] < width * channels:
        return _of_array(required("an array of pixels in another order").ascontiguousarray(value))
    row = strides[0] if height > 1 else width * channels
    data, count = described._described().data, (height - 1) * row + width * channels
    return create(library.apus_picture_pixels, data, width, height, channels, row, max(0, count))


def _owned(tensor: Tensor) -> Handle:
    """A tensor whose memory is not Python's, since the library reads it after this call."""
    if not isinstance(tensor._handle, Borrowed):
        return tensor._handle
    return copied_bytes(tensor._described().type, tensor.shape, tensor.tobytes())


def handles(values) -> tuple:
    """The places of pictures for the library, what owns them, and the errors of those that cannot be read, by their
    positions. In place of each of these the library gets an empty file."""
    owners, failures = [], {}
    for position, value in enumerate(values):
        try:
            owners.append(picture_handle(value))
        except PictureError as failure:
            failures[position] = failure
            owners.append(picture_handle(b""))
    return (ctypes.c_void_p * len(owners))(*[owner.pointer for owner in owners]), owners, failures
