"""What a feature map is: a scikit-learn transformer that draws one frozen function for a kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ..blocks.sample import SAMPLE_ROWS, representative_rows
from ..blocks.validation import validated
from ..compute.threads import over_row_chunks
from ..kernels import Gaussian, Kernel
from ..kernels.changed_rows import ChangedRows, unchanged
from ..kernels.length_scale import counted_rows
from .changed_rows import through
from .features import Array, DenseFeatures, Features
from .tolerance import checked_tolerance, draw_to_tolerance


class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):
    """Replaces a kernel by random features: z(x)'z(y) is an estimate of k(x, y).

    A subclass names the capability it ``needs`` of a kernel and draws the function for one kernel term. Given here:
    the words among the kernel's parameters, sums and scalings of kernels, validation, threads, names, sparse and
    DataFrame input, the error that names the missing capability.
    """

    needs: ClassVar[Any]  # a class of kernels
    offers: ClassVar[str]  # how an error message describes the kernels that have the capability
    width: ClassVar[str] = "n_components"  # the parameter with which the error falls

    kernel: Kernel | None
    n_components: Any
    eps: float | None = None  # maps whose width a tolerance can set have it among their parameters
    random_state: Any
    n_jobs: int | None

    @abstractmethod
    def draw(self, kernel: Any, rows: Any, n_components: int, rng: np.random.Generator) -> Features:
        """Draw the features of one kernel (an instance of ``needs``) for data like these rows."""

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
        X = validated(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        return self.fit_sample(representative_rows(X, self.sample_rows or X.shape[0]))

    def fit_sample(self, rows: Any, weight: Array | None = None) -> Self:
        """Draw the map from checked rows that stand for the data, each counted ``weight`` times.

        What learners call with a sample of a source; ``fit`` is this on a sample of its argument.
        """
        n_draws = self._n_draws()
        rng = as_generator(self.random_state)
        kernel = self._kernel_or_default(rows, weight).resolve(rows, weight)
        rows, weight = counted_rows(rows, weight)
        if self.eps is None:
            features = self._draw_terms(kernel, rows, n_draws, rng)
        else:
            n_draws, features = self._draw_to_tolerance(kernel, rows, weight, rng)
        self.n_features_in_ = rows.shape[1]
        self.n_components_, self.n_draws_ = features.n_components, n_draws
        self.kernel_, self.features_ = kernel, features
        return self

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
        FeatureMap
        """
        return self.settled().set_params(random_state=as_generator(random_state)).fit(X)

    def _kernel_or_default(self, rows: Any, weight: Array | None) -> Kernel:
        if self.kernel is None:
            return self._default_kernel(rows, weight)
        if not isinstance(self.kernel, Kernel):
            raise TypeError(f"kernel must be a bochner kernel such as bo.Gaussian(), not {type(self.kernel).__name__}.")
        return self.kernel

    def _default_kernel(self, rows: Any, weight: Array | None) -> Kernel:
        """The kernel of ``kernel=None``."""
        return Gaussian("auto")

    @property
    def sample_rows(self) -> int | None:
        """How many rows ``fit`` draws the map from; None: all that can be had."""
        return SAMPLE_ROWS

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

        n_terms = 1 if self._serves(kernel) else len(kernel.terms())
        return draw_to_tolerance(draw, n_terms * self._least_draws(rows.shape[1]), kernel, rows, weight, eps, rng)

    def _least_draws(self, dim: int) -> int:
        """The smallest width that a tolerance may choose for one term."""
        return 1

    def _draw_terms(self, kernel: Kernel, rows: Any, n_components: int, rng: np.random.Generator) -> Features:
        terms = [(1.0, kernel)] if self._serves(kernel) else kernel.terms()
        for _, term in terms:
            if not self._serves(term):
                raise ValueError(refusal(self, unchanged(term)))
        if terms == [(1.0, kernel)]:
            return self._draw_term(kernel, rows, n_components, rng)
        weights = [weight for weight, _ in terms]
        counts = shared_out(n_components, np.array(weights) * _sizes(terms, rows))
        parts = [self._draw_term(term, rows, count, rng) for (_, term), count in zip(terms, counts)]
        return parts[0].joined(weights, parts)

    def _serves(self, kernel: Kernel) -> bool:
        """Whether the kernel is a single term that has what the map needs."""
        return isinstance(unchanged(kernel), self.needs)

    def _draw_term(self, kernel: Kernel, rows: Any, n_components: int, rng: np.random.Generator) -> Features:
        """Features of one term; those of a kernel of changed rows are the kernel's own at these."""
        if not isinstance(kernel, ChangedRows):
            return self.draw(kernel, rows, n_components, rng)
        inner_rows = kernel.change(rows).astype(rows.dtype, copy=False)
        return through(kernel, self._draw_term(kernel.kernel, inner_rows, n_components, rng))

    def transform(self, X: Any) -> Any:
        """Map rows to features.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_columns)

        Returns
        -------
        Z : array or CSR matrix of shape (n_rows, n_components), of the dtype of the data seen in fit
        """
        check_is_fitted(self, "features_")
        features = self.features_
        X = validated(self, X, accept_sparse="csr", dtype=features.dtype, order="C", reset=False)
        if not (isinstance(features, DenseFeatures) and features.gives_array(X)):
            blocks: list[Any] = [None] * -(-X.shape[0] // SPARSE_CHUNK)
            over_row_chunks(
                lambda start, stop: blocks.__setitem__(start // SPARSE_CHUNK, features(X[start:stop])),
                X.shape[0],
                SPARSE_CHUNK,
                self.n_jobs,
            )
            return blocks[0] if len(blocks) == 1 else sp.vstack(blocks, format="csr")
        out = np.empty((X.shape[0], features.n_components), dtype=features.output_dtype)
        over_row_chunks(
            lambda start, stop: features.write(X[start:stop], out[start:stop]), X.shape[0], 1024, self.n_jobs
        )
        return out

    @property
    def _n_features_out(self) -> int:
        return self.features_.n_components

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


DEFAULT_COMPONENTS = 256
SPARSE_CHUNK = 16384  # rows per thread task where the output is sparse


def refusal(feature_map: FeatureMap, kernel: Kernel) -> str:
    """One sentence: this map cannot serve this kernel, which ones it can serve, and which map can."""
    name = type(feature_map).__name__
    return f"{name} cannot serve the kernel {type(kernel).__name__}: it needs {feature_map.offers}; {maps_for(kernel)}."


def maps_for(kernel: Kernel) -> str:
    """Which maps of the library have what this kernel offers."""
    able = sorted(
        cls.__name__ for cls in FeatureMap.__subclasses__() if isinstance(kernel, cls.needs) and cls.needs is not Kernel
    )
    return f"for this kernel use {' or '.join(able)}" if able else "for this kernel use NystroemFeatures"


def checked_count(value: Any, name: str) -> int:
    """A whole number of at least 1, or one clear sentence."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, but it is {value!r}.")
    return int(value)


def as_generator(random_state: Any) -> np.random.Generator:
    """One random generator from scikit-learn's kinds of random_state."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


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
