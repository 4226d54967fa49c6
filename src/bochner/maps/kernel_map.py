"""Feature maps of kernels that are known: what of a kernel all of them take care of in the same way."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..blocks.sample import representative_rows
from ..kernels import Cosine, Gaussian, Kernel, Laplace, Polynomial
from ..kernels.base import Term, checked_kernel, largest_row
from ..kernels.changed_rows import unchanged
from ..kernels.length_words import counted_rows
from ..kernels.names import HERE, OF_KERNELS
from ..undone import undone_on_failure
from .base import FeatureMap, as_generator, checked_count
from .changed_rows import behind_all, peeled
from .features import Array, Features
from .tolerance import checked_tolerance, draw_to_tolerance


class KernelMap(FeatureMap):
    """Replaces a kernel by random features: z(x)'z(y) is an estimate of k(x, y).

    A subclass says which kernels it ``draws`` features for, and draws the function for one of them. Given here: the
    words among the kernel's parameters, sums and scalings of kernels, length scales and metrics, the error that names
    a map which serves the kernel.
    """

    offers: ClassVar[str]  # how an error message describes the kernels that it draws features for
    bias: ClassVar[str] = ""  # what E z(x)'z(y) - k(x, y) is, where it is not 0
    folds_columns: ClassVar[bool] = False  # whether ``draw`` takes kernels with length scales of their own

    kernel: Kernel | None
    n_components: Any
    eps: float | None = None  # maps whose width a tolerance can set have it among their parameters

    @classmethod
    def instead(cls, name: str) -> str | None:
        advice, plain = super().instead(name), cls()
        if name not in OF_KERNELS:
            return advice
        known = {"rbf": Gaussian(1.0), "laplacian": Laplace(1.0), "poly": Polynomial()}
        order = sorted(known, key=lambda word: word != OF_KERNELS[name])
        served = next((word for word in order if plain.serves(known[word])), None)
        return f"give {cls.offers}" if served is None else f"give a kernel, as in bo.{cls.__name__}({HERE[served]})"

    @abstractmethod
    def draws(self, kernel: Kernel) -> bool:
        """Whether ``draw`` can make features of this kernel, which is no sum."""

    @abstractmethod
    def draw(self, kernel: Any, rows: Any, n_components: int, rng: np.random.Generator) -> Features:
        """Draw the features of one such kernel, of length scale 1, for data like these rows."""

    def serves(self, kernel: Kernel) -> bool:
        """Whether this map has features for a kernel, or for every term of it: known before anything is drawn.

        Parameters
        ----------
        kernel : Kernel

        Returns
        -------
        bool

        Examples
        --------
        >>> import bochner as bo
        >>> bo.BinningFeatures().serves(bo.Laplace()), bo.BinningFeatures().serves(bo.Gaussian() + bo.Laplace())
        (True, False)
        """
        return all(self.draws(unchanged(term)) for _, term in self._drawn_terms(kernel))

    def reason_against(self, kernel: Kernel) -> str:
        """Why this map does not serve a kernel, in one sentence; empty where it does."""
        terms = (unchanged(term) for _, term in self._drawn_terms(kernel))
        return next((self.refusal(term, kernel) for term in terms if not self.draws(term)), "")

    def refusal(self, kernel: Kernel, whole: Kernel | None = None) -> str:
        """One sentence about a term that ``draws`` is False for: what this map serves, and which one the whole."""
        name, other = type(self).__name__, type(kernel).__name__
        return f"{name} cannot serve the kernel {other}: it needs {self.offers}; {maps_for(whole or kernel)}."

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the map for data with the columns and dtype of X.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_columns)
        y : ignored

        Returns
        -------
        self
        """
        with undone_on_failure(self):
            X = self._checked_rows(X)
            self.fit_sample(representative_rows(X, self.sample_rows or X.shape[0]))
        return self

    def fit_sample(self, rows: Any, weight: Array | None = None, targets: Any = None) -> Self:
        """Draw the map from checked rows, each counted ``weight`` times; maps of kernels do not look at targets."""
        n_draws = self._n_draws()
        rng = as_generator(self.random_state)
        kernel = self._kernel_or_default().resolve(rows, weight)
        rows, weight = counted_rows(rows, weight)
        if self.eps is None:
            features = self._draw_terms(kernel, rows, n_draws, rng)
        else:
            n_draws, features = self._draw_to_tolerance(kernel, rows, weight, rng)
        refuse_overflow(features, rows)
        self.kernel_ = kernel
        return self._keep(features, n_draws)

    def settled(self) -> Self:
        """An unfitted copy of a fitted map that draws for the same kernel and width: numbers for words."""
        check_is_fitted(self, "features_")
        copy = clone(self).set_params(kernel=self.kernel_)
        return copy if copy.eps is None else copy.set_params(**{"eps": None, self.width: self.n_draws_})

    def redrawn(self, X: Any, random_state: Any = None) -> Self:
        """Another fitted map: the kernel and width of this one, other random numbers.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_columns)
            Rows like those of ``fit``: landmarks and degrees are drawn from them.
        random_state : int, Generator or None, default=None

        Returns
        -------
        KernelMap
        """
        return self.settled().set_params(random_state=as_generator(random_state)).fit(X)

    def _kernel_or_default(self) -> Kernel:
        if self.kernel is None:
            return self._default_kernel()
        return checked_kernel(self.kernel)

    def _default_kernel(self) -> Kernel:
        """The kernel of ``kernel=None``."""
        return Gaussian("auto")

    def _n_draws(self) -> int:
        """How many components, or what else the terms of a sum share out, are drawn."""
        return checked_count(DEFAULT_COMPONENTS if self.n_components is None else self.n_components, "n_components")

    def _draw_to_tolerance(
        self, kernel: Kernel, rows: Any, weight: Array, rng: np.random.Generator
    ) -> tuple[int, Features]:
        """Draw as many components as the tolerance ``eps`` needs on these rows."""
        eps = checked_tolerance(self.eps)
        if self.n_components is not None:
            raise ValueError("n_components and eps are both given: give the width or the tolerance, not both.")

        def draw(some: Any, width: int) -> Features:
            return self._draw_terms(kernel, some, width, rng)

        n_terms = len(self._drawn_terms(kernel))
        return draw_to_tolerance(draw, n_terms * self._least_draws(rows.shape[1]), kernel, rows, weight, eps, rng)

    def _least_draws(self, dim: int) -> int:
        """The smallest width that a tolerance may choose for one term."""
        return 1

    def _drawn_terms(self, kernel: Kernel) -> list[Term]:
        """The kernel itself, where features of it can be drawn, or else its terms."""
        return [(1.0, kernel)] if self.draws(unchanged(kernel)) else kernel.terms()

    def _draw_terms(self, kernel: Kernel, rows: Any, n_components: int, rng: np.random.Generator) -> Features:
        terms = self._drawn_terms(kernel)
        if reason := self.reason_against(kernel):
            raise ValueError(reason)
        if terms == [(1.0, kernel)]:
            return self._draw_term(kernel, rows, n_components, rng)
        weights = [weight for weight, _ in terms]
        counts = shared_out(n_components, np.array(weights) * _sizes(terms, rows))
        parts = [self._draw_term(term, rows, count, rng) for (_, term), count in zip(terms, counts)]
        return parts[0].joined(weights, parts)

    def _draw_term(self, kernel: Kernel, rows: Any, n_components: int, rng: np.random.Generator) -> Features:
        """Features of one term: those of the unit kernel at scaled rows."""
        changes, inner, seen = peeled(kernel, rows, self.folds_columns)
        return behind_all(changes, self.draw(inner, seen.astype(rows.dtype, copy=False), n_components, rng))


