"""Every map with every kernel: the mean and variance of z(x)'z(y) over draws, or one sentence naming a map."""

from __future__ import annotations

import re
from functools import singledispatch
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import bochner as bo
from bochner import theory
from bochner.kernels import Kernel, RadialKernel, ShiftInvariantKernel
from bochner.kernels.composed_frequencies import RadialComposition
from bochner.kernels.power_series import PowerSeriesKernel
from bochner.kernels.profile import RadialProfile
from bochner.maps import KernelMap
from tests.contracts.walk import concrete, examples, name_of
from tests.helpers import assert_mean, assert_variance, distant_pairs, estimates

DIMS = (1, 3, 10)
REPEATS = 200


def serves(feature_map: KernelMap, kernel: Kernel) -> bool:
    """Whether the map has features of the kernel, or of each of its terms."""
    return feature_map.serves(kernel)


# Every map with the first and the last example of each kernel: these differ in all parameters. The last are slow tests.
PAIRS = [
    pytest.param(
        feature_map,
        cls,
        place,
        id=f"{name_of(feature_map)} {name_of(cls.examples()[place])}",
        marks=[pytest.mark.slow] if place else [],
    )
    for feature_map in examples(KernelMap)
    for cls in concrete(Kernel)
    for place in ({0, len(cls.examples()) - 1})
    if serves(feature_map, cls.examples()[place])
]


def kernels_at_dims(cls: type, place: int) -> list[tuple[int, Kernel]]:
    """The example for rows of each number of columns that the kernel serves."""
    return [(dim, cls.examples(dim)[place]) for dim in DIMS if dim <= getattr(cls, "largest_dim", np.inf)]


def pairs_for(kernel: Kernel, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of rows: at given distances for functions of the difference, else positive and inside the unit ball."""
    if isinstance(kernel, ShiftInvariantKernel):
        return distant_pairs(dim, (0.4, 1.0, 2.2))
    rng = np.random.default_rng(dim)
    x, y = rng.uniform(0.1, 1.0, size=(2, 5, dim))
    size = np.array([0.9, 0.6, 0.8, 0.5, 0.7])[:, None]
    return size * x / np.linalg.norm(x, axis=1)[:, None], size[::-1] * y / np.linalg.norm(y, axis=1)[:, None]


@singledispatch
def mean_of(feature_map: Any, kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """E z(x)'z(y): k(x, y), but for the maps that say otherwise; None where the draws are not what is random."""
    return kernel.rowwise(x, y)


@mean_of.register
def _(feature_map: bo.BinningFeatures, kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    if feature_map.hashing != "plain":
        return kernel.rowwise(x, y)
    one = isinstance(kernel, ShiftInvariantKernel)  # whose k(0) is 1
    buckets = feature_map.n_components // feature_map.n_grids
    return theory.binning_mean(kernel.rowwise(x, y), hashing="plain", n_buckets=buckets) if one else None


@mean_of.register
def _(feature_map: bo.NystroemFeatures, kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    return None


@mean_of.register
def _(feature_map: bo.AdditiveFeatures, kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    return None if feature_map.sampling == "regular" else kernel.rowwise(x, y)


@singledispatch
def variance_of(feature_map: Any, kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Var z(x)'z(y) by the theory; None where it has no closed form."""
    return None


@variance_of.register
def _(feature_map: bo.FourierFeatures, kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    if not isinstance(kernel, ShiftInvariantKernel):
        return None
    if feature_map.embedding == "complex":
        return theory.complex_variance(kernel, x - y, feature_map.n_components)[0]
    if not isinstance(kernel, RadialKernel) and feature_map.directions in ("auto", "iid"):
        directions = "iid"
    elif feature_map.directions in ("auto", "orthogonal", "hadamard", "iid"):
        directions = "iid" if feature_map.directions == "iid" else "orthogonal"
    else:
        return None
    if directions == "orthogonal" and isinstance(kernel, RadialProfile | RadialComposition):
        return None  # minutes of quadrature for what the closed forms tell
    return theory.variance(
        kernel, x - y, feature_map.n_components, embedding=feature_map.embedding, directions=directions
    )


@variance_of.register
def _(feature_map: bo.TensorSketch, kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    if not isinstance(kernel, bo.Polynomial):
        return None
    degree, offset, scale = kernel.checked()
    width = feature_map.n_components
    return theory.tensor_sketch_variance(x, y, degree=degree, n_components=width, offset=offset, scale=scale)


@variance_of.register
def _(feature_map: bo.BinningFeatures, kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    if feature_map.pitches != "iid" or not isinstance(kernel, ShiftInvariantKernel):
        return None
    buckets = None if feature_map.hashing == "exact" else feature_map.n_components // feature_map.n_grids
    return theory.binning_variance(
        kernel.rowwise(x, y), feature_map.n_grids, hashing=feature_map.hashing, n_buckets=buckets
    )


@mean_of.register
def _(feature_map: bo.MaclaurinFeatures, kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Where the series does not converge everywhere, these pairs are too near its edge: the variance is infinite."""
    finite = isinstance(kernel, PowerSeriesKernel) and np.isfinite(kernel.radius)
    return None if finite else kernel.rowwise(x, y)


def refusal(feature_map: KernelMap, kernel: Kernel, rows: np.ndarray) -> str | None:
    """The sentence with which a map refuses a kernel; None if it serves it."""
    try:
        clone(feature_map).set_params(kernel=kernel).fit(rows)
    except ValueError as refused:
        return str(refused)
    return None


@pytest.mark.parametrize(("feature_map", "cls", "place"), PAIRS)
def test_mean_and_variance_over_draws(feature_map, cls, place):
    """Five standard errors of the theory where it has a variance, and of the draws elsewhere."""
    for dim, kernel in kernels_at_dims(cls, place):
        x, y = pairs_for(kernel, dim)
        sentence = refusal(feature_map, kernel, np.concatenate([x, y]))
        if sentence is not None:
            assert_names_a_way(sentence, kernel, np.concatenate([x, y]))
            continue
        expected = mean_of(feature_map, kernel, x, y)
        if expected is None:
            continue
        values = estimates(clone(feature_map).set_params(kernel=kernel), (x, y), REPEATS)
        variance = variance_of(feature_map, kernel, x, y)
        assert_mean(values, expected, values.var(axis=0) if variance is None else variance)
        if variance is not None:
            assert_variance(values, variance)


@pytest.mark.parametrize("kernel", examples(Kernel), ids=name_of)
def test_maps_that_do_not_serve_a_kernel_name_one_that_does(kernel):
    rows = np.concatenate(pairs_for(kernel, 3))[:, : int(min(3, getattr(kernel, "largest_dim", 3)))]
    for cls in concrete(KernelMap):
        sentence = refusal(cls(random_state=0), kernel, rows)
        if sentence is not None:
            assert_names_a_way(sentence, kernel, rows)


def assert_names_a_way(sentence: str, kernel: Kernel, rows: np.ndarray) -> None:
    """One sentence that names a map which serves the kernel, or what to write in place of a parameter."""
    assert "\n" not in sentence
    assert sentence.endswith(".")
    named = [cls for cls in concrete(KernelMap) if re.search(rf"use (\w+ or )*{cls.__name__}", sentence)]
    assert named or re.search(r"use (\w+=|')|give ", sentence), sentence
    served = [cls for cls in named if refusal(cls(random_state=0), kernel, rows) is None]
    assert served or not named, sentence
