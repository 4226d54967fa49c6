"""Choosing: the map, the length scales, the width and the regularisation."""

from .classifier import AutoKernelClassifier
from .regressor import AutoKernelRegressor

__all__ = ["AutoKernelClassifier", "AutoKernelRegressor"]
