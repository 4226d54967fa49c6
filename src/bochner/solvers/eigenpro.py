"""Kernel ridge regression with the kernel itself: a coefficient for each row, by preconditioned stochastic steps."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh

from ..compute.threads import single_threaded_blas
from .dual_problem import TILE, Array, DualProblem, DualSolution, Values, kernel_product

LARGEST_BATCH, SMALLEST_BATCH = 2048, 256
LEAST_TILES, MOST_TILES, PER_TILE = 1, 2, 8  # of the sample that preconditions: one in eight rows, in whole tiles
PER_VECTOR = 6  # rows of the sample for each eigenvector taken from it: further ones are not those of the kernel
FEWER = (1, 2, 4, 8)  # parts of them that are tried
POWERS = 30
OTHERS = 800  # rows on which that is judged
BOLD = 1.7  # times the step that is best in the worst case; twice it would not converge there
DIVERGED = 2.0  # times the size of the targets


class EigenPreconditioner:
    """What divides a step along the leading eigenfunctions of the kernel, estimated from s rows.

    With K_ss = U Λ U', the eigenfunction e_i = sum_j U_ji k(x_j, .) / sqrt(λ_i) has norm 1. A step g_b k(x_b, .) is
    shortened to λ_{q+1}/λ_i of itself along e_i, i <= q: it becomes
    g_b [k(x_b, .) - sum_i (1 - λ_{q+1}/λ_i) e_i(x_b) e_i]. What is left of the kernel curves by ``tail`` at most, its
    largest eigenvalue for rows that are not in the sample, divided by their number: there eigenfunctions that the
    sample gives wrongly show. Of several q the one with the least tail is taken.
    """

    def __init__(self, values: Values, sample: Array, others: Array) -> None:
        size = len(sample)
        most = max(1, size // PER_VECTOR)
        gram = values(sample, sample)
        noise = len(gram) * float(np.finfo(gram.dtype).eps)
        spectrum, vectors = eigh(
            gram.astype(np.float64), subset_by_index=(size - most - 1, size - 1), check_finite=False
        )
        spectrum, vectors = spectrum[::-1], vectors[:, ::-1]
        most = max(1, min(most, int(np.searchsorted(-spectrum, -noise * spectrum[0])) - 1))
        whole = values(others, others).astype(np.float64)
        seen = values(others, sample) @ vectors.astype(gram.dtype)
        tried = [Leading.of(spectrum, vectors, q, whole, seen) for q in sorted({max(1, most // k) for k in FEWER})]
        best = min(tried, key=lambda leading: leading.tail)
        self.vectors, self.tail, self.norm = best.vectors, best.tail, best.norm
        self.leading, self.following = best.leading, max(float(spectrum[len(best.leading)]), 0.0)

    def weights(self, penalties: Array) -> Array:
        """What each eigenfunction takes back for each target, in units of 1 / λ_i.

        A penalty p for n rows curves every direction alike, by p s/n in units of Λ: steps along e_i are shortened to
        (λ_{q+1} + p s/n) / (λ_i + p s/n) only.
        """
        curving = penalties.mean(axis=0, dtype=np.float64) * len(self.vectors) / len(penalties)
        return (1.0 - self.following / self.leading)[:, None] / (self.leading[:, None] + curving)

    def correction(self, tiles: list[Array], changes: Array, weights: Array) -> Array:
        """Coefficients of the sample that take the leading part back; tiles are K(changed rows, sample)."""
        seen = np.concatenate([values.T @ changes for values in tiles])
        along = self.vectors.T @ seen.astype(np.float64)
        return (self.vectors @ (weights * along)).astype(changes.dtype)


@dataclass(frozen=True)
class Leading:
    """The first q eigenvectors and values, and the curvature and the largest norm that they leave."""

    vectors: Array
    leading: Array
    tail: float
    norm: float

    @classmethod
    def of(cls, spectrum: Array, vectors: Array, q: int, whole: Array, seen: Array) -> Leading:
        """``whole`` is the kernel of other rows, ``seen`` their kernel with the sample times all vectors."""
        leading = np.maximum(spectrum[:q], np.finfo(np.float64).tiny)
        weights = np.maximum(1.0 - max(float(spectrum[q]), 0.0) / leading, 0.0) / leading
        part = seen[:, :q].astype(np.float64)
        left = whole - (part * weights) @ part.T
        return cls(vectors[:, :q], leading, largest(left) / len(left), float(np.max(np.diag(left), initial=1e-12)))


def largest(matrix: Array) -> float:
    """The largest eigenvalue of a positive semi-definite matrix, from above by a tenth at most, by powers."""
    vector = np.ones(len(matrix)) + 0.1 * np.cos(np.arange(len(matrix)))
    size = 0.0
    for _ in range(POWERS):
        vector = matrix @ (vector / max(float(np.linalg.norm(vector)), np.finfo(np.float64).tiny))
        size = float(np.linalg.norm(vector))
    return 1.1 * size


def eigenpro(
    problem: DualProblem, *, tol: float, max_iter: int, threads: int, rng: np.random.Generator
) -> DualSolution:
    """Solve by passes over random batches, each a preconditioned step of Gauss-Seidel's kind (Ma and Belkin 2019).

        a_b -= η_b g_b,    g = K_b a + p_b a_b - y_b,    η_b = 1 / (p_b + (β + (m - 1) tail) / 1.7)

    for the m rows of a batch, and the preconditioner takes back its share from the rows of its sample. β is the largest
    k(x, x) that it leaves. Memory is that of the rows and a few tiles; a pass is n² kernel values. It ends when a pass
    met residuals g of at most tol times the size of y, or after max_iter passes.
    """
    n_rows = len(problem.rows)
    order = rng.permutation(n_rows)
    mixed = problem.reordered(order)  # the sample comes first
    n_tiles = sample_tiles(n_rows)
    n_sample = n_tiles * TILE
    preconditioner = EigenPreconditioner(problem.values, mixed.rows[:n_sample], mixed.rows[n_sample:][:OTHERS])
    for slower in (1.0, 4.0, 16.0, 64.0):  # for rows that are no good guide to all
        with single_threaded_blas():  # between the threads, BLAS's own would spin on their cores
            found = _passes(mixed, preconditioner, n_tiles, slower, tol, max_iter, threads, rng)
        if found is not None:
            coefficients = np.empty_like(found.coefficients)
            coefficients[order] = found.coefficients
            return replace(found, coefficients=coefficients)
    raise ValueError("The steps of EigenPro grow without end: is the kernel positive definite on these rows?")


def sample_tiles(n_rows: int) -> int:
    """Tiles of rows that precondition."""
    return int(np.clip(n_rows // (PER_TILE * TILE), LEAST_TILES, MOST_TILES))


def eigenpro_bytes(n_rows: int, dtype: np.dtype, threads: int) -> int:
    """Memory that this takes at most: the sample's kernel values twice, and tiles of a batch (half of it, or all)."""
    n_tiles = sample_tiles(n_rows)
    return 2 * 8 * (n_tiles * TILE) ** 2 + (threads + n_tiles) * LARGEST_BATCH * TILE * dtype.itemsize


