"""A real cluster of processes: the bits of threads, nothing read in the client, a worker killed in the middle."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import bochner as bo
from bochner.blocks.parquet import RowGroup

from .cluster import local_cluster
from .counted import Counted, made

distributed = pytest.importorskip("distributed")

N_ROWS = 20_000
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N_ROWS, 3))
Y = np.sin(X[:, 0]) + X[:, 1]


@pytest.fixture(scope="module")
def client():
    with local_cluster(n_workers=2, processes=True) as cluster, distributed.Client(cluster) as client:
        yield client


def parquet(folder) -> bo.ParquetBlocks:
    table = pa.table({**{f"x{j}": X[:, j] for j in range(3)}, "y": Y})
    pq.write_table(table, folder / "rows.parquet", row_group_size=1700)
    return bo.ParquetBlocks(folder / "rows.parquet", target="y")


def model(engine=None) -> bo.KernelRidge:
    features = bo.FourierFeatures(bo.Gaussian("median"), n_components=40, random_state=0)
    return bo.KernelRidge(features, alpha=0.01, engine=engine or bo.ThreadEngine(memory="4MB"))


def test_same_bits_and_nothing_read_in_the_client(client, tmp_path, monkeypatch) -> None:
    expected = model().fit(X, Y).coef_
    encoded = bo.TableEncoder(missing="median")
    source = parquet(tmp_path)
    threads = model().fit(bo.ParquetBlocks(tmp_path / "rows.parquet", target="y", encoder=encoded))

    def refuse(self):
        raise AssertionError("a row group was read in the client")

    monkeypatch.setattr(RowGroup, "batches", refuse)
    engine = bo.DaskEngine(client, memory="4MB")
    np.testing.assert_array_equal(model(engine).fit(source).coef_, expected)
    source = bo.ParquetBlocks(tmp_path / "rows.parquet", target="y", encoder=encoded)
    fitted = model(engine).fit(source)
    np.testing.assert_array_equal(fitted.coef_, threads.coef_)
    assert clone(fitted).engine.client is client
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X[:5]), fitted.predict(X[:5]))


class Done:
    """What is done."""

    def done(self) -> bool:
        return True


class Scheduling:
    """A client that notes which workers are preferred, and does no work."""

    status = "running"

    def __init__(self, threads: dict[str, int]) -> None:
        self.threads, self.preferred = threads, []

    def scheduler_info(self, n_workers: int):
        return {"workers": {name: {"nthreads": count} for name, count in self.threads.items()}}

    def submit(self, task, *arguments, workers=(None,), **others) -> Done:
        self.preferred.extend(workers)
        return Done()

    def gather(self, futures) -> list[list[int]]:
        return [[] for _ in futures]


@pytest.mark.parametrize(
    ("threads", "preferred"),
    [
        ({"b": 1, "a": 1}, "aaaabbbb"),
        ({"a": 1, "b": 3}, "aabbbbbb"),
        ({"a": 20, "b": 20}, "aaaabbbb"),
    ],
)
def test_workers_are_given_neighbouring_lanes_by_their_threads(threads, preferred) -> None:
    source = bo.ArrayBlocks(X[:8000], Y[:8000], block_rows=1000)
    client = Scheduling(threads)
    bo.DaskEngine(client, memory="4MB").map(len, source)
    assert client.preferred == list(preferred)


def test_patience_ends_where_no_worker_comes() -> None:
    source = bo.ArrayBlocks(X[:8000], Y[:8000], block_rows=1000)
    with pytest.raises(
        RuntimeError, match=r"No Dask worker has taken work for 0 seconds: start workers, or raise patience"
    ):
        bo.DaskEngine(Scheduling({}), patience=0.0).map(len, source)


@pytest.mark.slow
def test_dask_arrays_and_frames(client) -> None:
    import dask.array as da
    import dask.dataframe as dd
    import pandas as pd

    expected = model().fit(X, Y).coef_
    engine = bo.DaskEngine(client, memory="4MB")
    x, y = da.from_array(X, chunks=(1700, 2)), da.from_array(Y, chunks=2300)
    frame = dd.from_pandas(pd.DataFrame({**{f"x{j}": X[:, j] for j in range(3)}, "y": Y}), npartitions=7)
    for source in (
        bo.DaskBlocks(x, y),
        bo.DaskBlocks(x.persist(), y.persist()),
        bo.DaskBlocks(x[x[:, 0] > -np.inf], y),  # lengths of chunks unknown
        bo.DaskBlocks(frame, target="y"),
        bo.DaskBlocks(frame.persist(), target="y"),
    ):
        np.testing.assert_array_equal(model(engine).fit(source).coef_, expected)
        np.testing.assert_array_equal(model().fit(source).coef_, expected)


@pytest.mark.slow
def test_designs_stay_on_the_workers(client, tmp_path) -> None:
    labels = (Y > 0).astype(int)
    source = bo.ArrayBlocks(X, labels)
    counts = tmp_path / "counts"
    counts.mkdir()
    features = bo.FourierFeatures(bo.Gaussian(1.0), n_components=40, random_state=0)
    threads = bo.KernelLogisticRegression(features, engine=bo.ThreadEngine(memory="100MB")).fit(source)
    learner = bo.KernelLogisticRegression(features, engine=bo.DaskEngine(client, memory="100MB"))
    learner.fit(source.mapped(Counted(str(counts), 0.0)))
    np.testing.assert_array_equal(learner.coef_, threads.coef_)
    n_blocks = len(source.rechunked(learner.features_.block_rows(learner.engine.memory_bytes)).parts())
    assert learner.n_iter_ >= 2
    # Samples and the search for classes read the rows too; passes beyond the first do not.
    assert sum(made(counts).values()) <= 2 * n_blocks + 5 + len(source.parts())


@pytest.mark.slow
def test_killed_worker_costs_only_its_own_parts(client, tmp_path) -> None:
    counts = tmp_path / "counts"
    counts.mkdir()
    source = bo.ArrayBlocks(X, Y).mapped(Counted(str(counts), 0.05))
    expected = model().fit(X, Y).coef_
    features = bo.FourierFeatures(bo.Gaussian("median"), n_components=40, random_state=0)
    learner = bo.KernelRidge(features, alpha=0.01, engine=bo.DaskEngine(client, memory="4MB"))
    fitting = threading.Thread(target=learner.fit, args=(source,))
    fitting.start()
    while len([one for one in made(counts) if one != os.getpid()]) < 2 or sum(made(counts).values()) < 20:
        time.sleep(0.02)
    workers = {info["pid"] for info in client.run(lambda: {"pid": os.getpid()}).values()}
    victim = max(workers)
    os.kill(victim, signal.SIGKILL)
    fitting.join(timeout=120)
    assert not fitting.is_alive()
    np.testing.assert_array_equal(learner.coef_, expected)
    counted = made(counts)
    lost = counted.pop(victim)
    counted.pop(os.getpid(), None)  # samples
    n_blocks = len(source.rechunked(learner.features_.block_rows(learner.engine.memory_bytes)).parts())
    assert sum(counted.values()) <= n_blocks
    assert lost <= n_blocks


def test_empty_statistics_are_sent_as_their_shape() -> None:
    from bochner.engines.dask_engine import packed, unpacked
    from bochner.statistics import Moments

    empty, full = Moments(300, 2), Moments(300, 2)
    full.feature_moment += 1.0
    payload, shared = packed((empty, full, np.zeros(10**5, dtype=np.int64)))
    assert 8 * 300**2 + 8 * 10**5 < len(payload) < 8 * 300**2 + 8 * 10**5 + 30_000
    again, same, zeros = unpacked(payload, shared)
    for left, right in ((again, empty), (same, full)):
        for name, value in right.state().items():
            np.testing.assert_array_equal(left.state()[name], value)
    again.feature_moment += 1.0  # its own memory
    assert zeros.dtype == np.int64
