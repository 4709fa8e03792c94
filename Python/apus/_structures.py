"""The structures of apus.h for ctypes, in the header's order."""

from ctypes import POINTER, Structure, c_char, c_char_p, c_float, c_int32, c_int64, c_size_t, c_uint32, c_void_p

MAXIMUM_RANK = 16


class ErrorStructure(Structure):
    _fields_ = [("status", c_int32), ("code", c_char * 60), ("place", c_char * 1024), ("message", c_char * 4096)]


class ValueStructure(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_int32),
        ("rank", c_int32),
        ("extents", c_int64 * MAXIMUM_RANK),
        ("symbols", c_char_p * MAXIMUM_RANK),
    ]


class ElementsStructure(Structure):
    _fields_ = [
        ("type", c_int32),
        ("rank", c_int32),
        ("extents", c_int64 * MAXIMUM_RANK),
        ("strides", c_int64 * MAXIMUM_RANK),
        ("data", c_void_p),
    ]


class PointStructure(Structure):
    _fields_ = [("name", c_char_p), ("x", c_float), ("y", c_float), ("z", c_float), ("confidence", c_float)]


class ItemStructure(Structure):
    _fields_ = [
        ("index", c_int32),
        ("label", c_char_p),
        ("confidence", c_float),
        ("box", c_float * 4),
        ("track", c_int64),
        ("area", c_int64),
        ("points", POINTER(PointStructure)),
        ("point_count", c_size_t),
        ("runs", POINTER(c_uint32)),
        ("run_count", c_size_t),
    ]


class ProgressStructure(Structure):
    _fields_ = [("total", c_int64), ("succeeded", c_int64), ("failed", c_int64), ("resumed", c_int64)]
