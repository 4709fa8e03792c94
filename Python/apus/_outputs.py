"""The outputs of a run, by name and by position."""

from __future__ import annotations

from ._errors import ArgumentError
from ._inputs import Borrowed, copied_bytes
from ._numpy import numpy
from ._tensors import Tensor


class Outputs:
    """The outputs of a run, in the network's order.

    ``outputs["name"]`` and ``outputs[0]`` are arrays of NumPy where it is installed, and otherwise tensors; both read
    the memory of the library. ``first, second = model(x)`` takes them apart. Outputs of one tensor behave like it:
    ``numpy.asarray(model(x))`` reads its memory, and ``torch.from_dlpack(model(x))`` is a copy, which can be written.

    >>> outputs = apus.Model(tiny)([[1.0, 2.0]])
    >>> outputs.names
    ('y',)
    >>> outputs.tensors[0].tolist()
    [[2.0, 4.0]]
    """

    __slots__ = ("names", "tensors")

    def __init__(self, names: tuple, tensors: list):
        self.names = names
        self.tensors = tuple(tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def __getitem__(self, key):
        if isinstance(key, str):
            if key not in self.names:
                raise KeyError(f"there is no output {key!r}; the outputs are {', '.join(self.names)}")
            key = self.names.index(key)
        if isinstance(key, slice):
            return [_array(tensor) for tensor in self.tensors[key]]
        return _array(self.tensors[key])

    def __iter__(self):
        return (_array(tensor) for tensor in self.tensors)

    def __contains__(self, name) -> bool:
        return name in self.names

    def keys(self) -> tuple:
        """The names of the outputs."""
        return self.names

    def values(self) -> list:
        """The outputs as arrays."""
        return list(self)

    def items(self) -> list:
        """The names with the outputs."""
        return list(zip(self.names, self))

    def _only(self) -> Tensor:
        if len(self.tensors) != 1:
            names = ", ".join(self.names)
            raise ArgumentError(f"there are {len(self.tensors)} outputs; take one of {names}", "outputs")
        return self.tensors[0]

    def __array__(self, dtype=None, copy=None):
        return self._only().__array__(dtype, copy)

    def __dlpack__(self, **arguments):
        return self._only().__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple:
        return self._only().__dlpack_device__()

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}: {repr(tensor)[13:-1]}" for name, tensor in zip(self.names, self.tensors))
        return f"<apus.Outputs {parts}>"


def _array(tensor: Tensor):
    if numpy() is None or tensor.dtype == "bfloat16":
        return tensor
    return tensor.numpy()


def gathered(names: tuple, handles: list, inputs: list) -> Outputs:
    """The outputs of a run.

    An output can be memory of an input, as in a network that hands it on. Memory that Python lent is then copied,
    because the caller may change it.
    """
    tensors = [Tensor._owning(handle) for handle in handles]
    for handle in inputs:
        if handle.__class__ is Borrowed:
            start, end = handle.start, handle.end
            for index, tensor in enumerate(tensors):
                if start <= (tensor._described().data or 0) < end:
                    content = tensor.tobytes()
                    tensors[index] = Tensor._owning(copied_bytes(tensor._described().type, tensor.shape, content))
    return Outputs(names, tensors)
