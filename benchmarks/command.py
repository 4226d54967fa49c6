"""The command line beside what it is made of: the time to say --help, rows per second of predict, and its memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

import bochner as bo

from .measure import interleaved, line

N_ROWS, DIM = 1_000_000, 10
MEMORY = 500  # MB


def ran(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def starting() -> None:
    seconds = interleaved(
        {"click": lambda: ran("-c", "import click"), "help": lambda: ran("-m", "bochner", "--help")}, repeats=15
    )
    line("bochner --help / python -c 'import click'", seconds["help"] / seconds["click"], "at most 1.5")


def predicting(folder: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, DIM)).round(6)
    names = [f"x{j}" for j in range(DIM)]
    rows = pa.table({**dict(zip(names, X.T)), "y": np.sin(X[:, 0])})
    pyarrow.csv.write_csv(rows.slice(0, 20_000), folder / "train.csv")
    pyarrow.csv.write_csv(rows.drop_columns("y"), folder / "rows.csv")
    ran("-m", "bochner", "fit", str(folder / "train.csv"), "--target", "y", "--out", str(folder / "m"))
    model = bo.load(folder / "m")
    model.predict(rows.slice(0, 1000))
    start = time.perf_counter()
    table = pyarrow.csv.read_csv(folder / "rows.csv")
    model.predict(table)
    bare = time.perf_counter() - start
    arguments = ["predict", str(folder / "m"), str(folder / "rows.csv"), "--memory", f"{MEMORY}MB"]
    code = (
        f"from bochner.cli import main; from benchmarks.measure import peak_rss; main({arguments}); print(peak_rss())"
    )
    start = time.perf_counter()
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    taken = time.perf_counter() - start
    line("rows per second of bochner predict, thousands", N_ROWS / taken / 1e3, "")
    line("pyarrow's reader and model.predict / bochner predict", bare / taken, "at least 0.5")
    line(f"peak of bochner predict --memory {MEMORY}MB", float(out.split()[-1]), f"at most {MEMORY + 200}")


def run() -> None:
    starting()
    with tempfile.TemporaryDirectory() as folder:
        predicting(Path(folder))
