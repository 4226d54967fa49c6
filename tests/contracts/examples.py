"""Instances for the contract tests. A class without an example here must have defaults for all its parameters."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import bochner as bo
from bochner import kernels, losses
from bochner.solvers.smoothing import Smoothed
from tests.helpers import concrete_subclasses


def slanted(difference: np.ndarray) -> np.ndarray:
    """exp(-Δ'AΔ/2) with 2 on the diagonal of A and 1 beside it."""
    return np.exp(-0.5 * (np.square(difference).sum(axis=1) + np.square(difference.sum(axis=1))))


def normal_frequencies(dim: int, n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(n, dim))


KERNELS: dict[str, list[Any]] = {
    "Gaussian": [bo.Gaussian(1.3), bo.Gaussian([0.7, 1.5, 2.0])],
    "Laplace": [bo.Laplace(1.3), bo.Laplace([0.7, 1.5, 2.0])],
    "Cauchy": [bo.Cauchy(1.3)],
    "Matern": [bo.Matern(1.3, nu) for nu in (0.5, 0.8, 1.5, 2.5, np.inf)],
    "RationalQuadratic": [bo.RationalQuadratic(1.3, 0.5), bo.RationalQuadratic([0.7, 1.5, 2.0], 2.0)],
    "ProductProfile": [bo.ShiftInvariant(kernels.Matern(nu=1.5).profile, form="product", length_scale=1.3)],
    "RadialProfile": [bo.ShiftInvariant(kernels.Matern(nu=1.5).profile, form="radial", length_scale=1.3)],
    "GeneralProfile": [bo.ShiftInvariant(slanted, form="general", length_scale=1.3)],
    "Spectral": [bo.Spectral(normal_frequencies, value=bo.Gaussian().at, second_moment=float)],
    "ShiftInvariantProduct": [kernels.ShiftInvariantProduct(bo.Gaussian(1.3), bo.Laplace(2.0))],
    "Sum": [bo.Gaussian() + 0.5 * bo.Laplace(2.0)],
    "Scaled": [2.0 * bo.Matern()],
    "Polynomial": [bo.Polynomial(3, offset=0.5), bo.Polynomial(2, offset=0.0)],
    "ExponentialDot": [bo.ExponentialDot(0.8)],
    "Vovk": [bo.Vovk(), bo.Vovk(4)],
    "ArcCosine": [bo.ArcCosine(0), bo.ArcCosine(1)],
    "DotProduct": [bo.DotProduct(np.cosh)],
    "DotProductProduct": [kernels.dot_product.DotProductProduct(bo.Polynomial(2), bo.ExponentialDot())],
    "Composed": [
        bo.Composed(bo.ExponentialDot(), bo.Gaussian()),
        bo.Composed(bo.Polynomial(2), bo.Gaussian() + bo.Polynomial(2)),
    ],
    "SoftTails": [
        bo.SoftTails(bo.Matern(1.3), [0.1, 0.0, -0.2], [0.5, 1.0, 2.0]),
        bo.SoftTails(bo.Gaussian() + 0.5 * bo.Polynomial(2), [0.1, 0.0, -0.2], [0.5, 1.0, 2.0]),
    ],
    "Projected": [
        bo.Projected(bo.Matern(1.3), [[0.8, 0.3, 0.0], [-0.2, 0.5, 0.4]]),
        bo.Projected(bo.Gaussian() + 0.5 * bo.Polynomial(2), np.diag([0.5, 0.8, 0.2])),
    ],
    "Product": [bo.Gaussian() * bo.Cauchy(2.0), (bo.Gaussian() + bo.Cauchy()) * bo.Laplace(3.0)],
}


LOSSES: dict[str, list[Any]] = {
    "EpsilonInsensitive": [losses.EpsilonInsensitive(0.3)],
    "SquaredEpsilonInsensitive": [losses.SquaredEpsilonInsensitive(0.3)],
    "Huber": [losses.Huber(0.7)],
    "Smoothed": [Smoothed(losses.Hinge(), 0.5), Smoothed(losses.EpsilonInsensitive(0.3), 0.5)],
}


def examples(base: type, given: dict[str, list[Any]]) -> list[Any]:
    """Instances of every concrete class below ``base``: the given ones, or the class with its defaults."""
    return [item for cls in concrete_subclasses(base) for item in given.get(cls.__name__) or [cls()]]


def name_of(item: Any) -> str:
    """A short test id, the same in every process: no addresses of functions."""
    return re.sub(r" at 0x[0-9a-f]+", "", " ".join(repr(item).split()))[:70]
