"""One length scale per column, learned from the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..blocks.validation import checked_rows
from ..compute.threads import thread_count
from ..kernels import ScaledKernel
from ..kernels.length_words import column_spread, median_distance
from ..maps.base import as_generator, checked_count
from .evidence import Maximum, Sample, maximise, never
from .exact import Array, require_scales
from .targets import coded_targets

STARTS = (1.0, 0.2)  # first guesses over the median distance: from afar, fine structure looks like noise
FIRST_STEPS = 6


def learn_length_scales(
    kernel: ScaledKernel,
    X: Any,
    y: Any,
    *,
    n_rows: int = 1000,
    n_samples: int = 2,
    max_iter: int = 40,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """Learn one length scale per column by maximum marginal likelihood of the exact kernel on some random rows.

    All length scales, the noise s² and the amplitude a² maximise log N(y | 0, a² K + s² I) at once, by L-BFGS with
    exact gradients. Labels are coded as ±1, one against the rest, columns of the coding sharing the kernel. A column
    that does not matter gets a large length scale, a constant column an infinite one.

    Parameters
    ----------
    kernel : kernel with a length_scale
        What it is now does not matter.
    X : array or sparse matrix of shape (n_rows, n_columns)
    y : array of numbers (one column or several) or labels
    n_rows : int, default=1000
        Rows of a sample. The time grows with its cube.
    n_samples : int, default=2
        Samples whose evidence is added up: less variance at a cost that grows only in proportion.
    max_iter : int, default=40
    random_state : int, Generator or None, default=None
    n_jobs : int, default=None

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
    require_scales(kernel)
    rng = as_generator(random_state)
    samples = draw_samples(X, targets, checked_count(n_rows, "n_rows"), checked_count(n_samples, "n_samples"), rng)
    scales, _ = learned_scales(kernel, samples, max_iter=max_iter, threads=thread_count(n_jobs))
    return kernel.with_length_scale(scales)


def draw_samples(X: Any, targets: Array, n_rows: int, n_samples: int, rng: np.random.Generator) -> list[Sample]:
    """Disjoint random samples, as far as the rows go; rows as they are, targets centred and scaled."""
    total = X.shape[0]
    n_rows = min(n_rows, total)
    order = rng.permutation(total)
    spread = targets.std()
    targets = (targets - targets.mean(axis=0)) / (spread if spread > 0 else 1.0)
    samples = []
    for i in range(max(1, min(n_samples, total // n_rows))):
        chosen = np.sort(order[i * n_rows : (i + 1) * n_rows])
        rows = X[chosen]
        samples.append(Sample(np.asarray(rows.toarray() if sp.issparse(rows) else rows, np.float64), targets[chosen]))
    return samples


def learned_scales(
    kernel: ScaledKernel,
    samples: list[Sample],
    *,
    max_iter: int,
    threads: int,
    groups: Array | None = None,
    stop: Callable[[], bool] = never,
) -> tuple[Array, Maximum | None]:
    """Length scales of the columns, infinite where these rows are constant, and the maximum they come from.

    Columns of one group (``groups`` has a number for each column) have the same length scale.
    """
    rows = np.concatenate([sample.X for sample in samples])
    weight = np.ones(len(rows))
    groups = np.arange(rows.shape[1]) if groups is None else groups
    spread = shared_spread(column_spread(rows, weight), groups)
    scales = np.full(len(spread), np.inf)
    kept = np.flatnonzero(spread > 0)
    if not kept.size or not any(sample.Y.any() for sample in samples):
        return (scales if not kept.size else np.where(spread > 0, spread, np.inf)), None
    # In units of the spread, relative to the mean: what is rounded to float32 later has no offset.
    mean = rows.mean(axis=0)
    units = [Sample((sample.X[:, kept] - mean[kept]) / spread[kept], sample.Y) for sample in samples]
    first = median_distance(np.concatenate([unit.X for unit in units]), weight, kernel.distance)
    known, groups = np.unique(groups[kept], return_inverse=True)
    common: dict[str, Any] = {"threads": threads, "groups": groups, "stop": stop}
    starts = [np.full(known.size, np.log(first * share)) for share in STARTS]
    begun = [maximise(kernel, units, start, max_iter=FIRST_STEPS, **common) for start in starts]
    best = max(begun, key=lambda maximum: maximum.value)
    found = maximise(
        kernel, units, best.log_scales, max_iter=max_iter, noise=best.noise, amplitude=best.amplitude, **common
    )
    scales[kept] = np.exp(found.log_scales)[groups] * spread[kept]
    return scales, found


def shared_spread(spread: Array, groups: Array) -> Array:
    """The root mean square of each group's spreads, for each of its columns."""
    _, places, counts = np.unique(groups, return_inverse=True, return_counts=True)
    return np.sqrt(np.bincount(places, np.square(spread)) / counts)[places]
