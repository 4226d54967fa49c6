"""From a statistic, or passes over the rows, to coefficients."""

from .averaged_sgd import AveragedSgd
from .leverage import Leverages
from .ridge import RidgeSolution, side_by_side, solve_ridge
from .ridge_passes import RidgePasses, solve_ridge_by_passes

__all__ = [
    "RidgeSolution",
    "solve_ridge",
    "side_by_side",
    "RidgePasses",
    "AveragedSgd",
    "Leverages",
    "solve_ridge_by_passes",
]
