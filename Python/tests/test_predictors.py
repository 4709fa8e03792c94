"""Answers about pictures, and rows of datasets: the bits of the command."""

import asyncio
import io
import json
import os
import pickle
import typing
from pathlib import Path

import numpy
import pandas
import pytest
from PIL import Image

import apus
import networks

FIXTURES = Path(__file__).parents[2] / "Tests" / "Fixtures"


def read(path) -> bytes:
    return Path(path).read_bytes()


KINDS = {
    "path": lambda path: path,
    "Path": Path,
    "bytes": read,
    "bytearray": lambda path: bytearray(read(path)),
    "Pillow": Image.open,
    "array": lambda path: numpy.asarray(Image.open(path).convert("RGB")),
    "array with alpha": lambda path: numpy.asarray(Image.open(path).convert("RGBA")),
    "rows with gaps": lambda path: numpy.pad(
        numpy.asarray(Image.open(path).convert("RGB")), ((0, 0), (0, 9), (0, 0)))[:, :-9],
    "Fortran's order": lambda path: numpy.asfortranarray(Image.open(path).convert("RGB")),
    "tensor": lambda path: apus.Tensor(numpy.asarray(Image.open(path).convert("RGB"))),
}


def lines(text: str) -> list:
    return text.splitlines()


@pytest.mark.parametrize("kind", KINDS)
def test_pictures_of_every_kind(classifier, squeezenet, command, photos, kind):
    paths = [os.path.join(photos, name) for name in ("coffee.png", "astronaut.png")]
    expected = lines(command("predict", squeezenet, *paths, "--top", 3))
    values = [KINDS[kind](path) for path in paths]
    answers = classifier(values)
    assert [answer.json(path) for answer, path in zip(answers, paths)] == expected
    assert classifier(values[0]).json(paths[0]) == expected[0]
    assert asyncio.run(classifier.run_async(values[0])).json(paths[0]) == expected[0]
    assert [a.json(p) for a, p in zip(asyncio.run(classifier.run_async(values)), paths)] == expected


def test_gray_pixels_and_axes_of_pictures(classifier, photo):
    gray = numpy.asarray(Image.open(photo).convert("L"))
    rows = [classifier(value).json() for value in (gray, gray[:, :, None], numpy.stack([gray] * 3, 2))]
    rows += [answer.json() for answer in classifier(numpy.stack([numpy.stack([gray] * 3, 2)] * 2))]
    assert len(set(rows)) == 1 and len(rows) == 5


def test_orientation_of_files_and_of_pillow(classifier):
    path = str(FIXTURES / "detection" / "turned.jpg")
    with Image.open(path) as image:
        assert image.getexif().get(0x0112, 1) != 1
        assert classifier(path)[0].index == classifier(image)[0].index


def test_numbers_for_the_network(squeezenet, model, picture):
    classifier = apus.Classifier(squeezenet, top=1000)
    scores = model(picture)[0][0]
    (many,) = classifier(picture)
    for answer in classifier(picture[0]), many:
        assert answer.tensors["scores"].numpy().tolist() == scores.tolist()
        assert answer[0].index == scores.argmax()


def test_an_answer(classifier, photo):
    answer = classifier(photo)
    assert (answer.kind, answer.label, len(answer), bool(answer)) == ("classes", "espresso", 3, True)
    first = answer[0]
    assert (first.index, first.label, first.box, first.mask) == (967, "espresso", None, None)
    assert numpy.float32(first.confidence) == numpy.float32(answer.row()["predictions"][0]["confidence"])
    assert answer.confidence == first.confidence and [item.label for item in answer][0] == "espresso"
    assert answer.tensors["confidences"].shape == (1000,)
    assert "espresso" in repr(answer) and "<td>espresso</td>" in answer._repr_html_()
    assert answer._repr_png_() is None


