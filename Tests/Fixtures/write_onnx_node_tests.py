"""Writes the installed onnx's tests of operators that are missing or different in an older version's data.

    python write_onnx_node_tests.py OLDER_DATA/node FOLDER
"""

import os
import sys
import warnings

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_node_model_tests


def encoded(value, info):
    """A value in the form of the tests: a TensorProto, or the message for a sequence, an optional or a map."""
    if isinstance(value, onnx.TensorProto):
        return value.SerializeToString()
    kind = info.type.WhichOneof("value")
    convert = {
        "sequence_type": numpy_helper.from_list, "optional_type": numpy_helper.from_optional, "map_type": numpy_helper.from_dict,
    }.get(kind, lambda value, name: numpy_helper.from_array(numpy.asarray(value), name))
    return convert(value, info.name).SerializeToString()


def files(case):
    """The content of a test's files by their paths."""
    yield "model.onnx", case.model.SerializeToString()
    for index, (inputs, outputs) in enumerate(case.data_sets):
        for stem, values, infos in (("input", inputs, case.model.graph.input), ("output", outputs, case.model.graph.output)):
            for place, (value, info) in enumerate(zip(values, infos)):
                yield f"test_data_set_{index}/{stem}_{place}.pb", encoded(value, info)


def is_same(folder, contents):
    """Whether an older test has the same models and numbers; producers' names are ignored."""
    def content(path):
        with open(os.path.join(folder, path), "rb") as file:
            return file.read()

    if not all(os.path.exists(os.path.join(folder, path)) for path in contents):
        return False
    older = onnx.load_from_string(content("model.onnx"))
    newer = onnx.load_from_string(contents["model.onnx"])
    return older.graph == newer.graph and older.opset_import == newer.opset_import and all(
        content(path) == data for path, data in contents.items() if path != "model.onnx")


def main():
    older, folder = sys.argv[1:]
    warnings.simplefilter("ignore")
    count = 0
    for case in load_node_model_tests():
        contents = dict(files(case))
        if is_same(os.path.join(older, case.name), contents):
            continue
        count += 1
        for path, data in contents.items():
            target = os.path.join(folder, case.name, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(data)
    assert count, "there are no such tests"
    print(f"onnx {onnx.__version__}: {count} tests")


main()
