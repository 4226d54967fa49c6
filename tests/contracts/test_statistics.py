"""Laws of every statistic, found by walking the classes: a monoid whose state can be saved and taken up again."""

import copy

import numpy as np
import pytest

import bochner as bo  # noqa: F401  defines the statistics
from bochner import losses, statistics
from bochner.blocks import Block
from bochner.maps import DenseDesign
from bochner.statistics import Statistic
from bochner.statistics.band import BandSums
from bochner.statistics.clusters import ClusterSums
from bochner.statistics.curvature import ColumnCurvature, Curvature
from bochner.statistics.dependence import Pairing, PairSums
from bochner.statistics.embedding import GroupSums
from bochner.statistics.gradient import CurvatureProduct, LinearPoint, LossAlong, LossGradient
from bochner.statistics.held_out import HeldOutError
from bochner.statistics.normal import Adjoint, ColumnSquares, GramProduct, LinearMoments, SquaredError
from tests.helpers import concrete_subclasses

RNG = np.random.default_rng(0)
FEATURES, OUTPUTS = 5, 2


def point(seed):
    return LinearPoint(np.random.default_rng(seed).normal(size=(FEATURES + 1, OUTPUTS)), np.dtype(np.float64))


def squares(y, scores):
    return ((y - scores) ** 2).sum(axis=1)


EXAMPLES = {
    "Moments": lambda: statistics.Moments(FEATURES, OUTPUTS),
    "RowSample": lambda: statistics.RowSample(FEATURES, OUTPUTS, 20),
    "SampledMoments": lambda: statistics.SampledMoments(
        statistics.Moments(FEATURES, OUTPUTS), statistics.RowSample(FEATURES, OUTPUTS, 20)
    ),
    "LinearMoments": lambda: LinearMoments(FEATURES, OUTPUTS),
    "ColumnSquares": lambda: ColumnSquares(FEATURES),
    "GramProduct": lambda: GramProduct(np.ones((FEATURES, OUTPUTS))),
    "Adjoint": lambda: Adjoint(FEATURES, OUTPUTS),
    "SquaredError": lambda: SquaredError(np.ones((FEATURES, OUTPUTS)), np.zeros(OUTPUTS)),
    "HeldOutError": lambda: HeldOutError(squares, point(1)),
    "LossGradient": lambda: LossGradient(losses.SquaredHinge(), point(1)),
    "LossAlong": lambda: LossAlong(losses.SquaredHinge(), point(1), point(2), np.array([0.5, 1.0])),
    "CurvatureProduct": lambda: CurvatureProduct(losses.SquaredHinge(), point(1), point(2)),
    "Curvature": lambda: Curvature(losses.SquaredHinge(), point(1), range(OUTPUTS)),
    "ColumnCurvature": lambda: ColumnCurvature(losses.SquaredHinge(), point(1)),
    "BandSums": lambda: BandSums(np.ones(FEATURES), 0.1, 0.5, np.dtype(np.float64)),
    "ClusterSums": lambda: ClusterSums(np.random.default_rng(3).normal(size=(FEATURES, 3)), np.dtype(np.float64)),
    "PairSums": lambda: PairSums(FEATURES, 3, 4),
    "GroupSums": lambda: GroupSums(FEATURES, OUTPUTS),
}


def block(statistic, n):
    X, y = RNG.normal(size=(n, FEATURES)), np.sign(RNG.normal(size=(n, OUTPUTS)))
    if isinstance(statistic, PairSums):
        orders = np.stack([RNG.permutation(n) for _ in range(4)]) if n else np.empty((4, 0), dtype=int)
        return Block(Pairing(X, RNG.normal(size=(n, 3)), orders))
    if isinstance(statistic, GroupSums):
        return Block(X, (y > 0).astype(np.float64))
    return Block(DenseDesign(X), y, RNG.uniform(0.5, 2.0, size=n), hashes=RNG.integers(2**63, size=n, dtype=np.uint64))


def assert_equal(left, right):
    assert left.keys() == right.keys()
    assert left
    for name in left:
        np.testing.assert_allclose(left[name], right[name], rtol=1e-11, atol=1e-11, err_msg=name)


def after(statistic, *blocks):
    state = statistic.zero()
    for one in blocks:
        state.update(one)
    return state


def gathered(state):
    """What was taken in, as one that is sent elsewhere holds it: nothing waits."""
    return copy.deepcopy(state).state()


@pytest.mark.parametrize("name", [cls.__name__ for cls in concrete_subclasses(Statistic)])
def test_monoid(name):
    statistic = EXAMPLES[name]()
    first, second, third = (block(statistic, n) for n in (40, 1, 25))
    whole = after(statistic, first, second, third)
    assert statistic.nbytes > 0
    merged = after(statistic, first)
    merged.merge(after(statistic, second, third))
    assert_equal(gathered(merged), gathered(whole))
    left = after(statistic, first, second)
    left.merge(after(statistic, third))
    assert_equal(gathered(left), gathered(whole))
    neutral = statistic.zero()
    neutral.merge(after(statistic, first, second, third))
    assert_equal(gathered(neutral), gathered(whole))
    whole_before = {key: np.array(value) for key, value in gathered(whole).items()}
    whole.merge(statistic.zero())
    assert_equal(gathered(whole), whole_before)


@pytest.mark.parametrize("name", [cls.__name__ for cls in concrete_subclasses(Statistic)])
def test_saved_state_is_taken_up_and_empty_blocks_change_nothing(name):
    statistic = EXAMPLES[name]()
    first, second = block(statistic, 30), block(statistic, 20)
    resumed = statistic.zero()
    resumed.restore(after(statistic, first, block(statistic, 0)).state())
    resumed.update(second)
    expected = after(statistic, first, second).state()
    assert resumed.state().keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_array_equal(resumed.state()[key], value, err_msg=key)
