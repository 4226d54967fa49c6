"""Bounds over whole sets: uniform convergence, its proof, the expected maximum, slopes and nets."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

import bochner as bo
from bochner import theory

from .check import EPS, SMOOTH, Check, Checks, largest_paired, largest_shifted, likely_mean, share

PROOFS = list(product(("published", "rigorous", "sharp"), ("hoeffding", "bernstein"), ("published", "isodiametric")))
METHODS = ("sutherland-schneider", "rahimi-recht")


def disc(step: float) -> np.ndarray:
    """Half of the differences of at most 3: f is even."""
    axis = np.arange(-3.0, 3.0 + step / 2, step)
    table = np.stack(np.meshgrid(axis, axis[axis >= 0]), axis=-1).reshape(-1, 2)
    return table[np.linalg.norm(table, axis=1) <= 3.0]


def whole_sets(effort: int) -> Checks:
    """Uniform bounds, covering proofs, the expected maximum and its concentration; on a line and in a disc."""
    rng = np.random.default_rng(1)
    line, points, plane = np.linspace(0, 6.0, 181)[:, None], np.linspace(-3.0, 3.0, 25)[:, None], disc(0.25)
    for kernel, width in product(SMOOTH[: 1 + effort], (60, 600, 4000)):
        repeats = max(8, 24 * effort * 60 // width)
        paired = {"n_components": width, "dim": 1, "diameter": 6.0}
        yield from _largest(kernel, paired, largest_paired(kernel, line, width, repeats, rng))
        shifted = paired | {"embedding": "shifted"}
        yield from _largest(kernel, shifted, largest_shifted(kernel, points, width, repeats, rng))
        flat = {"n_components": width, "dim": 2, "diameter": 3.0}
        yield from _largest(kernel, flat, largest_paired(kernel, plane, width, repeats, rng))


def _largest(kernel: Any, given: dict[str, Any], found: np.ndarray) -> Checks:
    is_paired = "embedding" not in given
    supremum = theory.variance_supremum(kernel, given["dim"], given["diameter"])
    for eps, method, rigorous in product(EPS[2:], METHODS[: 1 + is_paired], (False, True)):
        bound = theory.uniform_bound(kernel, eps=eps, method=method, rigorous=rigorous, supremum=supremum, **given)
        yield share(f"uniform {method} rigorous={rigorous}", found, eps, bound)
    for eps in EPS[5::3] if given["n_components"] == 600 else ():
        bound = theory.uniform_bound(kernel, eps=eps, method="holder", supremum=supremum, **given)
        yield share("uniform Hoelder", found, eps, bound)
    for eps, (slope, tail, covering) in product(EPS[5:], PROOFS if is_paired and given["n_components"] > 60 else ()):
        proof = theory.covering_proof(kernel, eps=eps, slope=slope, tail=tail, covering=covering, **given)
        yield share(f"proof {slope} {tail} {covering}", found, eps, proof.total)
    mean, most = float(found.mean()), 2.0 if is_paired else 3.0
    for slope in ("published", "rigorous", "sharp"):
        yield Check(f"expected maximum {slope}", mean, theory.expected_max_error(kernel, slope=slope, **given), most)
    yield Check("expected maximum, Dudley", mean, theory.expected_max_error(kernel, method="dudley", **given), most)
    where = {"n_components": given["n_components"], "embedding": given.get("embedding", "paired")}
    margin = 5 * float(found.std()) / np.sqrt(len(found))  # for the mean is simulated too
    for excess, method in product((0.01, 0.02, 0.05, 0.1, 0.2), ("mcdiarmid", "bousquet")):
        bound = theory.concentration_bound(excess=excess, method=method, expected=mean, supremum=supremum, **where)
        yield share(f"concentration {method}", found, mean + margin + excess, bound)


def small_sets(effort: int) -> Checks:
    """Expected maxima over sets so small that Dudley's integral and the published form say something."""
    rng = np.random.default_rng(17)
    for kernel, (diameter, width) in product(SMOOTH, ((0.1, 600), (0.3, 600), (0.3, 6000))):
        line, points = np.linspace(0, diameter, 41)[:, None], np.linspace(0, diameter, 9)[:, None]
        given = {"n_components": width, "dim": 1, "diameter": diameter}
        mean = float(largest_paired(kernel, line, width, 10 * effort, rng).mean())
        for method in ("tail", "dudley", "published"):
            bound = theory.expected_max_error(kernel, method=method, **given)
            yield Check(f"expected maximum {method}", mean, bound, 2.0)
        mean = float(largest_shifted(kernel, points, width, 10 * effort, rng).mean())
        for method in ("tail", "dudley", "published"):
            bound = theory.expected_max_error(kernel, method=method, embedding="shifted", **given)
            yield Check(f"expected maximum {method}, shifted", mean, float(np.min(bound)), 3.0)


def widths_for_a_set(effort: int) -> Checks:
    """At the width that a uniform bound asks for, the largest error is above eps more rarely than delta."""
    rng = np.random.default_rng(14)
    line, points = np.linspace(0, 2.0, 81)[:, None], np.linspace(0.0, 2.0, 12)[:, None]
    for kernel, delta in product((*SMOOTH, bo.Laplace(1.0)), (0.5, 0.1)):
        rough = kernel.frequency_second_moment(1) == np.inf
        given = {"eps": 0.5, "delta": delta, "dim": 1, "diameter": 2.0, "n_points": 12}
        for method in ("points", "holder") if rough else ("points", "holder", "sutherland-schneider", "rahimi-recht"):
            width = theory.components_needed(kernel, method=method, rigorous=True, **given)
            found = largest_paired(kernel, line, width + width % 2, 20 * effort, rng)
            yield share(f"width of {method}", found, 0.5, delta)
            yield Check(f"width of {method}, median", float(np.median(found)), 0.5)
            if method != "rahimi-recht":
                width = theory.components_needed(kernel, method=method, embedding="shifted", rigorous=True, **given)
                found = largest_shifted(kernel, points, width, 20 * effort, rng)
                yield share(f"width of {method}, shifted", found, 0.5, delta)


