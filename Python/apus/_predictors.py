"""Models that answer about pictures."""

from __future__ import annotations

import os
import warnings
from ctypes import c_void_p
from typing import Any, BinaryIO, Callable, Iterator, Optional, Protocol, Union, overload

from ._answers import Answer, Answers
from ._datasets import Progress, Rows, listed, rows, written
from ._errors import ArgumentError, check, place
from ._handles import Handle, create, document, utf8_path
from ._library import library
from ._models import opened
from ._options import prepared
from ._pictures import handles, several
from ._reports import Report
from ._sources import Opened, Source
from ._work import Work, begin, interruptible


class _PillowImage(Protocol):
    def getexif(self) -> Any: ...


_One = Union[str, bytes, bytearray, memoryview, "os.PathLike[str]", BinaryIO, _PillowImage]
_Several = Union["list[Any]", "tuple[Any, ...]", "set[Any]", Iterator[Any]]

# The most pictures that are handed over at once, since pixels are copied.
_CHUNK = 256


class _Engine:
    """What the library has of a predictor."""

    def __init__(self, source: Source):
        options = prepared(source.options)
        if source.content is None:
            path = utf8_path(source.path)
            self.predictor = interruptible(lambda: create(library.apus_predictor_open, path, options.pointer))
        else:
            model = opened(source, options)
            self.predictor = interruptible(
                lambda: create(library.apus_predictor_start, model.pointer, options.pointer))


class Predictor(Opened):
    """A model that answers about pictures, whatever it is for. It takes recipes too.

    Preprocessing and labels come from the files beside the model, as the command reads them. A picture is a path, the
    bytes of a file, a file that is open, an image of Pillow, or an array: pixels of 8 bits [height, width, channels],
    or floats, which the network takes as they are.

    >>> classifier = apus.Predictor(squeezenet, top=1)
    >>> classifier(photo).label
    'espresso'
    >>> [answer.label for answer in classifier([photo, photo])]
    ['espresso', 'espresso']
    """

    #: The task of the class; None for whatever the model is for.
    _task: Optional[str] = None

    def __init__(self, model: Any, *, task: Optional[str] = None, **options: Any):
        """Opens a model.

        Args:
            model: A model file, ``"zoo:NAME"``, or the bytes of a model file; for :class:`Predictor` a recipe as well
                (``ocr.recipe.json``).
            task: What is asked: ``"classify"``, ``"detect"``, ``"segment"``, ``"pose"``, ``"landmarks"``, ``"embed"``,
                ``"depth"``, ``"image"``, ``"text"``, ``"regress"`` or ``"raw"``. When it is None, that of the class, or
                else what the model is for.
            options: Those of ``apus predict``, with underscores, such as `threads=2`, `top=3`, `min_confidence=0.5`,
                `labels="names.txt"`, `mean=(0.485, 0.456, 0.406)`, `resize="fit"`, `scale="1/255"`,
                `class_agnostic=True`, `input={"threshold": 0.5, "style": "waves.jpg"}`.

        Raises:
            Error: A subclass says what is wrong with the file or the options.
        """
        task = task or self._task
        self._init(Source(model, options if task is None else {"task": task, **options}))
        report = self.describe()
        if report["isPreprocessingGuessed"]:
            warnings.warn(
                f"{self._source.name}: nothing says how pictures become inputs; guessing {report['preprocessing']}",
                stacklevel=2)
        for notice in report["notices"]:
            warnings.warn(notice, stacklevel=2)

    def _open(self, source: Source) -> _Engine:
        return _Engine(source)

    @property
    def _pointer(self) -> int:
        return (self._engine or self._opened()).predictor.pointer

    @property
    def options(self) -> dict:
        """The options with which the model was opened."""
        return dict(self._source.options)

    def describe(self) -> Report:
        """The task, the labels, the preprocessing, and what answers depend on."""
        return Report(document(library.apus_predictor_describe, self._pointer))

    @overload
    def __call__(self, pictures: _One) -> Answer: ...
    @overload
    def __call__(self, pictures: _Several) -> Answers: ...
    @overload
    def __call__(self, pictures: Any) -> Union[Answer, Answers]: ...

    def __call__(self, pictures: Any) -> Union[Answer, Answers]:
        """The answer to a picture, or those to a list of pictures or to an array [pictures, height, width, channels].

        Raises:
            PictureError: The picture cannot be read, decoded or predicted. In a list, its answer has the error, and
                the others are not affected.
            ArgumentError: A value is no picture.
        """
        many = several(pictures)
        if many is None:
            return _checked(self._predict([pictures])[0], pictures)
        answers = Answers()
        for chunk in _chunks(many):
            answers += self._predict(chunk)
        return answers

    @overload
    async def run_async(self, pictures: _One) -> Answer: ...
    @overload
    async def run_async(self, pictures: _Several) -> Answers: ...
    @overload
    async def run_async(self, pictures: Any) -> Union[Answer, Answers]: ...

    async def run_async(self, pictures: Any) -> Union[Answer, Answers]:
        """What a call answers, while the event loop goes on. Cancelling the coroutine cancels the work."""
        many = several(pictures)
        if many is None:
            return _checked((await self._predict_async([pictures]))[0], pictures)
        answers = Answers()
        for chunk in _chunks(many):
            answers += await self._predict_async(chunk)
        return answers

    def row(self, picture) -> dict:
        """The row that ``apus predict`` writes for a picture, with its error where it has one.

        Rows can be pickled, so that pools of processes give them back.

        >>> apus.Classifier(squeezenet, top=1).row(photo)["predictions"][0]["label"]
        'espresso'
        """
        return self._predict([picture]).rows()[0]

    def _predict(self, pictures: list) -> Answers:
        places, owners, failures = handles(pictures)
        work = begin(library.apus_predictor_predict_async, self._pointer, places, len(owners), None, None)
        work.wait()
        return _answers(work, pictures, failures)

    async def _predict_async(self, pictures: list) -> Answers:
        from ._asynchronous import awaited

        places, owners, failures = handles(pictures)
        start = (library.apus_predictor_predict_async, self._pointer, places, len(owners))
        return _answers(await awaited(start), pictures, failures)

    def predict(self, *inputs, **options: Any):
        """The rows of a dataset, as :func:`apus.predict` gives them."""
        return predict(self, *inputs, **options)

    def run(self, *inputs, **options: Any):
        """Predicts a dataset into a file, as :func:`apus.run` does; the last of `inputs` is the output."""
        if len(inputs) < 2:
            raise ArgumentError("give the inputs, and the output behind them")
        return run(self, list(inputs[:-1]), inputs[-1], **options)

    def __repr__(self) -> str:
        name = "bytes" if self._source.path is None else repr(self._source.path)
        kind = "not opened yet" if self._engine is None else self.describe()["content"]
        return f"<apus.{type(self).__name__} {name}: {kind}>"


