"""What an experiment finds: tables, pictures drawn from tables, claims that hold or do not, remarks."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Table:
    """Rows of numbers and words under named columns.

    Attributes
    ----------
    name : short, of small letters and hyphens; the CSV file is called after it
    title : one line above the table
    columns : their names, with units where they have some
    rows : as many cells each; None is a cell with nothing to say

    Examples
    --------
    >>> table = Table("errors", "Mean errors", ("map", "D", "error"), [("paired", 50, 0.22), ("shifted", 50, 0.3)])
    >>> table.where(map="shifted").column("error")
    array([0.3])
    >>> print(table)
    Mean errors
      map      D   error
      paired   50  0.22
      shifted  50  0.3
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "rows", tuple(tuple(row) for row in self.rows))
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"A row of the table {self.name!r} has {len(row)} cells, not {len(self.columns)}: {row}."
                )

    def column(self, name: str) -> Array:
        """The cells of one column; None becomes nan."""
        at = self.columns.index(name)
        cells = [row[at] for row in self.rows]
        if any(isinstance(cell, str) for cell in cells):
            return np.array(cells, dtype=object)
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=float)

    def where(self, **equal: Any) -> Table:
        """The rows whose cells are equal to these."""
        places = [(self.columns.index(name), value) for name, value in equal.items()]
        rows = [row for row in self.rows if all(row[at] == value for at, value in places)]
        return Table(self.name, self.title, self.columns, rows)

    def values(self, name: str) -> list[Any]:
        """The different cells of a column, in order of appearance."""
        at = self.columns.index(name)
        return list(dict.fromkeys(row[at] for row in self.rows))

    def csv(self) -> str:
        """The table as comma-separated text, numbers to ten digits."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_exact(cell) for cell in row] for row in self.rows)
        return text.getvalue()

    def __str__(self) -> str:
        cells = [self.columns, *([shown(cell) for cell in row] for row in self.rows)]
        widths = [max(len(row[at]) for row in cells) for at in range(len(self.columns))]
        lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip() for row in cells]
        return "\n".join((self.title, *(f"  {line}" for line in lines)))


def shown(cell: Any) -> str:
    """A cell as people read it: four digits, nothing for None."""
    if cell is None:
        return ""
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    if isinstance(cell, int | np.integer):
        return f"{cell:d}"
    return f"{cell:.4g}" if isinstance(cell, float | np.floating) else str(cell)


def _exact(cell: Any) -> str:
    return f"{cell:.10g}" if isinstance(cell, float | np.floating) else shown(cell)


def comparison(rows: Iterable[tuple[str, Any, Any] | tuple[str, Any, Any, Any]]) -> Table:
    """The table of published beside measured values: rows (quantity, published, measured[, standard error])."""
    return Table(
        "comparison",
        "Published beside measured",
        ("quantity", "published", "measured", "standard error"),
        [tuple(row) + (None,) * (4 - len(row)) for row in rows],
    )


@dataclass(frozen=True)
class Picture:
    """A drawing of the numbers of one table, which are written beside it.

    Attributes
    ----------
    name : short, of small letters and hyphens; the PNG and CSV files are called after it
    title : one line
    caption : what is to be seen, for those who do not see it too
    data : what is drawn
    draw : called with an empty matplotlib figure and the table
    size : width and height in inches
    """

    name: str
    title: str
    caption: str
    data: Table
    draw: Callable[[Any, Table], None] = field(repr=False)
    size: tuple[float, float] = (5.8, 4.2)


@dataclass(frozen=True)
class Claim:
    """A statement that the numbers bear out or refute.

    Attributes
    ----------
    sentence : the statement
    holds : whether it is true of the numbers
    numbers : the numbers that decide it
    against : what the source says instead, where it says something else
    """

    sentence: str
    holds: bool
    numbers: Mapping[str, Any] = field(default_factory=dict)
    against: str = ""

    def __str__(self) -> str:
        numbers = "; ".join(f"{name}: {shown(value)}" for name, value in self.numbers.items())
        against = f"\n       The source says: {self.against}" if self.against else ""
        return f"[{'holds' if self.holds else 'FAILS'}] {self.sentence}{f' ({numbers})' if numbers else ''}{against}"


@dataclass(frozen=True)
class Result:
    """All that an experiment found; ``str`` prints tables, claims and remarks."""

    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()

    def __add__(self, other: Result) -> Result:
        """Both, one after the other."""
        return Result(
            self.tables + other.tables,
            self.pictures + other.pictures,
            self.claims + other.claims,
            self.notes + other.notes,
        )

    @property
    def holds(self) -> bool:
        """Whether every claim does."""
        return all(claim.holds for claim in self.claims)

    def __str__(self) -> str:
        parts = [*map(str, self.tables), "\n".join(map(str, self.claims)), "\n".join(self.notes)]
        return "\n\n".join(part for part in parts if part)
