"""Random scalar features W with E W(x) W(y) = b(x, y): the factors of which products estimate powers of b."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..compute.trigonometry import shifted_cosine
from ..kernels import Kernel, ShiftInvariantKernel
from ..kernels.arc_cosine import ArcCosine
from ..kernels.base import Term
from ..kernels.inner_product import Cosine, InnerProduct, squared_norms
from .design import Array

Moments = list[tuple[float, Array]]  # weights and bases: the second moment of a product of n factors is sum w b^n


class Activation(ABC):
    """What happens to projections w'x before they are multiplied."""

    @abstractmethod
    def apply(self, values: Array) -> None:
        """Act in place on a tile (rows, columns)."""


class Identity(Activation):
    """W(x) = w'x."""

    def apply(self, values: Array) -> None:
        pass


class ShiftedCosines(Activation):
    """W(x) = scale cos(2π (turns + phase))."""

    def __init__(self, phases: Array, scales: Array) -> None:
        self.phases = phases
        self.scales = scales

    def apply(self, values: Array) -> None:
        shifted_cosine(values, self.phases, 1.0, values)
        values *= self.scales


class Rectifiers(Activation):
    """W(x) = scale [w'x > 0] (w'x)^order."""

    def __init__(self, order: int, scales: Array) -> None:
        self.order = order
        self.scales = scales

    def apply(self, values: Array) -> None:
        if self.order == 0:
            np.heaviside(values, 0.0, out=values)
        else:
            np.maximum(values, 0.0, out=values)
        values *= self.scales


@dataclass(frozen=True)
class Factor:
    """The j-th factor of all features that have one: columns are real parts, imaginary parts, then real features."""

    n_pairs: int
    n_singles: int
    matrix: Array
    activation: Activation

    @property
    def width(self) -> int:
        """Columns of the projection."""
        return 2 * self.n_pairs + self.n_singles


class FactorLaw(ABC):
    """How one factor is drawn: complex factors in pairs of columns, real ones in single columns."""

    @abstractmethod
    def draw(
        self, dim: int, pair_scales: Array, single_scales: Array, rng: np.random.Generator, dtype: np.dtype
    ) -> Factor:
        """Draw one factor for as many pairs and singles as there are scales, each multiplied by its scale."""

    @abstractmethod
    def moments(self, X: Array, Y: Array, pairs: bool) -> Moments:
        """Second moment of (a product of) W(x)W(y), or of Re W(x)W(y)* for pairs, as weights and bases."""


class SignLaw(FactorLaw):
    """W(x) = w'x with random signs; in pairs with entries 1, -1, i, -i (complex to real)."""

    def draw(
        self, dim: int, pair_scales: Array, single_scales: Array, rng: np.random.Generator, dtype: np.dtype
    ) -> Factor:
        powers = np.exp(0.5j * np.pi * np.arange(4)).round()
        pairs = powers[rng.integers(0, 4, size=(dim, len(pair_scales)))] * pair_scales
        singles = (2.0 * rng.integers(0, 2, size=(dim, len(single_scales))) - 1.0) * single_scales
        matrix = np.concatenate([pairs.real, pairs.imag, singles], axis=1)
        return Factor(len(pair_scales), len(single_scales), as_weights(matrix, dtype), Identity())

    def moments(self, X: Array, Y: Array, pairs: bool) -> Moments:
        norms, squares, quartic = inner_moments(X, Y)
        if pairs:
            return [(0.5, norms + squares - quartic), (0.5, 2.0 * squares - quartic)]
        return [(1.0, norms + 2.0 * squares - 2.0 * quartic)]


class GaussianLaw(FactorLaw):
    """W(x) = w'x with w ~ N(0, I): second moment ||x||²||y||² + 2<x,y>², never below that of random signs."""

    def draw(
        self, dim: int, pair_scales: Array, single_scales: Array, rng: np.random.Generator, dtype: np.dtype
    ) -> Factor:
        matrix = rng.standard_normal((dim, len(single_scales))) * single_scales
        return Factor(0, len(single_scales), as_weights(matrix, dtype), Identity())

    def moments(self, X: Array, Y: Array, pairs: bool) -> Moments:
        norms, squares, _ = inner_moments(X, Y)
        return [(1.0, norms + 2.0 * squares)]


