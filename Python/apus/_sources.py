"""Where a model comes from: what is pickled of it, and what opens it once in a process."""

from __future__ import annotations

import os
import threading

from ._errors import Error

_BLOCK = 1 << 20


class Source:
    """The path or the content of a model, and its options.

    A pickled source has a digest of the file's content, and is refused in a process that finds other content.
    """

    def __init__(self, model, options: dict):
        if isinstance(model, (bytes, bytearray, memoryview)):
            self.content, self.path, self.name = bytes(model), None, "model"
        else:
            path = os.fspath(model)
            path = path if isinstance(path, str) else os.fsdecode(path)
            self.content, self.path, self.name = None, path, path
        self.options = options
        self.state = _state(self.path)
        self.digest = None

    def __getstate__(self) -> dict:
        if self.digest is None and self.state is not None:
            digest = _digest(self.path)
            if _state(self.path) != self.state:
                raise self._changed("it was opened")
            self.digest = digest
        path = self.path if self.state is None else os.path.abspath(self.path)
        return {**self.__dict__, "path": path, "state": None}

    def verify(self) -> None:
        """Raises an error when the file has other content than where it was pickled."""
        if self.digest is None:
            return
        state = _state(self.path)
        if _digest(self.path) != self.digest:
            raise self._changed("it was pickled")
        self.state = state

    def _changed(self, since: str) -> Error:
        return Error(f"{self.path}: the model has changed since {since}", "changed", self.path, 1)

    @property
    def key(self):
        """What models are equal by."""
        return self.path, self.content, self.digest, tuple(sorted((name, repr(v)) for name, v in self.options.items()))


def _state(path):
    """What tells whether a file has changed; None where there is no file, as for networks of the zoo."""
    try:
        found = os.stat(path) if path is not None else None
    except (OSError, ValueError):
        return None
    return None if found is None else (found.st_ino, found.st_size, found.st_mtime_ns)


def _digest(path: str) -> str:
    """The digest of a file, or of all files of a folder."""
    import hashlib

    digest = hashlib.sha256()
    for file in sorted(_files(path)):
        digest.update(os.path.relpath(file, path).encode("utf-8", "surrogateescape") + b"\0")
        with open(file, "rb") as content:
            while block := content.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


def _files(path: str):
    if not os.path.isdir(path):
        return [path]
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]


class Opened:
    """A model that opens when it is first used, and is then one for all equal copies of a process.

    Subclasses have `_open`, which makes what copies share.
    """

    _shared: dict = {}
    _lock = threading.RLock()

    @staticmethod
    def _begin_child() -> None:
        """Another thread of the parent may have held the lock."""
        Opened._lock = threading.RLock()

    def _init(self, source: Source) -> None:
        self._source = source
        self._engine = self._open(source)

    @classmethod
    def _unopened(cls, model, options: dict):
        """A model that opens when it is first used, like a copy in another process."""
        made = cls.__new__(cls)
        made.__setstate__(Source(model, options))
        return made

    def _open(self, source: Source):
        raise NotImplementedError

    def _opened(self):
        """What the library has of the model."""
        engine = self._engine
        if engine is None:
            key = (type(self)._open, self._source.key)
            with Opened._lock:
                engine = Opened._shared.get(key)
                if engine is None:
                    self._source.verify()
                    engine = Opened._shared[key] = self._open(self._source)
            self._engine = engine
        return engine

    def __getstate__(self) -> Source:
        return self._source

    def __setstate__(self, source: Source) -> None:
        self._source = source
        self._engine = None


os.register_at_fork(after_in_child=Opened._begin_child)
