"""What is kept of rows: zero, update, merge."""

from .base import Statistic
from .moments import Moments
from .normal import GramProduct, LinearMoments, SquaredError

__all__ = [
    "Statistic",
    "Moments",
    "LinearMoments",
    "GramProduct",
    "SquaredError",
]
