"""Losses: value, gradient and curvature of (target, score), row by row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit, logsumexp, softmax

Array = np.ndarray


class Loss(ABC):
    """A convex function of the score s for each target y; everything works entry by entry on (rows, outputs).

    Laws: ``gradient`` is the derivative of ``value`` in s (a subgradient at kinks), ``curvature`` that of ``gradient``
    (one of the one-sided derivatives at kinks), never negative.
    """

    separable: bool = True  # outputs do not see each other: one problem per column
    degree: int = 2  # p where l is u^p times as large if targets, scores and epsilon are u times as large
    flat_curvature: bool = False  # curvature takes few values, so most rows keep theirs between two steps of Newton
    smooth: bool = True  # False: the gradient jumps, so Newton does not apply
    most_curved_at_zero: bool = False  # no score has more curvature than 0 has, whatever the target

    @classmethod
    def examples(cls) -> list[Self]:
        """Instances that use every parameter: the contracts in tests look at these."""
        return [cls()]

    def straight(self) -> PiecewiseLinear | None:
        """The loss as one of straight pieces; None where it is curved."""
        return None

    @abstractmethod
    def value(self, y: Array, score: Array) -> Array:
        """The loss: shape (rows, outputs)."""

    @abstractmethod
    def gradient(self, y: Array, score: Array) -> Array:
        """Derivative in the score."""

    @abstractmethod
    def curvature(self, y: Array, score: Array) -> Array:
        """Second derivative in the score (the diagonal of it where outputs are coupled)."""

    def curvature_times(self, y: Array, score: Array, change: Array) -> Array:
        """Second derivative applied to a change of the scores."""
        return self.curvature(y, score) * change


class PiecewiseLinear(Loss):
    """l(y, s) = max over lower <= b <= upper of b (y - s) - tube |b|: straight pieces, with kinks between them.

    The box [lower, upper] of a target holds 0. The b that attains the maximum is minus the slope of l and, summed over
    rows with their features, the solution of a penalised problem: its dual variable.
    """

    smooth = False

    @property
    def tube(self) -> float:
        """How far a score may be from the target for nothing."""
        return 0.0

    @abstractmethod
    def box(self, y: Array) -> tuple[Any, Any]:
        """Lower and upper bound of b, for each target or for all."""

    def straight(self) -> PiecewiseLinear:
        return self

    def value(self, y: Array, score: Array) -> Array:
        lower, upper = self.box(y)
        residual = y - score
        return np.maximum(0.0, np.maximum(upper * (residual - self.tube), lower * (residual + self.tube)))

    def gradient(self, y: Array, score: Array) -> Array:
        lower, upper = self.box(y)
        residual = y - score
        return -upper * (residual > self.tube) - lower * (residual < -self.tube)

    def curvature(self, y: Array, score: Array) -> Array:
        return np.zeros_like(score)


@dataclass(frozen=True)
class Squared(Loss):
    """(y - s)²."""

    flat_curvature = True
    most_curved_at_zero = True

    def value(self, y: Array, score: Array) -> Array:
        return np.square(y - score)

    def gradient(self, y: Array, score: Array) -> Array:
        return 2.0 * (score - y)

    def curvature(self, y: Array, score: Array) -> Array:
        return np.full_like(score, 2.0)


@dataclass(frozen=True)
class SquaredHinge(Loss):
    """max(0, 1 - y s)², y = ±1. Rows beyond the margin have no curvature."""

    flat_curvature = True
    most_curved_at_zero = True

    def value(self, y: Array, score: Array) -> Array:
        return np.square(np.maximum(0.0, 1.0 - y * score))

    def gradient(self, y: Array, score: Array) -> Array:
        return -2.0 * y * np.maximum(0.0, 1.0 - y * score)

    def curvature(self, y: Array, score: Array) -> Array:
        return 2.0 * (y * score < 1.0)


@dataclass(frozen=True)
class Hinge(PiecewiseLinear):
    """max(0, 1 - y s), y = ±1: y b is between 0 and 1."""

    def box(self, y: Array) -> tuple[Any, Any]:
        return np.minimum(y, 0.0), np.maximum(y, 0.0)


@dataclass(frozen=True)
class Logistic(Loss):
    """log(1 + exp(-y s)), y = ±1: minus the log likelihood of P(y) = 1 / (1 + exp(-y s))."""

    most_curved_at_zero = True

    def value(self, y: Array, score: Array) -> Array:
        return np.logaddexp(0.0, -y * score)

    def gradient(self, y: Array, score: Array) -> Array:
        return -y * expit(-y * score)

    def curvature(self, y: Array, score: Array) -> Array:
        probability = expit(score)
        return probability * (1.0 - probability)


@dataclass(frozen=True)
class Multinomial(Loss):
    """Cross entropy of the softmax: log sum_k exp(s_k) - sum_k y_k s_k, with y the indicator of the class.

    Outputs are coupled: the second derivative is diag(p) - pp'. The value of a row stands in its first column.
    """

    separable = False

    def value(self, y: Array, score: Array) -> Array:
        values = np.zeros_like(score)
        values[:, 0] = logsumexp(score, axis=1) - (y * score).sum(axis=1)
        return values

    def gradient(self, y: Array, score: Array) -> Array:
        return softmax(score, axis=1) - y

    def curvature(self, y: Array, score: Array) -> Array:
        probability = softmax(score, axis=1)
        return probability * (1.0 - probability)

    def curvature_times(self, y: Array, score: Array, change: Array) -> Array:
        probability = softmax(score, axis=1)
        return probability * (change - (probability * change).sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class EpsilonInsensitive(PiecewiseLinear):
    """max(0, |y - s| - epsilon)."""

    epsilon: float
    degree = 1

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.3)]

    @property
    def tube(self) -> float:
        return self.epsilon

    def box(self, y: Array) -> tuple[Any, Any]:
        return -1.0, 1.0


@dataclass(frozen=True)
class Pinball(PiecewiseLinear):
    """q max(0, y - s) + (1 - q) max(0, s - y): least in the mean where s is the quantile q of y (Koenker 1978)."""

    quantile: float
    degree = 1

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.5), cls(0.8)]

    def box(self, y: Array) -> tuple[Any, Any]:
        return self.quantile - 1.0, self.quantile


@dataclass(frozen=True)
class SquaredEpsilonInsensitive(Loss):
    """max(0, |y - s| - epsilon)². Rows inside the tube have no curvature."""

    epsilon: float
    flat_curvature = True

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.3)]

    def value(self, y: Array, score: Array) -> Array:
        return np.square(np.maximum(0.0, np.abs(y - score) - self.epsilon))

    def gradient(self, y: Array, score: Array) -> Array:
        return 2.0 * np.sign(score - y) * np.maximum(0.0, np.abs(y - score) - self.epsilon)

    def curvature(self, y: Array, score: Array) -> Array:
        return 2.0 * (np.abs(y - score) > self.epsilon)


@dataclass(frozen=True)
class Huber(Loss):
    """r²/2 for |r| <= epsilon, epsilon |r| - epsilon²/2 beyond, r = y - s: squares near, absolute values far."""

    epsilon: float
    flat_curvature = True

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.7)]

    def value(self, y: Array, score: Array) -> Array:
        near = np.minimum(np.abs(y - score), self.epsilon)
        return near * (np.abs(y - score) - 0.5 * near)

    def gradient(self, y: Array, score: Array) -> Array:
        return np.clip(score - y, -self.epsilon, self.epsilon)

    def curvature(self, y: Array, score: Array) -> Array:
        return (np.abs(y - score) <= self.epsilon).astype(score.dtype)
