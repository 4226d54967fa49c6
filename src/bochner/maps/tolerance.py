"""From a tolerance to a width by measurement: what ``eps=`` of a feature map means."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..kernels import Kernel
from .features import Array, Features
from .measure import MEASURE_BYTES

PILOT_WIDTH = 256
PILOT_DRAWS = 16  # the root mean square of one draw varies by a third: its pairs share the frequencies
MOST_JUDGES, LEAST_JUDGES = 512, 128  # rows between which the error is measured, where there are so many
STANDARD_ERRORS = 3.0  # that the mean square is raised by before it is compared with the tolerance
UNSURE = 4.0  # times the mean square measured that it may be for others: beyond, a sample of rows cannot tell it
SMALLEST_STEP, LARGEST_STEP = 1.05, 1.5  # by which a width is enlarged that does not meet the tolerance
LARGEST_WIDTH = 1 << 18

Draw = Callable[[Any, int], Features]  # features of a width, drawn from rows


def checked_tolerance(eps: Any) -> float:
    """A tolerance between 0 and 1, or one sentence."""
    if isinstance(eps, bool) or not isinstance(eps, Real) or not 0 < float(eps) < 1:
        raise ValueError(f"eps must be a number between 0 and 1, both excluded, but it is {eps!r}.")
    return float(eps)


@dataclass(frozen=True)
class Judges:
    """Rows that no map is drawn from, and the kernel between them."""

    rows: Any
    weight: Array
    exact: Array

    @classmethod
    def of(cls, kernel: Kernel, rows: Any, weight: Array | None) -> Self:
        dense = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
        return cls(rows, np.ones(rows.shape[0]) if weight is None else weight, kernel(dense))

    def mean_square(self, features: Features) -> tuple[float, float]:
        """Mean square error of z(x)'z(y) over all pairs of different rows, and what it may be for rows like these.

        The mean over pairs of rows has the standard error s = 2 sd(e_i) / sqrt(m), e_i the mean over the pairs of row
        i. The second number is higher by 3s, and by twice the share of the worst row: another like it may come.
        """
        count = max(1, min(self.rows.shape[0], MEASURE_BYTES // max(1, features.row_bytes)))
        count = min(self.rows.shape[0], max(LEAST_JUDGES, count))
        Z = features(self.rows[:count])
        if sp.issparse(Z):
            estimate = (Z @ Z.T).toarray()
        else:
            Z = Z.astype(np.complex128 if Z.dtype.kind == "c" else np.float64, copy=False)
            estimate = (Z @ Z.conj().T).real
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.square(estimate - self.exact[:count, :count])
        np.fill_diagonal(squares, 0.0)
        share = self.weight[:count] / self.weight[:count].sum()
        others = 1.0 - share
        of_rows = squares @ share / others
        mean = float((share * others) @ of_rows / (share @ others))
        if mean == 0.0 or not np.isfinite(mean):
            return mean, mean
        spread = np.sqrt(share @ np.square(of_rows - mean) * np.sum(share**2))
        unseen = 2.0 * float((share * of_rows).max())
        return mean, mean + STANDARD_ERRORS * 2.0 * float(spread) + unseen


def at_least(values: Array) -> float:
    """What the mean of positive values may be for others like these: lower by three standard errors."""
    mean = float(values.mean())
    return mean / (1.0 + STANDARD_ERRORS * float(values.std()) / (mean * np.sqrt(len(values)))) if mean > 0 else mean


def draw_to_tolerance(
    draw: Draw,
    least: int,
    kernel: Kernel,
    rows: Any,
    weight: Array | None,
    eps: float,
    rng: np.random.Generator,
) -> tuple[int, Features]:
    """Features whose error between new rows is at most eps, and the width that this takes.

    The error is the root mean square of z(x)'z(y) - k(x, y) over pairs of different rows, divided by the mean of
    k(x, x) (which is 1 for shift-invariant kernels). It is measured between rows that are left out of the drawing: up
    to half of them. The mean square over some pilot draws falls as 1/width; the width that this suggests is drawn and
    measured, and enlarged until the draw that is kept is below the tolerance by three standard errors. So of all draws
    more than 95 % meet it between rows that nobody has seen (normal, uniform and Student rows, 200 draws each, all
    maps: 96 % at least). No sample can promise it where k(x, x) has no mean, as exp(<x, x>) of rows with heavy tails.
    """
    if rows.shape[0] < 2:
        raise ValueError("The error of a map is measured between different rows: give at least two.")
    order = rng.permutation(rows.shape[0])
    n_judges = max(2, min(MOST_JUDGES, len(order) // 2))
    judging, drawing = order[:n_judges], np.sort(order[n_judges:] if len(order) > 2 else order)
    judges = Judges.of(kernel, rows[judging], None if weight is None else weight[judging])
    size, some = at_least(kernel.diagonal(rows[judging])), rows[drawing]
    target = (eps * size) ** 2
    pilot = max(PILOT_WIDTH, 2 * least)
    pilots = [judges.mean_square(draw(some, pilot))[0] for _ in range(PILOT_DRAWS)]
    wanted = pilot * float(np.mean(pilots)) / target if target > 0.0 else np.inf
    if not np.isfinite(wanted):
        raise ValueError("The kernel's values are too large for eps to be measured: scale the rows or the kernel down.")
    while True:
        width = max(2, least, int(np.ceil(wanted)))
        if width > LARGEST_WIDTH:
            raise ValueError(
                f"eps={eps} needs about {width} components for these data, more than {LARGEST_WIDTH}: "
                "give a larger eps, or n_components."
            )
        features = draw(some, width)
        reached, at_most = judges.mean_square(features)
        if at_most <= target:
            if at_most > UNSURE * reached:
                warnings.warn(
                    f"A few of the {rows.shape[0]} rows decide the error of this map, so that eps={eps} may not be met "
                    "between new rows: bring the rows to equal norms, or take a larger length scale.",
                    stacklevel=5,
                )
            elif width > rows.shape[0]:
                warnings.warn(
                    f"eps={eps} takes {width} components, more than the {rows.shape[0]} rows it was measured on: the "
                    "kernel itself (bo.ExactKernelRidge, bo.ExactKernelSVC) or bo.NystroemFeatures costs less.",
                    stacklevel=5,
                )
            return width, features
        if features.n_components < width:
            features = draw(rows, width)
            warnings.warn(
                f"eps={eps} is not met between new rows: with {len(drawing)} rows as landmarks the error is "
                f"{np.sqrt(reached) / size:.2g}, at most {np.sqrt(at_most) / size:.2g}; all {features.n_components} "
                "rows are used: give more rows or a larger eps.",
                stacklevel=5,
            )
            return features.n_components, features
        wanted = width * float(np.clip(at_most / target, SMALLEST_STEP, LARGEST_STEP))
