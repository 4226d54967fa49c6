"""What a feature map is: a scikit-learn transformer that draws one frozen function, most of them for a kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ..blocks.sample import SAMPLE_ROWS
from ..blocks.validation import validated
from ..compute.threads import over_row_chunks, thread_count
from .features import Array, DenseFeatures, Features
from .layout import Layout
from .parameters import Composite


class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Composite, ABC):
    """A transformer that draws one frozen function of rows, z(x), from a sample of them: features for linear learners.

    A subclass draws the function in ``fit_sample``. Given here: validation, threads, names, sparse and DataFrame input.
    """

    width: ClassVar[str] = "n_components"  # the parameter with which the error falls

    features_: Features
    n_components_: int
    n_draws_: int
    random_state: Any
    n_jobs: int | None

    @classmethod
    def examples(cls) -> list[Self]:
        """Instances that use every parameter: the contracts in tests look at them."""
        return [cls()]

    @abstractmethod
    def fit_sample(self, rows: Any, weight: Array | None = None, targets: Any = None) -> Self:
        """Draw the map from checked rows that stand for the data, each counted ``weight`` times.

        What learners call with a sample of a source and its targets as they code them, which a map may look at;
        ``fit`` is this on a sample of its arguments.
        """

    @property
    def sample_rows(self) -> int | None:
        """How many rows ``fit`` draws the map from; None: all that can be had."""
        return SAMPLE_ROWS

    def _checked_rows(self, X: Any) -> Any:
        """The rows given to ``fit``, once all parameters that every map has are found good."""
        self.refuse_collections()
        check_random_state(self.random_state)
        thread_count(self.n_jobs)
        return validated(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])

    def _keep(self, features: Features, n_draws: int) -> Self:
        """Set what every fitted map has."""
        self.n_features_in_ = features.n_features_in
        self.n_components_, self.n_draws_, self.features_ = features.n_components, n_draws, features
        return self

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
        if not (isinstance(features, DenseFeatures) and features.layout(sp.issparse(X)) is Layout.DENSE):
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


GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, np.random.SeedSequence)
SPARSE_CHUNK = 16384  # rows per thread task where the output is sparse


def checked_count(value: Any, name: str) -> int:
    """A whole number of at least 1, or one clear sentence."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, but it is {value!r}.")
    return int(value)


def check_random_state(random_state: Any) -> None:
    """Refuse what is no scikit-learn kind of random_state."""
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0
    if not (whole or random_state is None or isinstance(random_state, GENERATORS)):
        raise ValueError(
            f"random_state must be None, a whole number of at least 0 or a Generator, not {random_state!r}."
        )


def as_generator(random_state: Any) -> np.random.Generator:
    """One random generator from scikit-learn's kinds of random_state."""
    check_random_state(random_state)
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)
