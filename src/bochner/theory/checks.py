"""Arguments of the theory, checked: one sentence says what is wrong and what to do."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal, TypeGuard

import numpy as np

from ..kernels import Kernel, ProductFormKernel, ShiftInvariantKernel
from ..kernels.changed_rows import ChangedRows

Array = np.ndarray
Embedding = Literal["paired", "shifted"]


def inside_unit(value: Any, name: str) -> float:
    """A number strictly between 0 and 1: a tolerance or a probability of failure."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(f"{name} must be a number between 0 and 1, both excluded, but it is {value!r}.")
    return float(value)


def positive(value: Any, name: str) -> float:
    """A finite number greater than 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name} must be a finite number greater than 0, but it is {value!r}.")
    return float(value)


def count(value: Any, name: str) -> int:
    """A whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, but it is {value!r}.")
    return int(value)


def known(value: Any, name: str, method: str) -> Any:
    """An argument that this method cannot do without."""
    if value is None:
        raise ValueError(f"method={method!r} needs {name}: give {name}=...{HINTS.get(name, '')}.")
    return value


HINTS = {
    "diameter": " (bo.theory.enclosing_diameter(X) finds it from data)",
    "dim": ", the number of columns of the data",
    "n_points": ", the number of points between which the error is to be small",
}


def one_of(value: Any, choices: tuple[str, ...], name: str) -> str:
    """A word from a list."""
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(repr(choice) for choice in choices)}, not {value!r}.")
    return str(value)


def is_paired(embedding: Any) -> bool:
    """Whether the embedding is "paired" (cosines and sines) rather than "shifted" (cosines of random phase)."""
    return one_of(embedding, ("paired", "shifted"), "embedding") == "paired"


def shift_invariant(kernel: Any) -> ShiftInvariantKernel:
    """The kernel, if it depends on x - y only and is 1 at 0; products of such kernels are such a kernel."""
    if isinstance(kernel, ShiftInvariantKernel):
        return kernel
    if isinstance(kernel, Kernel):
        terms = kernel.terms()
        if len(terms) == 1 and terms[0][0] == 1.0 and isinstance(terms[0][1], ShiftInvariantKernel):
            return terms[0][1]
    if isinstance(kernel, ChangedRows):
        raise ValueError(
            "The theory of Fourier features needs a shift-invariant kernel, not one of changed rows: give it "
            "kernel.kernel, and differences and diameters of kernel.change()(X)."
        )
    if isinstance(kernel, Kernel) and kernel.shift_invariant() is not None:
        raise ValueError(
            f"The theory of Fourier features needs a kernel with k(0) = 1: give it kernel.shift_invariant() of "
            f"{type(kernel).__name__}, whose errors times sqrt(k(x, x) k(y, y)) are those of the kernel."
        )
    raise ValueError(
        f"The theory of Fourier features needs a shift-invariant kernel with k(0) = 1, and {type(kernel).__name__} "
        "is not one: use it for each term of a sum, or take bo.theory.maclaurin_variance for dot products."
    )


def is_one_column(kernel: Any, dim: int) -> TypeGuard[ProductFormKernel]:
    """Whether a product kernel sees one column only, so that its profile is all there is to know."""
    return isinstance(kernel, ProductFormKernel) and kernel.split(dim)[0].n_directions == 1


def differences(value: Any) -> Array:
    """Rows of differences Δ = x - y, shape (n, dim)."""
    delta = np.atleast_2d(np.asarray(value, dtype=np.float64))
    if delta.ndim != 2 or not np.isfinite(delta).all():
        raise ValueError("difference must be a finite vector x - y, or a table with one such row each.")
    return delta


def points(value: Any, name: str, at_least: int = 1) -> Array:
    """A table of points, one a row."""
    table = np.asarray(value, dtype=np.float64)
    if table.ndim != 2 or len(table) < at_least or not np.isfinite(table).all():
        raise ValueError(f"{name} must be a table of finite numbers with one point a row, at least {at_least} of them.")
    return table
