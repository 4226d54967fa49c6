"""The five sets as the machines get them: rows of length 1, in single precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from ...datasets import DataSets
from .poster import TITLES

Array = np.ndarray


@dataclass(frozen=True)
class Rows:
    """Training and test rows of a set."""

    name: str
    X: Array
    y: Array
    X_test: Array
    y_test: Array

    @property
    def title(self) -> str:
        """The set's name in print."""
        return TITLES[self.name]

    def some(self, n_train: int, n_test: int, seed: int = 0) -> Rows:
        """At most so many rows, drawn without replacement; the heads of some files are no fair sample."""
        rng = np.random.default_rng(seed)
        train, test = rng.permutation(len(self.X))[:n_train], rng.permutation(len(self.X_test))[:n_test]
        return Rows(self.name, self.X[train], self.y[train], self.X_test[test], self.y_test[test])

    def fold(self, test: Array) -> Rows:
        """Training rows only, those that are marked held out."""
        return Rows(self.name, self.X[~test], self.y[~test], self.X[test], self.y[test])


def prepared(name: str, data: DataSets, unit: bool = True) -> Rows:
    """The rows of a set, scaled as its training rows are; ``unit``: then divided by their length."""
    split = data.load(name)
    X, y, X_test, y_test = split.X, split.y, split.X_test, split.y_test
    X, X_test = SCALINGS[name](X, X_test)
    if unit:
        X, X_test = shortened(X), shortened(X_test)
    return Rows(name, X.astype(np.float32), y, X_test.astype(np.float32), y_test)


def shortened(X: Array) -> Array:
    """Rows of length 1; a row of zeros stays."""
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(length > 0.0, length, 1.0)


def _one_hot(X: Array, X_test: Array) -> tuple[Array, Array]:
    encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(X)
    return encoder.transform(X), encoder.transform(X_test)


def _standard(X: Array, X_test: Array) -> tuple[Array, Array]:
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test)


def _unit_interval(X: Array, X_test: Array) -> tuple[Array, Array]:
    scaler = MinMaxScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test)


def _as_it_is(X: Array, X_test: Array) -> tuple[Array, Array]:
    return X, X_test


SCALINGS: dict[str, Callable[[Array, Array], tuple[Array, Array]]] = {
    "nursery": _one_hot,  # 27 columns of 0 and 1
    "cod-rna": _standard,
    "adult": _as_it_is,  # columns of 0 and 1
    "ijcnn1": _as_it_is,
    "covertype": _unit_interval,
}
