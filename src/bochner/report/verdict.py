"""The report in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from .quantities import Quantity
from .widths import WidthNeeded

CLOSE = 0.1  # relative difference below which measurement and theory agree, whatever the interval


def verdict(quantities: Sequence[Quantity], needed: WidthNeeded | None, width: int) -> str:
    """Size of the error, agreement with theory, visible bias, and what to do for the tolerance."""
    by_name = {quantity.name: quantity for quantity in quantities}
    error, bias = by_name["root mean square"], by_name["bias"]
    sentence = f"Kernel values are off by {error.measured.value:.2g} (root mean square) {_bias(bias, error)}, "
    sentence += _agreement(error)
    if needed is not None:
        sentence += _advice(needed, width)
    return sentence + "."


def _agreement(error: Quantity) -> str:
    if error.predicted is None:
        return "for which theory has no closed form"
    measured = error.measured
    if measured.contains(error.predicted) or abs(measured.value - error.predicted) <= CLOSE * error.predicted:
        return f"as theory predicts ({error.predicted:.2g})"
    if measured.low > error.predicted:
        return f"more than theory predicts ({error.predicted:.2g})"
    return f"less than theory predicts ({error.predicted:.2g})"


def _bias(bias: Quantity, error: Quantity) -> str:
    if bias.measured.contains(0.0) or abs(bias.measured.value) <= CLOSE * error.measured.value:
        return "without visible bias"
    return f"with a bias of {bias.measured.value:.2g}"


def _advice(needed: WidthNeeded, width: int) -> str:
    if needed.by_measurement is None:
        return f"; the error does not fall with {needed.parameter}, so {needed.eps:g} is out of reach of this map"
    if needed.by_measurement <= width:
        return f"; {needed.eps:g} is met, for which {needed.parameter}={needed.by_measurement} would do"
    return f"; for {needed.eps:g} take about {needed.parameter}={needed.by_measurement}"