def half_point(bound: Callable[[float], float]) -> float:
    """The smallest eps of a grid at which a bound is at most 1/2: the median error must be below it."""
    return next((float(eps) for eps in np.linspace(0.01, 0.99, 99) if bound(float(eps)) <= 0.5), np.inf)


def rough_kernels(effort: int) -> Checks:
    """Hoelder's bound over a segment and the union bound over points, for kernels with a kink."""
    rng = np.random.default_rng(2)
    line, points = np.linspace(0, 4.0, 121)[:, None], np.linspace(0, 2.0, 12)[:, None]
    differences = np.unique(np.round(points - points.T, 9))[:, None]
    for kernel, width in product((bo.Laplace(1.0), bo.Matern(1.0, nu=0.5), bo.Reciprocal(1.0)), (200, 3000)):
        given = {"n_components": width, "dim": 1, "diameter": 4.0, "method": "holder"}
        among = {"n_components": width, "n_points": 12, "method": "points"}
        for embedding in ("paired", "shifted"):
            if embedding == "paired":
                over = largest_paired(kernel, line, width, 12 * effort, rng)
                between = largest_paired(kernel, differences, width, 12 * effort, rng)
            else:
                over = largest_shifted(kernel, 2 * points, width, 12 * effort, rng)
                between = largest_shifted(kernel, points, width, 12 * effort, rng)

            def union(eps, embedding=embedding, kernel=kernel, among=among):
                return theory.uniform_bound(kernel, eps=eps, embedding=embedding, **among)

            for eps in EPS[3:]:
                bound = theory.uniform_bound(kernel, eps=eps, embedding=embedding, **given)
                yield share(f"Hoelder {embedding}", over, eps, bound)
                yield share(f"points {embedding}", between, eps, union(eps))
            yield Check(f"points {embedding}, median", float(np.median(between)), half_point(union))


def slopes(effort: int) -> Checks:
    """E L² by the largest slope on a grid, which is below the true one; the published moment is known to fail."""
    rng = np.random.default_rng(3)
    line, points = np.linspace(0, 8.0, 301)[:, None], np.linspace(-2.0, 2.0, 21)[:, None]
    delta = points - points.T
    for kernel, frequencies in product(SMOOTH, (1, 2, 3, 10, 60)):
        derivative = (kernel.at(line + 1e-5) - kernel.at(line - 1e-5)) / 2e-5
        inner = (kernel.at((delta + 1e-5).reshape(-1, 1)) - kernel.at((delta - 1e-5).reshape(-1, 1))) / 2e-5
        inner = inner.reshape(delta.shape)
        squares, pairs = np.empty(50 * effort), np.empty(50 * effort)
        for repeat in range(len(squares)):
            w = kernel.sample_frequencies(1, frequencies, rng)
            squares[repeat] = np.abs((np.sin(line @ w.T) * -w[:, 0]).mean(axis=1) - derivative).max() ** 2
            turns = points @ w.T + rng.uniform(0, 2 * np.pi, size=frequencies)
            sines, cosines = 2 / frequencies * np.sin(turns) * w[:, 0], np.cos(turns)
            gradient = np.stack([-sines @ cosines.T - inner, -cosines @ sines.T + inner])
            pairs[repeat] = np.sum(gradient**2, axis=0).max()
        for method in ("sharp", "rigorous"):
            bound = theory.slope_moment(kernel, 1, 2 * frequencies, method=method)
            yield Check(f"slope paired {method}", likely_mean(squares), bound)
            bound = theory.slope_moment(kernel, 1, frequencies, method=method, embedding="shifted")
            yield Check(f"slope shifted {method}", likely_mean(pairs), bound)
        place = float(theory.slope_variance(kernel, line, 2 * frequencies).max())
        yield Check("slope at one place", place, float(squares.mean() + 5 * squares.std() / np.sqrt(len(squares))))


def nets(effort: int) -> Checks:
    """Sizes of greedy nets of sets of many shapes, and their diameters."""
    rng = np.random.default_rng(4)
    for dim, shape in product((1, 2, 3), ("cube", "ball", "sphere", "cluster", "segment")):
        M = rng.normal(size=(400 * effort, dim))
        norms = np.linalg.norm(M, axis=1, keepdims=True)
        if shape == "cube":
            M = rng.random(M.shape)
        elif shape == "ball":
            M *= rng.random((len(M), 1)) ** (1 / dim) / norms
        elif shape == "sphere":
            M /= norms
        elif shape == "segment":
            M[:, 1:] *= 1e-3
        diameter = theory.diameter(M)
        yield Check("enclosing diameter", diameter, theory.enclosing_diameter(M) * (1 + 1e-9))
        for part in (0.05, 0.15, 0.4, 0.9):
            net = theory.epsilon_net(M, part * diameter)
            bound = theory.covering_number_bound(dim, diameter, part * diameter)
            yield Check(f"net of a {shape}", float(len(net)), bound * (1 + 1e-9))
            yield Check("covering radius", theory.covering_radius(M, net), part * diameter)
            if len(net) > 1:
                yield Check("packing radius", 0.5 * part * diameter, theory.packing_radius(net) * (1 + 1e-9))
        assert len(theory.epsilon_net(M, 1.1 * diameter)) == theory.covering_number_bound(dim, diameter, 1.1 * diameter)
