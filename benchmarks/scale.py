"""Files, interruption, clusters and forecasts beside the same fit from arrays, in one run."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from pathlib import Path
from shutil import rmtree

import numpy as np

import bochner as bo

from .measure import interleaved, line

N_ROWS, DIM, WIDTH = 100_000, 20, 1024


def rows(n_rows: int = N_ROWS) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, DIM)).astype(np.float32)
    return X, np.sin(X[:, 0])


def model(engine=None, width: int = WIDTH) -> bo.KernelRidge:
    features = bo.FourierFeatures(bo.Gaussian(4.0), n_components=width, random_state=0)
    return bo.KernelRidge(features, alpha=1.0, engine=engine)


def write_parquet(path: Path, n_rows: int = N_ROWS) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    X, y = rows(n_rows)
    table = pa.table({**{f"x{j}": X[:, j] for j in range(DIM)}, "y": y})
    pq.write_table(table, path, row_group_size=n_rows // 10)


def files_and_checkpoints(folder: Path) -> None:
    X, y = rows()
    write_parquet(folder / "rows.parquet")
    table = bo.ParquetBlocks(folder / "rows.parquet", target="y")
    saved = folder / "saved"

    def with_checkpoint() -> None:
        rmtree(saved, ignore_errors=True)
        model().fit_blocks(bo.ArrayBlocks(X, y), checkpoint=saved)

    seconds = interleaved(
        {
            "arrays": lambda: model().fit(X, y),
            "parquet": lambda: model().fit_blocks(table),
            "checkpoint": with_checkpoint,
        },
        repeats=4,
    )
    line("rows per second from arrays, thousands (D = 1024, float32)", N_ROWS / seconds["arrays"] / 1e3, "")
    line("fit from Parquet / fit from arrays", seconds["parquet"] / seconds["arrays"], "at most 1.25")
    line("fit with checkpoint / fit without", seconds["checkpoint"] / seconds["arrays"], "at most 1.03 in long fits")
    start = time.perf_counter()
    for _ in range(5):
        rmtree(saved, ignore_errors=True)
        _write_state(saved)
    each = (time.perf_counter() - start) / 5
    line("seconds to save the state of one lane (at most one part in 50 of the time goes there)", each, "")


def _write_state(folder: Path) -> None:
    from bochner.engines.files import write_arrays
    from bochner.statistics import Moments

    write_arrays(folder / "node.npz", Moments(WIDTH, 1).state())


def workers(folder: Path) -> None:
    from distributed import Client, LocalCluster

    source = bo.ParquetBlocks(folder / "rows.parquet", target="y")
    seconds = {}
    for count in (1, 2):
        cluster = LocalCluster(n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None)
        with cluster, Client(cluster) as client:
            engine = bo.DaskEngine(client)
            seconds[count] = interleaved({"dask": lambda engine=engine: model(engine).fit_blocks(source)}, repeats=3)
    line("Dask: one worker process / two", seconds[1]["dask"] / seconds[2]["dask"], "at least 1.5")


def forecasts() -> None:
    for n_rows, width in ((200_000, 256), (50_000, 1024)):
        start = time.perf_counter()
        forecast = bo.plan(n_rows, DIM, width, bo.KernelRidge(alpha=1.0))
        calibration = time.perf_counter() - start
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, megabytes = pool.apply(measured_fit, (n_rows, width))
        line(f"plan: forecast / measured time ({n_rows} rows, D = {width})", forecast.seconds / seconds, "0.67 to 1.5")
        line("plan: forecast / measured memory", forecast.memory / 1e6 / max(megabytes, 1.0), "0.67 to 1.5")
        line("plan: seconds of calibration", calibration, "under 2")


def measured_fit(n_rows: int, width: int) -> tuple[float, float]:
    """Seconds and megabytes of a fit, beside its rows, in a process of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, DIM))
    y = np.sin(X[:, 0])
    learner = bo.KernelRidge(bo.FourierFeatures(n_components=width, random_state=0), alpha=1.0)
    learner.fit(X[:300], y[:300])
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before, start = peak_megabytes(), time.perf_counter()
    learner.fit(X, y)
    return time.perf_counter() - start, peak_megabytes() - before


def peak_megabytes() -> float:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1e3


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files_and_checkpoints(Path(folder))
        workers(Path(folder))
    forecasts()


if __name__ == "__main__":
    run()
