"""Tensors, and DLPack in and out."""

import ctypes
import gc
import pickle

import networks
import numpy
import pytest

import apus
from apus import _dlpack


@pytest.fixture
def tensor(doubling):
    return doubling(numpy.float32([[1, 2], [3, 4]])).tensors[0]


def test_a_tensor_is_like_an_array(tensor):
    assert (tensor.shape, tensor.strides, tensor.dtype) == ((2, 2), (2, 1), "float32")
    assert (tensor.size, tensor.nbytes) == (4, 16)
    assert len(tensor) == 2 and tensor[1].tolist() == [6, 8] and [row.tolist() for row in tensor] == [[2, 4], [6, 8]]
    assert repr(tensor) == "<apus.Tensor float32[2, 2]>"
    assert float(apus.Tensor([3.5])) == 3.5 and int(apus.Tensor(7.0)) == 7
    with pytest.raises(TypeError):
        float(tensor)
    with pytest.raises(TypeError):
        len(apus.Tensor(1.0))
    assert numpy.asarray(tensor, dtype=numpy.int32).tolist() == [[2, 4], [6, 8]]
    assert apus.Tensor(numpy.zeros((2, 0), numpy.int8)).tolist() == [[], []]


def test_numpy_reads_the_memory_of_the_tensor(tensor):
    first, second = numpy.asarray(tensor), numpy.from_dlpack(tensor, copy=False)
    assert not second.flags.writeable and first.ctypes.data == second.ctypes.data and not first.flags.writeable
    assert numpy.array(tensor).flags.writeable
    expected = first.tolist()
    del tensor
    gc.collect()
    assert first.tolist() == second.tolist() == expected


def test_capsules_of_both_forms(tensor):
    assert tensor.__dlpack_device__() == (1, 0)
    for arguments, name in [({}, "dltensor"), ({"max_version": (1, 0)}, "dltensor_versioned")]:
        assert f'"{name}"' in repr(tensor.__dlpack__(**arguments))
    assert numpy.from_dlpack(tensor, copy=True).tolist() == tensor.tolist()
    with pytest.raises(BufferError):
        tensor.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        tensor.__dlpack__(stream=1)


def test_what_may_be_written_is_a_copy(tensor):
    """Libraries without memory that may only be read, such as PyTorch, would write to the tensor's."""
    before = tensor.tolist()
    for capsule in (tensor.__dlpack__(), tensor.__dlpack__(max_version=(1, 0)), tensor.__dlpack__(copy=True)):
        copy = apus.Tensor._owning(_dlpack.imported(type("Foreign", (), {"__dlpack__": lambda self, **_: capsule})()))
        address = copy._described().data
        assert address != tensor._described().data
        ctypes.memset(address, 0, copy.nbytes)
    copy = numpy.from_dlpack(tensor)
    assert copy.flags.writeable
    copy[:] = 9
    assert tensor.tolist() == before
    with pytest.raises(BufferError, match="only be read"):
        tensor.__dlpack__(copy=False)


def test_tensors_of_others_are_read_where_they_lie(doubling):
    class Foreign:
        def __init__(self, values):
            self.values = values

        def __dlpack__(self, **arguments):
            return self.values.__dlpack__(**arguments)

    values = numpy.float32([[1, 2], [3, 4]])
    other = apus.Tensor(Foreign(values))
    assert numpy.asarray(other).ctypes.data == values.ctypes.data
    assert doubling(Foreign(values.T))[0].tolist() == [[2, 6], [4, 8]]
    with pytest.raises(apus.ArgumentError, match="DLPack"):
        doubling(type("Wrong", (), {"__dlpack__": lambda self, **_: b"no capsule"})())


def test_torch(doubling):
    torch = pytest.importorskip("torch")
    values = torch.tensor([[1.0, 2.0]])
    result = torch.from_dlpack(doubling(values))
    assert result.tolist() == [[2, 4]]
    outputs = doubling(values)
    torch.from_dlpack(outputs)[:] = 9
    assert outputs[0].tolist() == [[2, 4]]
    assert doubling(values.expand(3, 2))[0].tolist() == [[2, 4]] * 3


def test_a_copy_is_pickled(tensor):
    assert pickle.loads(pickle.dumps(tensor)).tolist() == tensor.tolist()


def test_a_tensor_owns_its_numbers():
    values = numpy.float32([1, 2])
    tensor = apus.Tensor(values)
    values[:] = 9
    assert tensor.tolist() == [1, 2]


def test_strided_memory_is_copied_in_order():
    values = numpy.arange(24, dtype=numpy.int16).reshape(2, 3, 4)
    assert apus.Tensor(values.transpose(2, 0, 1)).tolist() == values.transpose(2, 0, 1).tolist()