def _chunks(pictures):
    for start in range(0, len(pictures), _CHUNK):
        yield list(pictures[start : start + _CHUNK])


def _answers(work: Work, pictures: list, failures: dict) -> Answers:
    places = (c_void_p * len(pictures))()
    check(library.apus_work_answers(work.pointer, places, len(pictures), place()))
    return Answers(
        Answer(Handle(pointer), picture, failures.get(position))
        for position, (pointer, picture) in enumerate(zip(places, pictures)))


def _checked(answer: Answer, picture) -> Answer:
    failure = answer.error
    if failure is None:
        return answer
    if isinstance(picture, (str, os.PathLike)):
        message = f"{failure.file}: {failure}"
        raise type(failure)(message, failure.code, failure.place, failure.status, failure.file)
    raise failure


class Classifier(Predictor):
    """A model that finds the classes of pictures: the items of answers, the most certain first.

    >>> answer = apus.Classifier(squeezenet, top=2)(photo)
    >>> [(item.index, item.label) for item in answer]
    [(967, 'espresso'), (968, 'tea cup')]
    >>> answer.tensors["confidences"].shape
    (1000,)
    """

    _task = "classify"


class Detector(Predictor):
    """A model that finds objects: items with a box, in fractions of the picture.

    >>> answer = apus.Detector("zoo:yolov8n", min_confidence=0, max_objects=3)(photo)
    >>> [type(item.box).__name__ for item in answer]
    ['Box', 'Box', 'Box']
    >>> left, upper, right, lower = answer[0].box.pixels(answer.size)
    """

    _task = "detect"


