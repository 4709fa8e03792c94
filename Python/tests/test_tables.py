"""Answers as tables of pandas and Arrow."""

from pathlib import Path

import numpy
import pandas
import pyarrow
import pyarrow.parquet
import pytest

import apus
from conftest import FIXTURES


def test_pandas(classifier, photo):
    table = classifier([photo, b"nothing", photo]).to_pandas(ids=["a", "b", "c"])
    assert list(table.columns) == ["id", "index", "label", "confidence", "error"]
    assert table.id.tolist() == ["a"] * 3 + ["b"] + ["c"] * 3
    assert table[table.id == "b"].error.item() and pandas.isna(table[table.id == "b"]["index"].item())
    assert table.label[0] == "espresso" and table["index"].dtype == "Int64"
    assert len(classifier(photo).to_pandas()) == 3


def test_arrow(classifier, photo):
    table = classifier([photo, b"nothing"]).to_arrow(ids=["a", "b"])
    assert isinstance(table, pyarrow.Table) and table.column_names == ["id", "predictions", "error", "warning"]
    assert table["predictions"].to_pylist()[0][0]["label"] == "espresso"
    assert table["predictions"].to_pylist()[1] is None and table["error"].to_pylist()[1]["stage"] == "decode"


def test_ids_are_paths_or_positions(classifier, photo):
    answers = classifier([photo, Path(photo).read_bytes()])
    assert [row["id"] for row in answers.rows()] == [photo, "1"]
    assert answers._repr_html_().count("<tr>") == 7


KINDS = {
    "objects": (apus.Detector, "zoo:yolov8n", {"min_confidence": 0, "max_objects": 2}),
    "segments": (apus.Segmenter, "zoo:unet", {}),
    "depth": (apus.DepthEstimator, str(FIXTURES / "tasks" / "depth.onnx"), {}),
    "image": (apus.ImageGenerator, str(FIXTURES / "tasks" / "super_open.onnx"), {}),
    "text": (apus.TextReader, str(FIXTURES / "text" / "detector.onnx"), {}),
    "embeddings": (apus.Embedder, str(FIXTURES / "models" / "squeezenet1_1.onnx"), {}),
    "regression": (apus.Regressor, str(FIXTURES / "models" / "squeezenet1_1.onnx"), {}),
    "outputs": (apus.Predictor, str(FIXTURES / "models" / "squeezenet1_1.onnx"), {"task": "raw"}),
    "classes": (apus.Classifier, str(FIXTURES / "models" / "squeezenet1_1.onnx"), {"top": 2}),
    "parts": (apus.Predictor, str(FIXTURES / "text" / "text.recipe.json"), {}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_columns_and_types_do_not_depend_on_what_was_found(kind, photo, tmp_path):
    make, model, options = KINDS[kind]
    picture = str(FIXTURES / "text" / "two.png") if kind in ("text", "parts", "image", "depth") else photo
    predictor = make(model, threads=2, **options)
    whole, failed, mixed = (predictor(pictures) for pictures in (
        [picture], [b"nothing"], [picture, b"nothing", picture]))
    tables = [answers.to_arrow() for answers in (whole, failed, mixed)]
    if kind != "outputs":
        assert tables[0].schema.equals(tables[1].schema) and tables[0].schema.equals(tables[2].schema)
        assert list(whole.to_pandas().columns) == list(failed.to_pandas().columns)
        assert list(whole.to_pandas().dtypes) == list(mixed.to_pandas().dtypes)
    assert tables[0].schema.field("error").type == tables[1].schema.field("error").type
    assert pyarrow.concat_tables(tables).num_rows == 5 if kind != "outputs" else tables[2].num_rows == 3
    with pyarrow.parquet.ParquetWriter(tmp_path / "rows.parquet", tables[0].schema) as file:
        for table in tables if kind != "outputs" else tables[::2]:
            file.write_table(table)
    # What a table holds is what the rows hold.
    row = _without_nothing(tables[0].to_pylist()[0])
    assert row.keys() - {"id"} == _without_nothing(whole.rows()[0]).keys() - {"id"}
    assert _equal(row, _without_nothing(whole.rows()[0]))


def _without_nothing(value):
    """A value without the members of dictionaries that are None."""
    if isinstance(value, dict):
        return {name: _without_nothing(member) for name, member in value.items() if member is not None}
    return [_without_nothing(member) for member in value] if isinstance(value, list) else value


def _equal(first, second) -> bool:
    """Whether values are equal, but for the rounding of numbers to 32 bits."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_equal(first[name], second[name]) for name in first)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(_equal, first, second))
    return first == second or isinstance(first, float) and numpy.float32(first) == numpy.float32(second)


def test_vectors_are_whole_in_both_kinds_of_tables(squeezenet, photo):
    answers = apus.Embedder(squeezenet)([photo, b"nothing", photo])
    vector = answers[0].tensors["embedding"].numpy()
    frame = answers.to_pandas(ids=["a", "b", "c"])
    assert frame.id.tolist() == ["a", "b", "c"] and frame.embedding[2].dtype == numpy.float32
    assert numpy.array_equal(frame.embedding[0], vector) and frame.error[1] and not isinstance(frame.embedding[1], list)
    table = answers.to_arrow()
    assert table.schema.field("embedding").type == pyarrow.list_(pyarrow.float32())
    assert numpy.array_equal(numpy.float32(table["embedding"][0].as_py()), vector)
    assert table["embedding"][1].as_py() is None


@pytest.mark.filterwarnings("ignore:.*guessing")
def test_maps_and_outputs_are_arrays_of_pandas(squeezenet, photo):
    depth = apus.DepthEstimator(str(FIXTURES / "tasks" / "depth.onnx"))(photo)
    assert numpy.array_equal(depth.to_pandas().depth[0], depth.tensors["depth"].numpy())
    raw = apus.Predictor(squeezenet, task="raw")(photo)
    assert numpy.array_equal(raw.to_pandas().outputs[0]["prob"], raw.tensors["prob"].numpy())


def test_rows_of_datasets_have_the_types_of_answers(squeezenet, photos, tmp_path):
    (tmp_path / "damaged.png").write_bytes(b"nothing")
    embedder = apus.Embedder(squeezenet)
    good, bad = (embedder.predict(folder).to_arrow() for folder in (photos, str(tmp_path)))
    assert good.schema.equals(bad.schema) and pyarrow.concat_tables([good, bad]).num_rows == 5
    assert embedder.predict(photos).to_pandas().embedding[3].shape == (1000,)
