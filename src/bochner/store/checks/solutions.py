"""Consistency of what is kept of rows, and of what solvers found."""

from __future__ import annotations

import numpy as np

from ...learners.calibration import Sigmoids
from ...learners.pca import Components
from ...solvers import AveragedSgd, RidgeSolution
from ...solvers.evidence import EvidenceSpectrum, Posterior
from ...statistics import Moments
from .base import array, check, count, number

DOUBLE = (np.dtype(np.float64),)


@check.register
def _(moments: Moments) -> None:
    n_features, n_targets = count(moments, "n_features"), count(moments, "n_targets", least=0)
    count(moments, "n_rows", least=0)
    for name in ("total_weight", "precision"):
        number(moments, name, least=0.0)
    array(moments, "feature_mean", (n_features,), DOUBLE)
    array(moments, "target_mean", (n_targets,), DOUBLE)
    array(moments, "feature_moment", (n_features, n_features), DOUBLE)
    array(moments, "cross_moment", (n_features, n_targets), DOUBLE)
    array(moments, "target_moment", (n_targets,), DOUBLE)


@check.register
def _(solution: RidgeSolution) -> None:
    coefficients = array(solution, "coefficients", (None, None))
    array(solution, "intercept", (coefficients.shape[1],))
    number(solution, "alpha", least=0.0)


@check.register
def _(spectrum: EvidenceSpectrum) -> None:
    size = len(array(spectrum, "values", (None,), DOUBLE))
    array(spectrum, "vectors", (size, size), DOUBLE)
    for name in ("rotated_cross", "reached"):
        array(spectrum, name, (size,), DOUBLE)
    for name in ("unreached", "n_rows", "precision"):
        number(spectrum, name, least=0.0)


@check.register
def _(posterior: Posterior) -> None:
    size = len(array(posterior, "coefficients", (None,), DOUBLE))
    array(posterior, "root", (size, size), DOUBLE)
    for name in ("noise", "amplitude"):
        number(posterior, name, least=0.0)


@check.register
def _(components: Components) -> None:
    width = len(array(components, "eigenvalues", (None,), DOUBLE))
    array(components, "vectors", (None, width), DOUBLE)
    array(components, "offset", (width,), DOUBLE)
    number(components, "total", least=0.0)
    if vars(components).get("decoder") is not None:
        array(components, "decoder", (width, None), DOUBLE)


@check.register
def _(state: AveragedSgd) -> None:
    shape = array(state, "iterate", (None, None)).shape
    array(state, "average", shape)
    directions = array(state, "directions", (shape[0], None))
    array(state, "shrinkage", (directions.shape[1],))
    count(state, "n_steps", least=0)
    for name in ("total_weight", "rate"):
        number(state, name, least=0.0)


@check.register
def _(sigmoids: Sigmoids) -> None:
    array(sigmoids, "offsets", array(sigmoids, "slopes", (None,), DOUBLE).shape, DOUBLE)
