"""How many features a learner needs, beside how many kernel values need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_X_y

from ..blocks.validation import checked_rows, checked_targets
from ..kernels import Kernel
from ..learners import ExactKernelRidge, KernelRidge
from ..maps import FourierFeatures
from ..maps.base import as_generator, checked_count
from ..maps.measure import sample_pairs
from ..maps.tolerance import checked_tolerance
from ..theory import frequency_variance, prediction_deviation
from .intervals import Array

MOST_ROWS = 4000  # half of them for the exact machine, whose time grows with their cube
FIRST_WIDTH, LAST_WIDTH = 32, 16_384
N_PAIRS = 100_000


@dataclass(frozen=True)
class LearningGap:
    """What ``bo.learning_gap`` found: output columns of paired Fourier features with independent frequencies.

    Attributes
    ----------
    kernel_width : for a root mean square error eps of kernel values, over pairs of rows (exact)
    prediction_width : for predictions that move by eps times the standard deviation of y, root mean square over
        held-out rows (first order, see ``bo.theory.prediction_deviation``)
    learning_width : for a held-out error within ``within`` of that of the kernel itself (measured); None where none of
        the widths tried was enough
    eps, within, alpha : the tolerances, and the regularisation
    exact_error : root mean square error of the kernel itself on the held-out rows
    widths, ratios : the widths that were tried, and the held-out error of each relative to ``exact_error``
    """

    kernel_width: int
    prediction_width: int
    learning_width: int | None
    eps: float
    within: float
    alpha: float
    exact_error: float
    widths: Array
    ratios: Array

    def __str__(self) -> str:
        learned = "more than were tried" if self.learning_width is None else f"{self.learning_width} features"
        return "\n".join(
            (
                f"{self.kernel_width} features for kernel values to {self.eps:g} (root mean square)",
                f"{self.prediction_width} features for predictions to {self.eps:g} standard deviations of y",
                f"{learned} for a held-out error within {100 * self.within:g} % of that of the kernel itself",
            )
        )


def learning_gap(
    kernel: Kernel,
    X: Any,
    y: Any,
    *,
    eps: float = 0.01,
    within: float = 0.01,
    alpha: float | str = "auto",
    n_redraws: int = 6,
    random_state: Any = 0,
) -> LearningGap:
    """Find how many Fourier features kernel values, predictions and held-out errors need, for ridge regression.

    "Ten thousand features for an error of .01" is true of kernel values, whose variance is at most 1/D. Learners need
    far fewer: they average over the rows, and noise hides the rest. Half of the rows train, the other half judge.

    Parameters
    ----------
    kernel : shift-invariant kernel
    X, y : arrays of shape (n_rows, n_columns) and (n_rows,)
        Up to 4,000 rows are used.
    eps : float in (0, 1), default=0.01
        Tolerance of kernel values, and of predictions in standard deviations of y.
    within : float in (0, 1), default=0.01
        How much larger the held-out error may be than that of the kernel itself.
    alpha : float > 0 or "auto", default="auto"
        "auto": as ExactKernelRidge chooses it.
    n_redraws : int, default=6
        Draws of the features, over which held-out mean square errors are averaged.
    random_state : int, Generator or None, default=0

    Returns
    -------
    LearningGap

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1.0, 1.0, size=(400, 3))
    >>> y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=400)
    >>> gap = bo.learning_gap(bo.Gaussian(1.5), X, y, alpha=0.3)
    >>> bool(gap.learning_width < gap.kernel_width / 10)
    True
    """
    eps, within = checked_tolerance(eps), checked_tolerance(within)
    n_redraws = checked_count(n_redraws, "n_redraws")
    rng = as_generator(random_state)
    X = checked_rows(X, dtype=np.float64, ensure_min_samples=4)
    X, y = check_X_y(X, checked_targets(y, numeric=True), y_numeric=True, dtype=np.float64)
    order = rng.permutation(len(X))[:MOST_ROWS]
    training, judged = np.array_split(order, 2)
    exact = ExactKernelRidge(kernel, alpha).fit(X[training], y[training])
    kernel, alpha = exact.kernel_, exact.alpha_
    targets = y[training] - y[training].mean()
    pairs = sample_pairs(X[order], N_PAIRS, rng)
    deviation = prediction_deviation(
        kernel, X[training], targets, X[judged], alpha=alpha, n_components=1, random_state=rng
    )
    exact_square = float(np.mean((exact.predict(X[judged]) - y[judged]) ** 2))
    widths: list[int] = []
    ratios: list[float] = []
    while not ratios or (ratios[-1] > 1.0 + within and widths[-1] < LAST_WIDTH):
        widths.append(2 * widths[-1] if widths else FIRST_WIDTH)
        squares = []
        for _ in range(n_redraws):
            features = FourierFeatures(kernel, widths[-1], directions="iid", random_state=int(rng.integers(1 << 31)))
            machine = KernelRidge(features, alpha, fit_intercept=False).fit(X[training], targets)
            squares.append(np.mean((machine.predict(X[judged]) + y[training].mean() - y[judged]) ** 2))
        ratios.append(float(np.sqrt(np.mean(squares) / exact_square)))
    return LearningGap(
        kernel_width=int(np.ceil(2.0 * frequency_variance(kernel, pairs.left - pairs.right).mean() / eps**2)),
        prediction_width=int(np.ceil(np.mean(deviation**2) / (eps * y[training].std()) ** 2)),
        learning_width=widths[-1] if ratios[-1] <= 1.0 + within else None,
        eps=eps,
        within=within,
        alpha=float(alpha),
        exact_error=float(np.sqrt(exact_square)),
        widths=np.array(widths),
        ratios=np.array(ratios),
    )
