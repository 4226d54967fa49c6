"""What machines with the kernel itself share: rows as they come, kernel values in bounded memory, scores."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..blocks import BlockSource
from ..kernels import Kernel, Matern, SoftTails
from ..kernels.base import checked_kernel, refuse_overflow
from ..maps.changed_rows import behind_all, behind_changes, changed_rows, peeled
from ..maps.nystroem import KernelValues
from ..solvers.dual_problem import Values, kernel_product
from .base import Array
from .keeping import Keeping

PREDICTED = 2048  # rows at a time
FEW_VALUES = 1 << 24  # of the kernel, for which there is no hurry
REPRESENTATIVE = 20_000  # rows from which words among the kernel's parameters become numbers


class ExactMachine(Keeping):
    """f(x) = b + sum_i a_i k(x_i, x) over rows seen: a kernel machine without a feature map."""

    feature_map = None
    kernel: Kernel | None
    kernel_: Kernel

    @abstractmethod
    def kernel_bytes(self, n_rows: int, dtype: np.dtype) -> int:
        """Memory that a fit of so many rows takes beside the rows; refused where the fit would be."""

    def memory_for_fewer(self, n_rows: int, dtype: np.dtype) -> int:
        """What memory a fit of fewer rows must have to go the way of one of n_rows."""
        return self._engine().memory_bytes

    def preconditioner_work(self, n_rows: int, fewer: int, dtype: np.dtype) -> float:
        """Multiplications that a preconditioner for fewer rows takes, on the way of n_rows; 0 without one."""
        return 0.0

    def _check_kernel(self) -> None:
        if self.kernel is not None:
            checked_kernel(self.kernel)

    def _resolved(self, source: BlockSource) -> Kernel:
        """The kernel with numbers for the words among its parameters: those of the first rows that were kept."""
        if self._rows is not None:
            return self.kernel_
        some = source.sample(REPRESENTATIVE)
        plain = SoftTails(Matern("auto", nu=2.5)) if self.kernel is None else self.kernel
        return plain.resolve(some.X, some.weight)

    def _values(self, X: Any) -> Array:
        """Scores of new rows, tile by tile; many in the precision of the training rows, few in double precision."""
        self._check_fitted()
        return self._of_rows(X, self._scores_of)

    @property
    def _row_dtype(self) -> np.dtype:
        return self._coefficients.dtype

    def _scores_of(self, X: Any) -> Array:
        coefficients, dtype = self._coefficients, self._row_dtype
        rows = changed_rows(self.features_, X.toarray() if sp.issparse(X) else X)
        if len(rows) * len(coefficients) <= FEW_VALUES:
            rows, coefficients = rows.astype(np.float64), coefficients.astype(np.float64)
        return self._products(rows, coefficients).astype(dtype) + self._intercept.astype(dtype)

    def _products(self, rows: Array, coefficients: Array) -> Array:
        """sum_i a_i k(x_i, x) for rows as the kernel behind all changes sees them, in their precision."""
        inner = behind_changes(self.features_)
        values = values_of(inner.kernel, coefficients.dtype)
        out = np.empty((len(rows), coefficients.shape[1]), dtype=coefficients.dtype)
        for start in range(0, len(rows), PREDICTED):
            some = rows[start : start + PREDICTED]
            product = kernel_product(values, some, inner.landmarks, coefficients, self._engine().threads)
            out[start : start + PREDICTED] = product[0]
        return out


def all_rows(source: BlockSource, memory: int) -> tuple[Array, Array, Array]:
    """The rows of a source as one dense array, their targets, and their weights."""
    blocks = list(source)
    sparse_bytes = sum(np.prod(block.X.shape) * block.X.dtype.itemsize for block in blocks if sp.issparse(block.X))
    if sparse_bytes > memory:
        raise ValueError(
            f"Machines of the kernel itself work on dense rows, and these sparse ones would take {sparse_bytes:.1g} "
            f"bytes, more than memory: use a learner with a feature map, such as bo.KernelRidge, or a larger engine."
        )
    counts = [block.n_rows for block in blocks]
    X = joined([block.X.toarray() if sp.issparse(block.X) else block.X for block in blocks])
    y = joined([block.y for block in blocks])
    return X, y, np.concatenate([np.ones(n) if b.weight is None else b.weight for n, b in zip(counts, blocks)])


def joined(parts: list[Any]) -> Array:
    """Arrays one after the other; a single one as it is."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def values_of(kernel: Kernel, dtype: np.dtype) -> Values:
    """How kernel values are made in this precision."""
    return kernel.single if dtype == np.float32 else kernel


def kernel_values(kernel: Kernel, X: Array) -> Any:
    """k(x_i, x) for all rows as features, rows that the kernel changes stored as it sees them."""
    changes, inner, rows = peeled(kernel, X)
    refuse_overflow(inner, rows)
    return behind_all(changes, KernelValues(inner, np.ascontiguousarray(rows), X.dtype))
