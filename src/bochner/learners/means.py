"""k-means in feature space: clusters that need not be convex."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from ..blocks import Block, BlockSource
from ..blocks.sample import SAMPLE_ROWS
from ..compute.numbers import is_number
from ..engines import Engine
from ..maps import Features
from ..maps.base import as_generator, checked_count
from ..maps.scoring import dense_features
from ..solvers.lloyd import best_start, lloyd
from ..statistics.clusters import nearest
from ..statistics.embedding import row_squares
from .base import Array
from .keeping import Keeping
from .passes import Passes
from .unsupervised import UnsupervisedMachine

SEED_BYTES = 32 << 20  # features of the rows on which the centres are seeded


class KernelMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Keeping, UnsupervisedMachine):
    """Kernel k-means: minimise sum_i v_i min_j ||z(x_i) - c_j||² over centres c_1..c_k in feature space.

    Centres are seeded by k-means++ on a sample of rows (best of ``n_init`` runs), then improved by Lloyd's algorithm in
    passes over all rows; features are kept in memory as far as the budget allows.

    Parameters
    ----------
    n_clusters : int, default=8
    feature_map : feature map or scikit-learn transformer, default=None
        None: Fourier features of a Gaussian kernel with one length scale per column, 256 to 2048 components.
    n_init : int, default=10
        Runs on the sample, of which the best goes on.
    max_iter : int, default=100
    tol : float, default=1e-4
        Stop when the squared shifts of the centres add up to this share of the mean squared distance to them. 0: when
        they do not move.
    engine, random_state : see KernelRidge

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features_of_the_map)
    labels_ : cluster of each row seen in fit (4 bytes for each)
    inertia_ : sum of squared distances of rows to their centres
    n_iter_ : passes that moved the centres
    feature_map_ : the fitted feature map

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 0.3, (100, 2)), rng.normal(3, 0.3, (100, 2))])
    >>> model = bo.KernelMeans(2, random_state=0).fit(X)
    >>> len(set(model.labels_[:100])), len(set(model.labels_[100:]))
    (1, 1)
    """

    features_: Features
    cluster_centers_: Array
    labels_: Array

    def __init__(
        self,
        n_clusters: int = 8,
        feature_map: Any = None,
        *,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-4,
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.feature_map = feature_map
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.engine = engine
        self.random_state = random_state

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Fit and return the cluster of each row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict(self, X: Any) -> Array:
        """The nearest centre of each row."""
        return self.transform(X).argmin(axis=1).astype(np.int32)

    def transform(self, X: Any) -> Array:
        """Distances ||z(x) - c_j|| to the centres, shape (n_rows, n_clusters)."""
        self._check_fitted()
        centres = self.cluster_centers_.T
        norms = np.einsum("ij,ij->j", centres, centres)
        table = centres.astype(self.features_.dtype)

        def distances(features: Any) -> Array:
            squared = row_squares(features)[:, None] - 2 * (features @ table).astype(np.float64) + norms
            # Where the difference of large numbers has lost its digits, take the differences of the vectors.
            rows, clusters = np.nonzero(squared < 1e-3 * norms)
            near = features[rows].toarray() if sp.issparse(features) else features[rows]
            squared[rows, clusters] = row_squares(near - table.T[clusters])
            return np.sqrt(squared)

        return self._row_values(X, len(norms), distances)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the inertia of these rows."""
        return -float(np.square(self.transform(X).min(axis=1).astype(np.float64)).sum())

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _check_parameters(self) -> None:
        for name in ("n_clusters", "max_iter", "n_init"):
            checked_count(getattr(self, name), name)
        if not (is_number(self.tol) and self.tol >= 0):
            raise ValueError(f"tol must be a number of at least 0, but it is {self.tol!r}.")

    def _learn_coded(self, rows: BlockSource, n_columns: int) -> None:
        n_clusters, max_iter, n_init = int(self.n_clusters), int(self.max_iter), int(self.n_init)
        features = self._draw_features(rows)
        passes = Passes.cached(self._engine(), self._through(rows, features), features)
        start = best_start(*self._seeding_rows(rows, features, n_clusters), n_clusters, n_init, max_iter, self._rng())
        found = lloyd(passes.run, start, features.dtype, max_iter, float(self.tol))
        if not found.converged:
            warnings.warn(
                f"KernelMeans did not converge in {max_iter} iterations: increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.features_ = features
        self.cluster_centers_ = found.centres.T
        self.inertia_ = found.inertia
        self.n_iter_ = found.n_iter
        self.labels_ = np.concatenate(passes.engine.map(Labels(found.centres, features.dtype), passes.source))

    def _seeding_rows(self, source: BlockSource, features: Features, n_clusters: int) -> tuple[Array, Array]:
        """Features and weights of a sample of rows, in an order that does not depend on that of the source."""
        n_rows = max(50 * n_clusters, SEED_BYTES // (features.n_components * features.dtype.itemsize))
        rows = source.sample(min(n_rows, SAMPLE_ROWS))
        weight = np.ones(rows.n_rows) if rows.weight is None else np.asarray(rows.weight, dtype=np.float64)
        values = dense_features(features, rows.X)
        counted = np.flatnonzero(weight)
        if len(counted) == 0:
            raise ValueError("No row counts: the source is empty or every sample_weight is 0.")
        if len(counted) < n_clusters and rows.n_rows == source.n_rows:
            raise ValueError(
                f"n_clusters={n_clusters} is more than the {len(counted)} row(s) that count: ask for fewer clusters."
            )
        order = counted[np.lexsort(values[counted, :4].T)]
        return values[order], weight[order]

    def _rng(self) -> np.random.Generator:
        """A generator of its own for the seeding, apart from the one that draws the features."""
        return as_generator(self.random_state).spawn(1)[0]


@dataclass(frozen=True)
class Labels:
    """A block to the nearest centres of its rows."""

    centres: Array
    dtype: np.dtype

    def __call__(self, block: Block) -> Array:
        if block.n_rows == 0:
            return np.zeros(0, dtype=np.int32)
        norms = np.einsum("ij,ij->j", self.centres, self.centres)
        return nearest(block.X, self.centres.astype(self.dtype), norms)[0].astype(np.int32)
