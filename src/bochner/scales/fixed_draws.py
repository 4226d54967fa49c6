"""Length scales of Fourier features by maximum evidence on a subsample of rows, with the random draw held fixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotri
from sklearn.base import clone

from ..blocks import Block
from ..compute.trigonometry import cosine_sine
from ..kernels import Kernel
from ..kernels.scaling import stretched
from ..maps import Features
from ..maps.changed_rows import behind_changes, changed_rows
from ..maps.features import ConcatenatedFeatures
from ..maps.fourier import FourierFunction
from .evidence import assembled
from .maximise import Box, Evidence, maximise

Array = np.ndarray

MOST_COMPONENTS = 512  # of the draw that is used while learning: beyond, a step costs more than it tells
PRIOR = 1.0  # half-width of the law of a column's log factor; with 1/2 and 1/4 R2 moves by less than .02 on ten tables
BOX = Box((1e-6, 1e2), (1e-4, 1e4))
GAIN = 1e-7


@dataclass(frozen=True)
class FourierTerm:
    """One kernel's share of Fourier features: frequencies in turns (columns, frequencies) at factor 1."""

    weight: float
    frequencies: Array
    phases: Array
    n_pairs: int

    def at(self, scaled: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Features of scaled rows, and the map from dL/dZ to dL/d(scaled row)."""
        pairs = self.n_pairs
        size = float(np.sqrt(2.0 * self.weight / (2 * pairs + len(self.phases))))
        turns = scaled @ self.frequencies
        turns[:, pairs:] += self.phases
        cosine, sine = np.empty_like(turns), np.empty_like(turns)
        cosine_sine(turns, size, cosine, sine)
        values = np.hstack([cosine[:, :pairs], sine[:, :pairs], cosine[:, pairs:]])

        def pullback(gradient: Array) -> Array:
            by_angle = -sine
            by_angle[:, :pairs] *= gradient[:, :pairs]
            by_angle[:, :pairs] += cosine[:, :pairs] * gradient[:, pairs : 2 * pairs]
            by_angle[:, pairs:] *= gradient[:, 2 * pairs :]
            return by_angle @ (2 * np.pi * self.frequencies.T)

        return values, pullback


def fourier_terms(features: Features, most: int = MOST_COMPONENTS) -> list[FourierTerm]:
    """The Fourier terms that features consist of behind changes of rows, thinned to about ``most`` components.

    Empty if they consist of others too.
    """
    features = behind_changes(features)
    weights: tuple[float, ...] = (1.0,)
    parts: tuple[Features, ...] = (features,)
    if isinstance(features, ConcatenatedFeatures):
        weights, parts = features.weights, features.parts
    share = min(1.0, most / max(1, features.n_components))
    terms = []
    for weight, part in zip(weights, parts):
        if not isinstance(part, FourierFunction):
            return []
        pairs, shifted = int(np.ceil(share * part.n_pairs)), int(np.ceil(share * len(part.phases)))
        # To the digits of single precision: length scales which differ by rounding lead the search the same way.
        digits, powers = np.frexp(np.asarray(part.projection.weights(), dtype=np.float64))
        frequencies = np.ldexp(digits.astype(np.float32).astype(np.float64), powers)
        kept = np.r_[0:pairs, part.n_pairs : part.n_pairs + shifted]
        phases = np.asarray(part.phases[:shifted], dtype=np.float64)
        terms.append(FourierTerm(weight, frequencies[:, kept], phases, pairs))
    return terms


class DrawnEvidence:
    """Log evidence of some rows as a function of log factors on the columns' length scales, log s² and log a².

    Frequencies at length scale l are unit frequencies / l, so with the draw held fixed x_j enters as x_j / c_j and
    the evidence is smooth in the factors c: with A = a² ZZ' + s² I and r = A⁻¹y, dL/dZ = a² (r r'Z - A⁻¹Z), then the
    chain rule. With more rows than features M = a² Z'Z + s² I says the same: A⁻¹Z = Z M⁻¹, r = (y - a² Z M⁻¹Z'y) / s²
    and log|A| = (n - D) log s² + log|M|. Rows of weight v count v times.
    """

    def __init__(self, terms: list[FourierTerm], X: Array, y: Array, weight: Array) -> None:
        self.terms = terms
        self.X = X
        self.root = np.sqrt(weight)[:, None]
        self.n_rows = max(float(weight.sum()), float(np.count_nonzero(weight)))
        self.y = self.root[:, 0] * y

    def __call__(self, log_factors: Array, log_noise: float, log_amplitude: float) -> tuple[float, Array]:
        """Value and gradient; the noise and amplitude are logarithms of variances."""
        s2, a2 = np.exp(log_noise), np.exp(log_amplitude)
        scaled = self.X / np.exp(log_factors)
        drawn = [term.at(scaled) for term in self.terms]
        Z = self.root * np.hstack([values for values, _ in drawn])
        wide = Z.shape[1] > Z.shape[0]
        gram = a2 * (Z @ Z.T if wide else Z.T @ Z)
        size = len(gram)
        gram.flat[:: size + 1] += s2
        factor, _ = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
        if wide:
            residual = cho_solve((factor, True), self.y, check_finite=False)
        else:
            residual = (self.y - a2 * (Z @ cho_solve((factor, True), Z.T @ self.y, check_finite=False))) / s2
        unseen = self.n_rows - size  # directions in which A is s²
        inverse = dpotri(factor, lower=1)[0]
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        by_features = self.root * (a2 * (np.outer(residual, Z.T @ residual) - (inverse @ Z if wide else Z @ inverse)))
        by_factors, stop = np.zeros(self.X.shape[1]), 0
        for values, pullback in drawn:
            start, stop = stop, stop + values.shape[1]
            by_factors -= np.einsum("ij,ij->j", scaled, pullback(by_features[:, start:stop]))
        return assembled(
            s2,
            by_factors,
            fit=self.y @ residual,
            squares=residual @ residual,
            trace=unseen / s2 + np.trace(inverse),
            log_determinant=unseen * log_noise + 2 * np.log(np.diagonal(factor)).sum(),
            n=self.n_rows,
            c=1,
        )


@dataclass(frozen=True)
class LearnedFactors:
    """One factor per column, the number of iterations and whether they converged."""

    factors: Array
    n_iter: int
    converged: bool


def learned_factors(
    features: Features, rows: Block, noise: float | None, amplitude: float | None, max_iter: int
) -> LearnedFactors:
    """Maximise the evidence of these rows over one factor per column, the noise and the amplitude.

    A noise or amplitude that is given stays as it is. Columns that the features do not see keep factor 1. With many
    columns and few rows the evidence alone finds scales that suit these rows only. So the logarithms of factors have a
    Cauchy law of half-width ``PRIOR`` about their mean, which is free and lets single columns be far from it; and
    factors of their own must gain more than (columns - 1) / 2 log n over one factor for all, which is what so many
    numbers cost (Schwarz 1978).
    """
    dense = np.asarray(rows.X.toarray() if sp.issparse(rows.X) else rows.X)
    X = np.asarray(changed_rows(features, dense), dtype=np.float64)
    columns = X.shape[1]
    counted = np.ones(len(X)) if rows.weight is None else np.asarray(rows.weight, dtype=np.float64)
    plain = LearnedFactors(np.ones(columns), 0, True)
    if not counted.any():
        return plain
    X, y, weight = distinct_rows(X, np.asarray(rows.y)[:, 0], counted)
    mean = weight @ y / weight.sum()
    variance = float(weight @ (y - mean) ** 2 / weight.sum())
    if not variance > 0:
        return plain
    terms = fourier_terms(features)
    evidence = DrawnEvidence(terms, X, (y - mean) / np.sqrt(variance), weight)
    seen = np.any([np.abs(term.frequencies).sum(axis=1) > 0 for term in terms], axis=0)
    begin: dict[str, Any] = {"max_iter": max_iter, "gain": GAIN}
    box = BOX
    if noise is not None:
        begin["noise"] = max(noise**2 / variance, BOX.noises[0])
        box = Box((begin["noise"],) * 2, box.amplitudes)
    if amplitude is not None:
        begin["amplitude"] = max(amplitude**2 / variance, BOX.noises[0])
        box = Box(box.noises, (begin["amplitude"],) * 2)
    one = maximise(evidence, np.zeros(1), np.zeros(columns, np.intp), evidence.n_rows, box, **begin)
    near = about_their_mean(evidence, seen)
    each = maximise(near, np.zeros(columns), np.arange(columns), evidence.n_rows, box, **begin)
    gain = evidence.n_rows * (each.value - one.value)
    dear = gain <= 0.5 * (np.count_nonzero(seen) - 1) * np.log(evidence.n_rows)
    best = one if dear else each
    return LearnedFactors(np.exp(np.broadcast_to(best.log_scales, columns)), best.n_iter, best.converged)


def about_their_mean(evidence: Evidence, seen: Array) -> Evidence:
    """The evidence less log(1 + t²) for each column that is seen, t its log factor's distance from their mean."""

    def less(log_factors: Array, log_noise: float, log_amplitude: float) -> tuple[float, Array]:
        value, gradient = evidence(log_factors, log_noise, log_amplitude)
        ratios = np.where(seen, log_factors - log_factors.mean(where=seen), 0.0) / PRIOR
        pulls = 2.0 * ratios / (1.0 + np.square(ratios)) / PRIOR
        gradient[: len(seen)] -= np.where(seen, pulls - pulls.mean(where=seen), 0.0)  # the mean moves with each of them
        return value - float(np.log1p(np.square(ratios)).sum()), gradient

    return less


def distinct_rows(X: Array, y: Array, weight: Array) -> tuple[Array, Array, Array]:
    """Sorted distinct rows with their weights added up: the same bits for any order, and for copies as for weights."""
    counted = weight > 0
    joined, where = np.unique(np.column_stack([X, y])[counted], axis=0, return_inverse=True)
    return joined[:, :-1], joined[:, -1], np.bincount(where.ravel(), weights=weight[counted])


def length_scales(kernel: Kernel) -> dict[str, Any]:
    """The parameters of a kernel, or of the kernels it is made of, that are length scales."""
    parameters = kernel.get_params()
    return {name: parameters[name] for name in parameters if name.split("__")[-1] == "length_scale"}


def with_factors(kernel: Kernel, factors: Array) -> Kernel:
    """The kernel with every length scale multiplied by one factor per column."""
    scales = {name: stretched(value, factors) for name, value in length_scales(kernel).items()}
    return clone(kernel).set_params(**scales)
