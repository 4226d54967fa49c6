"""The three sets: their rows prepared, the linear machine that learns from features, and what is tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.stats import skew
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from ....engines import ThreadEngine
from ....learners import ExactKernelRidge, ExactKernelRidgeClassifier, KernelRidge, KernelRidgeClassifier, KernelSVC
from ...datasets import DataSets

Array = np.ndarray

SKEWED = 2.0  # skewness from which a column of counts is replaced by its logarithm
QUICK_ROWS = 600, 3000
ONE, LEARNED = "one", "learned"
FOREST_SOLVER: Mapping[str, Any] = {"Fourier": "cholesky", "binning": "cg"}
Tried = Mapping[tuple[str, str], tuple[float, ...]]


@dataclass(frozen=True)
class PaperTask:
    """One set of the paper.

    Attributes
    ----------
    name : its usual name
    X, y, X_test, y_test : prepared rows, and targets
    learner : a linear machine from the method, a feature map and a penalty
    exact : a machine with the kernel itself
    widths : features D of "Fourier", grids P of "binning"
    tried : for each method and kind of length scales, the multiples of the first guess that are tried
    penalties : for each method the penalties that are tried with each of them; "auto" is the learner's own choice
    tuning_rows : how many training rows choose the multiple
    tuned_at : the width at which it is chosen, where it is not chosen anew for every width
    exact_rows : how many rows the machine with the kernel itself learns from
    sample : how many rows tell the length scales that are learned
    options : of random binning
    """

    name: str
    X: Array
    y: Array
    X_test: Array
    y_test: Array
    learner: Callable[[str, Any, float | str], Any]
    exact: Callable[[Any], Any]
    widths: Mapping[str, tuple[int, ...]]
    tried: Tried
    tuning_rows: Mapping[str, int]
    tuned_at: Mapping[str, int]
    exact_rows: int
    sample: int
    options: Callable[[int], Mapping[str, Any]] = lambda _: {}
    penalties: Mapping[str, tuple[float | str, ...]] = field(default_factory=dict)

    def error(self, model: Any, X: Array, y: Array) -> float:
        """Per cent: of wrong labels, or ||f(X) - y|| / ||y||."""
        predicted = model.predict(X)
        wrong = np.linalg.norm(predicted - y) / np.linalg.norm(y) if self.name == "CPU" else np.mean(predicted != y)
        return float(100.0 * wrong)


def tasks(quick: bool, data: DataSets) -> list[PaperTask]:
    """CPU, Adult and Forest; in a quick run every second multiple is tried."""
    found = [_cpu(quick, data), _adult(quick, data), _forest(quick, data)]
    step = 2 if quick else 1
    return [replace(one, tried={key: some[::step] for key, some in one.tried.items()}) for one in found]


def _cpu(quick: bool, data: DataSets) -> PaperTask:
    X, y, X_test, y_test = _rows("cpu", quick, data)
    X, X_test = _scaled(StandardScaler(), *_logarithms(X, X_test))
    features, kernel = (0.5, 1.0, 2.0, 4.0, 8.0), (0.5, 1.0, 2.0, 4.0)
    return PaperTask(
        "CPU", X, y, X_test, y_test,
        learner=lambda _, features, penalty: KernelRidge(features, alpha=penalty),
        exact=ExactKernelRidge,
        widths={
            "Fourier": (20, 300) if quick else (50, 100, 300, 1000),
            "binning": (5, 350) if quick else (10, 50, 350),
        },
        tried=_both_scales(features, (0.5, 1.0, 2.0, 4.0, 8.0)) | _exact(kernel) | _exact((1.0, 2.0, 4.0), LEARNED),
        tuning_rows={}, tuned_at={}, exact_rows=len(y), sample=sample(quick),
    )  # fmt: skip


def _adult(quick: bool, data: DataSets) -> PaperTask:
    X, y, X_test, y_test = _rows("adult", quick, data)
    return PaperTask(
        "Adult", X, y, X_test, y_test,
        learner=lambda _, features, penalty: KernelSVC(features, C=penalty),
        exact=lambda kernel: ExactKernelRidgeClassifier(kernel, engine=ThreadEngine(memory="5GB")),
        widths={
            "Fourier": (10, 500) if quick else (50, 100, 500, 1000),
            "binning": (2, 30) if quick else (10, 30, 100, 300),
        },
        tried=_both_scales((0.25, 0.5, 1.0, 2.0, 4.0), (0.25, 0.5, 1.0, 2.0))
        | {("exact Gaussian", ONE): (1.0, 2.0, 4.0)},
        tuning_rows={"exact": 5000}, tuned_at={"Fourier": 500, "binning": 30}, exact_rows=len(y), sample=sample(quick),
    )  # fmt: skip


def _forest(quick: bool, data: DataSets) -> PaperTask:
    X, y, X_test, y_test = _rows("covertype", quick, data)
    X, X_test = _scaled(MinMaxScaler(), X, X_test)
    multiples = (0.25, 0.5, 1.0) if quick else (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)
    return PaperTask(
        "Forest", X, y, X_test, y_test,
        learner=lambda method, features, penalty: KernelRidgeClassifier(
            features, alpha=penalty, tol=0.005, solver=FOREST_SOLVER[method]
        ),
        exact=ExactKernelRidgeClassifier,
        widths={"Fourier": (20, 1000) if quick else (500, 1500, 5000), "binning": (2, 50) if quick else (10, 50, 200)},
        tried={
            ("Fourier", ONE): multiples,
            ("Fourier", LEARNED): (0.25, 0.5, 1.0, 2.0),
            ("binning", ONE): multiples,
            ("binning", LEARNED): (1 / 16, 1 / 8, 1 / 4, 1 / 2),
        } | _exact(multiples) | _exact((0.25, 0.5, 1.0), LEARNED),
        penalties=dict.fromkeys(("Fourier", "binning"), (0.01, 0.1, 1.0)),
        tuning_rows={"Fourier": 50_000, "exact": 5000},
        tuned_at={"Fourier": 1000, "binning": 50},
        exact_rows=20_000, sample=sample(quick),
        options=lambda n_grids: {"n_components": n_grids << (12 if quick else 20), "hashing": "plain"},
    )  # fmt: skip


def sample(quick: bool) -> int:
    """Rows that tell learned length scales."""
    return 300 if quick else 1000


def _both_scales(one: tuple[float, ...], learned: tuple[float, ...]) -> dict[tuple[str, str], tuple[float, ...]]:
    return {
        (method, scales): some for method in ("Fourier", "binning") for scales, some in ((ONE, one), (LEARNED, learned))
    }


def _exact(tried: tuple[float, ...], scales: str = ONE) -> dict[tuple[str, str], tuple[float, ...]]:
    return {(f"exact {kernel}", scales): tried for kernel in ("Gaussian", "Laplace")}


def _rows(name: str, quick: bool, data: DataSets) -> tuple[Array, Array, Array, Array]:
    """The rows of a set, in a quick run some of them."""
    split = data.load(name)
    if not quick:
        return split.X, split.y, split.X_test, split.y_test
    rng = np.random.default_rng(0)
    some, new = (rng.permutation(len(y))[:n] for y, n in zip((split.y, split.y_test), QUICK_ROWS))
    return split.X[some], split.y[some], split.X_test[new], split.y_test[new]


def _logarithms(X: Array, X_test: Array) -> tuple[Array, Array]:
    """log(1 + x) in columns of counts with a long tail among the training rows."""
    skewed = (X.min(axis=0) >= 0.0) & (skew(X) > SKEWED)
    both = np.concatenate([X, X_test])
    both[:, skewed] = np.log1p(np.maximum(both[:, skewed], 0.0))
    return both[: len(X)], both[len(X) :]


def _scaled(scaler: Any, X: Array, X_test: Array) -> tuple[Array, Array]:
    """Single precision, in units that the training rows give."""
    scaler.fit(X)
    return scaler.transform(X).astype(np.float32), scaler.transform(X_test).astype(np.float32)
