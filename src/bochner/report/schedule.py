"""Which measurement comes next, so that the answer is as good as the time allows and the time is kept."""

from __future__ import annotations

from collections.abc import Callable

from ..maps import KernelMap
from .ladder import Ladder
from .probes import Probe

RUNGS = (16, 64, 256, 1024, 4096)
DRAWS_PER_RUNG = 3
LOADING = 0.1  # seconds that loading the compiled code of a map may take


class Deadline:
    """A moment by which to be done, and the clock that tells."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.end = clock() + seconds

    def allows(self, seconds: float) -> bool:
        """Whether something that takes so long would be done in time."""
        return self.clock() + seconds <= self.end


def climb_all(
    maps: dict[str, KernelMap], probe: Probe, size: float, deadline: Deadline
) -> tuple[list[Ladder], dict[str, str]]:
    """Measure every map that serves its kernel, all on low rungs before any on a high one, before the deadline.

    The unit of work is one draw of one map. No draw is begun whose estimated time is not left, but for the first one
    of all: there is always an answer. A map never tried is expected to take as long as the slowest one so far, and
    LOADING besides if its compiled code is not in memory.

    Parameters
    ----------
    maps : dict of maps of kernels
        In the order in which they are tried.
    probe : Probe
        Measures a draw.
    size : float
        Mean of k(x, x), to which errors are relative.
    deadline : Deadline

    Returns
    -------
    ladders, skipped : the maps measured, and the reasons why others were not
    """
    ladders, skipped = _first_steps(maps, probe, size, deadline)
    for width in RUNGS:
        for draw in range(DRAWS_PER_RUNG):
            for ladder in ladders:
                done = (width, draw) == (RUNGS[0], 0)
                if not done and deadline.allows(ladder.estimate(width)):
                    ladder.step(width, draw)
    return ladders, skipped


def _first_steps(
    maps: dict[str, KernelMap], probe: Probe, size: float, deadline: Deadline
) -> tuple[list[Ladder], dict[str, str]]:
    ladders: list[Ladder] = []
    skipped: dict[str, str] = {}
    slowest = 0.0
    for name, feature_map in maps.items():
        ladder = Ladder(name, feature_map, size, probe)
        expected = slowest + (0.0 if probe.is_loaded(feature_map) else LOADING)
        if ladders and not deadline.allows(expected):
            skipped[name] = "no time was left to try it"
            continue
        if reason := "" if feature_map.kernel is None else feature_map.reason_against(feature_map.kernel):
            skipped[name] = reason
            continue
        try:
            probe.warm_up(feature_map)
            ladder.step(RUNGS[0], 0)
        except ValueError as refusal:
            skipped[name] = str(refusal)
            continue
        ladders.append(ladder)
        slowest = max(slowest, ladder.estimate(RUNGS[0]))
    if not ladders:
        raise ValueError(f"No map serves this kernel: {' '.join(skipped.values())}")
    return ladders, skipped
