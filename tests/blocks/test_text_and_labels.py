"""Tables with text, and labels that are whole numbers or true and false, need no encoder and keep their type."""

from __future__ import annotations

import gzip

import dask.dataframe
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bochner as bo
from bochner.blocks import lines
from bochner.blocks.base import in_turn

RNG = np.random.default_rng(0)
N_ROWS = 400
COLOUR = RNG.choice(["red", "green", "blue"], size=N_ROWS)
SIZE = RNG.normal(size=N_ROWS)
FRAME = pd.DataFrame(
    {
        "size": SIZE,
        "colour": COLOUR,
        "grade": np.where(COLOUR == "red", 3, np.where(SIZE > 0, 1, 2)),
        "large": SIZE > 0.5,
    }
)


def csv(folder) -> dict:
    FRAME.to_csv(folder / "t.csv", index=False)
    return {"source": bo.CsvBlocks, "given": folder / "t.csv"}


def parquet(folder) -> dict:
    pq.write_table(pa.Table.from_pandas(FRAME), folder / "t.parquet", row_group_size=77)
    return {"source": bo.ParquetBlocks, "given": folder / "t.parquet"}


def pandas_batches(folder) -> dict:
    return {"source": bo.BatchBlocks, "given": [FRAME[:150], FRAME[150:]]}


def object_batches(folder) -> dict:
    return {"source": bo.BatchBlocks, "given": [FRAME[:150].astype(object), FRAME[150:].astype(object)]}


def polars_batches(folder) -> dict:
    return {"source": bo.BatchBlocks, "given": [pl.from_pandas(FRAME[:150]), pl.from_pandas(FRAME[150:]).lazy()]}


def nullable_batches(folder) -> dict:
    return {"source": bo.BatchBlocks, "given": [FRAME.convert_dtypes()]}


def dask_frame(folder) -> dict:
    return {"source": bo.DaskBlocks, "given": dask.dataframe.from_pandas(FRAME, npartitions=3)}


KINDS = [csv, parquet, pandas_batches, object_batches, polars_batches, nullable_batches, dask_frame]


@pytest.mark.parametrize("kind", KINDS)
def test_text_becomes_columns_and_labels_keep_their_type(kind, tmp_path):
    expected = np.column_stack([SIZE, COLOUR == "blue", COLOUR == "green", COLOUR == "red"])
    made = kind(tmp_path)
    for target, letter in (("grade", "i"), ("large", "b"), ("colour", "U")):
        columns = ["size"] if target == "colour" else ["size", "colour"]
        source = made["source"](made["given"], target=target, columns=columns, block_rows=90)
        blocks = list(source)
        np.testing.assert_array_equal(np.concatenate([block.y for block in blocks]), FRAME[target])
        assert {block.y.dtype.kind for block in blocks} == {letter}
        X = np.concatenate([block.X for block in blocks])
        np.testing.assert_array_equal(X, expected[:, : X.shape[1]])


@pytest.mark.parametrize("kind", KINDS)
def test_a_classifier_gives_the_labels_back(kind, tmp_path):
    made = kind(tmp_path)
    source = made["source"](made["given"], target="grade", columns=["size", "colour"])
    features = bo.FourierFeatures(bo.Gaussian(1.0), n_components=60)
    model = bo.KernelRidgeClassifier(features, alpha=1e-2, random_state=0).fit(source)
    assert model.classes_.tolist() == [1, 2, 3]
    assert model.classes_.dtype.kind == "i"
    predicted = model.predict(FRAME[["colour", "size"]])
    assert predicted.dtype.kind == "i"
    assert (predicted == FRAME["grade"]).mean() > 0.95


def test_numbers_alone_take_no_pass(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    source = bo.CsvBlocks(tmp_path / "t.csv", columns=["size"])

    def never(*arguments):
        raise AssertionError("a pass was made")

    assert source.prepared(never, in_turn).n_columns == 1
    with pytest.raises(AssertionError, match="a pass was made"):
        bo.CsvBlocks(tmp_path / "t.csv", columns=["size", "colour"]).prepared(never, in_turn)


def test_missing_numbers_are_still_refused_and_missing_labels_are_a_label(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,\n3,y\n")
    np.testing.assert_array_equal(
        bo.CsvBlocks(tmp_path / "t.csv").sample().X, [[1, 1, 0, 0], [2, 0, 0, 1], [3, 0, 1, 0]]
    )
    (tmp_path / "t.csv").write_text("a,b\n1,x\n,x\n3,y\n")
    with pytest.raises(ValueError, match=r"'a' has missing values \(NaN\): say what to do .*missing='mean'"):
        bo.CsvBlocks(tmp_path / "t.csv").sample()


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
@pytest.mark.parametrize(("late", "kind"), [("7", "i"), ("2.5", "f"), ("1e3", "f")])
def test_one_number_that_is_not_whole_makes_all_of_them_floats(late, kind, ending, tmp_path, monkeypatch):
    """Wherever it stands, also in the last file: the type does not depend on blocks."""
    monkeypatch.setattr(lines, "PIECE_BYTES", 1 << 12)
    rows = [f"{i},{i % 3},{i % 5}\n" for i in range(3000)]
    for number, some in enumerate((rows[:2000], [*rows[2000:], f"0,{late},1\n"])):
        text = ("x,y,z\n" + "".join(some)).encode()
        content = gzip.compress(text) if ending.endswith("gz") else text
        (tmp_path / f"{number}.{ending}").write_bytes(content)
    blocks = list(bo.CsvBlocks(tmp_path, columns=["x"], target="y", block_rows=100))
    assert {block.y.dtype.kind for block in blocks} == {kind}
    y = np.concatenate([block.y for block in blocks])
    np.testing.assert_array_equal(y, [*(np.arange(3000) % 3), float(late)])
    both = list(bo.CsvBlocks(tmp_path, columns=["x"], target=["z", "y"], block_rows=100))
    assert {block.y.dtype.kind for block in both} == {kind}
    assert next(iter(bo.CsvBlocks(tmp_path, columns=["x"], target="z"))).y.dtype.kind == "i"


@pytest.mark.parametrize("options", [{}, {"n_features": 2, "zero_based": False}])
@pytest.mark.parametrize(("late", "kind"), [("+7", "i"), ("2.0", "f"), ("1e3", "f"), ("nan", "f"), (" -3", "i")])
def test_targets_of_svmlight_files(late, kind, options, tmp_path):
    text = "# of n.1 and 2e5\n" + "".join(f"{i % 3 - 1} 1:{i}.5 2:1e-3 # of e.1\n" for i in range(300))
    (tmp_path / "a.svm").write_text(text + f"{late} 2:0.5\n")
    blocks = list(bo.SvmlightBlocks(tmp_path / "a.svm", block_rows=70, **options))
    assert {block.y.dtype.kind for block in blocks} == {kind}
    y = np.concatenate([block.y for block in blocks])
    np.testing.assert_array_equal(y, [*(np.arange(300) % 3 - 1), float(late)])


def test_whole_numbers_that_are_features_stay_floats(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,5\n2,\n")
    X = bo.CsvBlocks(tmp_path / "t.csv", columns=["a"]).sample().X
    assert X.dtype == np.float64
    with pytest.raises(ValueError, match="'y' has missing values"):
        list(bo.CsvBlocks(tmp_path / "t.csv", columns=["a"], target="y"))


def test_a_source_is_no_array():
    source = bo.ArrayBlocks(np.zeros((3, 2)))
    with pytest.raises(TypeError, match="ArrayBlocks is a source of blocks, not an array: learners take it in fit"):
        bo.TableEncoder().fit(source)
