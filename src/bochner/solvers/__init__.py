"""From a statistic, or passes over the rows, to coefficients."""

from .ridge import RidgeSolution, solve_ridge

__all__ = ["RidgeSolution", "solve_ridge"]
