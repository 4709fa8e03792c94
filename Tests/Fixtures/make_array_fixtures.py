"""Makes Tests/Fixtures/arrays: .npy files by NumPy, damaged ones by hand, and arrays.json, what reading gives.

    pip install numpy && python Tests/Fixtures/make_array_fixtures.py
"""

import json
import struct
from pathlib import Path

import numpy as np

folder = Path(__file__).parent / "arrays"
folder.mkdir(exist_ok=True)
for old in folder.iterdir():
    old.unlink()
good, bad = [], []

NAMES = {
    "f2": "float16", "f4": "float32", "f8": "float64", "i1": "int8", "u1": "uint8", "i2": "int16", "u2": "uint16",
    "i4": "int32", "u4": "uint32", "i8": "int64", "u8": "uint64", "b1": "bool",
}


def save(name, array, version=(1, 0)):
    with open(folder / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version)
    good.append({
        "file": f"{name}.npy", "elementType": NAMES[array.dtype.str[1:]], "shape": list(array.shape),
        "values": [float(value) for value in array.flatten(order="C")],
    })


def damaged(name, content, message):
    (folder / f"{name}.npy").write_bytes(content)
    bad.append({"file": f"{name}.npy", "message": message})


def with_header(text, data=b"", version=1, length=None):
    header = text.encode("latin1")
    count = len(header) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", count) + header + data


numbers = np.arange(24).reshape(2, 3, 4)
for code in NAMES:
    array = (numbers % 2 == 0) if code == "b1" else (numbers - 7 if code[0] != "u" else numbers + 200)
    save(f"little-{code}", array.astype("<" + code))
    if code[1:] != "1":
        save(f"big-{code}", array.astype(">" + code))
save("fortran", np.asfortranarray(numbers.astype("<f4")))
save("fortran-big", np.asfortranarray(numbers.astype(">i4")))
save("version-2", numbers.astype("<f4"), (2, 0))
save("version-3", numbers.astype("<f4"), (3, 0))
save("scalar", np.array(2.5, "<f4"))
save("one-axis", np.array([1, 2, 3], "<i8"))
save("no-elements", np.zeros((0, 3), "<f4"))

plain = (folder / "little-f4.npy").read_bytes()
damaged("empty", b"", "it is empty")
damaged("text", b"1,2,3\n", "it does not begin as one")
damaged("archive", b"PK\x03\x04rest", "it is an archive of arrays (.npz)")
damaged("cut-magic", plain[:7], "it ends in the header")
damaged("cut-header", plain[:40], "it ends in the header")
damaged("cut-data", plain[:-1], "it is cut off")
damaged("long-data", plain + b"\0", "takes 96 bytes, but 97 are there")
damaged("version-9", b"\x93NUMPY\x09\x00" + plain[8:], "it is of version 9")
damaged("long-header", with_header("{}", version=2, length=1 << 31), "it declares a header of 2147483648 bytes")


def header(descr="'<f4'", order="False", shape="(2, 3)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


damaged("complex", with_header(header("'<c8'"), bytes(48)), 'elements are of type "<c8"')
damaged("objects", with_header(header("'|O'"), bytes(48)), 'elements are of type "|O"')
damaged("records", with_header(header("[('a', '<f4')]"), bytes(24)), "its elements are records")
damaged("negative", with_header(header(shape="(-2, 3)"), bytes(24)), '"shape" has something other than whole numbers')
damaged("huge", with_header(header(shape="(4611686018427387904, 4)"), b""), "holds more elements than can be addressed")
damaged("large", with_header(header(shape="(1000000, 1000000)"), b""), "it is cut off")
damaged("huge-number", with_header(header(shape="(99999999999999999999,)"), b""), "is no number in range")
damaged("no-shape", with_header("{'descr': '<f4', 'fortran_order': False}\n"), '"shape" is not a tuple')
damaged("no-order", with_header(header(order="0"), bytes(24)), '"fortran_order" is not True or False')
damaged("unknown-key", with_header("{'descr': '<f4', 'evil': 1}\n"), 'the header has an unknown key "evil"')
damaged("twice", with_header("{'descr': '<f4', 'descr': '<f4'}\n"), 'the header says "descr" twice')
damaged("code", with_header("__import__('os').system('true')\n"), "the header has something unexpected in it")
damaged("deep", with_header("(" * 30_000 + ")" * 30_000), "the header is nested too deeply")
damaged("open", with_header("{'descr': '<f4'"), "a comma is missing in the header")
damaged("open-text", with_header("{'descr"), "a text in the header has no end")
damaged("after", with_header(header() + "1", bytes(24)), "the header goes on after its dictionary")

(folder / "arrays.json").write_text(json.dumps({"good": good, "bad": bad}) + "\n")
