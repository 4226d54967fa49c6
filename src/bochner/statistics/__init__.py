"""What is kept of rows: zero, update, merge."""

from .base import Statistic
from .moments import Moments
from .normal import GramProduct, LinearMoments, SquaredError
from .row_sample import RowSample, SampledMoments

__all__ = [
    "Statistic",
    "Moments",
    "LinearMoments",
    "GramProduct",
    "SquaredError",
    "RowSample",
    "SampledMoments",
]
