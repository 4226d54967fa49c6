"""The report in one sentence."""

from __future__ import annotations

from .averages import Averages
from .widths import WidthNeeded


def verdict(averages: Averages, needed: WidthNeeded | None, width: int) -> str:
    """Size of the error over all draws, visible bias, agreement with theory, and what to do for the tolerance."""
    sentence = f"Kernel values are off by {averages.root_mean_square:.2g} (root mean square over all draws) "
    sentence += f"{_bias(averages)}, {_agreement(averages)}"
    if needed is not None:
        sentence += _advice(needed, width)
    return sentence + "."


def _agreement(averages: Averages) -> str:
    if averages.expected is None:
        return "for which theory has no prediction"
    if averages.side() > 0:
        return f"more than theory predicts ({averages.expected:.2g})"
    if averages.side() < 0:
        return f"less than theory predicts ({averages.expected:.2g}), so that rare draws may be much worse"
    return f"as theory predicts ({averages.expected:.2g})"


def _bias(averages: Averages) -> str:
    return f"with a bias of {averages.bias.value:.2g}" if averages.has_bias() else "without visible bias"


def _advice(needed: WidthNeeded, width: int) -> str:
    if needed.by_measurement is None:
        return f"; the error does not fall with {needed.parameter}, so {needed.eps:g} is out of reach of this map"
    if needed.by_measurement <= width:
        return f"; {needed.eps:g} is met, for which {needed.parameter}={needed.by_measurement} would do"
    return f"; for {needed.eps:g} take about {needed.parameter}={needed.by_measurement}"
