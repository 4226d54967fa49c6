"""Damaged and deviating files: one sentence that names file and place, and a checkpoint that stays whole."""

from __future__ import annotations

import gzip
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bochner as bo
from bochner.blocks import lines
from bochner.blocks.table_blocks import Roles
from bochner.engines.base import PLAIN, DelegatingEngine
from bochner.tables.table import DataTable, NumberColumn
from tests.engines.saved import saving


def write(folder, n_files: int = 5, rows: int = 4000) -> None:
    rng = np.random.default_rng(0)
    for i in range(n_files):
        columns = {"a": rng.normal(size=rows), "b": rng.normal(size=rows), "y": rng.normal(size=rows)}
        pq.write_table(pa.table(columns), folder / f"part-{i}.parquet", row_group_size=1000, write_page_checksum=True)


def test_missing_column_in_a_later_file(tmp_path) -> None:
    write(tmp_path)
    pq.write_table(pa.table({"a": [1.0], "y": [2.0]}), tmp_path / "part-3.parquet")
    with pytest.raises(ValueError, match=r"column 'b' is missing in .*part-3\.parquet .row groups 0 to"):
        bo.ParquetBlocks(tmp_path, target="y")


def test_text_where_the_first_file_has_numbers(tmp_path) -> None:
    write(tmp_path)
    pq.write_table(pa.table({"a": ["x"], "b": [1.0], "y": [2.0]}), tmp_path / "part-3.parquet")
    with pytest.raises(ValueError, match=r"'a' is string in .*part-3\.parquet .row groups 0 to 0. but double"):
        bo.ParquetBlocks(tmp_path, target="y")


def test_truncated_file(tmp_path) -> None:
    write(tmp_path)
    data = (tmp_path / "part-2.parquet").read_bytes()
    (tmp_path / "part-2.parquet").write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match=r"part-2\.parquet: it is not a whole Parquet file"):
        bo.ParquetBlocks(tmp_path, target="y")


class DamageBeforeFold(DelegatingEngine):
    """Damages a file after the sample was read and before the pass begins."""

    def __init__(self, path, data: bytes, working) -> None:
        self.path, self.data, self.working = path, data, working

    def fold(self, statistic, source, folding=PLAIN):
        self.path.write_bytes(self.data)
        return self.working.fold(statistic, source, folding)


