"""The examples of the documentation in Python are run."""

import re
import shutil
import warnings

import pytest
from conftest import FIXTURES, ROOT

PAGES = [
    *sorted((ROOT / "Documentation" / "Apus.docc" / "Articles").glob("*.md")), ROOT / "Python" / "README.md"]


def blocks(page) -> list:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


def test_there_are_examples():
    assert sum(map(len, map(blocks, PAGES))) >= 6


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.stem)
def test_examples_of_a_page(page, tmp_path, monkeypatch):
    for name in (FIXTURES / "models").iterdir():
        shutil.copy(name, tmp_path)
    shutil.copytree(FIXTURES / "photos", tmp_path / "photos")
    shutil.copy(FIXTURES / "photos" / "coffee.png", tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        for block in blocks(page):
            exec(compile(block, str(page), "exec"), names)
