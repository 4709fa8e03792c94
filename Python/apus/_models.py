"""Networks that run on tensors."""

from __future__ import annotations

import os
from ctypes import c_char_p, c_void_p
from typing import Any

from ._element_types import CODES
from ._errors import ArgumentError, error, place
from ._handles import Handle, create, document, utf8, utf8_path
from ._inputs import tensor_handle
from ._library import library
from ._options import prepared
from ._outputs import Outputs, gathered
from ._reports import Report
from ._sources import Opened, Source
from ._values import Value, values
from ._work import Work, begin, interruptible, is_interruptible

_run = library.apus_session_run


def opened(source: Source, options: Handle) -> Handle:
    """The model of a source."""
    if source.content is None:
        path = utf8_path(source.path)
        return interruptible(lambda: create(library.apus_model_open, path, options.pointer))
    return interruptible(lambda: create(
        library.apus_model_read, source.content, len(source.content), utf8(source.name), options.pointer))


class _Engine:
    """What the library has of a model, and what calls of it need."""

    def __init__(self, source: Source):
        options = prepared(source.options)
        self.model = opened(source, options)
        self.session = interruptible(
            lambda: create(library.apus_session_start, self.model.pointer, options.pointer))
        pointer = self.model.pointer
        self.inputs = values(library.apus_model_input_count, library.apus_model_input, pointer)
        self.outputs = values(library.apus_model_output_count, library.apus_model_output, pointer)
        self.output_names = tuple(value.name for value in self.outputs)
        self.codes = {value.name: CODES.get(value.dtype, 1) for value in self.inputs}
        self.encoded = {value.name: value.name.encode() for value in self.inputs}
        self.input_places = c_void_p * len(self.inputs)
        self.name_places = c_char_p * len(self.inputs)
        self.output_places = c_void_p * len(self.outputs)


