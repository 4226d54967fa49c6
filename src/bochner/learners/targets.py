"""Targets as solvers see them: columns of numbers, with a weight for each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..blocks import Block, BlockSource
from ..compute.numbers import is_number
from ..engines import Engine

Array = np.ndarray


class Targets(ABC):
    """How the y and the weights of a block are coded: y as a float64 table with a known number of columns."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Columns of coded targets."""

    @abstractmethod
    def __call__(self, block: Block) -> Block:
        """The block with coded targets."""


@dataclass(frozen=True)
class Numbers(Targets):
    """Numbers as they are; ``n_targets`` is None where they came as a vector, without a table around them."""

    n_targets: int | None

    @classmethod
    def of(cls, source: BlockSource) -> Self:
        """From the first row of a source."""
        y = source.sample(1).y
        if y is None:
            raise ValueError("The source has no targets y: regression needs them.")
        return cls(None if np.ndim(y) == 1 else np.shape(y)[1])

    @property
    def n_columns(self) -> int:
        return 1 if self.n_targets is None else self.n_targets

    def __call__(self, block: Block) -> Block:
        if block.y is None:
            return block
        y = np.asarray(block.y, dtype=np.float64)
        return Block(block.X, y[:, None] if y.ndim == 1 else y, block.weight)


@dataclass(frozen=True)
class NoTargets(Targets):
    """Rows without targets."""

    @property
    def n_columns(self) -> int:
        return 0

    def __call__(self, block: Block) -> Block:
        return Block(block.X, None, block.weight)


@dataclass(frozen=True)
class Signs(Targets):
    """Labels as +1 / -1: one column for two classes, one column per class (one against the rest) for more.

    Rows of class c count ``factors[c]`` times.
    """

    classes: Array
    factors: Array | None = None

    @property
    def n_columns(self) -> int:
        return n_scores(self.classes)

    def __call__(self, block: Block) -> Block:
        codes = class_codes(self.classes, block.y)
        if len(self.classes) == 2:
            signs = np.where(codes == 1, 1.0, -1.0)[:, None]
        else:
            signs = np.full((len(codes), len(self.classes)), -1.0)
            signs[np.arange(len(codes)), codes] = 1.0
        return Block(block.X, signs, row_weights(block, codes, self.factors))


@dataclass(frozen=True)
class Indicators(Signs):
    """Labels as 1 in the column of the row's class and 0 elsewhere; two classes as one column of +1 / -1."""

    def __call__(self, block: Block) -> Block:
        signs = super().__call__(block)
        if len(self.classes) == 2:
            return signs
        return replace(signs, y=(np.asarray(signs.y) > 0.0).astype(np.float64))


@dataclass(frozen=True)
class Places(Signs):
    """Labels as their places among the sorted classes, in one column."""

    @property
    def n_columns(self) -> int:
        return 1

    def __call__(self, block: Block) -> Block:
        codes = class_codes(self.classes, block.y)
        return Block(block.X, codes[:, None].astype(np.float64), row_weights(block, codes, self.factors))


def n_scores(classes: Array) -> int:
    """How many scores tell so many classes apart: one for two."""
    return 1 if len(classes) == 2 else len(classes)


def labels_of(classes: Array, scores: Array) -> Array:
    """The label that scores stand for: a vector or one column for two classes, else the largest of a row wins."""
    if len(classes) == 2:
        return classes[(scores.reshape(len(scores)) > 0).astype(np.intp)]
    return classes[scores.argmax(axis=1)]


def row_weights(block: Block, codes: Array, factors: Array | None) -> Array | None:
    """Sample weights times the weight of each row's class."""
    if factors is None:
        return block.weight
    return factors[codes] if block.weight is None else block.weight * factors[codes]


def class_codes(classes: Array, y: Any) -> Array:
    """Position of each label among the sorted classes; a label that is not among them is refused by name."""
    y = np.asarray(y).ravel()
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    unknown = classes[codes] != y
    if unknown.any():
        raise ValueError(
            f"y has the label {y[unknown][0]!r}, which is not among the classes {classes.tolist()}: "
            "give all classes in the first call of partial_fit."
        )
    return codes


def find_classes(source: BlockSource, engine: Engine) -> tuple[Array, Array]:
    """The sorted classes of a source and the weight of each, in one pass over the targets."""
    counts: dict[Any, float] = {}
    for labels, weights in engine.map(_labels_and_weights, source):
        for label, weight in zip(labels, weights):
            counts[label] = counts.get(label, 0.0) + float(weight)
    classes = np.array(sorted(counts))
    return checked_classes(classes), np.array([counts[label] for label in classes.tolist()])


def checked_classes(classes: Array) -> Array:
    """At least two classes, or one clear sentence."""
    if len(classes) < 2:
        raise ValueError(
            f"y has only one class ({classes[0] if len(classes) else 'none'}): a classifier needs at least two classes."
        )
    return classes


def class_multipliers(class_weight: Any, classes: Array, counts: Array) -> Array | None:
    """Weight of each class as it was given: a row of weight v and class c counts v times this, as in scikit-learn.

    From None, a dict from label to weight, or "balanced": n / (number of classes * rows of the class).
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"class_weight must be None, a dict or 'balanced', not {class_weight!r}.")
        return counts.sum() / (len(classes) * counts)
    if not isinstance(class_weight, dict):
        raise TypeError(f"class_weight must be None, a dict or 'balanced', not {type(class_weight).__name__}.")
    weights = [class_weight.get(label, 1.0) for label in classes.tolist()]
    factors = np.array([float(weight) if is_number(weight) else np.nan for weight in weights])
    if not ((factors >= 0).all() and np.isfinite(factors).all() and factors.any()):
        raise ValueError(f"class_weight must have finite weights >= 0 that are not all 0, not {class_weight}.")
    return factors


def _labels_and_weights(block: Block) -> tuple[list[Any], Array]:
    if block.y is None:
        raise ValueError("The source has no targets y: a classifier needs them.")
    labels, codes = np.unique(np.asarray(block.y).ravel(), return_inverse=True)
    return labels.tolist(), np.bincount(codes, weights=block.weight, minlength=len(labels))
