"""Simulations that could refute a bound: each yields (what, observed, bound), and no observed may be above its bound.

Observed is a share of draws that fail, a mean, or a size; ``effort`` multiplies draws and settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import factorial

import bochner as bo
from bochner import theory
from tests.theory.reference import error_by_definition

Checks = Iterator[tuple[str, float, float]]
GAUSSIAN = bo.Gaussian()
SMOOTH = (bo.Gaussian(), bo.Matern(nu=1.5), bo.RationalQuadratic(alpha=0.7), bo.Cauchy())
EPS = np.array([0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95])


def one_pair(effort: int) -> Checks:
    """Chebyshev, Hoeffding, sub-Gaussian and Bernstein, both embeddings."""
    settings = [
        (bo.Gaussian(), [0.3, 0.4]),
        (bo.Gaussian(), [2.0]),
        (bo.Laplace(), [1.0]),
        (bo.Cauchy(), [3.6]),
        (bo.Matern(nu=1.5), [0.5, 0.1, 0.2]),
        (bo.ShiftInvariant(lambda r: np.cos(3 * r)), [np.pi / 3]),  # two frequencies: the largest variance there is
    ]
    methods = ("chebyshev", "hoeffding", "sub-gaussian", "bernstein")
    for (kernel, difference), embedding, width in product(settings[: 3 * effort], ("paired", "shifted"), (10, 40)):
        error = np.abs(error_by_definition(kernel, difference, width, embedding, 5000 * effort))
        for eps, method in product(EPS[::2], methods):
            given = {"eps": eps, "n_components": width, "method": method, "difference": difference}
            bound = theory.pointwise_bound(kernel, embedding=embedding, **given)
            yield f"{method} {embedding}", float(np.mean(error >= eps)), bound


def largest_paired(kernel: Any, delta: np.ndarray, width: int, repeats: int, rng: np.random.Generator) -> np.ndarray:
    """sup |f| over the rows of delta."""
    exact, found = kernel.at(delta), np.empty(repeats)
    for repeat in range(repeats):
        w = kernel.sample_frequencies(delta.shape[1], width // 2, rng)
        found[repeat] = np.abs(np.cos(delta @ w.T).mean(axis=1) - exact).max()
    return found


def largest_shifted(kernel: Any, points: np.ndarray, width: int, repeats: int, rng: np.random.Generator) -> np.ndarray:
    """sup |f| over pairs of points."""
    exact, found = kernel(points), np.empty(repeats)
    for repeat in range(repeats):
        w, phase = kernel.sample_frequencies(points.shape[1], width, rng), rng.uniform(0, 2 * np.pi, size=width)
        Z = np.sqrt(2 / width) * np.cos(points @ w.T + phase)
        found[repeat] = np.abs(Z @ Z.T - exact).max()
    return found


def whole_sets(effort: int) -> Checks:
    """Uniform bounds, covering proofs, the expected maximum and its concentration; on a line and in a disc."""
    rng = np.random.default_rng(1)
    axis = np.linspace(-3.0, 3.0, 25)
    disc = np.stack(np.meshgrid(axis, axis[12:]), axis=-1).reshape(-1, 2)
    disc = disc[np.linalg.norm(disc, axis=1) <= 3.0]
    for kernel, width in product(SMOOTH[: 2 * effort], (60, 1200)[: max(1, effort)]):
        line, points = np.linspace(0, 6.0, 241)[:, None], np.linspace(-3.0, 3.0, 31)[:, None]
        paired = {"n_components": width, "dim": 1, "diameter": 6.0}
        yield from _largest(kernel, paired, largest_paired(kernel, line, width, 30 * effort, rng), effort)
        shifted = paired | {"embedding": "shifted"}
        yield from _largest(kernel, shifted, largest_shifted(kernel, points, width, 30 * effort, rng), effort)
        plane = {"n_components": width, "dim": 2, "diameter": 3.0}
        yield from _largest(kernel, plane, largest_paired(kernel, disc, width, 20 * effort, rng), effort)


def _largest(kernel: Any, given: dict[str, Any], found: np.ndarray, effort: int) -> Checks:
    is_paired = "embedding" not in given
    methods = ("sutherland-schneider", "rahimi-recht") if is_paired else ("sutherland-schneider",)
    supremum = theory.variance_supremum(kernel, given["dim"], given["diameter"])
    for eps in EPS[:: 3 - min(effort, 2)]:
        share = float(np.mean(found >= eps))
        for method, rigorous in product(methods, (False, True)):
            bound = theory.uniform_bound(kernel, eps=eps, method=method, rigorous=rigorous, supremum=supremum, **given)
            yield f"uniform {method} rigorous={rigorous}", share, bound
        if is_paired and effort > 1:
            for slope, tail, covering in product(
                ("published", "rigorous", "sharp"), ("hoeffding", "bernstein"), ("published", "isodiametric")
            ):
                proof = theory.covering_proof(kernel, eps=eps, slope=slope, tail=tail, covering=covering, **given)
                yield f"proof {slope} {tail} {covering}", share, proof.total
    mean = float(found.mean())
    for slope in ("published", "rigorous", "sharp"):
        yield f"expected maximum, tail {slope}", mean, theory.expected_max_error(kernel, slope=slope, **given)
    yield "expected maximum, Dudley", mean, theory.expected_max_error(kernel, method="dudley", **given)
    where = {"n_components": given["n_components"], "embedding": given.get("embedding", "paired")}
    for excess, method in product((0.02, 0.05, 0.1, 0.2), ("mcdiarmid", "bousquet")):
        bound = theory.concentration_bound(excess=excess, method=method, expected=mean, supremum=supremum, **where)
        # The mean is simulated too: its own error is allowed for.
        margin = 5 * float(found.std()) / np.sqrt(len(found))
        yield f"concentration {method}", float(np.mean(found >= mean + margin + excess)), bound


def half_point(bound: Callable[[float], float]) -> float:
    """The smallest eps of a grid at which a bound is at most 1/2: the median error must be below it."""
    return next((float(eps) for eps in np.linspace(0.01, 0.99, 99) if bound(float(eps)) <= 0.5), np.inf)


def rough_kernels(effort: int) -> Checks:
    """Hoelder's and the union bound for kernels with a kink."""
    rng = np.random.default_rng(2)
    line = np.linspace(0, 4.0, 161)[:, None]
    points = np.linspace(0, 2.0, 12)[:, None]
    for kernel, width in product(
        (bo.Laplace(), bo.Matern(nu=0.5), bo.Reciprocal())[: effort + 1], (200, 3000)[:effort]
    ):
        found = largest_paired(kernel, line, width, 30 * effort, rng)
        for eps in EPS[2::3]:
            given = {"eps": eps, "n_components": width, "dim": 1, "diameter": 4.0}
            yield "Hoelder", float(np.mean(found >= eps)), theory.uniform_bound(kernel, method="holder", **given)
        differences = np.unique(np.round(points - points.T, 9))[:, None]
        found = largest_paired(kernel, differences, width, 30 * effort, rng)
        for eps in EPS:
            given = {"eps": eps, "n_components": width, "n_points": 12}
            yield "points", float(np.mean(found >= eps)), theory.uniform_bound(kernel, method="points", **given)
        among = {"kernel": kernel, "n_components": width, "n_points": 12, "method": "points"}
        median = half_point(lambda eps, among=among: theory.uniform_bound(eps=eps, **among))
        yield "points, median", float(np.median(found)), median