DEFAULT_COMPONENTS = 256


def refuse_overflow(features: Features, rows: Any) -> None:
    """Refuse features whose squares, at the largest of the rows, are not numbers."""
    if rows.shape[0] == 0:
        return
    with np.errstate(all="ignore"):
        Z = features(largest_row(rows))
    sizes = np.abs(Z.data if sp.issparse(Z) else Z)
    if not (sizes <= np.finfo(sizes.dtype).max ** 0.45).all():
        raise ValueError("The features are not finite at the largest row: scale the data or the kernel down.")


def maps_for(kernel: Kernel) -> str:
    """Which maps of the library serve this kernel."""
    maps = [cls() for cls in KernelMap.__subclasses__() if cls.__module__.startswith("bochner.")]
    able = sorted(type(one).__name__ for one in maps if not one.draws(Cosine()) and one.serves(kernel))
    return f"for this kernel use {' or '.join(able)}" if able else "for this kernel use NystroemFeatures"


def shared_out(total: int, weights: Array) -> list[int]:
    """Split ``total`` components among terms in proportion to sqrt-weights, at least one each.

    The variance of term i is about v_i w_i² / D_i; proportional shares are near the minimum for equal v_i.
    """
    if total < len(weights):
        raise ValueError(
            f"n_components={total} is too small for a kernel of {len(weights)} terms: give at least {len(weights)}."
        )
    shares = weights / weights.sum() * (total - len(weights))
    counts = np.floor(shares).astype(int)
    order = np.argsort(-(shares - counts), kind="stable")
    counts[order[: total - len(weights) - counts.sum()]] += 1
    return [int(count) + 1 for count in counts]


def _sizes(terms: list[tuple[float, Kernel]], rows: Any) -> Array:
    """Mean of k(x, x) of each term over a few rows: its size."""
    some = rows[:100]
    return np.array([float(np.mean(term.diagonal(some))) for _, term in terms])
