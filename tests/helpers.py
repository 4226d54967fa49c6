"""What statistical tests share: repeated draws of a map, judged at five standard errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

STANDARD_ERRORS = 5.0


def estimates(feature_map: Any, pairs: tuple[np.ndarray, np.ndarray], repeats: int, seed: int = 0) -> np.ndarray:
    """z(x_i)'z(y_i) for paired rows under ``repeats`` independent draws of the map, shape (repeats, pairs).

    The map is fitted once, as a user would, and then drawn again and again for the same rows.
    """
    X, Y = pairs
    both = np.concatenate([X, Y])
    fitted = clone(feature_map).fit(both)
    values = np.empty((repeats, len(X)))
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, repeat])
        Z = fitted._draw_terms(fitted.kernel_, both, fitted.n_draws_, rng)(both)
        Z = Z if isinstance(Z, np.ndarray) else Z.toarray()
        values[repeat] = (Z[: len(X)] * Z[len(X) :].conj()).sum(axis=1).real
    return values


def assert_mean(values: np.ndarray, expected: np.ndarray, variance: np.ndarray) -> None:
    """The mean over the first axis is within five standard errors of its expectation, for the theory's variance.

    The floor admits the rounding of exact cases such as x = y.
    """
    error = np.abs(values.mean(axis=0) - expected)
    allowed = STANDARD_ERRORS * np.sqrt(np.asarray(variance) / len(values)) + 1e-12
    worst = int(np.argmax(error - allowed))
    assert (error <= allowed).all(), (
        f"point {worst}: error of the mean {error[worst]:.5f}, five standard errors are "
        f"{np.broadcast_to(allowed, error.shape)[worst]:.5f}"
    )


def assert_variance(values: np.ndarray, expected: np.ndarray) -> None:
    """The variance over the first axis is within five of its own standard errors of the theory's.

    These are at least those of normal numbers: few draws may show no large ones, and then tell too little of them.
    """
    centred = values - values.mean(axis=0)
    variance = (centred**2).mean(axis=0)
    fourth = (centred**4).mean(axis=0)
    allowed = STANDARD_ERRORS * np.sqrt(np.maximum(fourth - variance**2, 2 * np.square(expected)) / len(values)) + 1e-12
    error = np.abs(variance - expected)
    worst = int(np.argmax(error - allowed))
    assert (error <= allowed).all(), f"point {worst}: variance {variance[worst]}, expected {expected[worst]}"


def distant_pairs(dim: int, distances: tuple[float, ...], seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of rows at given distances, in an oblique direction and along an axis."""
    rng = np.random.default_rng(seed)
    oblique = rng.normal(size=dim)
    oblique /= np.linalg.norm(oblique)
    axis = np.eye(dim)[0]
    start = rng.normal(size=(2 * len(distances), dim))
    step = np.concatenate([np.outer(distances, oblique), np.outer(distances, axis)])
    return start, start + step
