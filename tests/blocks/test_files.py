"""The same rows from arrays and from files of every kind: the same blocks, the same samples, the same model."""

from __future__ import annotations

import bz2
import gzip
import itertools
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bochner as bo
from bochner.blocks import representative_rows

N_ROWS, N_COLUMNS = 5000, 4
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N_ROWS, N_COLUMNS))
Y = np.sin(X[:, 0]) + X[:, 1]
WEIGHT = RNG.uniform(0.5, 2.0, size=N_ROWS)
FRAME = pd.DataFrame({**{f"x{j}": X[:, j] for j in range(N_COLUMNS)}, "y": Y, "w": WEIGHT})
EDGES = [0, 700, 701, 3300, N_ROWS]


def parquet(folder: Path) -> bo.ParquetBlocks:
    for i, (start, stop) in enumerate(itertools.pairwise(EDGES)):
        part = pa.Table.from_pandas(FRAME.iloc[start:stop], preserve_index=False)
        pq.write_table(part, folder / f"part-{i}.parquet", row_group_size=333)
    return bo.ParquetBlocks(folder, target="y", weight="w")


def csv(folder: Path) -> bo.CsvBlocks:
    FRAME.iloc[:700].to_csv(folder / "a.csv", index=False)
    FRAME.iloc[700:3000].to_csv(folder / "b.csv.gz", index=False)
    FRAME.iloc[3000:].to_csv(folder / "c.csv.bz2", index=False)
    return bo.CsvBlocks(str(folder / "*.csv*"), target="y", weight="w")


def batches(folder: Path) -> bo.BatchBlocks:
    return bo.BatchBlocks(lambda: (FRAME.iloc[a:b] for a, b in itertools.pairwise(EDGES)), target="y", weight="w")


def model() -> bo.KernelRidge:
    return bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(2.0), n_components=50, random_state=0), alpha=0.1)


@pytest.mark.parametrize("source_of", [parquet, csv])
def test_file_sources_equal_arrays_to_the_bit(source_of, tmp_path) -> None:
    source, arrays = source_of(tmp_path), bo.ArrayBlocks(X, Y, WEIGHT)
    assert (source.n_rows, source.n_columns) == (N_ROWS, N_COLUMNS)
    for block_rows in (1, 97, 333, 10**6)[1:]:
        mine, theirs = list(source.rechunked(block_rows)), list(arrays.rechunked(block_rows))
        assert len(mine) == len(theirs)
        for one, other in zip(mine, theirs):
            np.testing.assert_array_equal(one.X, other.X)
            np.testing.assert_array_equal(one.y, other.y)
            np.testing.assert_array_equal(one.weight, other.weight)
    for n_rows in (1, 7, 100, 4999, 10**6):
        np.testing.assert_array_equal(source.rechunked(61).sample(n_rows).X, arrays.sample(n_rows).X)
    expected = model().fit(X, Y, WEIGHT)
    np.testing.assert_array_equal(model().fit(source).coef_, expected.coef_)


def test_batches_equal_arrays_to_the_bit(tmp_path) -> None:
    expected = model().fit(X, Y, WEIGHT).coef_
    source = batches(tmp_path)
    for engine in (bo.SerialEngine(), bo.ThreadEngine(3)):
        np.testing.assert_allclose(model().set_params(engine=engine).fit(source).coef_, expected, rtol=1e-10)
    pairs = [(X[a:b], Y[a:b], WEIGHT[a:b]) for a, b in itertools.pairwise(EDGES)]
    for given in (pairs, iter(pairs), lambda: iter(pairs)):
        np.testing.assert_allclose(model().fit(bo.BatchBlocks(given)).coef_, expected, rtol=1e-10)
    records = pa.Table.from_pandas(FRAME, preserve_index=False).to_reader(max_chunksize=777)
    source = bo.BatchBlocks(iter(records), target="y", weight="w")
    np.testing.assert_allclose(model().fit(source).coef_, expected, rtol=1e-10)


def test_an_iterator_serves_one_pass_only() -> None:
    labels = (Y > 0).astype(int)
    source = bo.BatchBlocks(iter([(X, labels)]))
    with pytest.raises(ValueError, match="iterator that is used up"):
        bo.KernelRidgeClassifier(random_state=0).fit(source)


