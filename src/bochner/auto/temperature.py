"""Probabilities from scores that keep their order: a softmax with one temperature, fitted on held-out rows."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

Array = np.ndarray


def fit_temperature(scores: Array, y: Array) -> float:
    """The factor t of least cross entropy of softmax(t s) with labels y; for two classes s = (-s, s).

    One number only, and the predicted class stays the most probable one. Rows held out may all be right: each of them
    counts as if two more rows in n were labelled at random, which keeps t finite.
    """
    if scores.shape[1] == 1:
        scores = np.hstack([-scores, scores])
    n_rows = len(scores)
    smooth = 1.0 / (n_rows + 2.0)

    def cross_entropy(log_factor: float) -> float:
        logs = log_softmax(np.exp(log_factor) * scores, axis=1)
        return -float((1.0 - smooth) * logs[np.arange(n_rows), y].mean() + smooth * logs.mean())

    size = float(np.abs(scores).mean())
    if not size > 1e-200:  # scores that say nothing: any factor is as good
        return 1.0
    found = minimize_scalar(cross_entropy, bounds=(-7.0 - np.log(size), 7.0 - np.log(size)), method="bounded")
    return float(np.exp(found.x))
