"""Laws of every statistic: a monoid whose state can be saved and taken up again, and what it says of plain arrays."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

from bochner import statistics
from bochner.blocks import Block
from bochner.maps import DenseDesign
from bochner.statistics import Statistic
from bochner.statistics.band import BandSums
from bochner.statistics.clusters import ClusterSums
from bochner.statistics.curvature import ColumnCurvature, Curvature
from bochner.statistics.dependence import Pairing, PairSums
from bochner.statistics.embedding import GroupSums
from bochner.statistics.gradient import CurvatureProduct, LossAlong, LossGradient
from bochner.statistics.held_out import HeldOutError
from bochner.statistics.normal import Adjoint, ColumnSquares, GramProduct, LinearMoments, SquaredError
from tests.contracts.walk import concrete

FEATURES, OUTPUTS = 5, 2


def fresh(cls: type[Statistic], place: int) -> Statistic:
    """One of the examples of a class, empty."""
    return cls.examples(FEATURES, OUTPUTS)[place]


EXAMPLES = [
    pytest.param(partial(fresh, cls, place), id=f"{cls.__name__}-{place}")
    for cls in concrete(Statistic)
    for place in range(len(cls.examples(FEATURES, OUTPUTS)))
]


@dataclass(frozen=True)
class Rows:
    """Features, targets ±1, weights of which some are 0, and numbers that stand for the rows."""

    Z: np.ndarray
    y: np.ndarray
    v: np.ndarray
    hashes: np.ndarray

    @classmethod
    def drawn(cls, n: int, seed: int) -> Rows:
        rng = np.random.default_rng(seed)
        v = rng.uniform(0.5, 2.0, size=n) * (rng.uniform(size=n) > 0.2)
        hashes = rng.integers(2**63, size=n, dtype=np.uint64)
        return cls(rng.normal(size=(n, FEATURES)), np.sign(rng.normal(size=(n, OUTPUTS))), v, hashes)

    def __getitem__(self, some: Any) -> Rows:
        return Rows(self.Z[some], self.y[some], self.v[some], self.hashes[some])

    def block(self, statistic: Statistic) -> Block:
        """The rows as the statistic takes them."""
        if isinstance(statistic, PairSums):
            return Block(self.pairing())
        if isinstance(statistic, GroupSums):
            return Block(self.Z, (self.y > 0).astype(np.float64))
        return Block(DenseDesign(self.Z), self.y, self.v, hashes=self.hashes)

    def pairing(self) -> Pairing:
        """The features beside three functions of them, and four orders."""
        n = len(self.v)
        orders = np.stack([np.roll(np.arange(n), shift) for shift in range(1, 5)])
        return Pairing(self.Z, np.sin(self.Z[:, :3] + self.Z[:, 2:]), orders)


def after(statistic, *pieces):
    state = statistic.zero()
    for rows in pieces:
        state.update(rows.block(statistic))
    return state


def gathered(state):
    """What was taken in, as one that is sent elsewhere holds it: nothing waits."""
    return copy.deepcopy(state).state()


def assert_equal(left, right):
    assert left.keys() == right.keys()
    assert left
    for name in left:
        np.testing.assert_allclose(left[name], right[name], rtol=1e-11, atol=1e-11, err_msg=name)


@pytest.mark.parametrize("make", EXAMPLES)
def test_monoid(make):
    statistic = make()
    first, second, third = (Rows.drawn(n, n) for n in (40, 1, 25))
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


@pytest.mark.parametrize("make", EXAMPLES)
def test_saved_state_is_taken_up_and_empty_blocks_change_nothing(make):
    statistic = make()
    first, second, empty = Rows.drawn(30, 1), Rows.drawn(20, 2), Rows.drawn(0, 3)
    resumed = statistic.zero()
    resumed.restore(after(statistic, first, empty).state())
    resumed.update(second.block(statistic))
    expected = after(statistic, first, second).state()
    assert resumed.state().keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_array_equal(resumed.state()[key], value, err_msg=key)


@pytest.mark.parametrize("make", EXAMPLES)
def test_the_order_of_the_rows_does_not_matter(make):
    statistic, rows = make(), Rows.drawn(50, 4)
    if isinstance(statistic, PairSums):
        return  # its shuffles are orders of the rows
    order = np.random.default_rng(0).permutation(50)
    assert_equal(gathered(after(statistic, rows[order])), gathered(after(statistic, rows)))


Reference = Callable[[Any, Rows], dict[str, Any]]


def scores(point, rows):
    return rows.Z @ point.parameters[:-1] + point.parameters[-1]


def with_ones(rows):
    return np.column_stack([rows.Z, np.ones(len(rows.v))])


def moments(s, rows):
    z, y, total = rows.v @ rows.Z / rows.v.sum(), rows.v @ rows.y / rows.v.sum(), rows.v.sum()
    Z, Y, V = rows.Z - z, rows.y - y, np.diag(rows.v)
    found = {"n_rows": (rows.v > 0).sum(), "total_weight": total, "feature_mean": z, "target_mean": y}
    return found | {
        "feature_moment": np.tril(Z.T @ V @ Z),
        "cross_moment": Z.T @ V @ Y,
        "target_moment": np.diag(Y.T @ V @ Y),
    }


def row_sample(s, rows):
    order = np.argsort(rows.hashes)
    kept = order[rows.v[order] > 0][: s.capacity]
    counted, some = rows.y[rows.v > 0], rows[kept]
    low_high = {"low": counted.min(axis=0), "high": counted.max(axis=0)}
    return low_high | {"marks": some.hashes, "values": some.Z, "targets": some.y, "weights": some.v}


def sampled_moments(s, rows):
    parts = {"moments": moments(s.moments, rows), "sample": row_sample(s.sample, rows)}
    return {f"{name}.{key}": value for name, part in parts.items() for key, value in part.items()}


def linear_moments(s, rows):
    y = rows.y - s.shift
    found = {"n_rows": (rows.v > 0).sum(), "total_weight": rows.v.sum(), "target_sum": rows.v @ y}
    return found | {
        "target_squares": rows.v @ y**2,
        "sums": rows.Z.T @ (rows.v[:, None] * np.column_stack([y, np.ones(len(y))])),
        "squares": rows.v @ rows.Z**2,
    }


def gram_product(s, rows):
    score = rows.Z @ s.directions
    product = rows.Z.T @ (rows.v[:, None] * score)
    return {"product": product, "score_sum": rows.v @ score, "score_squares": rows.v @ score**2}


def squared_error(s, rows):
    residual = rows.y - rows.Z @ s.coefficients - s.intercept
    return {"squares": rows.v @ (residual**2).sum(axis=1), "total_weight": rows.v.sum()}


def held_out_error(s, rows):
    score = scores(s.point, rows)
    wrong = (score[:, 0] > score[:, 1]) != (rows.y[:, 0] >= rows.y[:, 1])
    errors = {"squared_error": ((rows.y - score) ** 2).sum(axis=1), "misclassified": wrong}[s.error.__name__]
    return {"total": rows.v @ errors, "weight": rows.v.sum()}


def loss_gradient(s, rows):
    score = scores(s.point, rows)
    return {
        "value": rows.v @ s.loss.value(rows.y, score),
        "gradient": with_ones(rows).T @ (rows.v[:, None] * s.loss.gradient(rows.y, score)),
        "active": (rows.v[:, None] * s.loss.curvature(rows.y, score) > 0).sum(axis=0),
    }


def loss_along(s, rows):
    score, change = scores(s.point, rows), scores(s.direction, rows)
    return {"values": [rows.v @ s.loss.value(rows.y, score + step * change) for step in s.steps]}


def curvature_product(s, rows):
    change = s.loss.curvature_times(rows.y, scores(s.point, rows), scores(s.direction, rows))
    return {"product": with_ones(rows).T @ (rows.v[:, None] * change)}


def curvature(s, rows):
    bend = s.loss.curvature(rows.y, scores(s.point, rows))
    if s.before is not None:
        bend = bend - s.loss.curvature(rows.y, scores(s.before, rows))
    Z = with_ones(rows)
    return {"_matrices": [np.tril(Z.T @ ((rows.v * bend[:, output])[:, None] * Z)) for output in s.outputs]}


def column_curvature(s, rows):
    return {"diagonal": with_ones(rows).T ** 2 @ (rows.v[:, None] * s.loss.curvature(rows.y, scores(s.point, rows)))}


def band_sums(s, rows):
    short = s.offset - rows.Z @ s.coefficients
    share, inside = np.clip(short / s.width, 0.0, 1.0), (short > 0) & (short < s.width)
    band = rows.v * inside
    found = {"weight": rows.v.sum(), "hinge": rows.v @ np.maximum(short, 0.0), "mass": rows.v @ share}
    return found | {
        "rounded": rows.v @ np.where(inside, short**2 / (2 * s.width), np.where(short > 0, short - s.width / 2, 0.0)),
        "pull": (rows.v * share) @ rows.Z,
        "total": rows.v @ rows.Z,
        "band_weight": band.sum(),
        "band_total": band @ rows.Z,
        "band_moment": rows.Z.T @ (band[:, None] * rows.Z),
    }


def cluster_sums(s, rows):
    squares = ((rows.Z[:, :, None] - s.centres) ** 2).sum(axis=1)
    near = np.eye(s.centres.shape[1])[squares.argmin(axis=1)] * rows.v[:, None]
    excess = squares.min(axis=1) - (rows.Z**2).sum(axis=1)
    far = np.where(rows.v > 0, excess, -np.inf).argmax()
    found = {"weights": near.sum(axis=0), "sums": rows.Z.T @ near, "inertia": rows.v @ squares.min(axis=1)}
    return found | {"farthest": excess[far], "farthest_row": rows.Z[far]}


def pair_sums(s, rows):
    one = rows.pairing()
    z, t = one.left, one.right
    zz, tt = (z**2).sum(axis=1), (t**2).sum(axis=1)
    found = {"n_rows": len(z), "left": z.sum(axis=0), "right": t.sum(axis=0), "left_squares": zz.sum()}
    return found | {
        "products": [z.T @ t, *(z.T @ t[order] for order in one.orders)],
        "right_squares": tt.sum(),
        "joint_squares": zz @ tt,
        "left_by_right_squares": tt @ z,
        "right_by_left_squares": zz @ t,
    }


def group_sums(s, rows):
    groups = rows.y > 0
    return {"counts": groups.sum(axis=0), "totals": rows.Z.T @ groups, "squares": (rows.Z**2).sum(axis=1) @ groups}


# What each statistic is, written again from its definition, with all rows at hand.
REFERENCES: dict[type, Reference] = {
    statistics.Moments: moments,
    statistics.RowSample: row_sample,
    statistics.SampledMoments: sampled_moments,
    LinearMoments: linear_moments,
    ColumnSquares: lambda s, rows: {"squares": (rows.Z**2).sum(axis=0)},
    GramProduct: gram_product,
    Adjoint: lambda s, rows: {"product": rows.Z.T @ rows.y},
    SquaredError: squared_error,
    HeldOutError: held_out_error,
    LossGradient: loss_gradient,
    LossAlong: loss_along,
    CurvatureProduct: curvature_product,
    Curvature: curvature,
    ColumnCurvature: column_curvature,
    BandSums: band_sums,
    ClusterSums: cluster_sums,
    PairSums: pair_sums,
    GroupSums: group_sums,
}
ROUNDING = {"precision"}  # what a statistic keeps that is not a sum over rows
GIVEN = {"farthest", "capacity", "n_features", "n_targets", "n_groups", "n_left", "n_right", "n_shuffles"}
GIVEN |= {"centres", "norms", "coefficients", "offset", "width", "directions", "intercept", "shift", "steps"}


def test_every_statistic_has_a_reference():
    assert set(concrete(Statistic)) == set(REFERENCES)


@pytest.mark.parametrize("make", EXAMPLES)
def test_what_is_gathered_is_its_definition(make):
    statistic, rows = make(), Rows.drawn(60, 7)
    whole = after(statistic, rows)
    expected, found = REFERENCES[type(statistic)](statistic, rows), gathered(whole)
    for name, value in expected.items():
        seen = found[name]
        if name.endswith("feature_moment") or name == "_matrices":  # of which the lower triangle is kept
            seen = np.tril(seen)
        np.testing.assert_allclose(seen, value, rtol=1e-10, atol=1e-10, err_msg=name)
    unseen = {name.split(".")[-1] for name in found} - {name.split(".")[-1] for name in expected} - ROUNDING - GIVEN
    assert not unseen, f"the reference says nothing of {unseen}"
