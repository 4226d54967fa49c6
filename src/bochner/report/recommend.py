"""Which map to take: every eligible one timed and scored on the data, ranked by error at equal time."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from ..amounts import seconds_of
from ..blocks.sample import representative_rows
from ..blocks.validation import checked_rows
from ..kernels import Kernel
from ..maps import KernelMap, NystroemFeatures
from ..maps.base import checked_count
from ..maps.tolerance import checked_tolerance
from .eligible import candidates
from .frames import frame
from .ladder import Ladder
from .probes import TimedProbe
from .redraws import PairSample
from .schedule import Deadline, climb_all

LARGEST_WIDTH = 1 << 17
SHORT, FEW_ROWS = 1.0, 300  # in a search of less than a second, words among the kernel's parameters cost fewer rows
KEPT = 0.98  # of the time limit: the answer has to be written too


@dataclass(frozen=True)
class Choice:
    """One candidate at the width that the question asks for.

    Errors are root mean squares relative to the mean of k(x, x); ``error_at_equal_time`` is the error when every
    candidate is given the same time, by which they are ranked.
    """

    name: str
    feature_map: KernelMap
    width: int
    error: float
    seconds: float
    error_at_equal_time: float


@dataclass(frozen=True)
class Recommendation:
    """What ``bo.recommend`` found.

    Attributes
    ----------
    best : the winning map, not fitted, with its width set
    choices : every candidate, best first
    skipped : candidates that were not measured, with the reason
    seconds : the time at which candidates are compared
    """

    question: str
    choices: tuple[Choice, ...]
    skipped: dict[str, str]
    seconds: float

    @property
    def best(self) -> KernelMap:
        return clone(self.choices[0].feature_map)

    def to_dict(self) -> dict[str, Any]:
        """The table as numbers and words."""
        return {
            "question": self.question,
            "seconds": self.seconds,
            "choices": [
                {
                    "map": choice.name,
                    "parameter": choice.feature_map.width,
                    "width": choice.width,
                    "error": choice.error,
                    "seconds": choice.seconds,
                    "error_at_equal_time": choice.error_at_equal_time,
                }
                for choice in self.choices
            ],
            "skipped": dict(self.skipped),
        }

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame, best first."""
        return frame(self.to_dict()["choices"], index="map")

    def __str__(self) -> str:
        lines = [self.question, f"{'map':<32}{'width':>20}{'error':>10}{'seconds':>10}{'error in equal time':>22}"]
        for choice in self.choices:
            width = f"{choice.feature_map.width}={choice.width}"
            lines.append(
                f"{choice.name:<32}{width:>20}{choice.error:>10.3g}{choice.seconds:>10.3g}"
                f"{choice.error_at_equal_time:>22.3g}"
            )
        if self.skipped:
            lines.append(f"Not measured (see skipped): {'; '.join(self.skipped)}.")
        best = self.choices[0]
        lines.append(f"Take {best.name} with {best.feature_map.width}={best.width}.")
        return "\n".join(lines)


def recommend(
    kernel: Kernel,
    X: Any,
    *,
    eps: float | None = None,
    budget: str | None = None,
    purpose: Literal["learning", "mapping"] = "learning",
    n_pairs: int = 500,
    time_limit: str = "10s",
    random_state: int = 0,
) -> Recommendation:
    """Time and score the maps that can serve a kernel on a sample of the data; rank them by error at equal time.

    Each candidate is measured at growing widths: seconds to map all rows of X (drawing the map included) and to learn
    from their features by ridge regression, which costs n D² for D dense features, and root mean square error of kernel
    values over random pairs of rows. Power laws through these give the width that reaches ``eps``, or that ``budget``
    affords. Seconds are this machine's now, so the ranking of close candidates may change
    from run to run.

    The search keeps to its time: no measurement is begun whose estimated time is not left, and what could not be
    tried is listed as skipped. One map is always measured; where its compiled code has to be loaded first, once in a
    process, that takes some tenths of a second (seconds, if it has never been compiled on this machine).

    Parameters
    ----------
    kernel : Kernel
    X : array, sparse matrix or DataFrame of shape (n_rows, n_columns)
    eps : float in (0, 1), default=None
        A tolerance, the root mean square error relative to the mean of k(x, x): which map reaches it soonest?
    budget : str, default=None
        Time such as "2s" or "500ms" that mapping and learning may take: which map has the least error? Give one of eps
        and budget.
    purpose : {"learning", "mapping"}, default="learning"
        Whether the time of learning counts, or that of mapping alone: for kernel values, or where learning is cheap.
    n_pairs : int, default=500
    time_limit : str, default="10s"
        Time that the search itself may take; a smaller budget bounds it too.
    random_state : int, default=0

    Returns
    -------
    Recommendation

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> found = bo.recommend(bo.Gaussian("median"), X, eps=0.05, time_limit="2s")
    >>> features = found.best.fit(X)
    """
    begin = perf_counter()
    if not isinstance(kernel, Kernel):
        raise TypeError(f"recommend takes a bochner kernel such as bo.Gaussian(), not {type(kernel).__name__}.")
    if (eps is None) == (budget is None):
        raise ValueError("Give one of eps (a tolerance) and budget (a time for all rows, such as '2s').")
    seconds = None if budget is None else seconds_of(budget, "budget")
    if purpose not in ("learning", "mapping"):
        raise ValueError(f"purpose must be 'learning' or 'mapping', not {purpose!r}.")
    limit = min(seconds_of(time_limit, "time_limit"), np.inf if seconds is None else seconds)
    tolerance = None if eps is None else checked_tolerance(eps)
    X = checked_rows(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2)
    rows = representative_rows(X)
    settled = kernel.resolve(rows if limit >= SHORT else representative_rows(X, FEW_ROWS))
    sample = PairSample.of(settled, rows, checked_count(n_pairs, "n_pairs"), random_state)
    size = float(np.mean(settled.diagonal(rows[:1000])))
    probe = TimedProbe(rows, X.shape[0], sample, random_state, purpose == "learning", perf_counter)
    deadline = Deadline(KEPT * limit - (perf_counter() - begin), perf_counter)
    ladders, skipped = climb_all(candidates(settled), probe, size, deadline)
    if tolerance is not None:
        widths = [ladder.width_for_error(tolerance) for ladder in ladders]
        equal = min(ladder.time_at(width) for ladder, width in zip(ladders, widths))
        question = f"root mean square error {tolerance:g}, {X.shape[0]} rows x {X.shape[1]} columns"
    else:
        equal = float(seconds or 0.0)
        widths = [ladder.width_for_time(equal) for ladder in ladders]
        question = f"{equal:g} seconds for {X.shape[0]} rows x {X.shape[1]} columns"
    choices = [_choice(kernel, ladder, width, equal, X.shape[0]) for ladder, width in zip(ladders, widths)]
    choices.sort(key=lambda choice: choice.error_at_equal_time)
    return Recommendation(question, tuple(choices), skipped, equal)


def _choice(kernel: Kernel, ladder: Ladder, width: float, equal: float, n_rows: int) -> Choice:
    feature_map = candidates(kernel)[ladder.name]
    largest = min(n_rows, LARGEST_WIDTH) if isinstance(feature_map, NystroemFeatures) else LARGEST_WIDTH  # landmarks
    whole = int(np.clip(np.ceil(width), 1, largest))
    feature_map.set_params(**{feature_map.width: whole})
    in_equal_time = min(max(ladder.width_for_time(equal), 1.0), largest)
    return Choice(
        ladder.name, feature_map, whole, ladder.error_at(whole), ladder.time_at(whole), ladder.error_at(in_equal_time)
    )