def test_errors_of_pictures(classifier, photo, tmp_path):
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(read(photo)[:3000])
    with pytest.raises(apus.PictureError, match="damaged.png") as caught:
        classifier(damaged)
    assert caught.value.place == "decode" and caught.value.code
    answers = classifier([photo, damaged, b"", "missing.png", photo])
    assert [bool(answer) for answer in answers] == [True, False, False, False, True]
    assert answers[0].json() == answers[4].json()
    assert answers[3].error.place == "read" and answers.rows()[1]["error"]["stage"] == "decode"
    assert "error" in repr(answers[1]) and not answers[1].items
    arrays = [numpy.zeros(shape, numpy.uint8) for shape in ((5, 5, 2), (5,), (0, 9, 3))]
    for value in (*arrays, 5, None):
        with pytest.raises(apus.ArgumentError):
            classifier(value)
    assert classifier([]) == []


def test_rows_are_those_of_the_command(squeezenet, command, photos, photo, tmp_path):
    (tmp_path / "bad.png").write_bytes(b"nothing")
    for options, arguments in [
        ({}, []), ({"top": 2, "min_confidence": 0.01}, ["--top", 2, "--min-confidence", 0.01]),
        ({"batch": 3, "streams": 2}, ["--batch", 3, "--streams", 2]), ({"include": ["*.png"]}, ["--include", "*.png"]),
        ({"resize": "fit", "mean": (0.1, 0.2, 0.3)}, ["--resize", "fit", "--mean", "0.1,0.2,0.3"]),
        ({"task": "raw"}, ["--task", "raw"]), ({"task": "embed", "normalize": False},
                                               ["--task", "embed", "--no-normalize"]),
    ]:
        expected = lines(command("predict", squeezenet, photos, tmp_path, *arguments))
        rows = list(apus.predict(squeezenet, photos, tmp_path, **options))
        assert [row.json for row in rows] == expected
        assert [dict(row) for row in rows] == [json.loads(line) for line in expected]
        assert rows[-1]["error"]["stage"] == "decode" and not rows[-1].answer


def test_rows_that_are_not_all_taken(classifier, photos):
    with classifier.predict(photos) as rows:
        assert next(rows)["id"].endswith("astronaut.png")
    assert list(rows) == []
    assert len(list(classifier.predict(photos, top=1, include="*.jpg"))) == 1


def test_inputs_beside_the_picture(command, photos, tmp_path):
    model = tmp_path / "pairs.onnx"
    first, second = (os.path.join(photos, name) for name in ("coffee.png", "rocket.jpg"))
    model.write_bytes(networks.pairs())
    (tmp_path / "list.csv").write_text(f"path,other\n{first},{second}\n{second},{first}\n")
    options = ["--task", "raw", "--scale", "1/255", "--input", "factor=0.5"]
    expected = lines(command("predict", model, first, *options, "--input", f"second={second}"))
    for factor in (0.5, [0.5], numpy.float32([0.5])):
        reader = apus.Predictor(model, task="raw", scale="1/255", input={"second": second, "factor": factor})
        assert [reader(first).json(first)] == expected
    expected = lines(command("predict", model, tmp_path / "list.csv", *options, "--input", "second=@other"))
    reader = apus.Predictor(model, task="raw", scale="1/255", input={"second": "@other", "factor": 0.5})
    assert [row.json for row in reader.predict(tmp_path / "list.csv")] == expected and len(expected) == 2
    with pytest.raises(apus.Error, match='there is no input "third"'):
        apus.Predictor(model, task="raw", input={"third": 1})


def test_runs_are_those_of_the_command(squeezenet, command, photos, tmp_path):
    expected = tmp_path / "expected.jsonl"
    command("predict", squeezenet, photos, "-o", expected)
    seen = []
    output = tmp_path / "rows.jsonl"
    summary = apus.run(squeezenet, photos, output, progress=seen.append)
    assert output.read_bytes() == expected.read_bytes()
    assert (summary["succeeded"], summary["failed"]) == (4, 0)
    assert seen[-1] == (4, 4, 0, 0) and seen[-1].done == 4
    assert apus.run(squeezenet, [photos], output, resume=True, progress=True)["resumed"] == 4
    with pytest.raises(apus.ArgumentError, match="other.xyz"):
        apus.run(squeezenet, photos, tmp_path / "other.xyz")
    table = tmp_path / "rows.csv"
    apus.Classifier(squeezenet).run(photos, table)
    assert table.read_text().startswith("id,")