@pytest.mark.parametrize(("suffix", "opened"), [("", open), (".gz", gzip.open), (".bz2", bz2.open)])
@pytest.mark.parametrize("first_column", [0, 1])
def test_svmlight_equals_arrays(suffix, opened, first_column, tmp_path) -> None:
    sparse = np.where(RNG.random(X.shape) < 0.5, X, 0.0)
    path = tmp_path / f"rows.svm{suffix}"
    with opened(path, "wt") as file:
        file.write("# a comment\n")
        for row, target in zip(sparse.tolist(), Y.tolist()):
            file.write(f"{target} " + " ".join(f"{j + first_column}:{v}" for j, v in enumerate(row) if v) + "\n")
    source = bo.SvmlightBlocks(path)
    assert (source.n_rows, source.n_columns) == (N_ROWS, N_COLUMNS)
    np.testing.assert_array_equal(source.sample(100).X.toarray(), representative_rows(sparse, 100))
    np.testing.assert_allclose(model().fit(source).coef_, model().fit(sparse, Y).coef_, rtol=1e-10)


def test_memory_mapped_array(tmp_path) -> None:
    np.save(tmp_path / "x.npy", X)
    source = bo.ArrayBlocks(np.load(tmp_path / "x.npy", mmap_mode="r"), Y, WEIGHT)
    np.testing.assert_array_equal(model().fit(source).coef_, model().fit(X, Y, WEIGHT).coef_)


def test_parts_are_picklable_and_restart(tmp_path) -> None:
    source = parquet(tmp_path).rechunked(400)
    parts = source.parts()
    again = pickle.loads(pickle.dumps(parts[5]))
    np.testing.assert_array_equal(again().X, X[2000:2400])
    np.testing.assert_array_equal(parts[9]().X, X[3600:4000])
    small = parquet(tmp_path).rechunked(50).parts()
    for index in (3, 4, 1, 1, 5):  # in one row group, forwards and backwards
        np.testing.assert_array_equal(small[index]().X, X[50 * index : 50 * index + 50])


def test_model_takes_raw_tables_after_encoding(tmp_path) -> None:
    frame = FRAME[["x0", "x1", "y"]].assign(kind=np.where(X[:, 2] > 0, "up", "down"))
    frame.loc[::7, "x1"] = np.nan
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "t.parquet")
    source = bo.ParquetBlocks(tmp_path / "t.parquet", target="y", encoder=bo.TableEncoder(missing="indicator"))
    fitted = model().fit(source)
    encoder = bo.TableEncoder(missing="indicator").fit(frame.drop(columns="y"))
    expected = model().fit(encoder.transform(frame), Y)
    predicted = fitted.predict(frame[["kind", "x1", "x0"]])  # any order
    np.testing.assert_allclose(predicted, expected.predict(encoder.transform(frame)), rtol=1e-10)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(frame), predicted)
    assert not source.source._encoder.__sklearn_is_fitted__()  # the caller's source is left alone
    fitted.fit(X, Y)
    assert fitted.encoder_ is None
    assert fitted.predict(X).shape == (N_ROWS,)


def test_labels_may_be_text(tmp_path) -> None:
    frame = FRAME[["x0", "x1"]].assign(label=np.where(Y > 0, "yes", "no"))
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "t.parquet")
    fitted = bo.KernelRidgeClassifier(random_state=0).fit(bo.ParquetBlocks(tmp_path, target="label"))
    assert fitted.classes_.tolist() == ["no", "yes"]
    assert fitted.score(X[:, :2], frame["label"]) > 0.9


def test_csv_with_quotes_blank_lines_and_marks(tmp_path) -> None:
    text = 'a,"b, c",y\r\n1,"say ""no""\nor not",0.5\r\n\r\n?,plain,1.5\r\n3,plain,NA\r\n'
    (tmp_path / "t.csv").write_bytes(text.encode())
    source = bo.CsvBlocks(tmp_path / "t.csv", columns=["a", "b, c"], encoder=bo.TableEncoder(standardise=False))
    assert source.n_rows == 3
    np.testing.assert_array_equal(source.sample().X, [[1.0, 0, 1], [2.0, 1, 0], [3.0, 1, 0]])
    with pytest.raises(ValueError, match="'y' has missing values"):
        list(bo.CsvBlocks(tmp_path / "t.csv", columns=["a"], target="y", encoder=bo.TableEncoder()))
