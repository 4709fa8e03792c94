"""The cases: a file, the files to which it may refer, and the expected result."""

import dataclasses
import os


@dataclasses.dataclass
class Case:
    name: str
    #: The files by name: bytes, or a function that makes the file at a path.
    files: dict
    #: Whether the result must be an error, must be an answer, or may be either.
    expected: str = "either"
    #: Arguments after `apus`, a list for each run; {folder} is the folder of the files.
    runs: list = None

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        for name, content in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if callable(content):
                content(path)
            else:
                with open(path, "wb") as file:
                    file.write(content)


ERROR, ANSWER, EITHER = "error", "answer", "either"


def chosen(groups, texts):
    """The groups that may have a case with one of the texts in its name, GROUP/CASE, since making files takes time."""
    for group in groups:
        if any("/" not in text or group.__name__.endswith(text.split("/")[0]) for text in texts):
            yield group
