"""What a search chooses among: a family of maps, a kernel with its length scales, a loss."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose
from typing import Any

import numpy as np

from ..engines import ThreadEngine
from ..kernels import Kernel, Metric, ScaledKernel
from ..learners import (
    ExactKernelRidge,
    ExactKernelRidgeClassifier,
    KernelRidge,
    KernelRidgeClassifier,
    KernelSVC,
)
from ..solvers.kept_kernel import kept_bytes
from .families import Exact, Family, MapFamily

SEARCH_TOL = 5e-2  # of conjugate gradients where only the order of candidates is wanted

HINGE_STEPS = 32
REFINED = ", refined"
FEW_ROWS = 20_000  # of a classifier, below which dense features have double precision
MOST_VALUES = 7.2e9  # of the kernel that an exact machine makes, some ten seconds
PASSES = (2, 6)  # least and most over the rows: beyond, little is gained
NOTHING_KEPT = 1 << 24  # bytes: enough to read rows, too few to keep their kernel values
FEW_CODES = 1 << 20  # codes for which starting threads costs more than it saves


@dataclass(frozen=True)
class Candidate:
    """A point of the search space; ``scales`` says in words where the length scales come from."""

    family: Family
    kernel: Any
    scales: str
    factor: float = 1.0  # on all length scales
    loss: str = "squared"
    alpha: float | str = "gcv"  # "path": the best of some, on the same features
    solved: bool = False  # whether an exact machine goes to the end on these rows, as the final one cannot on all

    @property
    def kernel_name(self) -> str:
        kernel = self.kernel
        name = type(kernel).__name__
        detail = {"Matern": "nu", "RationalQuadratic": "alpha", "Polynomial": "degree"}.get(name)
        return name if detail is None else f"{name}({detail}={kernel.get_params()[detail]})"

    @property
    def machine(self) -> tuple[Any, ...]:
        """What decides about the time, but for rows and width."""
        return self.family, self.loss, self.solved

    @property
    def kind(self) -> tuple[Any, ...]:
        """What candidates share that differ in details only."""
        return self.family, self.kernel_name, self.scales.split(",")[0], self.loss

    @property
    def label(self) -> str:
        scales = self.scales if self.factor == 1.0 else f"{self.scales} x {self.factor:.3g}"
        return f"{self.family.name} {self.kernel_name}, {scales}"

    def same_as(self, other: Candidate) -> bool:
        """Whether the models would be the same, whatever the words for them."""
        if self.machine != other.machine or not isclose(self.factor, other.factor):
            return False
        words = isinstance(self.alpha, str) or isinstance(other.alpha, str)
        alike = self.alpha == other.alpha if words else isclose(float(self.alpha), float(other.alpha))
        return alike and same_kernel(self.kernel, other.kernel)

    def scaled_kernel(self) -> Kernel:
        """The kernel with the common factor applied."""
        scaled: Kernel = self.kernel.scaled(self.factor) if self.family.has_scales else self.kernel
        return scaled

    def at_factor(self, factor: float) -> Candidate:
        """The same with another common factor."""
        return replace(self, factor=factor)

    def with_columns(self, columns: Any, factor: float) -> Candidate:
        """The same with the length scale of some columns multiplied."""
        factors = np.where(columns, factor, 1.0)
        return replace(self, kernel=self.kernel.scaled(factors), scales=self.scales.split(",")[0] + REFINED)

    def with_matrix(self, matrix: Any) -> Candidate:
        """The same in another metric."""
        kernel = self.kernel.with_length_scale(Metric(matrix))
        return replace(self, kernel=kernel, scales=self.scales.split(",")[0] + REFINED)

    def with_kernel(self, kernel: ScaledKernel) -> Candidate:
        """The same length scales or metric under another kernel."""
        return replace(self, kernel=kernel.with_length_scale(self.kernel.length_scale))

    def with_alpha(self, alpha: float | str) -> Candidate:
        """The same with this regularisation."""
        return replace(self, alpha=alpha)

    def with_solution(self, solved: bool) -> Candidate:
        """The same, solved to the end or not."""
        return replace(self, solved=solved)

    def with_loss(self, loss: str) -> Candidate:
        """The same with another loss."""
        return replace(self, loss=loss)


def same_kernel(one: Kernel, other: Kernel) -> bool:
    """Whether two kernels are of one type and have equal parameters."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    mine, others = one.get_params(deep=False), other.get_params(deep=False)
    return all(
        same_kernel(value, others[name]) if isinstance(value, Kernel) else np.array_equal(value, others[name])
        for name, value in mine.items()
    )


@dataclass(frozen=True)
class Task:
    """What is asked: labels or numbers, and what every estimator is given."""

    classification: bool
    class_weight: Any
    memory: int
    n_jobs: int | None
    seed: int
    passes: int = 2  # of exact machines
    kept: bool = False  # whether an exact machine of all rows can keep kernel values

    def for_rows(self, n_rows: int) -> Task:
        """The same for so many rows in all: the fewer, the more passes over them can be afforded."""
        passes = int(np.clip(round(MOST_VALUES / n_rows**2), *PASSES))
        return replace(self, passes=passes, kept=self.keeps(n_rows))

    def keeps(self, n_rows: int) -> bool:
        """Whether the kernel values of so many rows fit the memory."""
        return kept_bytes(n_rows, np.dtype(np.float32)) <= self.memory

    def dtype(self, candidate: Candidate, n_rows: int) -> type:
        """float32, but for dense features of few rows or for numbers: long length scales need the digits."""
        if isinstance(candidate.family, Exact):
            return np.float32  # kernel values, which are sums of no products
        return np.float64 if candidate.family.dense and (not self.classification or n_rows < FEW_ROWS) else np.float32

    def estimator(self, candidate: Candidate, width: int, n_rows: int, tol: float) -> Any:
        """An unfitted estimator of the library."""
        family = candidate.family
        if not isinstance(family, MapFamily):
            return self._exact(candidate, tol / 5.0, self.kept or (candidate.solved and self.keeps(n_rows)))
        feature_map = family.feature_map(candidate.scaled_kernel(), width, n_rows, self.seed)
        n_jobs = 1 if n_rows * width < FEW_CODES and not candidate.family.dense else self.n_jobs
        common: dict[str, Any] = {"engine": ThreadEngine(n_jobs, self.memory), "random_state": self.seed}
        if not self.classification:
            return KernelRidge(feature_map, candidate.alpha, tol=tol, **common)
        common["class_weight"] = self.class_weight
        if candidate.loss == "squared":
            return KernelRidgeClassifier(feature_map, candidate.alpha, tol=tol, **common)
        # Few steps with one curvature for all classes: beyond them only training errors fall.
        C = 1.0 / float(candidate.alpha)
        return KernelSVC(feature_map, C, solver="majorised", tol=tol / 5.0, max_iter=HINGE_STEPS, **common)

    def _exact(self, candidate: Candidate, tol: float, kept: bool) -> Any:
        alpha = "auto" if isinstance(candidate.alpha, str) else candidate.alpha
        engine = ThreadEngine(self.n_jobs, self.memory if kept else NOTHING_KEPT)
        common: dict[str, Any] = {"tol": tol, "engine": engine, "random_state": self.seed}
        # What is compared is solved as the final model will be.
        common |= {} if kept else {"max_iter": self.passes}
        if not self.classification:
            return ExactKernelRidge(candidate.scaled_kernel(), alpha, **common)
        return ExactKernelRidgeClassifier(candidate.scaled_kernel(), alpha, class_weight=self.class_weight, **common)
