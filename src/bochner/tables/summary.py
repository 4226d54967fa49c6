"""What encodings need to know of a table: gathered in one pass, in memory that does not grow with the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from .quantiles import QuantileSketch
from .table import Column, DataTable, Label

MOST_LABELS = 100_000  # of one column, while they are counted

LARGEST = 1e150  # numbers whose squares can be added up in double precision


class ColumnSummary(ABC):
    """What is gathered of one column."""

    name: str

    @abstractmethod
    def update(self, column: Column) -> None:
        """Take in some rows."""

    @abstractmethod
    def merge(self, other: Any) -> None:
        """Take in what another summary of the same column has seen."""

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """All of it, for a checkpoint."""

    @abstractmethod
    def from_json(self, seen: dict[str, Any]) -> None:
        """Take up what ``as_json`` gave."""


class NumberSummary(ColumnSummary):
    """Count, missing, mean and sum of squared deviations (merged by Chan's rule), and the median where asked for."""

    def __init__(self, name: str, with_median: bool) -> None:
        self.name = name
        self.count = 0
        self.missing = 0
        self.mean = 0.0
        self.deviation = 0.0
        self.sketch = QuantileSketch() if with_median else None

    def update(self, column: Column) -> None:
        numbers = column.as_numbers()
        if numbers is None:
            raise ValueError(f"The column {self.name!r} holds numbers in the first rows but not in later ones.")
        values = numbers.astype(np.float64, copy=False)
        values = values[~np.isnan(values)]
        self.missing += len(numbers) - len(values)
        if not len(values):
            return
        largest = float(np.abs(values).max())
        if largest > LARGEST:
            raise ValueError(
                f"The column {self.name!r} has a number of size {largest:.3g}: beyond {LARGEST:.0e} squares overflow; "
                "divide the column, or replace such numbers by missing values."
            )
        mean = float(values.mean())
        self._combine(len(values), mean, float(np.square(values - mean).sum()))
        if self.sketch is not None:
            self.sketch.update(values)

    def merge(self, other: NumberSummary) -> None:
        self.missing += other.missing
        if other.count:
            self._combine(other.count, other.mean, other.deviation)
        if self.sketch is not None and other.sketch is not None:
            self.sketch.merge(other.sketch)

    def _combine(self, count: int, mean: float, deviation: float) -> None:
        total = self.count + count
        shift = mean - self.mean
        self.deviation += deviation + shift**2 * self.count * count / total
        self.mean += shift * count / total
        self.count = total

    def as_json(self) -> dict[str, Any]:
        levels = None if self.sketch is None else [level.tolist() for level in self.sketch.levels]
        odd = self.sketch is not None and self.sketch.odd
        return {
            "count": self.count,
            "missing": self.missing,
            "mean": self.mean,
            "deviation": self.deviation,
            "levels": levels,
            "odd": odd,
        }

    def from_json(self, seen: dict[str, Any]) -> None:
        self.count, self.missing, self.mean, self.deviation = (
            seen[key] for key in ("count", "missing", "mean", "deviation")
        )
        if self.sketch is not None:
            self.sketch.levels = [np.array(level, dtype=np.float64) for level in seen["levels"]]
            self.sketch.odd = seen["odd"]


class CategorySummary(ColumnSummary):
    """How often each label occurs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.missing = 0
        self.counts: Counter[Label] = Counter()

    def update(self, column: Column) -> None:
        category = column.as_categories()
        present = category.codes[category.codes >= 0]
        self.missing += len(category.codes) - len(present)
        seen = np.bincount(present, minlength=len(category.labels))
        self._add({label: int(count) for label, count in zip(category.labels, seen) if count})

    def merge(self, other: CategorySummary) -> None:
        self.missing += other.missing
        self._add(other.counts)

    def _add(self, counts: dict[Label, int] | Counter[Label]) -> None:
        self.counts.update(counts)
        if len(self.counts) > MOST_LABELS:
            raise ValueError(
                f"The column {self.name!r} has more than {MOST_LABELS} different labels: leave it out of columns=."
            )

    def as_json(self) -> dict[str, Any]:
        return {"missing": self.missing, "labels": list(self.counts), "counts": list(self.counts.values())}

    def from_json(self, seen: dict[str, Any]) -> None:
        self.missing = seen["missing"]
        self.counts = Counter(dict(zip(seen["labels"], seen["counts"])))


class TableSummary:
    """A summary of each column of a table, some of which are categories."""

    def __init__(self, names: Sequence[str], categories: Sequence[str], with_median: bool) -> None:
        self.names = tuple(names)
        self.categories = tuple(categories)
        self.with_median = with_median
        labelled = set(categories)
        self.columns: list[ColumnSummary] = [
            CategorySummary(name) if name in labelled else NumberSummary(name, with_median) for name in names
        ]

    def empty(self) -> TableSummary:
        """One that has seen nothing."""
        return TableSummary(self.names, self.categories, self.with_median)

    def update(self, table: DataTable) -> None:
        """Take in some rows."""
        for summary, column in zip(self.columns, table.select(self.names).columns):
            summary.update(column)

    def merge(self, other: TableSummary) -> None:
        """Take in what another summary of such tables has seen."""
        for mine, others in zip(self.columns, other.columns):
            mine.merge(others)

    def as_json(self) -> list[dict[str, Any]]:
        """All of it, for a checkpoint."""
        return [summary.as_json() for summary in self.columns]

    def from_json(self, seen: list[dict[str, Any]]) -> None:
        """Take up what ``as_json`` gave."""
        for summary, column in zip(self.columns, seen):
            summary.from_json(column)
