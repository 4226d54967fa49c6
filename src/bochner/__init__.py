"""Random features for large-scale kernel machines: the accuracy of kernels at the cost of linear models.

>>> import bochner as bo
>>> model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian("median"), n_components=1000))
"""

from .blocks import ArrayBlocks
from .engines import SerialEngine, ThreadEngine
from .kernels import Cauchy, Gaussian, Laplace, Matern, RationalQuadratic, ShiftInvariant
from .learners import KernelLogisticRegression, KernelRidge, KernelRidgeClassifier, KernelSVC, KernelSVR
from .maps import FourierFeatures

__version__ = "0.1.0"

__all__ = [
    "Gaussian",
    "Laplace",
    "Cauchy",
    "Matern",
    "RationalQuadratic",
    "ShiftInvariant",
    "FourierFeatures",
    "KernelRidge",
    "KernelRidgeClassifier",
    "KernelSVC",
    "KernelSVR",
    "KernelLogisticRegression",
    "ArrayBlocks",
    "SerialEngine",
    "ThreadEngine",
]