@pytest.mark.parametrize("precision", ["bf16-weights", "bf16"])
@pytest.mark.filterwarnings("ignore:.*guessing")
def test_precision(command, photos, photo, precision):
    """Rows in another precision are those of the command, and others than in float32."""
    network = "zoo:mobilenet_v2"
    try:
        classifier = apus.Classifier(network, precision=precision)
    except apus.BackendError as error:
        assert precision == "bf16" and "bf16 needs" in str(error)
        pytest.skip(str(error))
    expected = lines(command("predict", network, photos, "--precision", precision))
    assert [row.json for row in apus.predict(network, photos, precision=precision)] == expected
    row = classifier(photo).json(photo)
    assert row in expected and row != apus.Classifier(network)(photo).json(photo)


def test_a_run_by_parts(classifier, photos, tmp_path):
    counts = [classifier.run(photos, tmp_path / f"{part}.jsonl", shard=(part, 2))["succeeded"] for part in (1, 2)]
    assert sum(counts) == 4


def test_a_model_from_bytes(squeezenet, photo):
    with pytest.warns(UserWarning, match="guessing"):
        apus.Classifier(read(squeezenet))
    beside = squeezenet[: -len(".onnx")]
    options = {"preprocess": beside + ".preprocessor_config.json", "labels": beside + ".config.json"}
    assert apus.Classifier(read(squeezenet), **options)(photo).json() == apus.Classifier(squeezenet)(photo).json()


def test_tasks_have_classes():
    tasks = {kind._task for kind in apus.Predictor.__subclasses__()}
    assert tasks == {"classify", "detect", "segment", "pose", "landmarks", "embed", "depth", "image", "regress", "text"}


def test_objects_have_boxes():
    path = str(FIXTURES / "photos" / "coffee.png")
    detector = apus.Detector("zoo:yolov8n", min_confidence=0, max_objects=3)
    answer = detector(path)
    row = answer.row()
    assert answer.kind == "objects" and answer.size == (600, 400) == (row["width"], row["height"])
    assert [numpy.float32(item.box).tolist() for item in answer] == [
        numpy.float32(found["box"]).tolist() for found in row["objects"]]
    left, upper, right, lower = answer[0].box.pixels(answer.size)
    assert 0 <= left < right <= 600 and 0 <= upper < lower <= 400
    png = answer._repr_png_()
    assert Image.open(io.BytesIO(png)).size == (600, 400)


def test_segments_have_masks(photo):
    with pytest.warns(UserWarning, match="guessing"):
        segmenter = apus.Segmenter("zoo:deeplab_v3_mobilenet_v3_large")
    answer = segmenter(photo)
    assert len(answer) > 0
    for item in answer:
        assert item.mask.shape == (400, 600) and item.mask.dtype == bool and item.mask.sum() == item.area
        rows, columns = numpy.nonzero(item.mask)
        assert columns.min() / 600 == pytest.approx(item.box.x, abs=1e-6)
    assert sum(item.mask.astype(int) for item in answer).max() == 1


def test_lines_of_text():
    reader = apus.Predictor(str(FIXTURES / "text" / "text.recipe.json"))
    answer = reader(str(FIXTURES / "text" / "two.png"))
    assert [item.label for item in answer] == ["ABC", "CCAB"] and answer.row()["text"] == "ABC\nCCAB"
    assert [(point.x, point.y) for point in answer[0].points] == [(12, 13), (204, 13), (204, 71), (12, 71)]
    assert answer._repr_png_().startswith(b"\x89PNG")


