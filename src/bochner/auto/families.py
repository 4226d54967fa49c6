"""Kinds of feature maps that are searched, each with its widths and the way its cost grows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..kernels import Kernel
from ..maps import (
    AdditiveFeatures,
    BinningFeatures,
    FeatureMap,
    FourierFeatures,
    MaclaurinFeatures,
    NystroemFeatures,
    TensorSketch,
)

MOST_BINS = 1 << 16  # a code takes two bytes, a table of a grid stays in the L2 cache
FEWEST_BINS = 1 << 13
MOST_CODES = 10**8  # of a final model: some seconds
MOST_SEARCHED = 4 * 10**6  # of a trial that tunes details
MOST_COMPARED = 2 * 10**7  # of one that is compared with other families
SECOND, THIRD, LAST = 1, 2, 3  # looks after the first: on more rows, for codes on many more, and wide
MANY_OUTPUTS = 8
FEW = 64  # features that are always affordable
MOST_ADDITIVE = 3000  # features of additive kernels
MANY_COLUMNS = 256  # from which Walsh-Hadamard transforms are cheaper than products


@dataclass(frozen=True)
class Family(ABC):
    """A kind of machine on growing numbers of rows, one for each look; the last width is for the final fit."""

    name: ClassVar[str]
    rows: ClassVar[tuple[int, ...]] = (3_000, 12_000, 48_000, 48_000)
    dense: ClassVar[bool]
    has_scales: ClassVar[bool] = True  # whether its kernels have length scales

    @abstractmethod
    def width(self, rung: int, n_rows: int) -> int:
        """Width on this rung."""

    def final_width(self, n_rows: int) -> int:
        """Width of the final model, where time and memory allow it."""
        return self.width(-1, n_rows)

    @abstractmethod
    def work(self, n_rows: int, width: int) -> float:
        """Time to fit, up to a factor."""

    def touched(self, n_rows: int, width: int) -> float:
        """Bytes of fresh memory that a fit takes, roughly: second moments, their copy and a factor."""
        return 24.0 * width**2


class MapFamily(Family):
    """A kind of map, at widths for a first look, a second one, and so on."""

    widths: ClassVar[tuple[int, ...]]

    @abstractmethod
    def feature_map(self, kernel: Kernel, width: int, n_rows: int, seed: int) -> FeatureMap:
        """An unfitted map."""

    def width(self, rung: int, n_rows: int) -> int:
        """Width on this rung; no more dense features than rows, which add cost only."""
        wide = self.widths[rung]
        return min(wide, max(FEW, n_rows)) if self.dense else wide


class Fourier(MapFamily):
    """Random Fourier features: smooth targets."""

    name = "Fourier"
    widths = (256, 1024, 1024, 2048, 4096)
    dense = True

    def feature_map(self, kernel: Any, width: int, n_rows: int, seed: int) -> FourierFeatures:
        directions = "hadamard" if np.size(kernel.length_scale) >= MANY_COLUMNS else "auto"
        return FourierFeatures(kernel, width, directions=directions, random_state=seed)

    def work(self, n_rows: int, width: int) -> float:
        return n_rows * width * (width + 500.0) + 2.0 * width**3


class Nystroem(MapFamily):
    """Kernel values at landmarks: targets that change faster in some places; dearer than Fourier."""

    name = "Nystroem"
    widths = (256, 1024, 1024, 2048, 4096)
    dense = True

    def feature_map(self, kernel: Kernel, width: int, n_rows: int, seed: int) -> NystroemFeatures:
        return NystroemFeatures(kernel, width, random_state=seed)

    def work(self, n_rows: int, width: int) -> float:
        return n_rows * width * (3.0 * width + 2000.0) + 3.0 * width**3


SMOOTH = (Fourier(), Nystroem())  # whose kernels can have a coefficient for each row as well


class Exact(Family):
    """The kernel itself, a coefficient for each row: what features and landmarks come near to, in time rows²."""

    name = "exact"
    rows = (3_000, 12_000, 32_000, 32_000)
    dense = True

    def width(self, rung: int, n_rows: int) -> int:
        return n_rows

    def work(self, n_rows: int, width: int) -> float:
        return float(n_rows) ** 2 + 2.5e8

    def touched(self, n_rows: int, width: int) -> float:
        return 0.0


class Sketch(MapFamily):
    """Tensor sketches: products of columns."""

    name = "polynomial"
    widths = (256, 1024, 1024, 2048, 4096)
    dense = True
    has_scales = False

    def feature_map(self, kernel: Kernel, width: int, n_rows: int, seed: int) -> TensorSketch:
        return TensorSketch(kernel, width, random_state=seed)

    def work(self, n_rows: int, width: int) -> float:
        return n_rows * width * (width + 500.0) + 2.0 * width**3


class Maclaurin(MapFamily):
    """Random Maclaurin features with the linear part exact (H0/1): columns themselves, and some of their products."""

    name = "Maclaurin"
    widths = (256, 1024, 1024, 2048, 4096)
    dense = True
    has_scales = False

    def suits(self, columns: int, n_rows: int) -> bool:
        """Whether the linear part leaves half of the features to the products, from the first look on."""
        return 2 * columns <= self.width(0, min(self.rows[0], n_rows))

    def feature_map(self, kernel: Kernel, width: int, n_rows: int, seed: int) -> MaclaurinFeatures:
        return MaclaurinFeatures(kernel, width, h01=True, random_state=seed)

    def work(self, n_rows: int, width: int) -> float:
        return n_rows * width * (width + 500.0) + 2.0 * width**3


@dataclass(frozen=True)
class Additive(MapFamily):
    """A sum of functions of single columns, fine near zero: counts and histograms."""

    columns: int = 1

    name = "additive"
    widths = (MOST_ADDITIVE,)
    dense = True
    has_scales = False

    @property
    def order(self) -> int:
        """Frequencies for each column: two, or one where columns are many; 0 where even these are too many."""
        return min(2, (MOST_ADDITIVE // self.columns - 1) // 2)

    def width(self, rung: int, n_rows: int) -> int:
        """The features are what they are."""
        return (2 * self.order + 1) * self.columns

    def feature_map(self, kernel: Kernel, width: int, n_rows: int, seed: int) -> AdditiveFeatures:
        return AdditiveFeatures(kernel, self.order, random_state=seed)

    def work(self, n_rows: int, width: int) -> float:
        return n_rows * width * (width + 500.0) + 2.0 * width**3


@dataclass(frozen=True)
class Binning(MapFamily):
    """Random binning: steps, rough targets, thresholds in single columns."""

    outputs: int = 1  # columns of coefficients: the more, the fewer bins fit the cache

    name = "binning"
    rows = (3_000, 12_000, 200_000, 200_000)  # cheap, and the best length scales fall with the number of rows
    widths = (50, 50, 50, 200, 500)
    dense = False

    def width(self, rung: int, n_rows: int) -> int:
        """Fewer grids for many outputs, which share them but not the time; more for details where rows are few."""
        wide = self.widths[rung]
        if rung == THIRD:
            wide = int(min(self.widths[-2], max(wide, MOST_SEARCHED // n_rows)))
        elif rung == LAST:
            wide = int(min(wide, max(wide // 2, MOST_COMPARED // n_rows)))
        return wide // (2 if self.outputs > MANY_OUTPUTS else 1)

    def final_width(self, n_rows: int) -> int:
        """More grids for fewer rows: the variance that they leave shows more, and they cost less."""
        return int(min(self.widths[-1], max(self.widths[-2], MOST_CODES // n_rows)))

    def feature_map(self, kernel: Kernel, width: int, n_rows: int, seed: int) -> BinningFeatures:
        return BinningFeatures(kernel, width, width * self.bins(n_rows), hashing="plain", random_state=seed)

    def bins(self, n_rows: int) -> int:
        """Bins of a grid: two for each row, no more than a table in the cache has room for."""
        most = max(FEWEST_BINS, MOST_BINS // (1 << (self.outputs - 1).bit_length()))
        return min(most, 1 << (2 * n_rows - 1).bit_length())

    def touched(self, n_rows: int, width: int) -> float:
        """Some vectors of conjugate gradients, and codes."""
        return width * (28.0 * self.bins(n_rows) * self.outputs + 2.0 * n_rows)

    def work(self, n_rows: int, width: int) -> float:
        return width * (n_rows + 20_000.0)
