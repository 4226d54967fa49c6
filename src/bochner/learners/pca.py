"""Kernel principal components in one pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_array
from sklearn.utils.metaestimators import available_if

from ..blocks import Block, BlockSource
from ..engines import Engine
from ..maps.base import checked_count
from ..solvers.ridge import row_count
from ..statistics import Moments
from .base import Array
from .unsupervised import UnsupervisedMachine, require_rows


@dataclass(frozen=True)
class Components:
    """The leading eigenvectors of the centred second moments of the features."""

    eigenvalues: Array  # largest first
    vectors: Array  # (features, components)
    offset: Array  # vectors' times the mean of the features
    total: float  # sum of all eigenvalues
    decoder: Array | None  # (components, columns): from scores to inputs

    @classmethod
    def of(cls, moments: Moments, n_components: int) -> Components:
        """Eigendecomposition, with signs such that the largest entry of each vector is positive."""
        size = moments.n_features
        values, vectors = eigh(moments.feature_moment, lower=True, subset_by_index=(size - n_components, size - 1))
        values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
        largest = np.abs(vectors).argmax(axis=0)
        vectors = vectors * np.where(vectors[largest, np.arange(n_components)] < 0, -1.0, 1.0)
        return cls(
            values,
            vectors,
            moments.feature_mean @ vectors,
            float(np.trace(moments.feature_moment)),
            decoder(moments, values, vectors) if moments.n_targets else None,
        )


def decoder(moments: Moments, values: Array, vectors: Array) -> Array:
    """Least squares from scores t = V'(z - z̄) to inputs: diag(1/λ) V'C with C the cross moments of z and x.

    Scores of different components are uncorrelated, so each has a coefficient of its own; directions that rounding
    hides get 0.
    """
    seen = values > values[0] * moments.n_features * moments.precision
    gains = np.where(seen, 1.0 / np.where(seen, values, 1.0), 0.0)
    return gains[:, None] * (vectors.T @ moments.cross_moment)


NO_INVERSE = "inverse_transform needs cross moments of features and inputs: fit with fit_inverse_transform=True."


def keeps_inputs(model: KernelPCA) -> bool:
    """Whether pre-images can be had; scikit-learn shows the method only then."""
    if not model.fit_inverse_transform:
        raise AttributeError(NO_INVERSE)
    return True


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, UnsupervisedMachine):
    """Kernel principal component analysis: the directions of greatest variance in feature space.

    With S = sum_i v_i (z_i - z̄)(z_i - z̄)' = V diag(λ) V', the scores of x are V'(z(x) - z̄). The centred kernel matrix
    has the same eigenvalues λ and gives the same scores, but S needs one pass over the rows and memory D², whatever
    their number. ``partial_fit`` on pieces gives the components of ``fit`` on the whole.

    Parameters
    ----------
    n_components : int, default=2
        Number of components kept, at most the number of features.
    feature_map : feature map or scikit-learn transformer, default=None
        None: Fourier features of a Gaussian kernel with one length scale per column, 256 to 2048 components.
    fit_inverse_transform : bool, default=False
        Keep what ``inverse_transform`` needs: the cross moments of features and inputs, from the same pass.
    engine, random_state : see KernelRidge

    Attributes
    ----------
    eigenvalues_ : eigenvalues of the centred kernel matrix, largest first
    explained_variance_ : variance of each score, eigenvalues_ / number of rows
    explained_variance_ratio_ : share of each component in the variance of the features
    components_ : array of shape (n_components, n_features_of_the_map); the largest entry of each row is positive
    feature_map_ : the fitted feature map
    statistic_ : the moments that were kept of the rows

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> angle = np.random.default_rng(0).uniform(0, 2 * np.pi, 400)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(np.arange(400) % 2, 1.0, 3.0)[:, None]
    >>> T = bo.KernelPCA(3, random_state=0).fit_transform(X)  # the two circles come apart
    >>> T.shape
    (400, 3)
    """

    def __init__(
        self,
        n_components: int = 2,
        feature_map: Any = None,
        *,
        fit_inverse_transform: bool = False,
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.feature_map = feature_map
        self.fit_inverse_transform = fit_inverse_transform
        self.engine = engine
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(fit_inverse_transform=True)]

    def transform(self, X: Any) -> Array:
        """Scores V'(z(x) - z̄), shape (n_rows, n_components)."""
        found = self._solved()
        dtype = self.features_.dtype
        return self._scores(X, found.vectors.astype(dtype), -found.offset.astype(dtype))

    @available_if(keeps_inputs)
    def inverse_transform(self, T: Any) -> Array:
        """Approximate pre-images: the rows whose scores are nearest to T, in the least-squares sense.

        x̂ = x̄ + B't with B the regression of inputs on scores. It is the kernel regression of x on z(x), applied to the
        projection of z on the components, so the more components are kept the nearer x̂ is to x; with few, x̂ is a
        denoised x. Needs ``fit_inverse_transform=True``.
        """
        found = self._solved()
        if found.decoder is None:
            raise ValueError(NO_INVERSE)
        T = check_array(T, dtype=self.features_.dtype)
        if T.shape[1] != len(found.decoder):
            raise ValueError(f"T has {T.shape[1]} columns, but the model has {len(found.decoder)} components.")
        return T @ found.decoder.astype(T.dtype) + self.statistic_.target_mean.astype(T.dtype)

    @property
    def eigenvalues_(self) -> Array:
        """Eigenvalues of the centred kernel matrix of all rows."""
        return self._solved().eigenvalues

    @property
    def explained_variance_(self) -> Array:
        """Variance of each score over the rows."""
        return self._solved().eigenvalues / row_count(self.statistic_)

    @property
    def explained_variance_ratio_(self) -> Array:
        """Share of each component in the variance of the features."""
        found = self._solved()
        return found.eigenvalues / found.total if found.total > 0 else np.zeros_like(found.eigenvalues)

    @property
    def components_(self) -> Array:
        """The eigenvectors, one per row."""
        return self._solved().vectors.T

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _check_parameters(self) -> None:
        checked_count(self.n_components, "n_components")

    def _learn_coded(self, source: BlockSource, n_columns: int) -> None:
        self._begin(source, n_columns)
        self._absorb(source)
        self._solved()

    def _begin(self, source: BlockSource, n_columns: int) -> None:
        features = self._draw_features(source)
        n_components = int(self.n_components)
        if n_components > features.n_components:
            raise ValueError(
                f"n_components={n_components} is more than the {features.n_components} features of the map: "
                "keep fewer components or make the map wider."
            )
        self.features_ = features
        self.statistic_ = Moments(features.n_components, source.n_columns if self.fit_inverse_transform else 0)

    def _absorb(self, source: BlockSource) -> None:
        coded = source.mapped(inputs_as_targets) if self.statistic_.n_targets else source
        seen = self._engine().fold(self.statistic_, self._through(coded, self.features_))
        seen.merge(self.statistic_)
        require_rows(seen.total_weight)
        self.statistic_ = seen
        self._solution: Components | None = None

    def _solved(self) -> Components:
        """Solve on demand: a stream of partial_fit calls pays for one solution, not for one each."""
        self._check_fitted()
        if self._solution is None:
            self._solution = Components.of(self.statistic_, int(self.n_components))
        return self._solution


def inputs_as_targets(block: Block) -> Block:
    """The block with its own rows as targets."""
    X = block.X.toarray() if sp.issparse(block.X) else block.X
    return Block(block.X, np.asarray(X, dtype=np.float64), block.weight)