def test_parts_of_recipes(photo, classifier):
    answer = apus.Predictor(str(FIXTURES / "parts" / "parts.recipe.json"))(str(FIXTURES / "parts" / "squares.png"))
    assert answer.kind == "parts" and answer.size == (64, 32)
    assert [(item.label, item.confidence, item.box) for item in answer] == [
        ("thing", 0.75, (0.125, 0.25, 0.25, 0.5)), ("thing", 0.5, (0.625, 0.25, 0.25, 0.5))]
    for item, row, color, means in zip(answer, answer.row()["objects"], ("red", "green"), ([1, 0, 0], [0, 1, 0])):
        parts = item.answers
        assert list(parts) == list(row["answers"]) == ["color", "means"]
        assert (parts["color"].kind, parts["color"].label) == ("classes", color)
        found = [[numpy.float32(c["confidence"]) for c in row["answers"]["color"]["predictions"]]]
        assert [[numpy.float32(c.confidence) for c in parts["color"]]] == found
        assert parts["means"].tensors["embedding"].numpy().tolist() == means
        assert parts["means"].row()["embedding"] == row["answers"]["means"]["embedding"]
        assert not parts["color"][0].answers
    # A part outlives what it is a part of.
    del answer, item
    assert parts["color"].label == "green" and parts["color"].tensors["scores"].shape == (3,)
    assert classifier(photo)[0].answers == {}


@pytest.mark.filterwarnings("ignore:.*guessing")
def test_maps_pictures_and_vectors(squeezenet, photo):
    depth = apus.DepthEstimator(str(FIXTURES / "tasks" / "depth.onnx"))(photo)
    assert depth.kind == "depth" and depth.tensors["depth"].numpy().min() == numpy.float32(
        depth.row()["depth"]["minimum"])
    image = apus.ImageGenerator(str(FIXTURES / "tasks" / "super_open.onnx"))(str(FIXTURES / "tasks" / "small.png"))
    made = image.tensors["image"].numpy()
    assert made.dtype == numpy.uint8 and made.shape[2] in (1, 3)
    vector = apus.Embedder(squeezenet)(photo)
    assert numpy.linalg.norm(vector.tensors["embedding"].numpy()) == pytest.approx(1, abs=1e-5)


def test_columns_have_a_row_for_each_picture(squeezenet, photo):
    from apus._columns import ColumnPredictor

    predict = ColumnPredictor(squeezenet, {"top": 1}, lambda: 1)
    rows, errors = predict([photo, None, b"nothing", 5, photo], ["a", "b", "c", "d", "e"])
    assert [row and json.loads(row)["id"] for row in rows] == ["a", None, None, None, "e"]
    assert [error and error.partition(":")[0] for error in errors] == [None, "read", "decode", "read", None]
    assert predict.predictor.options == {"top": 1, "threads": 1, "streams": 1}
    with pytest.raises(apus.ArgumentError, match="treads"):
        ColumnPredictor(squeezenet, {"treads": 1}, lambda: 1)([photo], ["a"])


def test_columns_take_a_stream_for_each_thread_that_is_granted(squeezenet, photo):
    from apus._columns import ColumnPredictor

    for options, granted, streams in [({}, 3, 3), ({}, 40, 13), ({"streams": 1}, 3, 1)]:
        predict = ColumnPredictor(squeezenet, {"top": 1, **options}, lambda: granted)
        assert predict([photo], ["a"])[1] == [None]
        assert (predict.predictor.options["threads"], predict.predictor.options["streams"]) == (granted, streams)


def test_lists_may_be_anything_that_goes_through_pictures(classifier, photo, tmp_path):
    wanted = [answer.label for answer in classifier([photo, photo])]
    assert [answer.label for answer in classifier(path for path in (photo, photo))] == wanted
    assert [answer.label for answer in classifier({photo})] == wanted[:1]
    assert [answer.label for answer in classifier(pandas.Series([photo, photo]))] == wanted
    folder = Path(photo).parent
    assert len(list(apus.predict(classifier, folder.glob("c*.png")))) == 2
    assert [row["id"] for row in apus.predict(classifier, pandas.Series([photo]))] == [photo]
    assert apus.run(classifier, folder.glob("c*.png"), tmp_path / "rows.jsonl")["succeeded"] == 2
    with pytest.raises(apus.ArgumentError, match="inputs"):
        apus.run(classifier, folder.glob("*.none"), tmp_path / "none.jsonl")
    assert len(classifier(folder.glob("c*.png"))) == len(list(folder.glob("c*.png")))


