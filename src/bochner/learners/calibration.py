"""Probabilities from scores: Platt's sigmoid, fitted on scores of rows that the model has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ..blocks import Block
from ..statistics.gradient import LinearPoint, targets_and_weights
from .base import Array

MOST_STEPS = 100


@dataclass(frozen=True)
class ScoredRows:
    """Block to (targets, scores, weights) of its rows that weigh something."""

    point: LinearPoint

    def __call__(self, block: Block) -> tuple[Array, Array, Array]:
        y, weight = targets_and_weights(block)
        kept = weight[:, 0] > 0
        return y[kept], self.point.scores(block)[kept], weight[kept, 0]


@dataclass(frozen=True)
class Sigmoids:
    """P(class k | x) = 1 / (1 + exp(-(slope_k s_k + offset_k))), scaled to sum to 1 over classes."""

    slopes: Array
    offsets: Array

    def probabilities(self, scores: Array) -> Array:
        """Of shape (rows, classes), from scores of shape (rows, outputs)."""
        positive = expit(scores * self.slopes + self.offsets)
        if positive.shape[1] == 1:
            return np.hstack([1.0 - positive, positive])
        total = positive.sum(axis=1, keepdims=True)
        return np.where(total > 0, positive / np.where(total > 0, total, 1.0), 1.0 / positive.shape[1])


def fit_sigmoids(y: Array, scores: Array, weight: Array) -> Sigmoids:
    """One sigmoid for each output; y is ±1."""
    fitted = [fit_sigmoid(scores[:, k], y[:, k] > 0, weight) for k in range(scores.shape[1])]
    return Sigmoids(np.array([slope for slope, _ in fitted]), np.array([offset for _, offset in fitted]))


def fit_sigmoid(scores: Array, positive: Array, weight: Array) -> tuple[float, float]:
    """Slope and offset of least cross entropy with Platt's targets (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2), by Newton.

    The targets keep the slope finite where scores separate the classes.
    """
    plus, minus = weight[positive].sum(), weight[~positive].sum()
    targets = np.where(positive, (plus + 1.0) / (plus + 2.0), 1.0 / (minus + 2.0))
    scale = max(float(np.abs(scores).max(initial=0.0)), np.finfo(float).tiny)
    design = np.column_stack([scores / scale, np.ones_like(scores)])
    place = np.array([0.0, np.log((plus + 1.0) / (minus + 1.0))])
    value = _cross_entropy(design @ place, targets, weight)
    for _ in range(MOST_STEPS):
        probability = expit(design @ place)
        gradient = design.T @ (weight * (probability - targets))
        bend = (design * (weight * probability * (1.0 - probability))[:, None]).T @ design
        step = np.linalg.solve(bend + 1e-12 * (np.trace(bend) + 1.0) * np.eye(2), -gradient)
        length = 1.0
        while True:
            there = place + length * step
            new = _cross_entropy(design @ there, targets, weight)
            if new <= value + 1e-4 * length * (gradient @ step) or length < 1e-10:
                break
            length *= 0.5
        done = value - new <= 1e-12 * abs(value)
        place, value = (there, new) if new <= value else (place, value)
        if done:
            break
    return float(place[0] / scale), float(place[1])


def _cross_entropy(logits: Array, targets: Array, weight: Array) -> float:
    return float(weight @ (np.logaddexp(0.0, logits) - targets * logits))
