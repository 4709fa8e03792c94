"""Answers as tables of pandas and Arrow."""

from pathlib import Path

import pandas
import pyarrow


def test_pandas(classifier, photo):
    table = classifier([photo, b"nothing", photo]).to_pandas(ids=["a", "b", "c"])
    assert list(table.columns) == ["id", "index", "label", "confidence", "error"]
    assert table.id.tolist() == ["a"] * 3 + ["b"] + ["c"] * 3
    assert table[table.id == "b"].error.item() and pandas.isna(table[table.id == "b"]["index"].item())
    assert table.label[0] == "espresso" and table["index"].dtype == "Int64"
    assert len(classifier(photo).to_pandas()) == 3


def test_arrow(classifier, photo):
    table = classifier([photo, b"nothing"]).to_arrow(ids=["a", "b"])
    assert isinstance(table, pyarrow.Table) and table.column_names == ["id", "predictions", "error"]
    assert table["predictions"].to_pylist()[0][0]["label"] == "espresso"
    assert table["predictions"].to_pylist()[1] is None and table["error"].to_pylist()[1]["stage"] == "decode"


def test_ids_are_paths_or_positions(classifier, photo):
    answers = classifier([photo, Path(photo).read_bytes()])
    assert [row["id"] for row in answers.rows()] == [photo, "1"]
    assert answers._repr_html_().count("<tr>") == 7
