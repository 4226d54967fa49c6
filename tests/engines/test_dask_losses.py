"""A cluster that loses its workers: the fit goes on to the same bits, or ends with a sentence and can be resumed."""

from __future__ import annotations

import os
import re
import signal
import threading
import time

import numpy as np
import pytest

import bochner as bo
from tests.engines.saved import saving

from .cluster import Deadly, Hungry, local_cluster
from .counted import Counted, made

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(16_000, 3))
Y = np.sin(X[:, 0]) + X[:, 1]
GOES_ON = r"and fit again: with bo.CheckpointEngine\(folder, engine\) a fit goes on from what was saved\."


def model(engine=None) -> bo.KernelRidge:
    features = bo.FourierFeatures(bo.Gaussian(1.5), n_components=40, random_state=0)
    return bo.KernelRidge(features, alpha=0.01, engine=engine or bo.ThreadEngine(memory="4MB"))


EXPECTED = model().fit(X, Y).coef_


@pytest.fixture(scope="module")
def processes():
    """Two workers, processes that can be killed."""
    with local_cluster(n_workers=2, processes=True) as cluster:
        yield cluster


@pytest.fixture
def threads():
    """A worker in this process, which comes and goes at once."""
    with local_cluster(n_workers=1, processes=False) as cluster:
        yield cluster


class Fit:
    """A slow fit in a thread of its own, to which something is done when it has made some blocks."""

    def __init__(self, engine, folder, checkpoint=None) -> None:
        self.counts = folder / "counts"
        self.counts.mkdir(exist_ok=True)
        self.before = made(self.counts)
        self.source = bo.ArrayBlocks(X, Y).mapped(Counted(str(self.counts), 0.05))
        self.learner, self.checkpoint, self.error = model(engine), checkpoint, None

    @property
    def n_made(self) -> int:
        """Blocks made so far."""
        return sum(made(self.counts).values()) - sum(self.before.values())

    def run(self) -> Fit:
        try:
            saving(self.learner, self.checkpoint).fit(self.source)
        except Exception as error:
            self.error = error
        return self

    def harmed(self, harm) -> Fit:
        thread = threading.Thread(target=self.run)
        thread.start()
        while self.n_made < 9 and thread.is_alive():
            time.sleep(0.01)
        assert thread.is_alive(), self.error
        harm()
        thread.join(timeout=120)
        assert not thread.is_alive()
        return self


def resumed(engine, folder) -> Fit:
    """The same fit once more, when nothing works on the first any longer."""
    assert list((folder / "saved").rglob("node-*"))
    known, now = -1, 0
    while now > known:
        time.sleep(0.3)
        known, now = now, sum(made(folder / "counts").values())
    return Fit(engine, folder, folder / "saved").run()


@pytest.fixture(scope="module")
def n_made(tmp_path_factory) -> int:
    """Blocks that an undisturbed fit makes."""
    return Fit(None, tmp_path_factory.mktemp("undisturbed")).run().n_made


def kill(processes) -> None:
    for process in processes:
        os.kill(process, signal.SIGKILL)


def test_all_workers_killed(processes, tmp_path) -> None:
    with distributed.Client(processes) as client:
        workers = set(client.run(os.getpid).values())
        fit = Fit(bo.DaskEngine(client, memory="4MB"), tmp_path).harmed(lambda: kill(workers))
    assert fit.error is None
    np.testing.assert_array_equal(fit.learner.coef_, EXPECTED)
    assert set(made(fit.counts)) - workers - {os.getpid()}  # others went on


def test_a_part_that_ends_every_worker(processes, tmp_path, monkeypatch) -> None:
    """As memory that is too small for it does: the system kills the process."""
    monkeypatch.setattr("bochner.engines.dask_engine.MOST_LOSSES", 1)
    deadly = tmp_path / "deadly"
    deadly.touch()
    source = bo.ArrayBlocks(X, Y).mapped(Deadly(str(deadly), os.getpid()))
    with distributed.Client(processes) as client:
        with pytest.raises(
            RuntimeError, match=rf"(lost all of its workers|one Dask worker after the other).*{GOES_ON}"
        ):
            saving(model(bo.DaskEngine(client, memory="4MB")), tmp_path / "saved").fit(source)
        deadly.unlink()
        learner = saving(model(bo.DaskEngine(client, memory="4MB")), tmp_path / "saved").fit(source)
    np.testing.assert_array_equal(learner.coef_, EXPECTED)


def test_scaled_to_zero_and_back(threads, tmp_path) -> None:
    def down_and_up() -> None:
        threads.scale(0)
        while threads.workers:
            time.sleep(0.05)
        time.sleep(0.6)
        threads.scale(1)

    with distributed.Client(threads) as client:
        fit = Fit(bo.DaskEngine(client, memory="4MB"), tmp_path).harmed(down_and_up)
    assert fit.error is None
    np.testing.assert_array_equal(fit.learner.coef_, EXPECTED)


def test_scaled_to_zero_for_good_and_resumed(threads, n_made, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("bochner.engines.checkpoint.LEAST_SECONDS", 0.0)
    with distributed.Client(threads) as client:
        engine = bo.DaskEngine(client, memory="4MB", patience=0.5)
        fit = Fit(engine, tmp_path, tmp_path / "saved").harmed(lambda: threads.scale(0))
        assert isinstance(fit.error, RuntimeError)
        assert re.fullmatch(
            rf"No Dask worker has taken work for 0\.5 seconds: start workers, .* {GOES_ON}", str(fit.error)
        )
    again = resumed(None, tmp_path)
    assert again.n_made < n_made
    np.testing.assert_array_equal(again.learner.coef_, EXPECTED)


def test_a_client_that_was_closed(threads, n_made, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("bochner.engines.checkpoint.LEAST_SECONDS", 0.0)
    closed = rf"The Dask client was closed or has lost its scheduler: connect a new client {GOES_ON}"
    client = distributed.Client(threads)
    fit = Fit(bo.DaskEngine(client, memory="4MB"), tmp_path, tmp_path / "saved").harmed(client.close)
    assert isinstance(fit.error, RuntimeError)
    assert re.fullmatch(closed, str(fit.error))
    with pytest.raises(RuntimeError, match=closed):
        model(bo.DaskEngine(client, memory="4MB")).fit(X, Y)
    with distributed.Client(threads) as other:
        again = resumed(bo.DaskEngine(other, memory="4MB"), tmp_path)
    assert again.n_made < n_made
    np.testing.assert_array_equal(again.learner.coef_, EXPECTED)


def test_no_client_at_all() -> None:
    with pytest.raises(RuntimeError, match=r"DaskEngine needs a client: make a distributed\.Client, or give one\."):
        model(bo.DaskEngine(memory="4MB")).fit(X, Y)


@pytest.mark.slow
def test_workers_whose_memory_is_too_small(tmp_path) -> None:
    with (
        local_cluster(n_workers=1, processes=True, memory_limit="400MB") as cluster,
        distributed.Client(cluster) as client,
    ):
        source = bo.ArrayBlocks(X, Y).mapped(Hungry(3 * 10**9, os.getpid()))
        with pytest.raises(RuntimeError, match=rf"give the workers more memory, or lower memory= .*{GOES_ON}"):
            model(bo.DaskEngine(client, memory="4MB")).fit(source)
