"""A fitted feature map: one frozen, picklable function that threads, Dask, streaming and transform all call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..blocks.memory import block_budget
from .design import Array, DenseDesign, Design, SparseDesign
from .layout import Layout


class Features(ABC):
    """X -> Z, drawn once and never changed.

    Law: ``features(X)[rows] == features(X[rows])`` for every choice of rows (up to the rounding of a matrix product).
    """

    n_features_in: int
    n_components: int
    dtype: np.dtype

    @property
    def output_dtype(self) -> np.dtype:
        """The type of the features of rows of ``dtype``."""
        return self.dtype

    @abstractmethod
    def __call__(self, X: Any) -> Any:
        """The features of a block of rows: an array, or a CSR matrix."""

    @abstractmethod
    def layout(self, sparse_rows: bool = False) -> Layout:
        """The form of the design of dense or of sparse rows."""

    @abstractmethod
    def design(self, X: Any) -> Design:
        """The features of a block in the form in which learners use them."""

    @property
    def row_dtype(self) -> np.dtype:
        """The precision in which rows are wanted where they are made for these features."""
        return self.dtype

    def scores(self, X: Any, coefficients: Array) -> Array:
        """Z c for a block of rows and coefficients of shape (features, outputs): shape (rows, outputs)."""
        return self.design(X).scores(coefficients)

    @property
    @abstractmethod
    def row_bytes(self) -> int:
        """Memory that the design of one row takes: sets how many rows make a block."""

    def block_rows(self, memory: int) -> int:
        """How many rows make a block where a source may take so much memory."""
        return int(max(256, min(block_budget(memory) // max(1, self.row_bytes), 1 << 16)))

    def on_threads(self, threads: int) -> Features:
        """The same function, whose designs may use so many threads of their own: the same bits, where it can."""
        return self

    def folded(self, coefficients: Array) -> tuple[Features, Array]:
        """Other features and coefficients, of shape (features, outputs), with the same product, cheaper to evaluate."""
        return self, coefficients

    def unwhitened(self) -> tuple[Features, Array | None]:
        """Features u that are cheaper to make and a matrix W with z = W'u, where there are such; else self and None."""
        return self, None

    def joined(self, weights: Sequence[float], parts: Sequence[Any]) -> Features:
        """The features of a weighted sum of kernels from those of its terms (of which this is one)."""
        raise ValueError("A sum of kernels cannot be served by this map: give each kernel a map of its own.")


def real_features(features: Features) -> Features:
    """The features, if they are real numbers, as learners need them."""
    if features.output_dtype.kind == "c":
        raise ValueError(
            "Learners need real features: give FourierFeatures embedding='paired', which is the same machine."
        )
    return features


class DenseFeatures(Features):
    """Features that fill a dense array in place."""

    @abstractmethod
    def write(self, X: Any, out: Array) -> None:
        """Fill out (rows, n_components), C-contiguous along the last axis, with the features of X."""

    def layout(self, sparse_rows: bool = False) -> Layout:
        """Dense, but for a map that keeps zeros: it gives a sparse matrix for sparse rows."""
        return Layout.DENSE

    def __call__(self, X: Any) -> Any:
        out = np.empty((X.shape[0], self.n_components), dtype=self.output_dtype)
        self.write(X, out)
        return out

    def design(self, X: Any) -> Design:
        return DenseDesign(self(X))

    def joined(self, weights: Sequence[float], parts: Sequence[Any]) -> Features:
        return ConcatenatedFeatures(weights, parts)

    @property
    def row_bytes(self) -> int:
        return self.n_components * self.output_dtype.itemsize


class ConcatenatedFeatures(DenseFeatures):
    """Features of a sum of kernels: sqrt(weight) times the features of each term, side by side."""

    def __init__(self, weights: Sequence[float], parts: Sequence[DenseFeatures]) -> None:
        self.weights = tuple(weights)
        self.parts = tuple(parts)
        self.n_features_in = parts[0].n_features_in
        self.n_components = sum(part.n_components for part in parts)
        self.dtype = parts[0].dtype

    @property
    def output_dtype(self) -> np.dtype:
        return self.parts[0].output_dtype

    def write(self, X: Any, out: Array) -> None:
        stop = 0
        for weight, part in zip(self.weights, self.parts):
            start, stop = stop, stop + part.n_components
            part.write(X, out[:, start:stop])
            if weight != 1.0:
                out[:, start:stop] *= self.dtype.type(np.sqrt(weight))

    def layout(self, sparse_rows: bool = False) -> Layout:
        dense = all(part.layout(sparse_rows) is Layout.DENSE for part in self.parts)
        return Layout.DENSE if dense else Layout.SPARSE

    def __call__(self, X: Any) -> Any:
        if self.layout(sp.issparse(X)) is Layout.DENSE:
            return super().__call__(X)
        scaled = [part(X) * self.dtype.type(np.sqrt(weight)) for weight, part in zip(self.weights, self.parts)]
        return sp.hstack(scaled, format="csr")

    def design(self, X: Any) -> Design:
        made = self(X)
        return SparseDesign(made) if sp.issparse(made) else DenseDesign(made)


class TransformerFeatures(Features):
    """Any fitted scikit-learn transformer in the role of a feature map."""

    def __init__(self, transformer: Any, n_features_in: int, example: Any) -> None:
        self.transformer = transformer
        self.n_features_in = n_features_in
        output = self._output(example)
        self.sparse = sp.issparse(output)
        self.n_components = output.shape[1]
        self.dtype = output.dtype if output.dtype in (np.float32, np.float64) else np.dtype(np.float64)

    def layout(self, sparse_rows: bool = False) -> Layout:
        return Layout.SPARSE if self.sparse else Layout.DENSE

    def _output(self, X: Any) -> Any:
        output = self.transformer.transform(X)
        return output.tocsr() if sp.issparse(output) else np.asarray(output)

    def __call__(self, X: Any) -> Any:
        output = self._output(X)
        return output if self.sparse else np.ascontiguousarray(output, dtype=self.dtype)

    def design(self, X: Any) -> Design:
        return SparseDesign(self(X)) if self.sparse else DenseDesign(self(X))

    @property
    def row_bytes(self) -> int:
        return self.n_components * self.dtype.itemsize