def test_damaged_row_group_leaves_the_checkpoint_intact(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("bochner.engines.checkpoint.LEAST_SECONDS", 0.0)
    monkeypatch.setattr("bochner.engines.checkpoint.SAVE_SHARE", 1e9)
    data, saved = tmp_path / "data", tmp_path / "saved"
    data.mkdir()
    write(data)
    whole = (data / "part-4.parquet").read_bytes()
    start = pq.ParquetFile(data / "part-4.parquet").metadata.row_group(2).column(0).data_page_offset
    damaged = bytearray(whole)
    damaged[start + 500] ^= 0xFF
    damage = DamageBeforeFold(data / "part-4.parquet", bytes(damaged), bo.SerialEngine("8MB"))
    model = bo.KernelRidge(
        bo.FourierFeatures(n_components=20, random_state=0), alpha=1.0, engine=bo.ThreadEngine(memory="8MB")
    )
    expected = model.fit(bo.ParquetBlocks(data, target="y")).coef_
    engine = model.engine
    model.set_params(engine=damage)
    with pytest.raises(ValueError, match=r"row group 2 of .*part-4\.parquet: it is damaged"):
        saving(model, saved).fit(bo.ParquetBlocks(data, target="y"))
    (data / "part-4.parquet").write_bytes(whole)
    assert list(saved.glob("pass-*/node-*"))
    model.set_params(engine=engine)
    resumed = saving(model, saved).fit(bo.ParquetBlocks(data, target="y"))
    np.testing.assert_array_equal(resumed.coef_, expected)


def test_missing_values_are_placed(tmp_path) -> None:
    write(tmp_path)
    pq.write_table(pa.table({"a": [1.0, None], "b": [1.0, 2.0], "y": [2.0, 1.0]}), tmp_path / "part-3.parquet")
    with pytest.raises(ValueError, match=r"rows 0 to 1 of row group 0 of .*part-3\.parquet.*'a' has missing values"):
        list(bo.ParquetBlocks(tmp_path, target="y"))


def test_csv_with_another_header_or_text_in_numbers(tmp_path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "b.csv").write_text("a\n1\n")
    with pytest.raises(ValueError, match=r"b\.csv: it lacks the column\(s\) b"):
        bo.CsvBlocks(tmp_path)
    (tmp_path / "b.csv").write_text("a,b\n1,2\nx,4\n")
    with pytest.raises(ValueError, match=r"b\.csv.*the column .a. holds .x., where numbers are expected"):
        list(bo.CsvBlocks(tmp_path))


@pytest.mark.parametrize("quoted", [False, True], ids=["numbers", "texts"])
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_a_quote_that_is_never_closed(quoted, ending, tmp_path, monkeypatch) -> None:
    """It makes one line of all that follows: memory stays that of a line, and the message says where it is."""
    monkeypatch.setattr(lines, "PIECE_BYTES", 1 << 14)
    monkeypatch.setattr(lines, "LONGEST_LINE", 1 << 16)
    row = '"a, b",2.5\n' if quoted else "1.25,2.5\n"
    rows = [row] * 200_000
    rows[123_454] = '"' + row
    path, text = tmp_path / f"a.{ending}", ("x,y\n" + "".join(rows)).encode()
    path.write_bytes(gzip.compress(text, 1) if ending.endswith("gz") else text)
    bo.CsvBlocks  # noqa: B018  imported before memory is measured
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=rf"Cannot use {path}: line 123456 has a quote that is never closed"):
            bo.CsvBlocks(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20 < len(text)


def test_a_quote_that_is_never_closed_at_the_end_or_in_the_header(tmp_path) -> None:
    (tmp_path / "a.csv").write_text('x,y\n1,2\n"3,4\n5,6\n')
    with pytest.raises(ValueError, match=r"a\.csv: line 3 has a quote that is never closed"):
        bo.CsvBlocks(tmp_path)
    (tmp_path / "a.csv").write_text('x,"y\n1,2\n3,4\n5,6\n')
    with pytest.raises(ValueError, match=r"a\.csv: line 1 has a quote that is never closed"):
        bo.CsvBlocks(tmp_path)
    (tmp_path / "a.csv").write_text('x,"y' + "\n1,2" * 50_000 + '"\n3,4\n5,6\n')
    with pytest.raises(ValueError, match=r"a\.csv: its first line does not name columns"):
        bo.CsvBlocks(tmp_path)


def test_a_line_without_end(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(lines, "PIECE_BYTES", 1 << 19)
    monkeypatch.setattr(lines, "LONGEST_LINE", 1 << 20)
    (tmp_path / "a.csv").write_text("x,y\n1,2\n" + "1," * 900_000 + "1\n")
    with pytest.raises(ValueError, match=r"a\.csv: line 3 is longer than 1 MB: write rows of fewer columns"):
        bo.CsvBlocks(tmp_path)


class Name(str):
    """A name that counts how often names are compared."""

    comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Name.comparisons += 1
        return str.__eq__(self, other)


def test_columns_are_found_without_walking_over_all_of_them() -> None:
    """As many comparisons as there are columns, not their square: 200,000 columns are a matter of seconds."""
    names = [Name(f"c{i}") for i in range(1000)]
    wanted = [Name(name) for name in names]
    table = DataTable(tuple(names), tuple(NumberColumn(np.array([float(i)])) for i in range(1000)), 1)
    Name.comparisons = 0
    roles = Roles.of(names, wanted, wanted[-1], wanted[-2])
    chosen = table.select(roles.names)
    encoder = bo.TableEncoder().fit(table)
    assert encoder.transform(table).shape == (1, 1000)
    assert Name.comparisons < 20_000
    assert [column.plain()[0] for column in chosen.columns] == list(range(1000))


def test_truncated_compressed_text(tmp_path) -> None:
    text = "".join(f"1 1:{i} 2:{i}\n" for i in range(20_000)).encode()
    whole = gzip.compress(text)
    (tmp_path / "a.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"a\.gz: it is damaged"):
        bo.SvmlightBlocks(tmp_path / "a.gz")


def test_nothing_there(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match="There is no file"):
        bo.ParquetBlocks(tmp_path / "none-*.parquet")
    write(tmp_path)
    with pytest.raises(ValueError, match="column 'z' is missing"):
        bo.ParquetBlocks(tmp_path, target="z")
