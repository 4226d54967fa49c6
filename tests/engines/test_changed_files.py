"""A checkpoint belongs to the rows it was made from: files changed since are refused, whole copies are not."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bochner as bo
from tests.engines.saved import saving

N_ROWS = 3000


def write_parquet(path: Path, values: np.ndarray) -> None:
    columns = dict(zip("abcy", values.T))
    pq.write_table(pa.table(columns), path, compression="none", use_dictionary=False, write_statistics=False)


def write_csv(path: Path, values: np.ndarray) -> None:
    np.savetxt(path, values, fmt="%+.6f", delimiter=",", header="a,b,c,y", comments="")


def write_svmlight(path: Path, values: np.ndarray) -> None:
    lines = [f"{y:+.6f} 1:{a:+.6f} 2:{b:+.6f} 3:{c:+.6f}\n" for a, b, c, y in values]
    path.write_text("".join(lines))


SOURCES = {
    "parquet": (write_parquet, lambda path: bo.ParquetBlocks(path, target="y")),
    "csv": (write_csv, lambda path: bo.CsvBlocks(path, target="y")),
    "svmlight": (write_svmlight, bo.SvmlightBlocks),
}


def model() -> bo.KernelRidge:
    return bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(1.5), n_components=30, random_state=0), alpha=0.01)


@pytest.mark.parametrize("kind", sorted(SOURCES))
def test_a_changed_file_of_equal_size_is_refused(kind, tmp_path) -> None:
    write, read = SOURCES[kind]
    values = np.random.default_rng(0).uniform(-1.0, 1.0, size=(N_ROWS, 4))
    path, saved = tmp_path / "rows", tmp_path / "saved"
    path = path.with_suffix("." + kind)
    write(path, values)
    expected = saving(model(), saved).fit(read(path)).coef_
    shutil.copy(path, tmp_path / "copy")
    size = path.stat().st_size
    write(path, values[::-1])
    assert path.stat().st_size == size
    with pytest.raises(ValueError, match=r"other rows .a file that was changed since has other rows.: bring the old"):
        saving(model(), saved).fit(read(path))
    shutil.copy(tmp_path / "copy", path)  # another time of change, the same rows
    np.testing.assert_array_equal(saving(model(), saved).fit(read(path)).coef_, expected)


def test_one_changed_number_in_a_small_file_is_seen(tmp_path) -> None:
    values = np.random.default_rng(0).uniform(-1.0, 1.0, size=(N_ROWS, 4))
    path, saved = tmp_path / "rows.csv", tmp_path / "saved"
    write_csv(path, values)
    saving(model(), saved).fit(bo.CsvBlocks(path, target="y"))
    values[N_ROWS // 2, 1] *= -1.0
    write_csv(path, values)
    with pytest.raises(ValueError, match="other rows"):
        saving(model(), saved).fit(bo.CsvBlocks(path, target="y"))


def test_another_dask_frame_is_refused(tmp_path) -> None:
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    values = np.random.default_rng(0).uniform(-1.0, 1.0, size=(N_ROWS, 4))
    frame, other = (pd.DataFrame(table, columns=list("abcy")) for table in (values, values[::-1]))
    source = bo.DaskBlocks(dd.from_pandas(frame, npartitions=3), target="y")
    saving(model(), tmp_path).fit(source)
    saving(model(), tmp_path).fit(bo.DaskBlocks(dd.from_pandas(frame, npartitions=3), target="y"))
    with pytest.raises(ValueError, match="other rows"):
        saving(model(), tmp_path).fit(bo.DaskBlocks(dd.from_pandas(other, npartitions=3), target="y"))
