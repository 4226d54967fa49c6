"""Length scales of Fourier features by maximum evidence: exact gradients on a subsample of rows, fixed draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize

from ..compute.threads import single_threaded_blas
from ..compute.trigonometry import cosine_sine
from ..maps import Features
from ..maps.features import ConcatenatedFeatures
from ..maps.fourier import FourierFunction

Array = np.ndarray

MOST_COMPONENTS = 512  # of the draw that is used while learning: beyond, a step costs more than it tells
FURTHEST = np.log(1e3)  # a column whose length scale is 1000 times the first guess no longer counts
PRIOR = 1.0  # half-width of the law of a column's log factor; with 1/2 and 1/4 R2 moves by less than .02 on ten tables
LEAST_NOISE = 1e-6  # noise variance over target variance while learning
NOISES = (float(np.log(LEAST_NOISE)), float(np.log(1e2)))
AMPLITUDES = (float(np.log(1e-4)), float(np.log(1e4)))


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
    """The Fourier terms that features consist of, thinned to about ``most`` components; empty if there are others."""
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


class SubsampleEvidence:
    """Log evidence of some rows as a function of log factors on the columns' length scales, log s² and log a².

    Frequencies at length scale l are unit frequencies / l, so with the draw held fixed x_j enters as x_j / c_j and
    the evidence is smooth in the factors c: with A = a² Z'Z + s² I and r = (y - a² Z A^{-1} Z'y) / s²,
    dL/dZ = a² (r r'Z - Z A^{-1}), then the chain rule. With more features than rows A gives way to a² ZZ' + s² I.
    Rows of weight v count v times.
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
        wide = Z.shape[1] > Z.shape[0]  # the smaller of the two Gram matrices says the same
        gram = a2 * (Z @ Z.T if wide else Z.T @ Z)
        size = len(gram)
        gram.flat[:: size + 1] += s2
        factor, _ = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
        if wide:
            residual = cho_solve((factor, True), self.y, check_finite=False)
        else:
            residual = (self.y - a2 * (Z @ cho_solve((factor, True), Z.T @ self.y, check_finite=False))) / s2
        log_determinant = (self.n_rows - size) * log_noise + 2 * np.log(np.diagonal(factor)).sum()
        value = -0.5 * (log_determinant + self.y @ residual + self.n_rows * np.log(2 * np.pi))
        inverse = dpotri(factor, lower=1)[0]
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        freedom = size - s2 * np.trace(inverse)
        pulled = Z.T @ residual
        by_features = self.root * (a2 * (np.outer(residual, pulled) - (inverse @ Z if wide else Z @ inverse)))
        by_noise = 0.5 * (s2 * residual @ residual - (self.n_rows - freedom))
        by_amplitude = 0.5 * (a2 * pulled @ pulled - freedom)
        by_factors, stop = np.zeros(self.X.shape[1]), 0
        for values, pullback in drawn:
            start, stop = stop, stop + values.shape[1]
            by_factors -= np.einsum("ij,ij->j", scaled, pullback(by_features[:, start:stop]))
        return float(value), np.r_[by_factors, by_noise, by_amplitude]


@dataclass(frozen=True)
class LearnedScales:
    """One factor per column, the number of iterations and whether they converged."""

    factors: Array
    n_iter: int
    converged: bool


def learn_factors(
    terms: list[FourierTerm],
    X: Array,
    y: Array,
    weight: Array,
    noise: float | None,
    amplitude: float | None,
    max_iter: int,
) -> LearnedScales:
    """Maximise the evidence of these rows over one factor per column, the noise and the amplitude, by L-BFGS.

    A noise or amplitude that is given stays as it is. Columns that the features do not see keep factor 1. With many
    columns and few rows the evidence alone finds scales that suit these rows only. So the logarithms of factors have a
    Cauchy law of half-width ``PRIOR`` about their mean, which is free and lets single columns be far from it; and
    factors of their own must gain more than (columns - 1) / 2 log n over one factor for all, which is what so many
    numbers cost (Schwarz 1978).
    """
    rows, y, weight = distinct_rows(X, y, weight)
    mean = weight @ y / weight.sum()
    variance = float(weight @ (y - mean) ** 2 / weight.sum())
    if not variance > 0:
        return LearnedScales(np.ones(X.shape[1]), 0, True)
    evidence = SubsampleEvidence(terms, rows, (y - mean) / np.sqrt(variance), weight)
    columns = rows.shape[1]
    seen = np.any([np.abs(term.frequencies).sum(axis=1) > 0 for term in terms], axis=0)
    start, bounds = np.array([0.0, np.log(0.1), 0.0]), [(-FURTHEST, FURTHEST), NOISES, AMPLITUDES]
    for index, given in ((1, noise), (2, amplitude)):
        if given is not None:
            start[index] = np.log(max(given**2 / variance, LEAST_NOISE))
            bounds[index] = (start[index], start[index])

    def common(parameters: Array) -> tuple[float, Array]:
        value, gradient = evidence(np.full(columns, parameters[0]), float(parameters[1]), float(parameters[2]))
        return -value / evidence.n_rows, -np.r_[gradient[:columns].sum(), gradient[columns:]] / evidence.n_rows

    def apart(parameters: Array) -> tuple[float, Array]:
        value, gradient = evidence(parameters[:columns], float(parameters[columns]), float(parameters[columns + 1]))
        ratios = np.where(seen, parameters[:columns] - parameters[:columns].mean(where=seen), 0.0) / PRIOR
        value -= float(np.log1p(np.square(ratios)).sum())
        gradient[:columns] -= 2.0 * ratios / (1.0 + np.square(ratios)) / PRIOR
        return -value / evidence.n_rows, -gradient / evidence.n_rows

    options = {"maxiter": max_iter, "ftol": 1e-7, "gtol": 1e-5}
    # Threads of BLAS gain nothing on matrices this small, and cost much where other work fills the cores.
    with single_threaded_blas():
        one = minimize(common, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        begun = np.r_[np.full(columns, start[0]), start[1:]]
        box = [bounds[0]] * columns + bounds[1:]
        each = minimize(apart, begun, jac=True, method="L-BFGS-B", bounds=box, options=options)
    gain = evidence.n_rows * (one.fun - each.fun)
    if gain <= 0.5 * (np.count_nonzero(seen) - 1) * np.log(evidence.n_rows):
        return LearnedScales(np.full(columns, float(np.exp(one.x[0]))), int(one.nit), bool(one.status != 1))
    return LearnedScales(np.exp(each.x[:columns]), int(each.nit), bool(each.status != 1))


def distinct_rows(X: Array, y: Array, weight: Array) -> tuple[Array, Array, Array]:
    """Sorted distinct rows with their weights added up: the same bits for any order, and for copies as for weights."""
    counted = weight > 0
    joined, where = np.unique(np.column_stack([X, y])[counted], axis=0, return_inverse=True)
    return joined[:, :-1], joined[:, -1], np.bincount(where.ravel(), weights=weight[counted])