class Model(Opened):
    """A network that runs on arrays.

    Args:
        model: A model file (.onnx, .mlmodel, .mlpackage, .tflite), ``"zoo:NAME"``, or the bytes of a model file.
        options: Those of ``apus predict`` about networks, with underscores: `threads`, `streams`, `backend`, `device`,
            `precision`, `instructions`, `tuning_file`, `no_tuning`, `loop_seconds`, `memory_limit`, `seed`,
            `input_size`, `profile`. A `memory_limit` holds for the whole process, until another model names another;
            `instructions` hold for the whole process, too, and are refused where it uses others already.

    Raises:
        Error: A subclass says what is wrong with the file or the options.

    A model may be called from many threads at once. It is pickled as its path and options, or its bytes; a copy in
    another process opens the file when it is first used, once for all copies, and refuses a file that has changed.

    >>> model = apus.Model(tiny, threads=1)
    >>> model.inputs
    (x: float32[N, 2],)
    >>> model([[1.0, 2.0]]).tensors[0].tolist()
    [[2.0, 4.0]]
    """

    def __init__(self, model, **options: Any):
        self._init(Source(model, options))

    def _open(self, source: Source) -> _Engine:
        return _Engine(source)

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The inputs that the network declares, in its order."""
        return self._opened().inputs

    @property
    def outputs(self) -> tuple[Value, ...]:
        """The outputs that the network declares, in its order."""
        return self._opened().outputs

    @property
    def options(self) -> dict:
        """The options with which the model was opened."""
        return dict(self._source.options)

    def __call__(self, *inputs, **named) -> Outputs:
        """Runs the network once.

        Args:
            inputs: Arrays in the network's order; or one dictionary of arrays by name. Arrays of NumPy, tensors of
                DLPack (torch, JAX, CuPy in memory) and buffers are read where they lie; lists of numbers are copied.
            named: Arrays by name.

        Raises:
            ArgumentError: An input is missing, or does not fit.

        The interpreter's other threads go on meanwhile. An interrupt ends the run at its next layer.
        """
        engine = self._engine or self._opened()
        names, handles = _given(engine, inputs, named)
        places = engine.input_places(*[handle.pointer for handle in handles])
        if is_interruptible():
            work = begin(
                library.apus_session_run_async, engine.session.pointer, names, places, len(handles), None, None,
                inputs=handles)
            work.wait()
            return _outputs(engine, work, handles)
        outputs = engine.output_places()
        status = _run(engine.session.pointer, names, places, len(handles), None, outputs, len(outputs), place())
        if status:
            raise error(status)
        return gathered(engine.output_names, [Handle(pointer) for pointer in outputs], handles)

    async def run_async(self, *inputs, **named) -> Outputs:
        """Runs the network once, while the event loop goes on.

        Arguments are those of a call. They must not be changed before the coroutine has ended. Cancelling the
        coroutine cancels the run.
        """
        from ._asynchronous import awaited

        engine = self._opened()
        names, handles = _given(engine, inputs, named)
        places = engine.input_places(*[handle.pointer for handle in handles])
        start = (library.apus_session_run_async, engine.session.pointer, names, places, len(handles))
        work = await awaited(start, handles)
        return _outputs(engine, work, handles)

    def describe(self) -> Report:
        """What the model is and what it is for, as ``apus inspect --json`` says it."""
        return Report(document(library.apus_model_describe, self._opened().model.pointer))

    def plan(self, batch: int = 1) -> Report:
        """What runs each layer for a batch, and why, as ``apus plan --json`` says it."""
        engine = self._opened()
        return Report(interruptible(lambda: document(library.apus_session_plan, engine.session.pointer, batch)))

    def bench(self, batch: int = 1, time: float = 1.0) -> Report:
        """The times of runs with made-up inputs, as ``apus bench --json`` says them.

        Args:
            batch: The number of pictures in a run.
            time: The seconds to measure.
        """
        options = prepared({**self._source.options, "batch": batch, "time": float(time)})
        engine = self._opened()
        return Report(interruptible(lambda: document(
            library.apus_model_bench, engine.model.pointer, options.pointer)))

    def compare(self, *configurations: str, inputs=(), **options: Any) -> Report:
        """The times of configurations, layer by layer, and how well their outputs agree with float64.

        Args:
            configurations: Backends, several such as ``"opencl+cpu"``, or ``"NAME=KEY:VALUE,..."`` as ``apus compare``
                takes them; without any, ``"cpu"`` and, if it is installed, ``"openblas"``.
            inputs: Paths of pictures, folders or arrays; random numbers without any.
            options: Those of ``apus compare``, with underscores: `batch`, `rounds`, `seconds`, `tolerance`, `limit`,
                `no_agreement`, and those about preprocessing.

        Returns:
            What ``apus compare --json`` says; ``"agrees"`` in it is false where an output differs.

        >>> apus.Model(tiny).compare("cpu", "reference", rounds=1, seconds=0.01)["agrees"]
        True
        """
        engine = self._opened()
        settings = prepared({**self._source.options, **options})
        paths = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
        names = [utf8(name) for name in configurations]
        places = [utf8_path(path) for path in paths]
        return Report(interruptible(lambda: document(
            library.apus_model_compare, engine.model.pointer, (c_char_p * len(names))(*names), len(names),
            (c_char_p * len(places))(*places), len(places), settings.pointer)))

    def profile(self) -> Report:
        """Where the time of all runs went. The model needs the option ``profile=True``."""
        return Report(document(library.apus_session_profile, self._opened().session.pointer))

    def __repr__(self) -> str:
        name = "bytes" if self._source.path is None else repr(self._source.path)
        if self._engine is None:
            return f"<apus.Model {name}, not opened yet>"
        inputs, outputs = (", ".join(map(repr, list)) for list in (self.inputs, self.outputs))
        return f"<apus.Model {name}: {inputs} → {outputs}>"


def _given(engine: _Engine, inputs: tuple, named: dict) -> tuple:
    """The names of inputs for the library, None where they are in the network's order, and the tensors."""
    if len(inputs) == 1 and isinstance(inputs[0], dict):
        named = {**inputs[0], **named}
        inputs = ()
    if not named:
        codes = engine.codes.values()
        handles = [tensor_handle(value, code) for value, code in zip(inputs, codes)]
        if len(inputs) != len(engine.inputs):
            raise ArgumentError(
                f"the network has {len(engine.inputs)} inputs, not {len(inputs)}: "
                + ", ".join(engine.codes), "inputs")
        return None, handles
    if inputs:
        raise ArgumentError("give inputs either in the network's order or by name", "inputs")
    unknown = [name for name in named if name not in engine.codes]
    missing = [name for name in engine.codes if name not in named]
    if unknown or missing:
        wrong = f"there is no input {unknown[0]!r}" if unknown else f"input {missing[0]!r} is missing"
        raise ArgumentError(f"{wrong}; the inputs are {', '.join(engine.codes)}", "inputs")
    names = engine.name_places(*[engine.encoded[name] for name in named])
    return names, [tensor_handle(value, engine.codes[name]) for name, value in named.items()]


def _outputs(engine: _Engine, work: Work, handles: list) -> Outputs:
    outputs = engine.output_places()
    status = library.apus_work_outputs(work.pointer, None, outputs, len(outputs), place())
    if status:
        raise error(status)
    return gathered(engine.output_names, [Handle(pointer) for pointer in outputs], handles)
