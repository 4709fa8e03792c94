"""What is run: a file, what it may refer to, and what has to come of it."""

import dataclasses
import os


@dataclasses.dataclass
class Case:
    name: str
    #: The files by name: bytes, or a function that makes the file at a path.
    files: dict
    #: Whether nothing but an error is right, nothing but an answer, or either.
    expected: str = "either"
    #: Arguments after `apus`, each list a run; {folder} is where the files are.
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
    """The groups in which a case may have one of the texts in its name, which is GROUP/CASE: making files takes time."""
    for group in groups:
        if any("/" not in text or group.__name__.endswith(text.split("/")[0]) for text in texts):
            yield group
