"""The memory a fit takes beyond the interpreter's own, measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bochner as bo
from bochner.blocks.memory import block_budget, most_threads


def write(path: Path, n_rows: int, group: int) -> None:
    rng = np.random.default_rng(0)
    schema = pa.schema([*((f"x{j}", pa.float64()) for j in range(20)), ("y", pa.float64())])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for start in range(0, n_rows, group):
            rows = min(group, n_rows - start)
            values = rng.random(size=(21, rows))
            writer.write_table(pa.Table.from_arrays(list(map(pa.array, values)), schema=schema))


def measured(path: Path, memory: int, length_scale: str) -> tuple[int, int]:
    command = [sys.executable, "-m", "tests.engines.fit_within", str(path), str(memory), length_scale]
    output = subprocess.run(command, cwd=Path(__file__).parents[2], check=True, capture_output=True, text=True).stdout
    n_rows, taken = map(int, output.split())
    return n_rows, taken


def test_a_file_ten_times_the_budget(tmp_path) -> None:
    memory = 40 * 10**6
    n_rows = 10 * memory // (21 * 8)
    write(tmp_path / "rows.parquet", n_rows, group=100_000)
    assert (tmp_path / "rows.parquet").stat().st_size >= 9.99 * memory
    seen, taken = measured(tmp_path / "rows.parquet", memory, "1.0")
    assert seen == n_rows
    assert taken <= memory


@pytest.mark.slow
def test_ten_million_rows(tmp_path) -> None:
    write(tmp_path / "rows.parquet", 10**7, group=500_000)
    seen, taken = measured(tmp_path / "rows.parquet", 10**8, "median")
    assert seen == 10**7
    assert taken <= 10**8


def test_blocks_lanes_and_threads_follow_the_budget() -> None:
    rows = bo.ArrayBlocks(np.zeros((10**5, 1)), block_rows=10)
    assert len(list(rows.lanes(1, 10**9))) == 625
    assert len(list(rows.lanes(10**8, 10**9))) == 5
    assert len(list(rows.lanes(10**8, 10**7))) == 1
    assert block_budget(10**12) == 32 << 20
    assert block_budget(16 * 10**6) == 10**6
    assert most_threads(10**6, 10**6, 0) == 1
    assert most_threads(10**9, 0, 10**8) == 3