def slopes(effort: int) -> Checks:
    """E L² by the largest slope on a grid, which is below the true one; the published moment is known to fail."""
    rng = np.random.default_rng(3)
    line, points = np.linspace(0, 8.0, 401)[:, None], np.linspace(-2.0, 2.0, 25)[:, None]
    for kernel, frequencies in product(SMOOTH[: effort + 1], (1, 3, 10, 60)):
        derivative = (kernel.at(line + 1e-5) - kernel.at(line - 1e-5)) / 2e-5
        squares, pairs = np.empty(60 * effort), np.empty(60 * effort)
        for repeat in range(len(squares)):
            w = kernel.sample_frequencies(1, frequencies, rng)
            squares[repeat] = np.abs((np.sin(line @ w.T) * -w[:, 0]).mean(axis=1) - derivative).max() ** 2
            turns = points @ w.T + rng.uniform(0, 2 * np.pi, size=frequencies)
            sines, cosines = 2 / frequencies * np.sin(turns) * w[:, 0], np.cos(turns)
            delta = points - points.T
            inner = (
                (kernel.at((delta + 1e-5).reshape(-1, 1)) - kernel.at((delta - 1e-5).reshape(-1, 1))) / 2e-5
            ).reshape(delta.shape)
            gradient = np.stack([-sines @ cosines.T - inner, -cosines @ sines.T + inner])
            pairs[repeat] = np.sum(gradient**2, axis=0).max()
        for method in ("sharp", "rigorous"):
            bound = theory.slope_moment(kernel, 1, 2 * frequencies, method=method)
            yield f"slope paired {method}", _likely_mean(squares), bound
            bound = theory.slope_moment(kernel, 1, frequencies, method=method, embedding="shifted")
            yield f"slope shifted {method}", _likely_mean(pairs), bound
        place = theory.slope_variance(kernel, line, 2 * frequencies).max()
        yield "slope at one place", float(place), float(squares.mean() + 5 * squares.std() / np.sqrt(len(squares)))


