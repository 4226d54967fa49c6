"""Files, interruption, clusters and forecasts beside the same fit from arrays, in one run."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from functools import partial
from pathlib import Path
from shutil import rmtree

import numpy as np

import bochner as bo

from .measure import fastest, interleaved, line, paired_ratio

N_ROWS, DIM, WIDTH = 100_000, 20, 1024
LONG_ROWS = 200_000
LONGER_ROWS = 800_000


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


def files(folder: Path) -> None:
    X, y = rows()
    write_parquet(folder / "rows.parquet")
    table = bo.ParquetBlocks(folder / "rows.parquet", target="y")
    seconds = interleaved(
        {"arrays": lambda: model().fit(X, y), "parquet": lambda: model().fit(table)},
        repeats=4,
    )
    line("rows per second from arrays, thousands (D = 1024, float32)", N_ROWS / seconds["arrays"] / 1e3, "")
    line("fit from Parquet / fit from arrays", seconds["parquet"] / seconds["arrays"], "at most 1.25")


def checkpoints(folder: Path) -> None:
    """Fits of some ten seconds, so that states are saved on the way, with and without a checkpoint in turns."""
    X, y = rows(LONGER_ROWS)
    labels = (y > 0).astype(int)
    classifier = bo.KernelSVC(bo.FourierFeatures(bo.Gaussian(4.0), n_components=WIDTH, random_state=0))
    for name, learner, source in (
        ("ridge, one pass", model(), bo.ArrayBlocks(X, y)),
        ("support vectors, many passes", classifier, bo.ArrayBlocks(X, labels)),
    ):
        saved = folder / "saved"

        def with_checkpoint(learner=learner, source=source, saved=saved) -> None:
            learner.set_params(engine=bo.CheckpointEngine(saved)).fit(source)
            rmtree(saved)
            learner.set_params(engine=None)

        ratio = paired_ratio(with_checkpoint, partial(learner.fit, source))
        line(f"fit with checkpoint / fit without ({name})", ratio, "at most 1.03")


def workers(folder: Path) -> None:
    """One worker process of one thread beside two of one thread each, the same fit."""
    from distributed import Client, LocalCluster

    write_parquet(folder / "many.parquet", LONG_ROWS)
    source = bo.ParquetBlocks(folder / "many.parquet", target="y")
    seconds = {}
    for count in (1, 2):
        cluster = LocalCluster(n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None)
        with cluster, Client(cluster) as client:
            engine = bo.DaskEngine(client)
            seconds[count] = interleaved({"dask": lambda engine=engine: model(engine).fit(source)}, repeats=4)
    line("Dask: one worker process / two", seconds[1]["dask"] / seconds[2]["dask"], "at least 1.5")


def forecasts() -> None:
    for name, n_rows, width in (
        ("ridge", 200_000, 256),
        ("ridge", 50_000, 1024),
        ("svc", 100_000, 256),
        ("svc", 40_000, 1024),
        ("logistic", 100_000, 256),
        ("pca", 100_000, 512),
    ):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, megabytes = pool.apply(measured_fit, (name, n_rows, width))
        best, learner = float("inf"), LEARNERS[name](width)
        for _ in range(2):  # the first may compile
            start = time.perf_counter()
            forecast = bo.plan(n_rows, DIM, width, learner)
            best = min(best, time.perf_counter() - start)
        what = f"{name}, {n_rows} rows, D = {width}"
        line(f"plan: forecast / measured time ({what})", forecast.seconds / seconds, "0.67 to 1.5")
        line("plan: forecast / measured memory", forecast.memory / 1e6 / max(megabytes, 1.0), "0.67 to 1.5")
        line("plan: seconds of calibration", best, "under 2")


def fourier(width: int) -> bo.FourierFeatures:
    return bo.FourierFeatures(n_components=width, random_state=0)


LEARNERS = {
    "ridge": lambda width: bo.KernelRidge(fourier(width), alpha=1.0),
    "svc": lambda width: bo.KernelSVC(fourier(width)),
    "logistic": lambda width: bo.KernelLogisticRegression(fourier(width)),
    "pca": lambda width: bo.KernelPCA(5, fourier(width)),
}


def measured_fit(name: str, n_rows: int, width: int) -> tuple[float, float]:
    """Seconds (best of three) and megabytes of a fit, beside its rows, in a process of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, DIM))
    y = np.sign(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n_rows))
    learner = LEARNERS[name](width)
    learner.fit(X[:300], y[:300])
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = peak_megabytes()
    seconds = fastest(lambda: learner.fit(X, y), 1)
    taken = peak_megabytes() - before
    return min(seconds, fastest(lambda: learner.fit(X, y), 2)), taken


def peak_megabytes() -> float:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1e3


def run() -> None:
    forecasts()  # before Dask, which tells every process started later to use one thread
    with tempfile.TemporaryDirectory() as folder:
        files(Path(folder))
        checkpoints(Path(folder))
        workers(Path(folder))


if __name__ == "__main__":
    run()
