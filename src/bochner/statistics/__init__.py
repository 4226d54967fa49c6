"""What is kept of rows: zero, update, merge."""

from .base import Statistic
from .moments import Moments

__all__ = ["Statistic", "Moments"]