def _passes(
    problem: DualProblem,
    preconditioner: EigenPreconditioner,
    n_tiles: int,
    slower: float,
    tol: float,
    max_iter: int,
    threads: int,
    rng: np.random.Generator,
) -> DualSolution | None:
    """All passes; None where the steps were too long."""
    rows, targets, penalties = problem.rows, problem.targets, problem.penalties
    sample, tail, norm = slice(n_tiles * TILE), preconditioner.tail, preconditioner.norm
    critical = norm / max(tail, 1e-12)
    batch = int(np.clip(critical, SMALLEST_BATCH, LARGEST_BATCH))
    weights = preconditioner.weights(penalties)
    coefficients = np.zeros_like(targets)
    size = np.maximum(np.square(targets).sum(axis=0, dtype=np.float64), np.finfo(np.float64).tiny)
    gap, n_iter = np.inf, 0
    while gap > tol and n_iter < max_iter:
        squares = np.zeros(targets.shape[1])
        order = rng.permutation(len(rows))
        for start in range(0, len(rows), batch):
            some = order[start : start + batch]
            scores, tiles = kernel_product(problem.values, rows[some], rows, coefficients, threads, n_tiles)
            residual = scores + penalties[some] * coefficients[some] - targets[some]
            squares += np.square(residual).sum(axis=0, dtype=np.float64)
            length = slower / BOLD * (norm + (len(some) - 1) * tail) + penalties[some]
            changes = residual / length.astype(residual.dtype)
            coefficients[some] -= changes
            coefficients[sample] += preconditioner.correction(tiles, changes, weights)
        gap = float(np.sqrt(squares / size).max())
        n_iter += 1
        if not gap < DIVERGED:
            return None
    return DualSolution(coefficients, n_iter, gap, gap <= tol)
