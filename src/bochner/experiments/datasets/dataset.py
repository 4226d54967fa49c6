"""What a data set is: files, how they are read, and generated rows that can stand in for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from .files import DataFile, opened

Array = np.ndarray
SPLIT_SEED = 0  # of the splits that no file gives
STAND_IN_ROWS = (900, 300)  # generated rows to train on and to test on


@dataclass(frozen=True)
class Split:
    """Training and test rows of one data set."""

    name: str
    task: str  # "classification" or "regression"
    X: Any
    y: Array
    X_test: Any
    y_test: Array


class DataSet(ABC):
    """One file of ``bochner.experiments.datasets`` holds one or two subclasses; the catalogue finds them there.

    Attributes
    ----------
    name : what experiments ask for
    title : its usual name
    task : "classification" or "regression"
    files : where its rows are
    """

    name: ClassVar[str]
    title: ClassVar[str]
    task: ClassVar[str]
    files: ClassVar[tuple[DataFile, ...]]

    @abstractmethod
    def read(self, paths: Sequence[Path]) -> tuple[Any, Array, Any, Array]:
        """X, y, X_test, y_test from the files, in the order of ``files``."""

    @abstractmethod
    def generated(self, rng: np.random.Generator, n_rows: int) -> tuple[Any, Array]:
        """Rows and targets with the columns of the set, which a kernel machine can learn."""

    def load(self, download: bool = True) -> Split:
        """The rows of the set, with its usual split."""
        paths = [file.located(download) for file in self.files]
        return Split(self.name, self.task, *self.read(paths))

    def stand_in(self, seed: int = 0) -> Split:
        """Generated rows in place of those of the set."""
        X, y = self.generated(np.random.default_rng(seed), sum(STAND_IN_ROWS))
        n = STAND_IN_ROWS[0]
        return Split(self.name, self.task, X[:n], y[:n], X[n:], y[n:])


def divided(X: Any, y: Array, test_share: float) -> tuple[Any, Array, Any, Array]:
    """Training and test rows by a seeded permutation."""
    order = np.random.RandomState(SPLIT_SEED).permutation(len(y))
    n_test = round(test_share * len(y))
    train, test = order[n_test:], order[:n_test]
    if isinstance(X, np.ndarray):
        return X[train], y[train], X[test], y[test]
    return X.iloc[train].reset_index(drop=True), y[train], X.iloc[test].reset_index(drop=True), y[test]


def svmlight(paths: Sequence[Path], n_features: int) -> tuple[Array, Array, Array, Array]:
    """Two files of svmlight's format as arrays."""
    from sklearn.datasets import load_svmlight_file

    parts: list[Array] = []
    for path in paths:
        with opened(path) as stream:
            X, y = load_svmlight_file(stream, n_features=n_features)
        parts += [X.toarray(), y.astype(int)]
    return parts[0], parts[1], parts[2], parts[3]


def numbers(path: Path, dtype: Any = float) -> Array:
    """A file of numbers with commas between them."""
    with opened(path) as stream:
        return np.loadtxt(stream, delimiter=",", dtype=dtype)


def signs_of_a_sum(X: Array, rng: np.random.Generator) -> Array:
    """Labels -1 and +1 that depend on all columns, not linearly: the sign of a smooth random function."""
    Z = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
    directions = rng.normal(size=(Z.shape[1], 3)) / np.sqrt(Z.shape[1])
    value = np.sin(2.0 * (Z @ directions[:, 0])) + Z @ directions[:, 1] + (Z @ directions[:, 2]) ** 2 - 1.0
    return np.where(value > np.median(value), 1, -1)
