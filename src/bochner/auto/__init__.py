"""Choosing: the map, the length scales, the width and the regularisation."""

from .classifier import AutoKernelClassifier
from .length_scales import learn_length_scales
from .metric import learn_metric
from .regressor import AutoKernelRegressor

__all__ = ["AutoKernelClassifier", "AutoKernelRegressor", "learn_length_scales", "learn_metric"]
