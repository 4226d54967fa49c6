"""From a statistic, or passes over the rows, to coefficients."""

from .averaged_sgd import AveragedSgd
from .least_norm import RowProducts, least_norm
from .leave_one_out import solve_ridge_left_out
from .leverage import Leverages
from .ridge import RidgeSolution, side_by_side, solve_ridge
from .ridge_passes import RidgePasses, solve_ridge_by_passes

__all__ = [
    "RidgeSolution",
    "solve_ridge",
    "solve_ridge_left_out",
    "side_by_side",
    "RidgePasses",
    "RowProducts",
    "least_norm",
    "AveragedSgd",
    "Leverages",
    "solve_ridge_by_passes",
]
