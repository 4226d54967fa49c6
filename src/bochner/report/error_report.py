"""How wrong is this map on these data? Measured against promised."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..compute.numbers import is_number
from ..maps import FeatureMap
from ..maps.base import checked_count
from ..maps.tolerance import checked_tolerance
from .averages import Averages
from .convergence import Convergence, measure_convergence
from .frames import frame
from .gram_error import GramSample
from .intervals import Array
from .plots import plot_both, plot_convergence, plot_kernel
from .predictions import NoPrediction, predict
from .quantities import Quantity, gram_quantities, kernel_quantities, largest_error_bound
from .redraws import PairSample, Redraws
from .text import as_dict, as_text
from .verdict import verdict
from .widths import WidthNeeded, width_needed


@dataclass(frozen=True)
class ErrorReport:
    """What ``bo.error_report`` found. Prints as text; ``to_dict``, ``to_frame`` and the plots give the rest.

    Attributes
    ----------
    feature_map : the map, with words among its parameters made numbers
    n_components : output columns
    quantities : the lines of the table: bias, root mean square, quantiles and maximum of the error of kernel values,
        error of the Gram matrix in spectral norm, relative to ||K||, and relative in the norm of ridge regression; each
        of the middle draw, that is its median over draws, with an interval that holds for any map
    convergence : the root mean square error at several widths, measured and predicted
    needed : widths for the requested tolerance, by measurement and by bounds; None if no ``eps`` was given
    verdict : one sentence
    exact, approximate : kernel values of the sampled pairs, and what one draw makes of them
    """

    feature_map: FeatureMap
    n_rows: int
    n_columns: int
    n_components: int
    n_pairs: int
    n_redraws: int
    confidence: float
    quantities: tuple[Quantity, ...]
    note: str | None
    convergence: Convergence
    needed: WidthNeeded | None
    verdict: str
    exact: Array = field(repr=False)
    approximate: Array = field(repr=False)

    def __getitem__(self, name: str) -> Quantity:
        for quantity in self.quantities:
            if quantity.name == name:
                return quantity
        raise KeyError(f"{name!r} is not in the report, which has {', '.join(q.name for q in self.quantities)}.")

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        from .page.kernel_section import shown_alone

        return shown_alone(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the arrays, as numbers, words, lists and dicts."""
        return as_dict(self)

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame, one row for each quantity."""
        return frame(self.to_dict()["quantities"], index="quantity")

    def plot_convergence(self, ax: Any = None) -> Any:
        """Plot the error against n_components, with the theory's curve. Returns the matplotlib axes."""
        return plot_convergence(self, ax)

    def plot_kernel(self, ax: Any = None) -> Any:
        """Plot approximate against exact kernel values of the sampled pairs. Returns the matplotlib axes."""
        return plot_kernel(self, ax)

    def plot(self) -> Any:
        """Both plots side by side. Returns the matplotlib figure."""
        return plot_both(self)


