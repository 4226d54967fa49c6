"""From rows to turns w'x / 2π: a dense matrix, or a structured product that costs O(D log d)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..compute.hadamard import fastfood_turns, sorf_turns

Array = np.ndarray


class Projection(ABC):
    """x -> (w_1'x, ..., w_m'x) / 2π, in turns so that reduction of the angle is a subtraction."""

    n_frequencies: int

    @abstractmethod
    def write(self, X: Any, turns: Array) -> None:
        """Fill turns (rows, n_frequencies) for a dense or sparse tile of rows."""

    @abstractmethod
    def weights(self) -> Array:
        """The same linear map as a dense matrix, shape (columns, n_frequencies)."""


class DenseProjection(Projection):
    """A matrix product with frequencies stored in turns."""

    def __init__(self, frequencies: Array, dtype: np.dtype) -> None:
        self.matrix = np.empty(frequencies.shape[::-1], dtype=dtype)
        np.divide(frequencies.T, 2.0 * np.pi, out=self.matrix, casting="same_kind")
        self.n_frequencies = frequencies.shape[0]

    def write(self, X: Any, turns: Array) -> None:
        if sp.issparse(X):
            turns[:] = X @ self.matrix
        else:
            np.matmul(X, self.matrix, out=turns)

    def weights(self) -> Array:
        return self.matrix


class StructuredProjection(Projection):
    """Shared by the structured products: columns divided by length scales, padded to a power of two, in blocks."""

    def __init__(self, inverse_scales: Array, n_frequencies: int, dtype: np.dtype) -> None:
        self.inverse_scales = np.asarray(inverse_scales, dtype=dtype)
        self.n_frequencies = n_frequencies

    @abstractmethod
    def transform(self, X: Array, turns: Array) -> None:
        """The structured product of scaled, dense rows."""

    def write(self, X: Any, turns: Array) -> None:
        rows = X.toarray() if sp.issparse(X) else X
        self.transform(np.multiply(rows, self.inverse_scales, dtype=turns.dtype), turns)

    def weights(self) -> Array:
        eye = np.eye(len(self.inverse_scales), dtype=self.inverse_scales.dtype)
        turns = np.empty((len(eye), self.n_frequencies), dtype=eye.dtype)
        self.write(eye, turns)
        return turns


class HadamardProjection(StructuredProjection):
    """Blocks of radius * H D1 H D2 H D3 with H the Walsh-Hadamard matrix and D random signs (SORF)."""

    def __init__(self, signs: Array, scales: Array, inverse_scales: Array, dtype: np.dtype) -> None:
        super().__init__(inverse_scales, len(scales), dtype)
        self.signs = np.ascontiguousarray(signs, dtype=dtype)
        self.scales = np.ascontiguousarray(scales, dtype=dtype)

    def transform(self, X: Array, turns: Array) -> None:
        sorf_turns(X, self.signs, self.scales, turns)


class FastfoodProjection(StructuredProjection):
    """Blocks of S H G P H B: signs, Hadamard, permutation, Gaussian diagonal, Hadamard, radii."""

    def __init__(
        self,
        signs: Array,
        permutations: Array,
        gaussians: Array,
        scales: Array,
        inverse_scales: Array,
        dtype: np.dtype,
    ) -> None:
        super().__init__(inverse_scales, len(scales), dtype)
        self.signs = np.ascontiguousarray(signs, dtype=dtype)
        self.permutations = np.ascontiguousarray(permutations, dtype=np.int64)
        self.gaussians = np.ascontiguousarray(gaussians, dtype=dtype)
        self.scales = np.ascontiguousarray(scales, dtype=dtype)

    def transform(self, X: Array, turns: Array) -> None:
        fastfood_turns(X, self.signs, self.permutations, self.gaussians, self.scales, turns)
