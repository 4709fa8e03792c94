"""Networks on arrays."""

import array
import asyncio
import ctypes
import gc
import json
import re
import weakref

import networks
import numpy
import pytest

import apus


def test_what_a_network_declares(model):
    (data,) = model.inputs
    assert data == ("data", "float32", ("N", 3, 227, 227))
    assert [value.name for value in model.outputs] == ["prob"]
    assert "data: float32[N, 3, 227, 227] → prob: float32[N, 1000]" in repr(model)


def test_outputs_by_name_and_position():
    model = apus.Model(networks.arithmetic())
    a, b = numpy.float32([[1, 2, 3]]), numpy.float32([[10, 20, 30]])
    awaited = asyncio.run(model.run_async({"a": a, "b": b}))
    for outputs in model(a, b), model({"b": b, "a": a}), model(b=b, a=a), awaited:
        assert outputs.names == ("sum", "difference")
        assert outputs["difference"].tolist() == outputs[1].tolist() == [[-9, -18, -27]]
        first, second = outputs
        assert first.tolist() == [[11, 22, 33]] and second.tolist() == [[-9, -18, -27]]
        assert [name for name, _ in outputs.items()] == ["sum", "difference"]
        assert "sum" in outputs and len(outputs) == 2
    with pytest.raises(KeyError, match="outputs are sum, difference"):
        outputs["product"]
    with pytest.raises(apus.ArgumentError, match="2 outputs"):
        numpy.asarray(outputs)


def test_bits_are_those_of_the_command(model, squeezenet, picture, command, tmp_path):
    numpy.save(tmp_path / "x.npy", picture)
    command("run", squeezenet, "--input", f"data={tmp_path / 'x.npy'}", "-o", tmp_path / "outputs")
    (file,) = (tmp_path / "outputs").glob("*.npy")
    assert numpy.array_equal(model(picture)[0].view(numpy.uint32), numpy.load(file).view(numpy.uint32))


def test_a_batch_gives_the_bits_of_its_pictures(model, picture):
    several = numpy.concatenate([picture, picture * 0.5, -picture])
    whole = model(several)[0]
    for index in range(3):
        assert numpy.array_equal(whole[index], model(several[index : index + 1])[0][0])


@pytest.mark.parametrize("make", [
    lambda x: numpy.asfortranarray(x),
    lambda x: numpy.repeat(x, 2, axis=0)[::2],
    lambda x: x[::-1][::-1],
    lambda x: numpy.flip(numpy.flip(x, 1).copy(), 1),
    lambda x: numpy.broadcast_to(x[:1], (5, 2)),
    lambda x: numpy.broadcast_arrays(x, x[:1])[0],
    lambda x: x.view(type("Array", (numpy.ndarray,), {})),
    lambda x: numpy.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
    lambda x: memoryview(x),
    lambda x: x.tolist(),
    lambda x: apus.Tensor(x),
    lambda x: apus.Model(networks.doubling())(x * 0.5).tensors[0],
    lambda x: (ctypes.c_float * 2 * 5)(*map(tuple, x.tolist())),
    lambda x: _Foreign(x),
    lambda x: _Unaligned(x).values,
])
def test_layouts_and_kinds_of_inputs(doubling, make):
    values = numpy.arange(10, dtype=numpy.float32).reshape(5, 2)
    value = make(values)
    expected = 2 * (numpy.broadcast_to(values[:1], (5, 2)) if getattr(value, "strides", (1,))[0] == 0 else values)
    assert numpy.array_equal(numpy.asarray(doubling(value)), expected)


def test_inputs_live_as_long_as_they_are_read(doubling):
    values = numpy.ones((1000, 2), numpy.float32)
    alive = weakref.ref(values)
    run = doubling.run_async(values)
    del values
    assert alive() is not None and asyncio.run(run)[0].min() == 2
    gc.collect()
    assert alive() is None


def test_arrays_without_elements_or_axes(doubling):
    assert doubling(numpy.zeros((0, 2), numpy.float32))[0].shape == (0, 2)
    assert apus.Tensor(numpy.float32(3).reshape(())).tolist() == 3


