"""DLPack: tensors that pass from one library to another without a copy.

Source: https://dmlc.github.io/dlpack/latest/python_spec.html
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, Structure, byref, c_char_p, c_int32, c_uint32, c_void_p, py_object, pythonapi

from ._errors import ArgumentError, check, place
from ._handles import Handle
from ._library import library

CPU = (1, 0)

_PLAIN, _USED_PLAIN = b"dltensor", b"used_dltensor"
_VERSIONED, _USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"


def _function(name: str, result, *parameters):
    return ctypes.PYFUNCTYPE(result, *parameters)((name, pythonapi))


_new = _function("PyCapsule_New", py_object, c_void_p, c_char_p, c_void_p)
_is_valid = _function("PyCapsule_IsValid", ctypes.c_int, py_object, c_char_p)
_pointer = _function("PyCapsule_GetPointer", c_void_p, py_object, c_char_p)
_set_name = _function("PyCapsule_SetName", ctypes.c_int, py_object, c_char_p)
# Destructors get an object that has no references any more, so that they must not count one.
_is_valid_address = _function("PyCapsule_IsValid", ctypes.c_int, c_void_p, c_char_p)
_pointer_address = _function("PyCapsule_GetPointer", c_void_p, c_void_p, c_char_p)


# The flag of memory that belongs to the capsule alone.
_IS_COPIED = 2


class _Deleters:
    """Where the deleter lies in a DLManagedTensor, and in a DLManagedTensorVersioned."""

    class Plain(Structure):
        _fields_ = [
            ("data", c_void_p), ("device", c_int32 * 2), ("rank", c_int32), ("type", c_uint32), ("extents", c_void_p),
            ("strides", c_void_p), ("offset", ctypes.c_uint64), ("context", c_void_p), ("deleter", c_void_p)]

    class Versioned(Structure):
        _fields_ = [
            ("version", c_uint32 * 2), ("context", c_void_p), ("deleter", c_void_p), ("flags", ctypes.c_uint64)]


def _give_back(
    capsule, names=((_PLAIN, _Deleters.Plain), (_VERSIONED, _Deleters.Versioned)), is_valid=_is_valid_address,
    pointer=_pointer_address, deleter_type=CFUNCTYPE(None, c_void_p),
):
    """Releases a tensor that no consumer has taken out of its capsule."""
    for name, structure in names:
        if is_valid(capsule, name):
            address = pointer(capsule, name)
            deleter_type(structure.from_address(address).deleter)(address)


# The function is never freed, since capsules may end after this module.
_destructor = ctypes.PYFUNCTYPE(None, c_void_p)(_give_back)
pythonapi.Py_IncRef(py_object(_destructor))
_destructor_address = ctypes.cast(_destructor, c_void_p).value


def exported(handle: Handle, is_versioned: bool, is_copied: bool):
    """A capsule that shares the memory of a tensor, which may only be read unless it is a copy."""
    managed = c_void_p()
    check(library.apus_tensor_to_dlpack(handle.pointer, is_versioned, byref(managed), place()))
    if is_versioned and is_copied:
        _Deleters.Versioned.from_address(managed.value).flags = _IS_COPIED
    return _new(managed.value, _VERSIONED if is_versioned else _PLAIN, _destructor_address)


def imported(value) -> Handle:
    """A tensor that reads the memory of an object with ``__dlpack__``."""
    try:
        capsule = value.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = value.__dlpack__()
    is_versioned = bool(_is_valid(capsule, _VERSIONED))
    if not is_versioned and not _is_valid(capsule, _PLAIN):
        raise ArgumentError("the object's __dlpack__ gives no tensor of DLPack", "dlpack")
    handle = c_void_p()
    managed = _pointer(capsule, _VERSIONED if is_versioned else _PLAIN)
    check(library.apus_tensor_from_dlpack(managed, is_versioned, byref(handle), place()))
    _set_name(capsule, _USED_VERSIONED if is_versioned else _USED_PLAIN)
    return Handle(handle.value)
