"""The C library: where it is, and the types of its functions."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_ubyte, c_void_p

from ._structures import (
    ElementsStructure, ErrorStructure, ItemStructure, ProgressStructure, ValueStructure)

def _path() -> str:
    """The library that the variable APUS_LIBRARY names, the one inside the package, or the system's."""
    folder = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.join(folder, "lib", "libapus.so.0")
    return os.environ.get("APUS_LIBRARY") or (inside if os.path.exists(inside) else "libapus.so.0")


# Handles are numbers in the form of pointers. ctypes gives them as integers.
_handle = c_void_p
_handles = POINTER(c_void_p)
_names = POINTER(c_char_p)
_error = POINTER(ErrorStructure)

# The parameters of each function, without the error at the end.
_PARAMETERS = {
    "apus_release": [_handle],
    "apus_text_get": [_handle, POINTER(c_void_p), POINTER(c_size_t)],
    "apus_devices": [_handles],
    "apus_options_create": [_handles],
    "apus_options_set": [_handle, c_char_p, c_char_p],
    "apus_model_open": [c_char_p, _handle, _handles],
    "apus_model_read": [c_char_p, c_size_t, c_char_p, _handle, _handles],
    "apus_model_input_count": [_handle, POINTER(c_size_t)],
    "apus_model_output_count": [_handle, POINTER(c_size_t)],
    "apus_model_input": [_handle, c_size_t, POINTER(ValueStructure)],
    "apus_model_output": [_handle, c_size_t, POINTER(ValueStructure)],
    "apus_model_describe": [_handle, _handles],
    "apus_model_bench": [_handle, _handle, _handles],
    "apus_model_compare": [_handle, _names, c_size_t, _names, c_size_t, _handle, _handles],
    "apus_tensor_copy": [c_int32, c_int32, POINTER(c_int64), c_void_p, c_size_t, _handles],
    "apus_tensor_borrow": [
        c_int32, c_int32, POINTER(c_int64), POINTER(c_int64), c_void_p, c_size_t, c_void_p, c_void_p, _handles],
    "apus_tensor_get": [_handle, POINTER(ElementsStructure)],
    "apus_tensor_from_dlpack": [c_void_p, c_int32, _handles],
    "apus_tensor_to_dlpack": [_handle, c_int32, _handles],
    "apus_session_start": [_handle, _handle, _handles],
    "apus_session_run": [_handle, _names, _handles, c_size_t, _names, _handles, c_size_t],
    "apus_session_run_async": [_handle, _names, _handles, c_size_t, c_void_p, c_void_p, _handles],
    "apus_session_plan": [_handle, c_int64, _handles],
    "apus_session_profile": [_handle, _handles],
    "apus_picture_file": [c_char_p, _handles],
    "apus_picture_bytes": [c_char_p, c_size_t, _handles],
    "apus_picture_pixels": [c_void_p, c_int64, c_int64, c_int32, c_size_t, c_size_t, _handles],
    "apus_picture_tensor": [_handle, _handles],
    "apus_predictor_open": [c_char_p, _handle, _handles],
    "apus_predictor_start": [_handle, _handle, _handles],
    "apus_predictor_describe": [_handle, _handles],
    "apus_predictor_predict_async": [_handle, _handles, c_size_t, c_void_p, c_void_p, _handles],
    "apus_answer_check": [_handle],
    "apus_answer_kind": [_handle, POINTER(c_char_p)],
    "apus_answer_size": [_handle, POINTER(c_int64), POINTER(c_int64)],
    "apus_answer_json": [_handle, c_char_p, _handles],
    "apus_answer_item_count": [_handle, POINTER(c_size_t)],
    "apus_answer_item": [_handle, c_size_t, POINTER(ItemStructure)],
    "apus_answer_mask": [_handle, c_size_t, POINTER(c_ubyte), c_size_t],
    "apus_answer_tensor_count": [_handle, POINTER(c_size_t)],
    "apus_answer_tensor": [_handle, c_size_t, POINTER(c_char_p), _handles],
    "apus_answer_part_count": [_handle, c_size_t, POINTER(c_size_t)],
    "apus_answer_part": [_handle, c_size_t, c_size_t, POINTER(c_char_p), _handles],
    "apus_rows_start": [_handle, _names, c_size_t, _handle, _handles],
    "apus_rows_wait": [_handle, c_double],
    "apus_rows_next": [_handle, _handles, _handles],
    "apus_run_start": [_handle, _names, c_size_t, c_char_p, _handle, c_void_p, c_void_p, c_void_p, _handles],
    "apus_work_wait": [_handle, c_double],
    "apus_work_cancel": [_handle],
    "apus_work_outputs": [_handle, _names, _handles, c_size_t],
    "apus_work_answers": [_handle, _handles, c_size_t],
    "apus_work_progress": [_handle, POINTER(ProgressStructure)],
    "apus_work_summary": [_handle, _handles],
}


def _load() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"the library of Apus cannot be loaded: {error}") from None
    for name, parameters in _PARAMETERS.items():
        function = getattr(library, name)
        function.argtypes = [*parameters, _error]
        function.restype = c_int32
    library.apus_version.argtypes = []
    library.apus_version.restype = c_char_p
    return library


library = _load()

version = library.apus_version().decode()

# The address of the C function that adds 1 to an eventfd. Python is never called from a thread of the library.
signal_eventfd = ctypes.cast(library.apus_signal_eventfd, c_void_p).value