def test_files_that_are_open(classifier, photo):
    with open(photo, "rb") as file:
        assert classifier(file).label == classifier(photo).label
    assert classifier(io.BytesIO(Path(photo).read_bytes())).label == classifier(photo).label
    with pytest.raises(apus.ArgumentError, match="to read bytes"):
        classifier(io.StringIO("text"))


class _Failing(io.BytesIO):
    def read(self, *_):
        raise OSError("the disk is gone")


def test_files_that_cannot_be_read(classifier, photo):
    with pytest.raises(apus.PictureError, match="disk"):
        classifier(_Failing())
    answers = classifier([_Failing(), photo])
    assert answers[0].error.place == "read" and answers[1].label == "espresso"


def test_options_are_arrays_too(squeezenet, photo):
    mean, std = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
    expected = apus.Classifier(squeezenet, mean=mean, std=std, top=2)(photo).json()
    options = {"mean": numpy.array(mean), "std": numpy.float32(std), "top": numpy.int64(2)}
    assert apus.Classifier(squeezenet, **options)(photo).json() == expected
    with pytest.raises(apus.ArgumentError, match="path of a file with a name in each line"):
        apus.Classifier(squeezenet, labels=["espresso", "cup"])


def test_a_row_is_what_the_command_writes_and_has_the_error(classifier, photo, tmp_path):
    assert classifier.row(photo) == classifier(photo).row(photo)
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(Path(photo).read_bytes()[:500])
    assert classifier.row(str(damaged))["error"]["stage"] == "decode"


def test_images_of_pillow_with_damaged_files_and_numbers_of_32_bits(classifier, photo):
    damaged = Image.open(io.BytesIO(Path(photo).read_bytes()[:5000]))
    with pytest.raises(apus.PictureError) as raised:
        classifier(damaged)
    assert raised.value.place == "decode"
    for answers in classifier([damaged, photo, damaged]), asyncio.run(classifier.run_async([damaged, photo, damaged])):
        assert [answer.label for answer in answers] == [None, "espresso", None]
        failure = answers[2].error
        assert isinstance(failure, apus.PictureError) and str(failure) == str(raised.value) in repr(answers[2])
        row = answers[2].row("a")
        assert row == {"id": "a", "predictions": None, "error": {
            "stage": "decode", "code": "corrupt", "message": str(failure)}}
        assert answers.to_pandas()["error"].tolist()[-1] == str(failure)
    assert classifier.row(damaged)["error"]["stage"] == "decode"
    deep = Image.new("I", (64, 64), 40_000)
    assert classifier(deep).row() == classifier(deep.convert("I;16")).row()


def test_a_column_has_a_row_for_each_input(squeezenet, photo):
    from apus._columns import ColumnPredictor

    damaged = Image.open(io.BytesIO(Path(photo).read_bytes()[:5000]))
    columns = ColumnPredictor(squeezenet, {}, lambda: None)
    rows, errors = columns([photo, damaged, photo], ["a\0b", "b", "c\ud800"])
    assert [json.loads(row)["id"] if row else None for row in rows] == ["a\ufffdb", None, "c\ufffd"]
    assert errors[0] is None and errors[1].startswith("decode: ") and errors[2] is None


class _Broken:
    @property
    def __array_interface__(self):
        raise RuntimeError("it is on a device")


def test_a_column_has_a_row_for_values_that_raise_anything(squeezenet, photo):
    from apus._columns import ColumnPredictor

    columns = ColumnPredictor(squeezenet, {}, lambda: None)
    rows, errors = columns([_Broken(), photo, "a\0b", "\udcff", {}, numpy.zeros((2, 2), object)], "abcdef")
    assert [row is None for row in rows] == [error is not None for error in errors] == [True, False] + [True] * 4
    assert errors[0] == "read: it is on a device"


