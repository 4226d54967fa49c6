"""How one column of a table becomes columns of numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..compute.tails import soft_tails
from .table import Array, Column, Label


@dataclass(frozen=True)
class ColumnCode(ABC):
    """A fitted encoding of one column, made of plain values only, so that a model file can hold it."""

    name: str

    @classmethod
    def examples(cls, name: str) -> list[Self]:
        """Codes of a column of numbers about 1 to 4, or of the labels 1 and 3: the contracts in tests look at these."""
        return [cls(name)]

    @property
    @abstractmethod
    def names_out(self) -> list[str]:
        """Names of the columns made."""

    @property
    def width(self) -> int:
        """Number of columns made."""
        return len(self.names_out)

    @property
    def unit(self) -> float:
        """What numbers were divided by."""
        return 1.0

    @property
    def is_one(self) -> bool:
        """Whether the columns made are one thing, such as labels, any two of which are equally far apart."""
        return False

    def with_zero(self) -> ColumnCode:
        """The same, with zero left where it is."""
        return self

    @abstractmethod
    def write(self, column: Column, out: Array) -> None:
        """Fill out (rows, columns made)."""


@dataclass(frozen=True)
class NumberCode(ColumnCode):
    """u = (x - centre) / scale, with missing values filled, and a 0/1 column for them where asked for.

    ``soft``: tails are made tame, 2 asinh(u / 2) less its value ``zero`` at x = 0 where that must stay 0. ``fill`` None
    refuses missing values, and with ``counts`` what is negative becomes 0. ``linear``, which older files have: beyond
    it u goes on as a logarithm, sign(u) (c + log(1 + |u| - c)) for |u| > c = linear; None leaves u as it is.
    """

    fill: float | None = None
    centre: float = 0.0
    scale: float = 1.0
    indicator: bool = False
    linear: float | None = None
    counts: bool = False
    soft: bool = False
    zero: float = 0.0

    @classmethod
    def examples(cls, name: str) -> list[Self]:
        plain, filled = cls(name), cls(name, fill=2.5, centre=2.5, scale=0.5, indicator=True)
        return [plain, filled, cls(name, 0.0, linear=1.0), cls(name, 0.0, 2.0, soft=True), cls(name, 0.0, counts=True)]

    def with_zero(self) -> NumberCode:
        """The same for numbers that are never negative, moved so that zero stays zero."""
        if self.soft:
            return replace(self, zero=float(soft_tails(np.zeros(()), self.centre, self.scale)), counts=True)
        linear = None if self.linear is None else self.linear + self.centre / self.scale
        return replace(self, centre=0.0, linear=linear, counts=True)

    @property
    def unit(self) -> float:
        return self.scale

    @property
    def names_out(self) -> list[str]:
        return [self.name, f"{self.name}_missing"] if self.indicator else [self.name]

    def write(self, column: Column, out: Array) -> None:
        values = column.as_numbers()
        if values is None:
            raise ValueError(
                f"The column {self.name!r} holds text where numbers are needed, such as {column.plain()[:1].tolist()}."
            )
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(0, dtype=bool)
        any_missing = bool(missing.any())
        if any_missing:
            if self.fill is None:
                raise ValueError(missing_refused(self.name))
            values = np.where(missing, self.fill, values)
        numbers = values.astype(out.dtype)  # worked on where they lie side by side
        if self.centre != 0.0:
            numbers -= self.centre
        if self.scale != 1.0:
            numbers /= self.scale
        if self.soft:
            numbers = soft_tails(numbers, 0.0, 1.0)
            numbers -= self.zero
        if self.linear is not None:
            beyond = np.flatnonzero(np.abs(numbers) > self.linear)
            excess = np.abs(numbers[beyond]) - self.linear
            numbers[beyond] += np.sign(numbers[beyond]) * (np.log1p(excess) - excess)
        if self.counts:
            np.maximum(numbers, 0.0, out=numbers)
        out[:, 0] = numbers
        if self.indicator:
            out[:, 1] = missing if any_missing else 0.0


@dataclass(frozen=True)
class OneHotCode(ColumnCode):
    """One 0/1 column for each label; one for missing values where there were some. Other labels are all zeros."""

    labels: tuple[Label, ...] = ()
    missing: bool = False

    @classmethod
    def examples(cls, name: str) -> list[Self]:
        return [cls(name, ("1", "3")), cls(name, ("1", "3"), missing=True)]

    @property
    def is_one(self) -> bool:
        return True

    @property
    def names_out(self) -> list[str]:
        return [f"{self.name}_{label}" for label in self.labels] + ([f"{self.name}_missing"] if self.missing else [])

    def write(self, column: Column, out: Array) -> None:
        position = {label: index for index, label in enumerate(self.labels)}
        codes = _positions(column, position, unknown=-1, missing=len(self.labels) if self.missing else -1)
        out[:] = 0.0
        rows = np.flatnonzero(codes >= 0)
        out[rows, codes[rows]] = 1.0


@dataclass(frozen=True)
class OrdinalCode(ColumnCode):
    """The position of the label among the sorted labels, standardised; missing and other labels are at the mean."""

    labels: tuple[Label, ...] = ()
    centre: float = 0.0
    scale: float = 1.0

    @classmethod
    def examples(cls, name: str) -> list[Self]:
        return [cls(name, ("1", "3"), centre=0.5, scale=0.5)]

    @property
    def names_out(self) -> list[str]:
        return [self.name]

    def write(self, column: Column, out: Array) -> None:
        position = {label: index for index, label in enumerate(self.labels)}
        codes = _positions(column, position, unknown=-1, missing=-1)
        out[:, 0] = np.where(codes >= 0, (codes - self.centre) / self.scale, 0.0)


def _positions(column: Column, position: dict[Label, int], unknown: int, missing: int) -> Array:
    category = column.as_categories()
    return np.array([*(position.get(label, unknown) for label in category.labels), missing])[category.codes]


def missing_refused(name: str) -> str:
    """Say which column has missing values and what to do about it."""
    return (
        f"The column {name!r} has missing values (NaN): say what to do with them, "
        "for example encoder=bo.TableEncoder(missing='mean')."
    )


KINDS: dict[str, Any] = {"number": NumberCode, "one-hot": OneHotCode, "ordinal": OrdinalCode}


def code_as_json(code: ColumnCode) -> dict[str, Any]:
    """The encoding of a column in values that JSON has."""
    kind = next(kind for kind, cls in KINDS.items() if type(code) is cls)
    return {"kind": kind, **vars(code)}


def code_from_json(stored: dict[str, Any]) -> ColumnCode:
    """The encoding that ``code_as_json`` gave."""
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in stored.items() if key != "kind"}
    if stored.get("kind") not in KINDS:
        raise ValueError(f"A column encoding has the kind {stored.get('kind')!r}: it must be one of {sorted(KINDS)}.")
    return KINDS[stored["kind"]](**fields)
