"""Length scales and metrics of a kernel, learned from a table and its targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks.validation import checked_rows
from ..engines import Engine
from ..engines.local import as_engine
from ..kernels import Metric, RadialKernel, ScaledKernel
from ..kernels.changed_rows import ChangedRows
from ..maps.base import as_generator, checked_count
from .gram import require_scales
from .metric import learned_metric
from .random_rows import draw_samples, learned_scales
from .target_columns import coded_targets


def learn_length_scales(
    kernel: ScaledKernel,
    X: Any,
    y: Any,
    *,
    n_rows: int = 1000,
    n_samples: int = 2,
    max_iter: int = 40,
    engine: Engine | int | None = None,
    random_state: Any = None,
) -> Any:
    """Learn one length scale per column by maximum marginal likelihood of the exact kernel on some random rows.

    All length scales, the noise s² and the amplitude a² maximise log N(y | 0, a² K + s² I) at once, by L-BFGS with
    exact gradients. Labels are coded as ±1, one against the rest, columns of the coding sharing the kernel. A column
    that does not matter gets a large length scale, a constant column an infinite one.

    Parameters
    ----------
    kernel : kernel with a length_scale, or ``SoftTails`` of one
        What its length scale is now does not matter. Behind ``SoftTails`` columns are seen as the kernel sees them.
    X : array or sparse matrix of shape (n_rows, n_columns)
    y : array of numbers (one column or several) or labels
    n_rows : int, default=1000
        Rows of a sample. The time grows with its cube.
    n_samples : int, default=2
        Samples whose evidence is added up: less variance at a cost that grows only in proportion.
    max_iter : int, default=40
    engine : Engine, number of threads or None, default=None
        Whose threads share the samples.
    random_state : int, Generator or None, default=None

    Returns
    -------
    kernel : a copy with the length scales set

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> kernel = bo.learn_length_scales(bo.Gaussian(), X, np.sin(2 * X[:, 0]), random_state=0)
    >>> bool(kernel.length_scale[0] < 2 and (kernel.length_scale[1:] > 20).all())
    True
    """
    X = checked_rows(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    targets = coded_targets(y, X.shape[0])
    n_rows, n_samples = checked_count(n_rows, "n_rows"), checked_count(n_samples, "n_samples")
    steps, threads = checked_count(max_iter, "max_iter"), as_engine(engine).threads
    rng = as_generator(random_state)

    def learned(kernel: ScaledKernel, rows: Any) -> ScaledKernel:
        require_scales(kernel)
        samples = draw_samples(rows, targets, n_rows, n_samples, rng)
        return kernel.with_length_scale(learned_scales(kernel, samples, max_iter=steps, threads=threads))

    return learned_behind(kernel, X, learned)


def learn_metric(
    kernel: RadialKernel,
    X: Any,
    y: Any,
    *,
    n_rows: int = 4000,
    max_iter: int = 4,
    random_state: Any = None,
) -> Any:
    """Learn which directions matter, along and across columns: the kernel with a ``Metric`` for its length scale.

    Kernel ridge regression f on some rows has gradients ∇f(x) = -A' sum_b a_b s(r_b) A(x - x_b) with
    r_b = ||A(x - x_b)|| and s(r) = -profile'(r) / r. Their average outer product M = mean of ∇f ∇f' is large in
    directions in which the target changes, so that A = M^{1/2}, in units of the median distance, replaces the metric
    before, and so on while rows that were held out are predicted better (recursive feature machines; Radhakrishnan,
    Beaglehole, Pandit and Belkin 2024).

    Parameters
    ----------
    kernel : radial kernel, such as Gaussian, Matern or RationalQuadratic, or ``SoftTails`` of one
        What its length scale is now does not matter. Behind ``SoftTails`` columns are seen as the kernel sees them.
    X : array of shape (n_rows, n_columns)
        Columns in comparable units, for the first metric is the plain one: standardise them.
    y : array of numbers (one column or several) or labels
    n_rows : int, default=4000
        Rows used, a third of them to judge. The time grows with their cube.
    max_iter : int, default=4
    random_state : int, Generator or None, default=None

    Returns
    -------
    kernel : a copy with ``length_scale=Metric(matrix)``
        The matrix has a row for each direction that matters.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(600, 4))
    >>> kernel = bo.learn_metric(bo.Gaussian(), X, np.sin(X[:, 0] + X[:, 1]), random_state=0)
    >>> direction = kernel.length_scale.matrix[0] / np.linalg.norm(kernel.length_scale.matrix[0])
    >>> bool(abs(direction @ [0.5**0.5, 0.5**0.5, 0, 0]) > 0.99)
    True
    """
    X = checked_rows(X, dtype=np.float64)
    targets = coded_targets(y, len(X))
    n_rows, steps = checked_count(n_rows, "n_rows"), checked_count(max_iter, "max_iter")
    chosen = as_generator(random_state).permutation(len(X))[:n_rows]

    def learned(kernel: RadialKernel, rows: Any) -> RadialKernel:
        found = learned_metric(kernel, rows[chosen], targets[chosen], max_iter=steps)
        return kernel.with_length_scale(Metric(found.matrix))

    return learned_behind(kernel, X, learned)


def learned_behind(kernel: Any, X: Any, learned: Callable[[Any, Any], Any]) -> Any:
    """The kernel with what is learned for the one behind its changes of rows, at rows as that one sees them."""
    if not isinstance(kernel, ChangedRows):
        return learned(kernel, X)
    resolved = kernel.resolve(X)
    if not isinstance(resolved, ChangedRows):  # sparse rows are left as they are
        return learned(resolved, X)
    return resolved.with_kernel(learned_behind(resolved.kernel, resolved.change()(X), learned))