class Segmenter(Predictor):
    """A model that finds the class of every pixel, a matte, or objects: items with a mask.

    >>> answer = apus.Segmenter("zoo:unet")(photo)
    >>> answer.size, answer[0].mask.shape
    ((600, 400), (400, 600))
    >>> int(answer[0].mask.sum()) == answer[0].area
    True
    """

    _task = "segment"


class PoseEstimator(Predictor):
    """A model that finds people or hands: items with named points, in fractions of the picture.

    >>> for person in apus.PoseEstimator("yolov8n-pose.onnx")("street.jpg"):  # doctest: +SKIP
    ...     print({point.name: (point.x, point.y) for point in person.points})
    """

    _task = "pose"


class LandmarkFinder(Predictor):
    """A model that finds the points of one face or eye: one item with points, in fractions of the picture.

    >>> apus.LandmarkFinder("face_landmark.tflite")("face.png")[0].points  # doctest: +SKIP
    """

    _task = "landmarks"


class Embedder(Predictor):
    """A model that makes a vector by which pictures are compared: the tensor "embedding".

    >>> first, second = (answer.tensors["embedding"].numpy() for answer in apus.Embedder(squeezenet)([photo, photo]))
    >>> first.shape, round(float(first @ second), 3)
    ((1000,), 1.0)
    """

    _task = "embed"


class DepthEstimator(Predictor):
    """A model that estimates the depth of each pixel: the tensor "depth" [height, width].

    >>> apus.DepthEstimator(depth)(photo).tensors["depth"]
    <apus.Tensor float32[400, 600]>
    """

    _task = "depth"


class ImageGenerator(Predictor):
    """A model that makes a picture of a picture: the tensor "image" [height, width, channels] of 8 bits.

    >>> apus.ImageGenerator(enlarging)(small).tensors["image"]
    <apus.Tensor uint8[86, 122, 3]>
    """

    _task = "image"


class Regressor(Predictor):
    """A model that estimates numbers, such as the quality of a photo: the tensor "values".

    >>> apus.Regressor("aesthetics.onnx")(photo).tensors["values"].numpy()  # doctest: +SKIP
    """

    _task = "regress"


class TextReader(Predictor):
    """A model that finds lines of text, or reads one: items whose points are corners, in pixels.

    Recipes, which do both, are opened with :class:`Predictor`.

    >>> [(point.x, point.y) for point in apus.TextReader(detecting)(lines)[0].points]
    [(13.0, 13.0), (203.0, 13.0), (203.0, 71.0), (13.0, 71.0)]
    >>> [item.label for item in apus.Predictor(recipe)(lines)]
    ['ABC', 'CCAB']
    """

    _task = "text"


def predict(model, *inputs, **options: Any) -> Rows:
    """The rows of a dataset.

    Args:
        model: A predictor, or what one is made of.
        inputs: Paths of pictures, folders, manifests, arrays, archives or videos, as ``apus predict`` takes them, or a
            list of them.
        options: Those of ``apus predict``.

    Raises:
        ArgumentError: There are no inputs.

    >>> for row in apus.predict(squeezenet, photos, top=1):
    ...     print(os.path.basename(row["id"]), row["predictions"][0]["label"])
    astronaut.png barbell
    chelsea.png Egyptian Mau
    coffee.png espresso
    rocket.jpg pole
    """
    if len(inputs) == 1:
        inputs = listed(inputs[0])
    return rows(_predictor(model, options), inputs, options)


def run(
    model, inputs, output, *, progress: Union[bool, Callable[[Progress], None]] = False, **options: Any
) -> Report:
    """Predicts a dataset into a file, which survives a crash.

    Args:
        model: A predictor, or what one is made of.
        inputs: A path, or a list of paths or what a list can be made of, as ``apus predict`` takes them.
        output: The file, whose name ends in .jsonl, .csv, .sqlite, .npy or another that the command knows.
        progress: True for a bar of tqdm, where it is installed; or a function that is called ten times a second.
        options: Those of ``apus predict``, such as `resume=True`, `force=True`, `shard=(2, 8)`.

    Returns:
        The summary of the run, with how many pictures succeeded and failed.

    Raises:
        ArgumentError: There are no inputs, or an option does not fit.

    An interrupt ends the run after the records in flight; `resume=True` goes on behind them.
    """
    return written(_predictor(model, options), listed(inputs), output, progress, options)


def _predictor(model, options: dict) -> Predictor:
    return model if isinstance(model, Predictor) else Predictor(model, **options)
