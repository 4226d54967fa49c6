"""The rows of one block as a linear learner sees them: Z, known by what it does to vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import scipy.sparse as sp

from ..compute.weighted import weighted_products

Array = np.ndarray


class Design(ABC):
    """A matrix Z (rows x features) that may be dense, sparse or coded.

    Learners and solvers use nothing else of the features, so a new storage format serves all of them at once.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Rows and features."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory held."""

    @abstractmethod
    def scores(self, coefficients: Array) -> Array:
        """Z c for coefficients of shape (features, outputs): shape (rows, outputs)."""

    @abstractmethod
    def adjoint(self, residuals: Array) -> Array:
        """Z'r for residuals of shape (rows, outputs): shape (features, outputs)."""

    def add_adjoint(self, residuals: Array, out: Array) -> None:
        """Add Z'r to an array of shape (features, outputs)."""
        out += self.adjoint(residuals)

    def add_weighted_gram(self, weight: Array, direction: Array, offset: Array, out: Array) -> None:
        """Add [Z 1]'(weight * (Z direction + offset)) to an array of shape (features + 1, outputs).

        Weight and the direction have one column for each output; products are made in the direction's precision.
        """
        changes = weight * (self.scores(direction) + offset)
        self.add_adjoint(changes.astype(direction.dtype), out[:-1])
        out[-1] += changes.sum(axis=0)

    @abstractmethod
    def column_squares(self, weight: Array | None) -> Array:
        """Diagonal of Z'diag(weight)Z, shape (features,): the Jacobi preconditioner."""

    def add_column_squares(self, weight: Array | None, out: Array) -> None:
        """Add the diagonal of Z'diag(weight)Z to an array of shape (features,)."""
        out += self.column_squares(weight)

    @abstractmethod
    def dense(self) -> Array:
        """Z itself."""

    @abstractmethod
    def held_out(self, rows: Array) -> Design:
        """The design of some of these rows, as rows that the features were not made from: what a fold is judged by.

        Most features are made from so little of a row that this is the design of these rows as it is.
        """


class DenseDesign(Design):
    """Z as a C-contiguous array."""

    def __init__(self, values: Array) -> None:
        self.values = values

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape

    @property
    def nbytes(self) -> int:
        return self.values.nbytes

    def scores(self, coefficients: Array) -> Array:
        return self.values @ coefficients

    def adjoint(self, residuals: Array) -> Array:
        return self.values.T @ residuals

    def add_weighted_gram(self, weight: Array, direction: Array, offset: Array, out: Array) -> None:
        for output in range(weight.shape[1]):
            column = np.ascontiguousarray(weight[:, output])
            products, total = weighted_products(self.values, column, direction[:, output], offset[output])
            out[:-1, output] += products
            out[-1, output] += total

    def column_squares(self, weight: Array | None) -> Array:
        if weight is None:
            return np.einsum("ij,ij->j", self.values, self.values, dtype=np.float64)
        return np.einsum("ij,ij,i->j", self.values, self.values, weight, dtype=np.float64)

    def dense(self) -> Array:
        return self.values

    def held_out(self, rows: Array) -> Design:
        return DenseDesign(self.values[rows])


class SparseDesign(Design):
    """Z in compressed rows."""

    def __init__(self, values: sp.csr_matrix) -> None:
        self.values = values

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape

    @property
    def nbytes(self) -> int:
        return self.values.data.nbytes + self.values.indices.nbytes + self.values.indptr.nbytes

    def scores(self, coefficients: Array) -> Array:
        return self.values @ coefficients

    def adjoint(self, residuals: Array) -> Array:
        return self.values.T @ residuals

    def column_squares(self, weight: Array | None) -> Array:
        squares = self.values.multiply(self.values)
        return np.asarray(squares.sum(axis=0) if weight is None else squares.T @ weight, dtype=np.float64).ravel()

    def dense(self) -> Array:
        return self.values.toarray()

    def held_out(self, rows: Array) -> Design:
        return SparseDesign(self.values[rows])