def _likely_mean(values: np.ndarray) -> float:
    """The mean less three standard errors: what the sample says for sure."""
    return float(values.mean() - 3 * values.std() / np.sqrt(len(values)))


def nets(effort: int) -> Checks:
    """Sizes of greedy nets of sets of many shapes."""
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
        for share in (0.05, 0.15, 0.4, 0.9, 1.1, 3.0):
            net = theory.epsilon_net(M, share * diameter)
            bound = theory.covering_number_bound(dim, diameter, share * diameter)
            yield f"net of a {shape}", float(len(net)), bound * (1 + 1e-9)
            yield "covering radius", theory.covering_radius(M, net), share * diameter


def l2(effort: int) -> Checks:
    """The squared L2 error about its exact mean."""
    rng = np.random.default_rng(5)
    for kernel, width in product((GAUSSIAN, bo.Laplace())[:effort], (20, 200)):
        x, y = rng.normal(size=(2, 60, 2))
        squares = np.empty(400 * effort)
        for repeat in range(len(squares)):
            w = kernel.sample_frequencies(2, width // 2, rng)
            squares[repeat] = np.mean((np.cos((x - y) @ w.T).mean(axis=1) - kernel.at(x - y)) ** 2)
        expected = theory.l2_error(kernel, n_components=width, difference=x - y)
        deviation = float(np.sqrt(theory.l2_variance(kernel, n_components=width, pairs=(x, y))))
        for factor in (1.1, 1.5, 2.0, 3.0, 5.0, 20.0):
            excess = factor * deviation
            share = float(np.mean(np.abs(squares - expected) >= excess))
            given = {"excess": excess, "n_components": width}
            yield "L2 McDiarmid", share, theory.l2_concentration(**given)
            yield "L2 Chebyshev", share, theory.l2_concentration(method="chebyshev", variance=deviation**2, **given)


def learners(effort: int) -> Checks:
    """Ridge regression, support vector machines and MMD on random problems with random features."""
    rng = np.random.default_rng(6)
    for _ in range(40 * effort):
        n, width, share = int(rng.integers(5, 61)), int(2 * rng.integers(5, 200)), 10 ** rng.uniform(-4, 0.5)
        X, y = rng.normal(size=(n + 1, 2)), rng.normal(size=n)
        w = GAUSSIAN.sample_frequencies(2, width // 2, rng)
        Z = np.sqrt(2 / width) * np.hstack([np.cos(X @ w.T), np.sin(X @ w.T)])
        K, K_hat = GAUSSIAN(X), Z @ Z.T
        difference, alpha = K - K_hat, share * n
        duals = [cho_solve(cho_factor(gram[:n, :n] + alpha * np.eye(n)), y) for gram in (K, K_hat)]
        moved = abs(K[n, :n] @ duals[0] - K_hat[n, :n] @ duals[1])
        eps, eta = float(np.abs(difference).max()), float(np.linalg.norm(difference[:n, :n], 2))
        given = {"alpha": alpha, "n_rows": n, "target_rms": float(np.sqrt(np.mean(y**2)))}
        loose = theory.ridge_perturbation(eps=eps, **given)
        spectral = theory.ridge_perturbation(eps=eps, spectral=eta, **given)
        row, norm = float(np.linalg.norm(difference[n, :n])), float(np.linalg.norm(duals[0]))
        sharp = theory.ridge_perturbation(spectral=eta, row_error=row, dual_norm=norm, **given)
        yield "ridge, largest error", moved, loose
        yield "ridge, spectral", moved, spectral
        yield "ridge, all known", moved, sharp
        yield "ridge, spectral is not above", spectral, loose * (1 + 1e-12)
        yield "ridge, all known is not above", sharp, spectral * (1 + 1e-12)
        half = (n + 1) // 2
        signs = np.where(np.arange(n + 1) < half, 1 / half, -1 / (n + 1 - half))
        exact, found = signs @ K @ signs, signs @ K_hat @ signs
        yield "MMD²", abs(exact - found), theory.mmd_perturbation(eps=eps)
        yield "MMD", abs(np.sqrt(exact) - np.sqrt(found)), theory.mmd_perturbation(eps=eps, squared=False)
    for _ in range(3 * effort):
        X = rng.normal(size=(16, 2))
        labels, C = np.sign(X[:15, 0] * X[:15, 1]), 10 ** rng.uniform(-3, 0)
        w = GAUSSIAN.sample_frequencies(2, 50, rng)
        Z = np.hstack([np.cos(X @ w.T), np.sin(X @ w.T)]) / np.sqrt(50)
        outputs = [_svm_output(gram, labels, C) for gram in (GAUSSIAN(X), Z @ Z.T)]
        eta = float(np.linalg.norm(GAUSSIAN(X) - Z @ Z.T, 2))
        bound = theory.svm_perturbation(C=C, n_rows=15, spectral=eta)
        yield "support vector machine", abs(outputs[0] - outputs[1]), bound


def _svm_output(gram: np.ndarray, labels: np.ndarray, C: float) -> float:
    """The dual without intercept by coordinate ascent, 0 <= a_i <= C; the output at the last row."""
    n, a = len(labels), np.zeros(len(labels))
    for _ in range(200):
        for i in range(n):
            gradient = 1 - labels[i] * (gram[i, :n] @ (a * labels))
            a[i] = np.clip(a[i] + gradient / gram[i, i], 0, C)
    return float(gram[n, :n] @ (a * labels))


def discrepancies(effort: int) -> Checks:
    """MMD² of random features about that of the kernel."""
    rng = np.random.default_rng(7)
    for (kernel, apart), width in product(
        ((GAUSSIAN, 0.3), (GAUSSIAN, 3.0), (bo.Laplace(), 1.0))[: effort + 1], (20, 200)
    ):
        points = np.concatenate([rng.normal(size=(15, 1)), apart + rng.normal(size=(20, 1))])
        signs = np.concatenate([np.full(15, 1 / 15), np.full(20, -1 / 20)])
        squared = float(signs @ kernel(points) @ signs)
        found = np.empty(1000 * effort)
        for repeat in range(len(found)):
            waves = np.exp(1j * kernel.sample_frequencies(1, width // 2, rng) @ points.T) @ signs
            found[repeat] = np.mean(np.abs(waves) ** 2)
        for excess in (0.02, 0.05, 0.1, 0.2, 0.4, 0.8):
            share = float(np.mean(np.abs(found - squared) >= excess))
            yield "MMD Hoeffding", share, theory.mmd_concentration(excess=excess, n_components=width)
            bound = theory.mmd_concentration(excess=excess, n_components=width, squared=squared)
            yield "MMD Bernstein", share, bound


def bins(effort: int) -> Checks:
    """Random binning over a segment and a square, and between points."""
    rng = np.random.default_rng(8)
    cases = [(bo.Laplace(), 1, 100), (bo.Reciprocal(0.7), 1, 300), (bo.Laplace([1.0, 2.0]), 2, 200)]
    for kernel, dim, grids in cases[: effort + 1]:
        points = np.linspace(0, 3, 31)[:, None] if dim == 1 else rng.uniform(0, 3, size=(40, 2))
        exact, found = kernel(points), np.empty(20 * effort)
        for repeat in range(len(found)):
            pitch = kernel.sample_pitches(dim, grids, rng)
            bins_of = np.floor((points[None] + (rng.random(pitch.shape) * pitch)[:, None]) / pitch[:, None])
            together = (bins_of[:, :, None] == bins_of[:, None]).all(axis=3).mean(axis=0)
            found[repeat] = np.abs(together - exact).max()
        for eps in EPS:
            share, given = float(np.mean(found >= eps)), {"eps": eps, "n_grids": grids}
            yield "binning over a box", share, theory.binning_bound(kernel, sides=[3.0] * dim, **given)
            yield "binning between points", share, theory.binning_bound(kernel, n_points=len(points), **given)
        box = {"kernel": kernel, "n_grids": grids, "sides": [3.0] * dim}
        median = half_point(lambda eps, box=box: theory.binning_bound(eps=eps, **box))
        yield "binning over a box, median", float(np.median(found)), median


def products(effort: int) -> Checks:
    """Theorem 4: at the width it asks for, the largest error over the L1 ball fails more rarely than delta."""
    rng = np.random.default_rng(9)
    a = 1 / factorial(np.arange(12))
    settings = product((0.3, 0.4), ("proportional", "geometric"), (True, False)[: 1 + (effort > 1)], (None, 4))
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
        largest = np.empty(10 * effort)
        for repeat in range(len(largest)):
            degree = rng.choice(len(kept), size=width, p=law)
            Z = np.sqrt(kept[degree] / law[degree] / width) * np.ones((len(points), 1))
            for factor in range(int(degree.max(initial=0))):
                signs = rng.choice([-1.0, 1.0], size=(dim, width))
                Z *= np.where(degree > factor, points @ signs, 1.0)
            largest[repeat] = np.abs(Z @ Z.T + low - exact).max()
        yield f"Theorem 4 {degrees} h01={h01}", float(np.mean(largest >= eps)), delta
        yield f"Theorem 4 {degrees} h01={h01}, median", float(np.median(largest)), eps


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
        yield f"composition {method}", float(np.mean(largest >= eps)), 0.3
        yield f"composition {method}, median", float(np.median(largest)), eps


def any_terms(effort: int) -> Checks:
    """Hoeffding's inequality at its worst, and distances under the projections of Johnson and Lindenstrauss."""
    rng = np.random.default_rng(11)
    for ranges in (np.ones(10), np.geomspace(0.1, 3, 12), np.full(40, 0.2)):
        sums = (rng.integers(0, 2, size=(20_000 * effort, len(ranges))) - 0.5) @ ranges
        for deviation in np.sqrt(np.sum(ranges**2)) * np.array([0.2, 0.4, 0.6, 0.8, 1.0, 1.3]):
            share = float(np.mean(np.abs(sums) >= deviation - 1e-9))
            yield "Hoeffding", share, theory.hoeffding(ranges, float(deviation) - 1e-9)
    for n, eps in ((20, 0.3), (20, 0.5)):
        X = rng.normal(size=(n, 30))
        upper = np.triu_indices(n, 1)
        exact = np.sum((X[:, None] - X[None]) ** 2, axis=2)[upper]
        width, worst = theory.johnson_lindenstrauss(n, eps), []
        for _ in range(20 * effort):
            images = X @ rng.normal(size=(30, width)) / np.sqrt(width)
            worst.append(np.abs(np.sum((images[:, None] - images[None]) ** 2, axis=2)[upper] / exact - 1).max())
        yield "Johnson and Lindenstrauss", float(np.mean(np.array(worst) > eps)), 1.0 - 1e-9


FAMILIES: tuple[Callable[[int], Checks], ...] = (
    one_pair,
    whole_sets,
    rough_kernels,
    slopes,
    nets,
    l2,
    learners,
    discrepancies,
    bins,
    products,
    compositions,
    any_terms,
)
