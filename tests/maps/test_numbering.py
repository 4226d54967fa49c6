"""Bins without gaps: the same products with the columns that hold rows, and the same machines on them."""

import numpy as np
import pytest

import bochner as bo
from bochner.blocks import Block
from bochner.learners import gaps
from bochner.maps.numbering import Numbering

X = np.random.default_rng(0).normal(size=(400, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0)


def design_of(hashing, rows):
    fitted = bo.BinningFeatures(bo.Laplace(2.0), 7, random_state=0, hashing=hashing).fit(X)
    return fitted.features_.design(rows)


@pytest.mark.parametrize("hashing", ["plain", "signed", "exact"])
def test_products_are_those_of_the_columns_that_are_used(hashing):
    rows = 3.0 * np.random.default_rng(1).normal(size=(300, 3))  # some are in bins that an exact vocabulary has not
    design = design_of(hashing, rows)
    Z = design.dense()
    is_used = (Z != 0).any(axis=0)
    assert 0 < is_used.sum() < len(is_used)
    numbering = Numbering.of(is_used, design.edges)
    made = numbering(Block(design, rows[:, :1], None)).X
    rng = np.random.default_rng(2)
    c, r = rng.normal(size=(is_used.sum(), 2)), rng.normal(size=(len(rows), 2))
    assert made.shape == (300, is_used.sum())
    np.testing.assert_array_equal(made.dense(), Z[:, is_used])
    np.testing.assert_allclose(made.scores(c), design.scores(numbering.spread(c)), atol=1e-13)
    np.testing.assert_allclose(numbering.spread(made.adjoint(r)), design.adjoint(r), atol=1e-13)
    np.testing.assert_array_equal(numbering.spread(c)[numbering.used], c)


def machines(hashing):
    binned = bo.BinningFeatures(bo.Laplace(2.0), 20, random_state=0, hashing=hashing)
    return [
        bo.KernelRidge(binned, alpha=0.1, tol=1e-10, max_iter=1000),
        bo.KernelRidgeClassifier(binned, alpha=0.1, tol=1e-10, max_iter=1000),
        bo.KernelSVC(binned, C=0.3, tol=1e-8, max_iter=1000),
        bo.KernelSVC(binned, loss="hinge", solver="dual", C=0.1, tol=1e-7, max_iter=1000),
        bo.KernelLogisticRegression(binned, C=1.0, tol=1e-8, max_iter=1000),
        bo.KernelSVR(binned, loss="squared_epsilon_insensitive", C=1.0, tol=1e-8, max_iter=1000),
    ]


@pytest.mark.parametrize("hashing", ["plain", "signed"])
@pytest.mark.parametrize("place", range(6))
def test_machines_find_the_same_with_and_without_gaps(hashing, place, monkeypatch):
    y = np.digitize(Y, [-0.5, 0.5]) if place in (1, 4) else np.sign(Y) if place in (2, 3) else Y
    numbered = []
    monkeypatch.setattr(gaps, "Numbering", Recorded(numbered))
    short = machines(hashing)[place].fit(X, y)
    assert len(numbered) == 1  # it was done: most bins hold no rows
    monkeypatch.setattr(gaps, "MOST_USED", 0.0)
    long = machines(hashing)[place].fit(X, y)
    assert len(numbered) == 1
    assert short.coef_.shape == long.coef_.shape
    np.testing.assert_allclose(short.coef_, long.coef_, atol=2e-4 * np.abs(long.coef_).max())
    np.testing.assert_array_equal(short.coef_ == 0, long.coef_ == 0)
    new = np.random.default_rng(3).normal(size=(100, 3))
    scores = [getattr(model, "decision_function", model.predict)(new) for model in (short, long)]
    np.testing.assert_allclose(*scores, atol=2e-4)


class Recorded:
    """Numbering, with a list of what was numbered."""

    def __init__(self, made):
        self.made = made

    def of(self, is_used, edges):
        self.made.append(is_used.mean())
        return Numbering.of(is_used, edges)


def test_another_alpha_sets_out_from_the_solution_at_hand():
    model = bo.KernelRidge(bo.BinningFeatures(bo.Laplace(2.0), 20, random_state=0), alpha=1.0, tol=1e-9).fit(X, Y)
    model.solve_again(0.1)
    again = bo.KernelRidge(bo.BinningFeatures(bo.Laplace(2.0), 20, random_state=0), alpha=0.1, tol=1e-9).fit(X, Y)
    np.testing.assert_allclose(model.coef_, again.coef_, atol=1e-7)
    assert model.n_iter_ < again.n_iter_


def test_rows_that_are_added_bring_their_bins():
    binned = bo.BinningFeatures(bo.Laplace(2.0), 20, random_state=0)
    parts = bo.KernelRidge(binned, alpha=0.1, solver="cg", tol=1e-10).partial_fit(X[:50], Y[:50])
    few = np.count_nonzero(parts.coef_)
    parts.partial_fit(X[50:], Y[50:])
    assert np.count_nonzero(parts.coef_) > few
    left = Y - parts.predict(X)
    np.testing.assert_allclose(parts.features_(X).T @ left, 0.1 * parts.coef_, atol=1e-7)  # it is the minimum


def test_a_term_without_weight_does_no_harm():
    """Its bins cannot be told from empty ones: then nothing is left out."""
    binned = bo.BinningFeatures(bo.Laplace(2.0) + 1e-60 * bo.Laplace(1.0), 20, random_state=0)
    rows, targets = X.astype(np.float32), Y.astype(np.float32)
    model = bo.KernelRidge(binned, alpha=0.1, tol=1e-5).fit(rows, targets)
    alone = bo.KernelRidge(bo.BinningFeatures(bo.Laplace(2.0), 10, random_state=0), alpha=0.1, tol=1e-5)
    assert abs(model.score(rows, targets) - alone.fit(rows, targets).score(rows, targets)) < 0.1