class _Foreign:
    """What has nothing but DLPack, of the old form."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class _Unaligned:
    def __init__(self, values):
        memory = numpy.zeros(values.nbytes + 1, numpy.uint8)
        self.values = memory[1:].view(numpy.float32).reshape(values.shape)
        self.values[:] = values


def test_buffers_of_python(doubling):
    assert doubling(memoryview(array.array("f", [1, 2])).cast("B").cast("f", [1, 2])).tensors[0].tolist() == [[2, 4]]
    constant = memoryview(array.array("f", [1, 2]).tobytes()).cast("f", [1, 2])
    assert doubling(constant).tensors[0].tolist() == [[2, 4]]


def test_a_network_that_hands_its_input_on_gives_memory_of_its_own():
    values = numpy.float32([[1, 2], [3, 4]])
    result = apus.Model(networks.identity())(values)[0]
    values[:] = 9
    assert result.tolist() == [[1, 2], [3, 4]]


TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
    "float64": 11, "uint32": 12, "uint64": 13}


@pytest.mark.parametrize("name", TYPES)
def test_element_types(name):
    values = numpy.array([0, 1, 1, 0], dtype=name)
    there = apus.Model(networks.cast(TYPES[name], networks.FLOAT))
    back = apus.Model(networks.cast(networks.FLOAT, TYPES[name]))
    floats = there(values)[0]
    assert floats.dtype == numpy.float32 and floats.tolist() == [0, 1, 1, 0]
    result = back(floats)
    assert result[0].dtype == numpy.dtype(name) and numpy.array_equal(result[0], values)
    assert result.tensors[0].dtype == name and result.tensors[0].tolist() == values.tolist()
    assert there([0, 1, 1, 0]).tensors[0].tolist() == [0, 1, 1, 0]


def test_bfloat16():
    import ml_dtypes

    there = apus.Model(networks.cast(networks.FLOAT, networks.BFLOAT16))
    tensor = there(numpy.float32([1.5, -2])).tensors[0]
    assert tensor.dtype == "bfloat16" and tensor.tolist() == [1.5, -2]
    assert tensor.numpy().dtype == ml_dtypes.bfloat16 and tensor.numpy().tolist() == [1.5, -2]
    back = apus.Model(networks.cast(networks.BFLOAT16, networks.FLOAT))
    assert back(tensor)[0].tolist() == back(tensor.numpy())[0].tolist() == [1.5, -2]


@pytest.mark.parametrize("value, message", [
    (numpy.float64([[1, 2]]), "float64"), (numpy.float32([1, 2]), "shape"), ("text", "str is no array"),
    ([[1, 2], [3]], "different lengths"), ([["a", "b"]], "no number"), (numpy.array([[1, "a"]], object), "object"),
    (numpy.zeros((1,) * 17, numpy.float32), "17 axes"), (numpy.ones((1, 2), ">f4"), ">f4"), (None, "NoneType"),
    ([[10**400, 1]], "no number"), (numpy.ones((1, 2), numpy.complex64), "complex64"),
])
def test_inputs_that_do_not_fit(doubling, value, message):
    with pytest.raises(apus.ArgumentError, match=message) as caught:
        doubling(value)
    assert caught.value.status == 4 and isinstance(caught.value, ValueError)


def test_a_list_in_itself(doubling):
    endless = []
    endless.append(endless)
    with pytest.raises(apus.ArgumentError, match="deep"):
        doubling(endless)


def test_names_that_do_not_fit(doubling):
    x = numpy.float32([[1, 2]])
    for arguments, names, message in [
        ((), {}, "1 inputs, not 0: x"), ((x, x), {}, "not 2"), ((), {"z": x}, "no input 'z'; the inputs are x"),
        ((x,), {"x": x}, "either"), (({},), {}, "not 0"),
    ]:
        with pytest.raises(apus.ArgumentError, match=message):
            doubling(*arguments, **names)


def test_outputs_are_read_only_and_live_as_long_as_any_array(doubling):
    result = doubling(numpy.float32([[1, 2]]))
    first = result[0]
    view = first[0, 1:]
    del result, first
    assert view.tolist() == [4]
    with pytest.raises(ValueError):
        view[0] = 1


def test_plans_benchmarks_and_profiles(model, squeezenet, command, picture):
    plan = model.plan()
    assert plan == json.loads(command("plan", squeezenet, "--json", "--threads", "2"))
    assert "<table>" in plan._repr_html_() and repr(plan).startswith("{")
    assert model.describe()["parameters"] == json.loads(command("inspect", squeezenet, "--json"))["parameters"]
    (result,) = model.bench(batch=2, time=0.1)["results"]
    assert result["imagesPerSecond"] > 0 and result["configuration"]["batch"] == 2
    with pytest.raises(apus.ArgumentError, match="profile"):
        model.profile()
    profiled = apus.Model(squeezenet, profile=True)
    profiled(picture)
    assert profiled.profile()


def test_configurations_are_compared(model, squeezenet, photo, command):
    settings = ["--rounds", "1", "--seconds", "0.1", "--limit", "2", "--threads", "2"]
    wanted = json.loads(command(
        "compare", squeezenet, photo, "--backends", "cpu", "--configuration", "one=backend:cpu,threads:1", "--json",
        *settings))
    found = model.compare(
        "cpu", "one=backend:cpu,threads:1", inputs=photo, rounds=1, seconds=0.1, limit=2)
    assert found.keys() == wanted.keys() and found["agrees"] is wanted["agrees"] is True
    assert [result["name"] for result in found["results"]][:2] == ["cpu", "one"]
    for document in found, wanted:
        document["sums"] = [
            [agreement and agreement["largestRelativeError"] for agreement in layer["agreements"][:2]]
            for layer in document["layers"]]
    assert found["sums"] == wanted["sums"] and len(found["sums"]) > 30
    assert found["inputs"] == wanted["inputs"] and not found["isSeeded"]
    strict = model.compare("cpu", rounds=1, seconds=0.1, tolerance=1e-12)
    assert not strict["agrees"] and strict["isSeeded"]
    for arguments, options, message in [
        (("nonsense",), {}, "nonsense"), (("one=speed:high",), {}, "speed"), (("cpu", "cpu"), {}, "named"),
        (("cpu",), {"rounds": 0}, "rounds"), (("cpu",), {"inputs": "missing.png"}, "missing.png"),
    ]:
        with pytest.raises(apus.Error, match=message):
            model.compare(*arguments, **{"rounds": 1, "seconds": 0.05, **options})


@pytest.mark.parametrize("count", [0, 1, 4095, 4096, 4097, 10_000])
def test_loops_collect_results(count):
    x = numpy.float32([1, 2, 3])
    numbers, copies = apus.Model(networks.collecting(), threads=1)(numpy.int64(count), x)
    assert numpy.array_equal(numbers, numpy.arange(count)) and copies.dtype == numpy.float32
    assert copies.shape[0] == count and numpy.array_equal(copies.ravel(), numpy.tile(x, count))


def test_loops_collect_large_results():
    """Whole blocks, and results that are as large as a block."""
    for extent, count in ((300_000, 20), (1 << 20, 3), (1_200_000, 3)):
        x = numpy.arange(extent, dtype=numpy.float32)
        _, copies = apus.Model(networks.collecting(), threads=1)(numpy.int64(count), x)
        assert copies.shape == (count, extent) and (copies == x).all()


@pytest.mark.parametrize("count", [1, 4096, 10_000])
def test_scans_join_results_backwards_along_another_axis(count):
    x = numpy.arange(2 * count, dtype=numpy.float32).reshape(count, 2)
    assert numpy.array_equal(apus.Model(networks.scanning(), threads=1)(x)[0], x[::-1].T)


def test_errors_name_the_node_that_is_at_fault():
    with pytest.raises(apus.UnsupportedModelError) as caught:
        apus.Model(networks.unknown())
    assert caught.value.node == "strange" and caught.value.place.endswith('node "strange"')
    with pytest.raises(apus.FileError) as caught:
        apus.Model("missing.onnx")
    assert caught.value.node is None and caught.value.place == "missing.onnx"


def test_options_are_those_of_the_command(squeezenet, tmp_path):
    for options, message in [
        ({"thread": 2}, "thread"), ({"threads": 0}, "threads"), ({"threads": "many"}, "threads"),
        ({"backend": "none"}, "none"), ({"help": True}, "help"), ({"a b": 1}, "option"), ({"top": "1\0"}, "zero byte"),
    ]:
        with pytest.raises(apus.Error, match=message):
            apus.Model(squeezenet, **options)
    assert apus.Model(squeezenet, threads=1, backend="reference").plan()["layers"][0]["backend"] == "reference"


@pytest.mark.parametrize("model, kind, message", [
    ("missing.onnx", apus.FileError, "missing.onnx"), (b"", apus.InvalidModelError, "model"),
    (b"\x08\x07nonsense", apus.InvalidModelError, "model"), ("zoo:none", apus.Error, "none"),
    ("a\0b", apus.ArgumentError, "zero byte"), ("\udcff", apus.ArgumentError, "not Unicode"),
])
def test_models_that_do_not_open(model, kind, message):
    with pytest.raises(kind, match=message):
        apus.Model(model)


def test_networks_of_the_zoo():
    assert apus.Model("zoo:mobilenet_v2", seed=1)(numpy.zeros((1, 3, 224, 224), numpy.float32))[0].shape == (1, 1000)


def test_devices_and_version(command):
    # The command chooses OpenBLAS's kernels by a variable of the environment, which the library leaves alone.
    own, commands = [
        json.loads(re.sub(r", \w+ kernels", "", json.dumps(devices)))
        for devices in (dict(apus.devices()), json.loads(command("devices", "--json")))]
    assert own == commands
    assert command("--version").strip() == apus.__version__
