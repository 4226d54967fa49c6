"""A checkpoint belongs to its rows, its learner and its version: a single other value that was taken in is refused."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bochner as bo
from bochner.blocks.base import Block
from bochner.engines.array_files import held
from bochner.engines.checkpoint import SavingEngine
from bochner.learners.base import ToDesign
from bochner.statistics import Moments
from tests.engines.saved import saving

from .test_changed_files import write_csv, write_parquet, write_svmlight

N_ROWS, BLOCK_ROWS, N_BLOCKS = 600, 50, 12
FEATURES = bo.FourierFeatures(bo.Gaussian(1.0), n_components=8, random_state=0).fit(np.zeros((1, 3))).features_
WRITERS = {"csv": write_csv, "parquet": write_parquet, "svmlight": write_svmlight}
quick = settings(
    max_examples=20, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(autouse=True)
def every_block_is_saved(monkeypatch) -> None:
    monkeypatch.setattr("bochner.engines.checkpoint.LEAST_SECONDS", 0.0)
    monkeypatch.setattr("bochner.engines.checkpoint.SAVE_SHARE", 1e9)
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
    monkeypatch.setattr("bochner.blocks.paths.MARKS", 2)  # as in large files: hardly anything is seen without reading
    monkeypatch.setattr("bochner.blocks.paths.MARK_BYTES", 8)


class Stopping:
    """Counts blocks, and stops after so many."""

    def __init__(self, blocks: int = 10**9) -> None:
        self.blocks = blocks
        self.made = 0

    def __call__(self, block: Block) -> Block:
        if self.made == self.blocks:
            raise KeyboardInterrupt
        self.made += 1
        y = block.y if block.y.ndim == 2 else block.y[:, None]
        return Block(block.X, y, block.weight)

    def __reduce__(self):
        return Stopping, ()


def read(path):
    """The rows of a file, or those of arrays."""
    if not isinstance(path, tuple):
        kinds = {".csv": bo.CsvBlocks, ".parquet": bo.ParquetBlocks}
        return kinds[path.suffix](path, target="y") if path.suffix in kinds else bo.SvmlightBlocks(path)
    return bo.ArrayBlocks(*path)


def folded(path, folder, step: Stopping, engine=None) -> dict[str, np.ndarray]:
    engine = bo.SerialEngine() if engine is None else engine
    engine = engine if folder is None else SavingEngine(engine, folder)
    source = read(path).prepared(engine.fold, engine.run).rechunked(BLOCK_ROWS)
    state = engine.fold(Moments(8, 1), source.mapped(step).mapped(ToDesign(FEATURES))).state()
    if folder is not None:
        engine.flush()
    return state


def stopped(path, folder, blocks: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        folded(path, folder, Stopping(blocks))


def values() -> np.ndarray:
    return np.random.default_rng(0).uniform(-1.0, 1.0, size=(N_ROWS, 4)).round(6)


@pytest.mark.parametrize("kind", sorted(WRITERS))
@quick
@given(taken_in=st.integers(1, N_BLOCKS), row=st.integers(0, N_ROWS - 1), column=st.integers(0, 3))
def test_one_changed_number_in_a_file(kind, taken_in, row, column, tmp_path_factory) -> None:
    """What was taken in must be there unchanged; what was not may change, and the result is that of the new rows."""
    folder = tmp_path_factory.mktemp(kind)
    path, saved, numbers = folder / f"rows.{kind}", folder / "saved", values()
    WRITERS[kind](path, numbers)
    if taken_in < N_BLOCKS:
        stopped(path, saved, taken_in)
    else:
        folded(path, saved, Stopping())
    numbers[row, column] = -numbers[row, column]
    WRITERS[kind](path, numbers)
    if row // BLOCK_ROWS < taken_in:
        with pytest.raises(
            ValueError, match=rf"made from other rows .*{path}.*: bring the old ones back, give another"
        ):
            folded(path, saved, Stopping())
        return
    step = Stopping()
    again, fresh = folded(path, saved, step), folded(path, None, Stopping())
    assert step.made == N_BLOCKS - taken_in
    for name, value in fresh.items():
        np.testing.assert_array_equal(again[name], value)


@pytest.mark.parametrize("row", [0, 399])
def test_one_changed_number_below_merged_lanes(row, tmp_path, monkeypatch) -> None:
    """A clock that ticks once a block: lanes of one or two are too short to be saved, their mergers are not."""
    ticks = iter(range(10**9))
    monkeypatch.setattr("bochner.engines.checkpoint.time.perf_counter", lambda: float(next(ticks)))
    monkeypatch.setattr("bochner.engines.checkpoint.LEAST_SECONDS", 2.5)
    path, saved, numbers = tmp_path / "rows.csv", tmp_path / "saved", values()
    write_csv(path, numbers)
    stopped(path, saved, 8)
    assert sorted(file.name for file in saved.rglob("node-*")) == ["node-1-0.arrays", "node-1-1.arrays"]
    original = path.read_text()
    numbers[row, 1] = -numbers[row, 1]
    write_csv(path, numbers)
    step = Stopping()
    if row == 0:
        with pytest.raises(ValueError, match=r"rows 0 to 49 of .* changed since they were taken in"):
            folded(path, saved, step)
        path.write_text(original)
    assert step.made == 0
    again, fresh = folded(path, saved, step), folded(path, None, Stopping())
    assert step.made == N_BLOCKS - 6
    for name, value in fresh.items():
        np.testing.assert_array_equal(again[name], value)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@quick
@given(finished=st.booleans(), which=st.integers(0, 2), row=st.integers(0, N_ROWS - 1))
def test_one_changed_number_in_memory(kind, finished, which, row, tmp_path_factory) -> None:
    """Wherever it is: also in rows that were not yet taken in, and in the same arrays."""
    saved, numbers = tmp_path_factory.mktemp(kind), values()
    X = sp.csr_matrix(numbers[:, :3]) if kind == "sparse" else numbers[:, :3].copy()
    arrays = (X, numbers[:, 3].copy(), np.abs(numbers[:, 0]))
    folded(arrays, saved, Stopping()) if finished else stopped(arrays, saved, 5)
    (X.data if which == 0 and kind == "sparse" else arrays[which])[row] += 1e-12
    with pytest.raises(ValueError, match="made from other rows"):
        folded(arrays, saved, Stopping())


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_learner_that_iterates_reads_finished_passes_once(kind, tmp_path, monkeypatch) -> None:
    numbers = values()
    numbers[:, 3] = np.sign(numbers[:, 0])
    path = tmp_path / f"rows.{kind}"
    WRITERS[kind](path, numbers)
    read_again = []
    mark = bo.blocks.forward.StretchPart.mark
    monkeypatch.setattr("bochner.blocks.forward.StretchPart.mark", lambda part: read_again.append(part) or mark(part))
    features = bo.FourierFeatures(bo.Gaussian(1.0), n_components=10, random_state=0)
    engine = bo.ThreadEngine(memory="1MB")

    def fitted(folder):
        return saving(bo.KernelLogisticRegression(features, engine=engine), folder).fit(read(path))

    expected = fitted(tmp_path / "saved")
    assert expected.n_iter_ >= 3
    assert read_again == []
    np.testing.assert_array_equal(fitted(tmp_path / "saved").coef_, expected.coef_)
    assert 1 <= len(read_again) == len({part.place() for part in read_again})
    numbers[N_ROWS // 2, 1] = -numbers[N_ROWS // 2, 1]
    WRITERS[kind](path, numbers)
    with pytest.raises(ValueError, match="made from other rows"):
        fitted(tmp_path / "saved")


def test_batches_that_are_others_fewer_or_more(tmp_path) -> None:
    numbers = values()

    def fold(numbers, blocks=10**9):
        engine = SavingEngine(bo.SerialEngine(), tmp_path)
        source = bo.BatchBlocks([(numbers[:, :3], numbers[:, 3])]).rechunked(BLOCK_ROWS)
        state = engine.fold(Moments(8, 1), source.mapped(Stopping(blocks)).mapped(ToDesign(FEATURES)))
        engine.flush()
        return state

    with pytest.raises(KeyboardInterrupt):
        fold(numbers, 5)
    changed = numbers.copy()
    changed[10, 0] = 2.0
    for others in (changed, numbers[: N_ROWS // 4]):
        with pytest.raises(ValueError, match="made from other rows"):
            fold(others)
    finished = fold(numbers)
    for others in (changed, numbers[: N_ROWS // 2], np.vstack([numbers, numbers])):
        with pytest.raises(ValueError, match="made from other rows"):
            fold(others)
    np.testing.assert_array_equal(fold(numbers).feature_moment, finished.feature_moment)


def test_another_version_and_another_memory_are_refused(tmp_path, monkeypatch) -> None:
    numbers = values()
    arrays = (numbers[:, :3], numbers[:, 3])
    stopped(arrays, tmp_path, 5)
    with monkeypatch.context() as other:
        other.setattr("bochner.engines.owner.version", lambda name: "99.9")
        with pytest.raises(ValueError, match=r"made by bochner .*, but this is 99\.9: go on"):
            folded(arrays, tmp_path, Stopping())
    engine = SavingEngine(bo.SerialEngine(memory="1MB"), tmp_path)
    source = bo.ArrayBlocks(*arrays, block_rows=BLOCK_ROWS).mapped(Stopping())
    with pytest.raises(ValueError, match="made from other rows"):  # other lanes
        engine.fold(Moments(8, 1), source.mapped(ToDesign(FEATURES)))


def test_a_refused_checkpoint_is_left_as_it_is(tmp_path) -> None:
    numbers = values()
    arrays = (numbers[:, :3], numbers[:, 3])
    stopped(arrays, tmp_path, 5)
    next(tmp_path.rglob("node-0-0.arrays")).unlink()  # others, too, would begin with this lane
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert files
    with pytest.raises(ValueError, match="made from other rows"):
        folded((arrays[0] + 1.0, arrays[1]), tmp_path, Stopping())
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files
    step = Stopping()
    folded(arrays, tmp_path, step)
    assert N_BLOCKS - 5 < step.made < N_BLOCKS


class Together(Stopping):
    """Lets blocks go only when all lanes have one, so that all lanes save at once."""

    def __init__(self, barrier=None) -> None:
        super().__init__()
        self.barrier = barrier

    def __call__(self, block: Block) -> Block:
        self.barrier.wait(timeout=60)
        return super().__call__(block)


def test_lanes_that_save_at_the_same_time(tmp_path) -> None:
    rng = np.random.default_rng(0)
    arrays = (rng.normal(size=(8 * BLOCK_ROWS * 3, 3)), rng.normal(size=8 * BLOCK_ROWS * 3))
    seen = folded(arrays, tmp_path, Together(threading.Barrier(8)), bo.ThreadEngine(8))
    for name, value in folded(arrays, None, Stopping()).items():
        np.testing.assert_array_equal(seen[name], value)


def test_two_fits_do_not_share_a_folder(tmp_path) -> None:
    X = np.random.default_rng(0).normal(size=(100, 2))
    model = bo.KernelRidge(random_state=0)
    with (
        held(tmp_path),
        pytest.raises(RuntimeError, match=r"in use by another fit: give each fit a folder of its own\."),
    ):
        saving(model, tmp_path).fit(bo.ArrayBlocks(X, X[:, 0]))
    saving(model, tmp_path).fit(bo.ArrayBlocks(X, X[:, 0]))
    saving(model, tmp_path).fit(bo.ArrayBlocks(X, X[:, 0]))
