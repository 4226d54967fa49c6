"""A machine with Fourier features as a network of one hidden layer of complex waves."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..blocks.validation import checked_rows
from ..kernels import Scaling
from ..maps.changed_rows import ChangedFeatures
from ..maps.features import ConcatenatedFeatures
from ..maps.fourier import FourierFunction
from .base import Array, KernelMachine

TILE = 1024  # rows whose waves are made at a time


@dataclass(frozen=True)
class FourierNetwork:
    """f(x) = b + Re sum_j theta_j exp(i w_j'x): a hidden layer of fixed waves, and what was learned of it.

    Attributes
    ----------
    frequencies : w, of shape (n_frequencies, n_columns)
    theta : complex, of shape (n_frequencies, n_targets)
    intercept : b, of shape (n_targets,)
    norm : ||coef_|| of each target, which ridge regression penalises: sqrt(m) ||theta|| for m paired frequencies and
        sqrt(m/2) ||theta|| for m shifted ones. As m grows it tends to the norm of f in the kernel's space.
    """

    frequencies: Array = field(repr=False)
    theta: Array = field(repr=False)
    intercept: Array
    norm: Array

    def __call__(self, X: Any) -> Array:
        """F of each row, of shape (n_rows,), or (n_rows, n_targets) where there are several."""
        X = checked_rows(X, dtype=np.float64)
        parts = [
            (np.exp(1j * (X[start : start + TILE] @ self.frequencies.T)) @ self.theta).real
            for start in range(0, len(X), TILE)
        ]
        values = np.concatenate(parts) + self.intercept
        return values[:, 0] if values.shape[1] == 1 else values


def fourier_network(model: KernelMachine) -> FourierNetwork:
    """Return the scores of a fitted machine with Fourier features as a network of complex waves.

    Ridge regression on paired features with coefficients a of the cosines and c of the sines is ridge regression on
    theta = m^{-1/2} (a - i c) with the penalty alpha m ||theta||², m the number of frequencies. A cosine of phase b
    with the coefficient a, as in shifted features of D columns, is theta = sqrt(2/D) a exp(i b).

    Parameters
    ----------
    model : a fitted machine with ``coef_`` and ``intercept_`` and with real Fourier features
        Also of sums of kernels and of kernels with a ``Metric``.

    Returns
    -------
    FourierNetwork
        Called on rows, it gives what ``predict`` of a regressor and ``decision_function`` of a classifier give.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(1.0), 100, random_state=0), 1e-3).fit(X, np.sin(X[:, 0]))
    >>> network = bo.fourier_network(model)
    >>> network.theta.shape
    (50, 1)
    >>> bool(np.allclose(network(X), model.predict(X)))
    True
    """
    if not isinstance(model, KernelMachine):
        raise TypeError(f"fourier_network takes a fitted machine of bochner, not {type(model).__name__}.")
    check_is_fitted(model, "features_")
    coefficients = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64)).T
    frequencies, theta = waves(model.features_, coefficients)
    intercept = np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64))
    return FourierNetwork(frequencies, theta, intercept, np.linalg.norm(coefficients, axis=0))


@singledispatch
def waves(features: Any, coefficients: Array) -> tuple[Array, Array]:  # noqa: ARG001
    """Frequencies and theta of a sum of features with these coefficients."""
    raise TypeError(
        f"fourier_network takes machines with FourierFeatures, and this one has {type(features).__name__}: "
        "its features are not waves."
    )


@waves.register
def _(features: FourierFunction, coefficients: Array) -> tuple[Array, Array]:
    frequencies = 2.0 * np.pi * features.projection.weights().T.astype(np.float64)
    pairs, scale = features.n_pairs, np.sqrt(2.0 / features.n_components)
    cosines, sines, shifted = np.split(coefficients, (pairs, 2 * pairs))
    turned = shifted * np.exp(2j * np.pi * features.phases.astype(np.float64))[:, None]
    return frequencies, scale * np.concatenate([cosines - 1j * sines, turned])


@waves.register
def _(features: ChangedFeatures, coefficients: Array) -> tuple[Array, Array]:
    """w'A(x - o) = (A'w)'x - w'Ao: other frequencies, and the phases of the origin."""
    scaling = features.change
    if not isinstance(scaling, Scaling):
        raise TypeError(f"fourier_network takes features of rows as they are, and {type(scaling).__name__} bends them.")
    unit, theta = waves(features.inner, coefficients)
    frequencies = scaling.frequencies(unit)
    if scaling.origin is not None:
        theta = theta * np.exp(-1j * (frequencies @ scaling.origin))[:, None]
    return frequencies, theta


@waves.register
def _(features: ConcatenatedFeatures, coefficients: Array) -> tuple[Array, Array]:
    edges = np.cumsum([part.n_components for part in features.parts])[:-1]
    found = [
        waves(part, np.sqrt(weight) * own)
        for weight, part, own in zip(features.weights, features.parts, np.split(coefficients, edges))
    ]
    return np.concatenate([one for one, _ in found]), np.concatenate([theta for _, theta in found])
