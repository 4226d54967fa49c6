"""Repeated independent draws of a feature map, and the errors that each of them makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..blocks.sample import representative_rows
from ..blocks.validation import checked_rows
from ..kernels import Kernel
from ..maps import FeatureMap, Features
from ..maps.measure import Pairs, all_pairs, estimated_values, exact_values, sample_pairs

Array = np.ndarray


@dataclass(frozen=True)
class Redraws:
    """A map whose kernel and width are settled, and which can be drawn again and again for the same rows."""

    feature_map: FeatureMap  # its kernel has numbers for words; never fitted itself
    kernel: Kernel
    width: int
    rows: Any
    seed: int

    @classmethod
    def of(cls, feature_map: Any, X: Any, seed: int) -> Redraws:
        """Settle kernel and width, by a fit on the rows if the map has not been fitted."""
        if not isinstance(feature_map, FeatureMap):
            raise TypeError(
                f"error_report takes a bochner feature map such as bo.FourierFeatures(), not "
                f"{type(feature_map).__name__}: it has no kernel to compare with."
            )
        X = checked_rows(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2)
        rows = representative_rows(X)
        fitted = feature_map
        if "features_" not in vars(feature_map):
            fitted = clone(feature_map).set_params(random_state=np.random.default_rng([seed, 0]))
            fitted.fit_sample(rows)
        elif fitted.n_features_in_ != X.shape[1]:
            raise ValueError(f"X has {X.shape[1]} columns, but the map was fitted with {fitted.n_features_in_}.")
        if fitted.features_.output_dtype.kind == "c":
            raise ValueError(
                "error_report takes real features: embedding='paired' has the same error, bo.max_error both."
            )
        settled = fitted.settled()
        width = settled.get_params(deep=False)[settled.width]
        return cls(settled, fitted.kernel_, fitted.n_draws_ if width is None else int(width), rows, seed)

    def fitted(self, draw: int, width: int | None = None) -> FeatureMap:
        """An independent draw of the map, of another width where one is given."""
        again = clone(self.feature_map).set_params(random_state=np.random.default_rng([self.seed, 1, draw]))
        if width is not None and width != self.width:
            again.set_params(**{again.width: width})
        return again.fit_sample(self.rows)

    def features(self, draw: int, width: int | None = None) -> Features:
        """The features of that draw."""
        return self.fitted(draw, width).features_


@dataclass(frozen=True)
class PairSample:
    """The pairs on which a map is measured."""

    pairs: Pairs
    exact: Array
    census: bool  # whether these are all the pairs of the data

    @classmethod
    def of(cls, kernel: Kernel, rows: Any, n_pairs: int, seed: int) -> PairSample:
        """All pairs of a small table, a random sample of a large one."""
        n_rows = rows.shape[0]
        census = n_rows * (n_rows - 1) // 2 <= n_pairs
        pairs = all_pairs(rows) if census else sample_pairs(rows, n_pairs, np.random.default_rng([seed, 2]))
        return cls(pairs, finite(exact_values(kernel, pairs), f"Values of the kernel {type(kernel).__name__}"), census)

    def errors(self, features: Features) -> Array:
        """z(x)'z(y) - k(x, y) of each pair."""
        return finite(estimated_values(features, self.pairs), "Products of the features") - self.exact


def finite(values: Array, name: str) -> Array:
    """The values, refused where they have overflowed."""
    if not np.isfinite(values).all():
        raise ValueError(f"{name} overflow at some pairs of rows: scale the data or the kernel down.")
    return values
