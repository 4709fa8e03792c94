"""The functions and structures of apus.h are those that ctypes is told."""

import ctypes
import re
import subprocess

from conftest import ROOT

from apus import _library, _structures

HEADER = ROOT / "Sources" / "Doors" / "CApus" / "include" / "apus.h"

KINDS = {
    "size_t": ctypes.c_size_t, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "double": ctypes.c_double,
    "apus_element_type": ctypes.c_int32}


def declared() -> dict:
    """The types of the parameters of each function in the header, without names."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    functions = re.findall(r"^apus_status\s+(apus_\w+)\((.*?)\);", text, re.DOTALL | re.MULTILINE)
    return {name: [re.sub(r"\w+$", "", " ".join(one.split())).strip() for one in parameters.split(",")]
            for name, parameters in functions}


def test_functions_have_the_parameters_of_the_header():
    functions = declared()
    for name, parameters in _library._PARAMETERS.items():
        assert len(functions[name]) == len(parameters) + 1 and functions[name][-1] == "apus_error *", name
        for kind, parameter in zip(functions[name], parameters):
            assert (kind in KINDS) == (parameter in KINDS.values()), f"{name}: {kind}"
            assert KINDS.get(kind, parameter) is parameter, f"{name}: {kind}"


def test_structures_have_the_layout_of_the_header(tmp_path):
    structures = {
        "apus_error": _structures.ErrorStructure, "apus_value": _structures.ValueStructure,
        "apus_elements": _structures.ElementsStructure, "apus_point": _structures.PointStructure,
        "apus_item": _structures.ItemStructure, "apus_progress": _structures.ProgressStructure}
    lines = [f'printf("%zu\\n", sizeof({name}));' for name in structures]
    lines += [
        f'printf("%zu\\n", offsetof({name}, {field[0]}));' for name, kind in structures.items()
        for field in kind._fields_]
    source = tmp_path / "layout.c"
    source.write_text(f'#include <stdio.h>\n#include "{HEADER}"\nint main(void) {{ {" ".join(lines)} }}\n')
    subprocess.run(["cc", "-o", tmp_path / "layout", source], check=True)
    found = list(map(int, subprocess.run([tmp_path / "layout"], capture_output=True, check=True).stdout.split()))
    assert found == [ctypes.sizeof(kind) for kind in structures.values()] + [
        getattr(kind, field[0]).offset for kind in structures.values() for field in kind._fields_]
