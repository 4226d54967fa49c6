"""What must not change a machine: another zero or unit of X, of y, a row twice for a weight of 2, another order."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo

N, NEW = 120, 40
RNG = np.random.default_rng(0)
GRID = 2.0**10
ROWS = np.round(RNG.uniform(-1.5, 1.5, size=(N + NEW, 2)) * GRID) / GRID  # shifts by whole numbers are exact
VALUES = np.sin(2.0 * ROWS[:, 0]) + 0.5 * ROWS[:, 1] + 0.1 * RNG.normal(size=N + NEW)
LABELS = np.digitize(VALUES, [-0.4, 0.4])
FEW = settings(max_examples=3, deadline=None, derandomize=True)


def gaussian(unit: float) -> Any:
    return bo.Gaussian(1.2 * unit)


def fourier(unit: float) -> Any:
    return bo.FourierFeatures(gaussian(unit), 30, random_state=0)


def landmarks(unit: float) -> Any:
    """As many landmarks as rows, so that every order has the same."""
    return bo.NystroemFeatures(bo.Laplace(unit), N, random_state=0)


def bins(unit: float) -> Any:
    return bo.BinningFeatures(bo.Laplace(3.0 * unit), 20, n_components=20 << 10, random_state=0)


@dataclass(frozen=True)
class Case:
    """A learner with given features and penalty, as a function of the unit of X, and what it says of rows."""

    make: Callable[[float], Any]
    says: Callable[[Any, np.ndarray], np.ndarray]
    targets: np.ndarray | None
    tolerance: float = 1e-6  # of its own stopping rule and of sums in another order
    weighs: bool = True


def predicted(model: Any, X: np.ndarray) -> np.ndarray:
    return model.predict(X)


def decided(model: Any, X: np.ndarray) -> np.ndarray:
    return model.decision_function(X)


def deviated(model: Any, X: np.ndarray) -> np.ndarray:
    return np.column_stack(model.predict(X, return_std=True))


def distances(model: Any, X: np.ndarray) -> np.ndarray:
    """Between the projections of rows on the leading directions: signs are a matter of convention."""
    scores = model.transform(X)
    return np.linalg.norm(scores[:, None] - scores[None], axis=2)


def nearest(model: Any, X: np.ndarray) -> np.ndarray:
    """Distances to the centres, whatever their order."""
    return np.sort(model.transform(X), axis=1)


CASES = {
    "ridge": Case(lambda u: bo.KernelRidge(fourier(u), 1e-2), predicted, VALUES),
    "ridge of landmarks": Case(lambda u: bo.KernelRidge(landmarks(u), 1e-1), predicted, VALUES),
    "ridge of bins": Case(lambda u: bo.KernelRidge(bins(u), 1.0, tol=1e-9, max_iter=1000), predicted, VALUES),
    "ridge of labels": Case(lambda u: bo.KernelRidgeClassifier(fourier(u), 1e-2), decided, LABELS),
    "exact ridge": Case(lambda u: bo.ExactKernelRidge(gaussian(u), 1e-2), predicted, VALUES),
    "exact ridge of labels": Case(lambda u: bo.ExactKernelRidgeClassifier(gaussian(u), 1e-2), decided, LABELS),
    "exact margins": Case(lambda u: bo.ExactKernelSVC(gaussian(u), 2.0, tol=1e-9), decided, LABELS, 1e-5),
    "squared margins": Case(lambda u: bo.KernelSVC(fourier(u), 2.0, tol=1e-9, max_iter=3000), decided, LABELS),
    "margins": Case(
        lambda u: bo.KernelSVC(fourier(u), 2.0, loss="hinge", tol=1e-4, max_iter=500), decided, LABELS, 2e-2
    ),
    "logistic": Case(lambda u: bo.KernelLogisticRegression(fourier(u), 2.0, tol=1e-9), decided, LABELS),
    "tube": Case(lambda u: bo.KernelSVR(fourier(u), 2.0, epsilon=0.1, tol=1e-9, max_iter=3000), predicted, VALUES),
    "quantile": Case(
        lambda u: bo.KernelQuantileRegressor(fourier(u), 0.3, 2.0, tol=1e-6, max_iter=500), predicted, VALUES, 2e-2
    ),
    "process": Case(lambda u: bo.GaussianProcessRegressor(fourier(u), 0.2, 1.5), deviated, VALUES),
    "components": Case(lambda u: bo.KernelPCA(3, fourier(u)), distances, None),
    "means": Case(lambda u: bo.KernelMeans(3, fourier(u), tol=0.0, random_state=0), nearest, None, 1e-6),
    "one class": Case(lambda u: bo.OneClassSVM(fourier(u), 0.3, tol=1e-5), decided, None, 1e-2),
}
# Epsilon, noise and amplitude are in units of y: tests/learners/test_units.py has these.
SQUARED = [
    name for name, case in CASES.items() if case.targets is VALUES and name not in ("tube", "quantile", "process")
]
# Fourier features of rows far away are cosines of large arguments, which lose a digit for each digit of the offset.
FAR = {np.float64: (10**6, 1e-4), np.float32: (10**3, 3e-2)}


def said(name: str, X: np.ndarray, y: Any = None, *, unit: float = 1.0, weight: Any = None) -> np.ndarray:
    """What the learner, fitted on all rows but the last, says of these."""
    case = CASES[name]
    y = case.targets if y is None else y
    fit = {} if weight is None else {"sample_weight": weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = case.make(unit).fit(X[:-NEW], *(() if y is None else (y[: len(X) - NEW],)), **fit)
    return case.says(model, X[-NEW:]).astype(np.float64)


def assert_alike(found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", CASES)
def test_another_zero_of_the_rows(name, dtype):
    far, tolerance = FAR[dtype]
    X = ROWS.astype(dtype)
    expected = said(name, X)

    @FEW
    @given(st.integers(-far, far), st.integers(-far, far))
    def shifted(first: int, second: int) -> None:
        moved = X + np.array([first, second], dtype=dtype)
        assert_alike(said(name, moved), expected, max(tolerance, CASES[name].tolerance))

    shifted()


@pytest.mark.parametrize("name", CASES)
def test_another_unit_of_the_rows_with_the_length_scale_following(name):
    expected = said(name, ROWS)

    @FEW
    @given(st.floats(-6.0, 6.0))
    def scaled(power: float) -> None:
        unit = 10.0**power
        assert_alike(said(name, unit * ROWS, unit=unit), expected, CASES[name].tolerance)

    scaled()


@pytest.mark.parametrize("name", SQUARED)
def test_another_unit_and_zero_of_the_targets(name):
    expected = said(name, ROWS)

    @FEW
    @given(st.floats(-5.0, 5.0), st.floats(-1e6, 1e6))
    def affine(power: float, zero: float) -> None:
        unit = 10.0**power
        found = (said(name, ROWS, unit * (VALUES + zero)) / unit) - zero
        assert_alike(found, expected, 1e-5)

    affine()


@pytest.mark.parametrize("name", CASES)
def test_a_weight_of_three_is_a_row_three_times_and_of_zero_no_row(name):
    weight = np.random.default_rng(1).integers(0, 4, size=N)
    times = np.repeat(np.arange(N), weight)
    y = CASES[name].targets
    repeated = np.concatenate([ROWS[times], ROWS[N:]])
    expected = said(name, repeated, None if y is None else y[times])
    assert_alike(said(name, ROWS, weight=weight.astype(float)), expected, max(1e-5, CASES[name].tolerance))


@pytest.mark.parametrize("name", CASES)
def test_the_order_of_the_rows(name):
    y = CASES[name].targets
    expected = said(name, ROWS)

    @FEW
    @given(st.integers(0, 1000))
    def permuted(seed: int) -> None:
        order = np.random.default_rng(seed).permutation(N)
        mixed = np.concatenate([ROWS[:N][order], ROWS[N:]])
        assert_alike(said(name, mixed, None if y is None else y[:N][order]), expected, CASES[name].tolerance)

    permuted()
