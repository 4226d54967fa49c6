"""Bounds of random binning, Maclaurin features, compositions and projections."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from scipy.special import factorial

import bochner as bo
from bochner import theory

from .check import EPS, GAUSSIAN, Check, Checks, share
from .sets import half_point


def bins(effort: int) -> Checks:
    """Random binning over a segment and a square, and between points; and at the number of grids that is asked for."""
    rng = np.random.default_rng(8)
    cases = [(bo.Laplace(1.0), 1, 100), (bo.Reciprocal(0.7), 1, 300), (bo.Laplace([1.0, 2.0]), 2, 800)]
    for kernel, dim, grids in cases:
        points = np.linspace(0, 3, 31)[:, None] if dim == 1 else rng.uniform(0, 3, size=(30, 2))
        box, among = {"sides": [3.0] * dim}, {"n_points": len(points)}
        found = _largest_binned(kernel, points, grids, 20 * effort, rng)
        for eps, (name, given) in product(EPS, (("over a box", box), ("between points", among))):
            bound = theory.binning_bound(kernel, eps=eps, n_grids=grids, **given)
            yield share(f"binning {name}", found, eps, bound)
        median = half_point(lambda eps, k=kernel, g=grids, b=box: theory.binning_bound(k, eps=eps, n_grids=g, **b))
        yield Check("binning over a box, median", float(np.median(found)), median)
        for delta, (name, given) in product((0.5, 0.1), (("over a box", box), ("between points", among))):
            needed = theory.grids_needed(kernel, eps=0.3, delta=delta, **given)
            found_there = _largest_binned(kernel, points, needed, 20 * effort, rng)
            yield share(f"grids {name}", found_there, 0.3, delta)


def _largest_binned(kernel: Any, points: np.ndarray, grids: int, repeats: int, rng: np.random.Generator) -> np.ndarray:
    exact, found = kernel(points), np.empty(repeats)
    for repeat in range(repeats):
        pitch = kernel.sample_pitches(points.shape[1], grids, rng)
        bins_of = np.floor((points[None] + (rng.random(pitch.shape) * pitch)[:, None]) / pitch[:, None])
        together = (bins_of[:, :, None] == bins_of[:, None]).all(axis=3).mean(axis=0)
        found[repeat] = np.abs(together - exact).max()
    return found


def products(effort: int) -> Checks:
    """Theorem 4: at the width it asks for, the largest error over the L1 ball fails more rarely than delta."""
    rng = np.random.default_rng(9)
    a = 1 / factorial(np.arange(12))
    settings = product((0.3, 0.4), ("proportional", "geometric"), (True, False), (None, 4))
    for radius, degrees, h01, max_degree in settings:
        eps = {("proportional", True): 0.003, ("geometric", True): 0.006}.get((degrees, h01), 0.4)
        delta, dim = 0.2, 2  # a feature can be off by more than eps
        given = {"eps": eps, "delta": delta, "dim": dim, "radius": radius, "degrees": degrees}
        width = theory.maclaurin_components_needed(a, h01=h01, max_degree=max_degree, complete=True, **given)
        kept, start = a[: (max_degree or 11) + 1], 2 if h01 else 0
        if degrees == "geometric":
            law = theory.geometric_degrees(len(kept), 2.0, start)
        else:
            law = theory.proportional_degrees(kept, radius, start)
        law = law / law.sum()
        angle = np.linspace(0, 1, 9)[:, None]
        points = radius * np.concatenate([np.hstack([angle, 1 - angle]), np.hstack([angle, angle - 1])])
        exact, low = np.exp(points @ points.T), (1 + points @ points.T if h01 else 0.0)
        largest = np.empty(6 * effort)
        for repeat in range(len(largest)):
            degree = rng.choice(len(kept), size=width, p=law)
            Z = np.sqrt(kept[degree] / law[degree] / width) * np.ones((len(points), 1))
            for factor in range(int(degree.max(initial=0))):
                signs = rng.choice([-1.0, 1.0], size=(dim, width))
                Z *= np.where(degree > factor, points @ signs, 1.0)
            largest[repeat] = np.abs(Z @ Z.T + low - exact).max()
        yield share(f"Theorem 4 {degrees} h01={h01}", largest, eps, delta)
        yield Check(f"Theorem 4 {degrees} h01={h01}, median", float(np.median(largest)), eps)


def cut_series(effort: int) -> Checks:
    """What is left out of a series, at pairs of rows in a ball."""
    rng = np.random.default_rng(16)
    n = np.arange(60)
    for a, radius in ((1 / factorial(n), 1.0), (1 / factorial(n), 2.0), (0.5**n, 1.2), (1.0 / (n + 1), 0.8)):
        X = rng.normal(size=(100 * effort, 3))
        X *= radius * np.geomspace(0.3, 1, len(X))[:, None] / np.linalg.norm(X, axis=1, keepdims=True)
        powers = (X @ X.T)[..., None] ** n
        for kept in (1, 2, 3, 5, 8, 12):
            left_out = float(np.abs(powers[..., kept:] @ a[kept:]).max())
            yield Check("cut series", left_out, theory.truncation_bias(a, kept, radius) * (1 + 1e-9))


def compositions(effort: int) -> Checks:
    """f(k) = .1 exp(k): products of cosines, and sums of frequencies, at the widths that are promised to do."""
    rng = np.random.default_rng(10)
    scaled = bo.Composed(bo.DotProduct(lambda t: 0.1 * np.exp(t)), GAUSSIAN)
    a = scaled.coefficients(12)
    points = np.linspace(-1.0, 1.0, 21)[:, None]
    exact = scaled(points)
    for eps, method in product((0.1, 0.2, 0.4)[3 - min(effort + 1, 3) :], ("theorem-4", "shift-invariant")):
        given = {"eps": eps, "delta": 0.3, "dim": 1, "diameter": 2.0, "method": method, "rigorous": True}
        width, largest = theory.composed_components_needed(scaled, **given), np.empty(10 * effort)
        law = theory.proportional_degrees(a, np.sqrt(2.0) if method == "theorem-4" else 1.0)
        for repeat in range(len(largest)):
            degree = rng.choice(len(a), size=width, p=law)
            if method == "theorem-4":
                Z = np.sqrt(a[degree] / law[degree] / width) * np.ones((len(points), 1))
                for factor in range(int(degree.max())):
                    turns = points * rng.normal(size=width) + rng.uniform(0, 2 * np.pi, size=width)
                    Z *= np.where(degree > factor, np.sqrt(2.0) * np.cos(turns), 1.0)
                found = Z @ Z.T
            else:
                w = rng.normal(size=width // 2) * np.sqrt(degree[: width // 2])
                found = a.sum() * np.cos((points - points.T)[:, :, None] * w).mean(axis=2)
            largest[repeat] = np.abs(found - exact).max()
        yield share(f"composition {method}", largest, eps, 0.3)
        yield Check(f"composition {method}, median", float(np.median(largest)), eps)


def any_terms(effort: int) -> Checks:
    """Hoeffding's inequality at its worst, and distances under the projections of Johnson and Lindenstrauss."""
    rng = np.random.default_rng(11)
    for ranges in (np.ones(10), np.geomspace(0.1, 3, 12), np.full(40, 0.2)):
        sums = np.abs((rng.integers(0, 2, size=(20_000 * effort, len(ranges))) - 0.5) @ ranges)
        for deviation in np.sqrt(np.sum(ranges**2)) * np.linspace(0.6, 1.5, 10):
            yield share("Hoeffding", sums, deviation - 1e-9, theory.hoeffding(ranges, float(deviation) - 1e-9))
    for n, eps in ((10, 0.2), (20, 0.3), (20, 0.5), (50, 0.4)):
        X = rng.normal(size=(n, 30))
        upper = np.triu_indices(n, 1)
        exact = np.sum((X[:, None] - X[None]) ** 2, axis=2)[upper]
        width, worst = theory.johnson_lindenstrauss(n, eps), np.empty(20 * effort)
        for repeat in range(len(worst)):
            images = X @ rng.normal(size=(30, width)) / np.sqrt(width)
            products_of = images @ images.T
            lengths = np.diag(products_of)
            squares = lengths[:, None] + lengths[None] - 2 * products_of
            worst[repeat] = np.abs(squares[upper] / exact - 1).max()
        # At this width the union bound over pairs is 1 - 1/n: it fails for some draws at most.
        yield share("Johnson and Lindenstrauss", worst, eps, 1 - 1 / n)