MODES = [
    "1", "L", "P", "RGB", "RGBA", "CMYK", "YCbCr", "HSV", "LA", "La", "PA", "RGBX", "RGBa", "F", "I", "I;16", "I;16L",
    "I;16B"]


@pytest.mark.parametrize("mode", MODES)
def test_modes_of_pillow(classifier, photo, mode):
    gray = Image.open(photo).convert("L")
    image = {"La": gray.convert("LA"), "RGBa": gray.convert("RGBA")}.get(mode, gray)
    if mode.startswith("I"):
        image = gray.point(lambda value: value * 257, "I").convert(mode)
    image = image.convert(mode)
    answer = classifier(image)
    assert image.mode == mode and len(answer) == 3
    if mode not in ("1", "P", "LAB"):
        # The others keep the picture.
        assert answer.label == classifier(gray).label


def test_rows_of_a_list_become_tables(classifier, photo):
    assert len(list(apus.predict(classifier, [photo, photo.replace("coffee", "rocket")]))) == 2
    with pytest.raises(apus.ArgumentError, match="give the inputs"):
        apus.predict(classifier)
    frame = apus.predict(classifier, photo).to_pandas()
    assert frame["label"][0] == "espresso" and frame["id"][0] == photo
    assert apus.predict(classifier, photo).to_arrow().num_rows == classifier(photo).to_arrow().num_rows == 1
    rows = apus.predict(classifier, photo)
    assert repr(rows).startswith("<apus.Rows of <apus.Classifier")
    rows.close()
    assert repr(rows).endswith(": ended>")


def test_errors_name_the_file(tmp_path):
    damaged = tmp_path / "damaged.onnx"
    damaged.write_bytes(b"no model")
    with pytest.raises(apus.Error) as raised:
        apus.Model(damaged)
    assert raised.value.file == str(damaged)
    assert apus.ArgumentError("…", place="m.onnx").file is None


def test_errors_of_pictures_name_their_file(classifier, tmp_path):
    path = tmp_path / "damaged.png"
    path.write_bytes(b"no picture")
    truncated = tmp_path / "cut.png"
    truncated.write_bytes(read(FIXTURES / "photos" / "coffee.png")[:5000])
    for picture in (str(path), path, str(tmp_path / "none.png")):
        with pytest.raises(apus.PictureError) as raised:
            classifier(picture)
        assert raised.value.file == str(picture) and raised.value.place in ("read", "decode")
        assert pickle.loads(pickle.dumps(raised.value)).file == str(picture)
        with pytest.raises(apus.PictureError) as raised:
            asyncio.run(classifier.run_async(picture))
        assert raised.value.file == str(picture)
    with open(path, "rb") as file, Image.open(truncated) as image:
        answers = classifier([path, file, image, b"nothing"])
        assert [answer.error.file for answer in answers] == [str(path), str(path), str(truncated), None]


@pytest.mark.parametrize("inputs", [
    b"\x89PNG\0" * 400_000, bytearray(b"abc"), memoryview(b"abc"), numpy.zeros((2, 2, 3), numpy.uint8),
    Image.new("RGB", (2, 2)), 7, None, "a\0" * 1_000_000, "\udcff" * 1_000_000])
def test_what_is_no_path_is_refused_in_a_line(classifier, inputs, tmp_path):
    for call in (
        lambda: apus.predict(classifier, [inputs]), lambda: classifier.predict(inputs),
        lambda: apus.run(classifier, [inputs], tmp_path / "rows.csv"),
    ):
        with pytest.raises(apus.ArgumentError) as raised:
            call()
        assert len(str(raised.value)) < 1000

def test_hints_can_be_read():
    for function in (apus.Predictor.__call__, apus.Predictor.run_async, apus.Error.node.fget):
        assert "return" in typing.get_type_hints(function)