def error_report(
    feature_map: FeatureMap,
    X: Any,
    *,
    eps: float | None = None,
    delta: float = 0.05,
    diameter: float | str | None = None,
    alpha: float | None = None,
    n_pairs: int = 1000,
    n_redraws: int = 20,
    n_gram: int = 300,
    confidence: float = 0.95,
    random_state: int = 0,
) -> ErrorReport:
    """Measure the error that a feature map makes on data, beside what theory predicts and promises.

    The map is drawn ``n_redraws`` times for the same kernel and width and compared with the exact kernel on random
    pairs of different rows (all pairs of a small table). Each line of the report is a number of the pairs at hand in
    the middle draw, its median over draws: half of the draws do better. The interval is that of a median, which holds
    whatever the map. Theory predicts means over draws, which the verdict and the table of widths therefore use, too.
    Time and memory do not grow with the rows beyond 20,000, an evenly spread sample of which is used.

    Parameters
    ----------
    feature_map : FeatureMap
        Fitted or not; it is not changed. Words such as length_scale="median" are resolved on X if it is not fitted.
    X : array, sparse matrix or DataFrame of shape (n_rows, n_columns)
    eps : float in (0, 1), default=None
        A tolerance: the report then says which width would reach it, as root mean square error by measurement, as
        largest error by the bounds. Relative to the mean of k(x, x), which is 1 for shift-invariant kernels.
    delta : float in (0, 1), default=0.05
        Probability of failure of the bounds.
    diameter : float or "data", default=None
        Of the set over which uniform bounds are to hold. "data" takes a ball around the rows of X. None leaves uniform
        bounds out.
    alpha : float, default=None
        Regularisation of the ridge regression on all rows of X whose norm is used. None: one thousandth of
        the mean of k(x, x) for each row.
    n_pairs, n_redraws, n_gram : int, default=1000, 20 and 300
        Pairs of rows, draws of the map, rows of the Gram matrix.
    confidence : float in (0, 1), default=0.95
        Of the intervals. With 6 draws or more an interval of 95 % assumes nothing, with fewer a normal law.
    random_state : int, default=0

    Returns
    -------
    ErrorReport

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> report = bo.error_report(bo.FourierFeatures(bo.Gaussian("median"), 200), X, eps=0.01)
    >>> report["root mean square"].measured.high < report["root mean square"].bound
    True
    """
    n_pairs, n_redraws = checked_count(n_pairs, "n_pairs"), checked_count(n_redraws, "n_redraws")
    if n_redraws < 3:
        raise ValueError(f"n_redraws must be at least 3 for an interval, but it is {n_redraws}.")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, both excluded, but it is {confidence!r}.")
    if eps is not None:
        checked_tolerance(eps)
    if not (is_number(delta) and 0 < delta < 1):
        raise ValueError(f"delta must be between 0 and 1, both excluded, but it is {delta!r}.")
    if alpha is not None and not (is_number(alpha) and alpha > 0):
        raise ValueError(f"alpha must be a number greater than 0, or None, but it is {alpha!r}.")
    if not (diameter is None or diameter == "data" or (is_number(diameter) and diameter > 0)):
        raise ValueError(f"diameter must be a number greater than 0, 'data' or None, but it is {diameter!r}.")
    redraws = Redraws.of(feature_map, X, random_state)
    sample = PairSample.of(redraws.kernel, redraws.rows, n_pairs, random_state)
    first, total = redraws.fitted(0), np.shape(X)[0]
    prediction = predict(first, redraws.rows, sample.pairs)
    gram = GramSample.of(redraws.kernel, redraws.rows, n_gram, first.n_components_, alpha, total)
    errors, norms = _measure(redraws, sample, gram, n_redraws)
    quantities = kernel_quantities(errors, sample, prediction, confidence)
    bound = largest_error_bound(first, sample.pairs.n_pairs, 1.0 - confidence)
    quantities[-1] = replace(quantities[-1], bound=bound)
    quantities += gram_quantities(norms, gram, first, redraws.rows, confidence)
    convergence = measure_convergence(redraws, sample, errors, confidence)
    needed = None
    if eps is not None:
        size = float(np.mean(redraws.kernel.diagonal(redraws.rows[:1000])))
        needed = width_needed(convergence, prediction, redraws, eps, size, delta, diameter, X)
    return ErrorReport(
        feature_map=redraws.feature_map,
        n_rows=total,
        n_columns=redraws.rows.shape[1],
        n_components=first.n_components_,
        n_pairs=sample.pairs.n_pairs,
        n_redraws=n_redraws,
        confidence=confidence,
        quantities=tuple(quantities),
        note=prediction.reason if isinstance(prediction, NoPrediction) else None,
        convergence=convergence,
        needed=needed,
        verdict=verdict(Averages.of(errors, prediction, confidence), needed, redraws.width),
        exact=sample.exact,
        approximate=sample.exact + errors[0],
    )


def _measure(redraws: Redraws, sample: PairSample, gram: GramSample, n_redraws: int) -> tuple[Array, Array]:
    """Errors at the pairs (draws x pairs) and of the Gram matrix (draws x 2)."""
    errors, norms = np.empty((n_redraws, sample.pairs.n_pairs)), np.empty((n_redraws, 2))
    for draw in range(n_redraws):
        features = redraws.features(draw)
        errors[draw] = sample.errors(features)
        norms[draw] = gram.errors(features)
    return errors, norms