class FourierLaw(FactorLaw):
    """W(x) = sqrt(2) cos(w'x + b), in pairs W(x) = exp(i w'x), for a weighted sum of shift-invariant kernels.

    The frequencies come from the mixture of the spectra, so each factor needs one draw whatever the number of terms.
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        self.weights = np.array([weight for weight, _ in terms])
        self.kernels = [kernel for _, kernel in terms if isinstance(kernel, ShiftInvariantKernel)]
        self.total = float(self.weights.sum())

    def draw(
        self, dim: int, pair_scales: Array, single_scales: Array, rng: np.random.Generator, dtype: np.dtype
    ) -> Factor:
        n_pairs, n_singles = len(pair_scales), len(single_scales)
        frequencies = np.empty((n_pairs + n_singles, dim))
        chosen = rng.choice(len(self.kernels), size=len(frequencies), p=self.weights / self.total)
        for index, kernel in enumerate(self.kernels):
            mine = np.flatnonzero(chosen == index)
            frequencies[mine] = kernel.sample_frequencies(dim, len(mine), rng)
        turns = frequencies.T / (2.0 * np.pi)
        matrix = np.concatenate([turns[:, :n_pairs], turns], axis=1)
        # The imaginary part is a cosine a quarter turn late.
        phases = np.concatenate([np.zeros(n_pairs), np.full(n_pairs, -0.25), rng.random(n_singles)])
        scales = np.concatenate([pair_scales, pair_scales, np.sqrt(2.0) * single_scales]) * np.sqrt(self.total)
        activation = ShiftedCosines(phases.astype(dtype), as_weights(scales, dtype))
        return Factor(n_pairs, n_singles, as_weights(matrix, dtype), activation)

    def moments(self, X: Array, Y: Array, pairs: bool) -> Moments:
        doubled = sum(w * kernel.at(2.0 * (X - Y)) for w, kernel in zip(self.weights, self.kernels)) * self.total
        square = np.full(len(X), self.total**2)
        return [(0.5, square), (0.5, doubled)] if pairs else [(1.0, square + 0.5 * doubled)]


class RectifierLaw(FactorLaw):
    """W(x) = sqrt(2) [w'x > 0] (w'x)^order with w ~ N(0, I), for the arc-cosine kernels (Cho and Saul 2009).

    The second moment E W(x)²W(y)² is 2 k_0(x, y) for order 0 and 2 k_2(x, y) for order 1, with
    k_2 = ||x||²||y||² (3 sin θ cos θ + (π - θ)(1 + 2 cos² θ)) / π.
    """

    def __init__(self, order: int) -> None:
        self.order = order

    def draw(
        self, dim: int, pair_scales: Array, single_scales: Array, rng: np.random.Generator, dtype: np.dtype
    ) -> Factor:
        matrix = rng.standard_normal((dim, len(single_scales)))
        activation = Rectifiers(self.order, as_weights(np.sqrt(2.0) * single_scales, dtype))
        return Factor(0, len(single_scales), as_weights(matrix, dtype), activation)

    def moments(self, X: Array, Y: Array, pairs: bool) -> Moments:
        if self.order == 0:
            return [(1.0, 2.0 * ArcCosine(0).rowwise(X, Y))]
        cosine = Cosine().rowwise(X, Y)
        angle = np.arccos(cosine)
        second = (3.0 * np.sin(angle) * cosine + (np.pi - angle) * (1.0 + 2.0 * cosine**2)) / np.pi
        return [(1.0, 2.0 * squared_norms(X) * squared_norms(Y) * second)]


def has_projections(base: Kernel) -> bool:
    """Whether scalar features of a base kernel are activated projections, so that matrix products make them."""
    if isinstance(base, InnerProduct | Cosine | ArcCosine):
        return True
    return all(isinstance(kernel, ShiftInvariantKernel) for _, kernel in base.terms())


def law_for(base: Kernel, projection: Literal["rademacher", "gaussian", "complex"]) -> FactorLaw:
    """The law of the factors for a base kernel that has projections."""
    if isinstance(base, InnerProduct | Cosine):
        return GaussianLaw() if projection == "gaussian" else SignLaw()
    if isinstance(base, ArcCosine):
        if projection == "complex":
            raise ValueError("projection='complex' cannot serve an ArcCosine inner kernel: use 'rademacher'.")
        return RectifierLaw(base.checked_order())
    return FourierLaw(base.terms())


def inner_moments(X: Array, Y: Array) -> tuple[Array, Array, Array]:
    """||x||²||y||², <x,y>² and sum_i x_i² y_i² for paired rows."""
    norms = squared_norms(X) * squared_norms(Y)
    return norms, InnerProduct().rowwise(X, Y) ** 2, np.einsum("ij,ij->i", X**2, Y**2)


def as_weights(values: Array, dtype: np.dtype) -> Array:
    """Cast to the working precision, or one clear sentence where the numbers do not fit."""
    with np.errstate(over="ignore"):
        cast = np.ascontiguousarray(values, dtype=dtype)
    if not np.isfinite(cast).all():
        raise ValueError(
            f"The weights of the features overflow {dtype}: scale the data or the kernel down, or give float64 data."
        )
    return cast
