"""Resumed fits end with the bits of uninterrupted ones; other checkpoints are refused."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import bochner as bo
from bochner.blocks import Monoid
from bochner.blocks.base import Block
from bochner.blocks.tree import MergeTree, PlainFolding
from bochner.engines.checkpoint import SavingEngine
from bochner.learners.base import ToDesign
from bochner.statistics import Moments
from tests.engines.saved import saving

from .resumed_fit import model, source


def test_kill_at_any_moment(tmp_path) -> None:
    command = [sys.executable, "-m", "tests.engines.resumed_fit", str(tmp_path / "saved"), str(tmp_path / "coef.npy")]
    root = Path(__file__).parents[2]
    kills = 0
    for patience in (0.0, 0.13):
        before = saved_states(tmp_path)
        process = subprocess.Popen(command, cwd=root)
        while process.poll() is None and saved_states(tmp_path) == before:
            time.sleep(0.01)
        time.sleep(patience)
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert kills >= 1
    assert saved_states(tmp_path)
    subprocess.run(command, cwd=root, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "coef.npy"), model().fit(source(0.0)).coef_)


def saved_states(folder: Path) -> set[tuple[str, int]]:
    """The files of states there are, and when each was written."""
    found = set()
    for file in (folder / "saved" / "pass-00000").glob("node-*"):
        with suppress(FileNotFoundError):
            found.add((file.name, file.stat().st_mtime_ns))
    return found


class Failing(Monoid):
    """Moments that fail at one block."""

    def __init__(self, inner: Moments, fuse: list[int]) -> None:
        self.inner, self.fuse = inner, fuse  # the fuse: blocks until it fails, blocks taken in so far

    def zero(self):
        return Failing(self.inner.zero(), self.fuse)

    def update(self, block: Block) -> None:
        self.fuse[0] -= 1
        if self.fuse[0] == 0:
            raise KeyboardInterrupt
        self.fuse[1] += 1
        self.inner.update(block)

    def merge(self, other) -> None:
        self.inner.merge(other.inner)

    @property
    def nbytes(self) -> int:
        return self.inner.nbytes

    def state(self):
        return self.inner.state()

    def restore(self, state) -> None:
        self.inner.restore(state)


def designs():
    rng = np.random.default_rng(0)
    features = bo.FourierFeatures(bo.Gaussian(1.0), n_components=8, random_state=0).fit(np.zeros((1, 2))).features_
    rows = bo.ArrayBlocks(rng.normal(size=(230, 2)), rng.normal(size=(230, 1)), block_rows=10)
    return rows.mapped(ToDesign(features))


def resumed_until_done(engine, folder, patience) -> tuple[Moments, int, int]:
    """The result, how often it was interrupted and how many blocks were taken in on the way."""
    fuse = [0, 0]
    for attempt in range(100):
        fuse[0] = patience(attempt)
        try:
            seen = SavingEngine(engine, folder).fold(Failing(Moments(8, 1), fuse), designs())
        except KeyboardInterrupt:
            continue
        return seen, attempt, fuse[1]
    raise AssertionError("no progress is made")


def assert_same(seen, expected) -> None:
    for name, value in expected.state().items():
        np.testing.assert_array_equal(seen.state()[name], value)


@pytest.mark.parametrize("engine", [bo.SerialEngine(), bo.ThreadEngine(2)])
def test_interrupted_at_every_block_in_turn(engine, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("bochner.engines.checkpoint.LEAST_SECONDS", 0.0)
    monkeypatch.setattr("bochner.engines.checkpoint.SAVE_SHARE", 1e9)
    seen, interruptions, taken_in = resumed_until_done(engine, tmp_path, lambda attempt: attempt % 7 + 2)
    assert interruptions >= 3
    assert_same(seen, bo.SerialEngine().fold(Moments(8, 1), designs()))
    if isinstance(engine, bo.SerialEngine):
        assert taken_in == 23  # each block was saved, none was taken in twice


@pytest.mark.parametrize("least", [3.5, 7.5])
def test_merged_lanes_are_saved_and_passed_over(least, tmp_path, monkeypatch) -> None:
    """A clock that ticks once a block: lanes of two or three are too short to be saved, their mergers are not."""
    ticks = iter(range(10**9))
    monkeypatch.setattr("bochner.engines.checkpoint.time.perf_counter", lambda: float(next(ticks)))
    monkeypatch.setattr("bochner.engines.checkpoint.LEAST_SECONDS", least)
    monkeypatch.setattr("bochner.engines.checkpoint.SAVE_SHARE", 1e9)
    seen, interruptions, _ = resumed_until_done(bo.SerialEngine(), tmp_path, lambda attempt: 13)
    assert interruptions >= 1
    assert_same(seen, bo.SerialEngine().fold(Moments(8, 1), designs()))


def test_finished_passes_are_not_made_again(tmp_path) -> None:
    expected = saving(model(), tmp_path).fit(source(0.0)).coef_
    assert not list(tmp_path.glob("pass-*/node-*"))
    start = time.perf_counter()
    again = saving(model(), tmp_path).fit(source(0.0))
    assert time.perf_counter() - start < 5
    np.testing.assert_array_equal(again.coef_, expected)


def test_other_checkpoints_are_refused(tmp_path) -> None:
    saving(model(), tmp_path).fit(source(0.0))
    with pytest.raises(ValueError, match=r"another learner or with other parameters: give another folder"):
        saving(model().set_params(alpha=1.0), tmp_path).fit(source(0.0))
    other = bo.ArrayBlocks(np.ones((10, 3)), np.ones(10))
    with pytest.raises(ValueError, match="made from other rows"):
        saving(model(), tmp_path).fit(other)
    with pytest.raises(ValueError, match="integer as random_state"):
        saving(bo.KernelRidge(), tmp_path).fit(source(0.0))
    saving(model().set_params(engine=bo.SerialEngine(memory="4MB")), tmp_path).fit(
        source(0.0)
    )  # who does the work does not matter


def test_full_disk_leaves_what_was_saved(tmp_path, monkeypatch) -> None:
    from bochner.engines import array_files as files

    files.write_arrays(tmp_path / "a.arrays", {"x": np.arange(3)})

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"Cannot write .*a\.arrays \(No space left on device\).*intact"):
        files.write_arrays(tmp_path / "a.arrays", {"x": np.arange(5)})
    assert [path.name for path in tmp_path.iterdir()] == ["a.arrays"]
    np.testing.assert_array_equal(files.read_arrays(tmp_path / "a.arrays")["x"], np.arange(3))
    (tmp_path / "a.arrays").write_bytes((tmp_path / "a.arrays").read_bytes()[:50])
    with pytest.raises(ValueError, match="damaged"):
        files.read_arrays(tmp_path / "a.arrays")


def test_files_give_back_what_was_written_or_say_that_they_are_damaged(tmp_path) -> None:
    from bochner.engines.array_files import read_arrays, write_arrays

    arrays = {
        "0/a": np.arange(6.0).reshape(2, 3).T,
        "0/b": np.array("word"),
        "1/a": np.empty((0, 3), np.float32),
        "1/b": np.array([True, False]),
        "10/a": np.array(7),
    }
    write_arrays(tmp_path / "a.arrays", arrays)
    found = read_arrays(tmp_path / "a.arrays")
    assert list(found) == list(arrays)
    for name, value in arrays.items():
        assert (found[name].dtype, found[name].flags.writeable) == (value.dtype, True)
        np.testing.assert_array_equal(found[name], value)
    assert list(read_arrays(tmp_path / "a.arrays", "1/")) == ["a", "b"]
    whole = (tmp_path / "a.arrays").read_bytes()
    assert whole.endswith(np.array(7).tobytes())
    for damaged in (whole[:-1], whole[:-1] + b"x", whole[1:], whole[:30], b""):
        (tmp_path / "a.arrays").write_bytes(damaged)
        with pytest.raises(ValueError, match=r"is damaged .* delete it"):
            read_arrays(tmp_path / "a.arrays")


def test_a_folder_that_cannot_be_made_is_found_out_before_the_work(tmp_path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match=r"the folder .* cannot be made"):
        saving(model(), tmp_path / "file" / "saved").fit(source(0.0))


def test_checkpoints_hold_no_pickles(tmp_path) -> None:
    from bochner.engines.array_files import write_arrays

    with pytest.raises(ValueError, match="only a pickle"):
        write_arrays(tmp_path / "a.arrays", {"x": np.array([object()])})


class Word(Monoid):
    """Remembers the tree it was merged by."""

    def __init__(self, word: str = "") -> None:
        self.word = word

    def zero(self):
        return Word()

    def update(self, block: Block) -> None:
        self.word += str(block.X)

    def merge(self, other) -> None:
        self.word = f"({self.word}{other.word})"

    @property
    def nbytes(self) -> int:
        return 1


@pytest.mark.parametrize("n_lanes", [1, 2, 3, 5, 6, 7, 8, 11])
def test_the_tree_does_not_depend_on_the_order_of_lanes(n_lanes) -> None:
    def pairwise_merged(words: list[str]) -> str:
        while len(words) > 1:
            pairs = [f"({a}{b})" for a, b in zip(words[::2], words[1::2])]
            words = pairs + words[2 * len(pairs) :]
        return words[0]

    expected = pairwise_merged([chr(97 + lane) for lane in range(n_lanes)])
    rng = np.random.default_rng(n_lanes)
    for _ in range(10):
        tree = MergeTree(PlainFolding().merge)
        for lane in rng.permutation(n_lanes):
            parts = [lambda lane=lane: Block(_Letter(chr(97 + lane)))]
            tree.add(PlainFolding().lane(Word(), int(lane), parts, int))
        assert tree.root().word == expected


class _Letter(str):
    shape = (1, 1)
