"""Runs the code of a package, as `running.py` asks for it: each line of standard input is a question in JSON.

    python Tests/Gallery/run_oracle.py ORACLE MODEL OPTIONS FOLDER

ORACLE is a file of `oracles`. Its `load(model, **options)` gives a function from the path of a picture to an answer in
the form of `comparing.py`. Pictures in an answer are arrays; they are written into FOLDER. If the function has an
attribute `timed`, that is what is timed; `labels` are the package's names of classes. OPTIONS is JSON.
"""

import importlib.util
import json
import os
import pathlib
import sys
import time

import numpy as np
from PIL import Image

PICTURES = ("mask", "masks", "picture")


def plain(value):
    """Numbers of NumPy as those of Python."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else str(value)


def with_pictures_in_files(answer, folder, name):
    for key in PICTURES:
        if isinstance(answer.get(key), np.ndarray):
            path = folder / f"{name}.{key}.png"
            Image.fromarray(np.ascontiguousarray(answer[key])).save(path)
            answer[key] = str(path)
    return answer


def reply(network, question, folder):
    if "picture" in question:
        return with_pictures_in_files(network(question["picture"]), folder, pathlib.Path(question["picture"]).name)
    if "labels" in question:
        return {"labels": network.labels}
    timed = getattr(network, "timed", network)
    timed(question["time"][0])
    start = time.perf_counter()
    for picture in question["time"]:
        timed(picture)
    return {"seconds": time.perf_counter() - start}


def main():
    oracle, model, options, folder = sys.argv[1:]
    # Packages print what they like; only answers belong on standard output.
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    specification = importlib.util.spec_from_file_location("oracle", oracle)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    network = module.load(model, **json.loads(options))
    for line in sys.stdin:
        try:
            answer = reply(network, json.loads(line), pathlib.Path(folder))
        except Exception as error:  # The package's own; the answer tells it.
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer, ensure_ascii=False, default=plain), file=output, flush=True)


main()
