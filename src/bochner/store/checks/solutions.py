"""Consistency of what is kept of rows, and of what solvers found."""

from __future__ import annotations

import numpy as np

from ...learners.calibration import Sigmoids
from ...learners.pca import Components
from ...solvers import AveragedSgd, RidgeSolution
from ...solvers.evidence import EvidenceSpectrum, Posterior
from ...statistics import Moments, RowSample, SampledMoments
from .base import array, check, count, number, part, require

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
def _(sample: RowSample) -> None:
    capacity, n_features = count(sample, "capacity"), count(sample, "n_features")
    n_targets = count(sample, "n_targets", least=0)
    array(sample, "marks", (capacity,), (np.dtype(np.uint64),))
    array(sample, "values", (capacity, n_features), DOUBLE)
    array(sample, "targets", (capacity, n_targets), DOUBLE)
    array(sample, "weights", (capacity,), DOUBLE)
    for name in ("low", "high"):  # infinite before the first row
        ends = part(sample, name, np.ndarray)
        require(ends.shape == (n_targets,) and ends.dtype == np.float64, sample, name)


@check.register
def _(statistic: SampledMoments) -> None:
    moments, sample = part(statistic, "moments", Moments), part(statistic, "sample", RowSample)
    require((moments.n_features, moments.n_targets) == (sample.n_features, sample.n_targets), statistic, "sample")


@check.register
def _(solution: RidgeSolution) -> None:
    coefficients = array(solution, "coefficients", (None, None))
    array(solution, "intercept", (coefficients.shape[1],))
    number(solution, "alpha", least=0.0)
    if vars(solution).get("rank") is not None:
        count(solution, "rank", least=0)
    for name in ("low", "high"):
        if vars(solution).get(name) is not None:
            array(solution, name, (coefficients.shape[1],), DOUBLE)
    if vars(solution).get("held_out_error") is not None:
        number(solution, "held_out_error", least=0.0)


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
    array(state, "shift", shape[1:])
    directions = array(state, "directions", (shape[0], None))
    array(state, "leading", (directions.shape[1],))
    array(state, "outside", array(state, "squares", (None, directions.shape[1])).shape[:1])
    for name in ("n_steps", "n_rows"):
        count(state, name, least=0)
    for name in ("total_weight", "level"):
        number(state, name, least=0.0)


@check.register
def _(sigmoids: Sigmoids) -> None:
    array(sigmoids, "offsets", array(sigmoids, "slopes", (None,), DOUBLE).shape, DOUBLE)
