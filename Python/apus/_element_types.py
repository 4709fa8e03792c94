"""Element types: their codes in the library, and their names in other libraries."""

from __future__ import annotations

import sys

# Codes, names and bytes of an element.
NAMES = {
    1: "float32", 2: "float16", 3: "float64", 4: "bfloat16", 5: "int8", 6: "uint8", 7: "int16", 8: "uint16",
    9: "int32", 10: "uint32", 11: "int64", 12: "uint64", 13: "bool"}
SIZES = {1: 4, 2: 2, 3: 8, 4: 2, 5: 1, 6: 1, 7: 2, 8: 2, 9: 4, 10: 4, 11: 8, 12: 8, 13: 1}
CODES = {name: code for code, name in NAMES.items()}

_order = "<" if sys.byteorder == "little" else ">"

# NumPy's way of writing types; bfloat16 has none there.
TYPE_STRINGS = {
    1: _order + "f4", 2: _order + "f2", 3: _order + "f8", 5: "|i1", 6: "|u1", 7: _order + "i2", 8: _order + "u2",
    9: _order + "i4", 10: _order + "u4", 11: _order + "i8", 12: _order + "u8", 13: "|b1"}
OF_TYPE_STRINGS = {text: code for code, text in TYPE_STRINGS.items()}

# The types of the modules array and struct.
FORMATS = {
    1: "f", 2: "e", 3: "d", 5: "b", 6: "B", 7: "h", 8: "H", 9: "i", 10: "I", 11: "q", 12: "Q", 13: "?"}
OF_FORMATS = {**{text: code for code, text in FORMATS.items()}, "l": 11, "L": 12}
