"""Random features for large-scale kernel machines: the accuracy of kernels at the cost of linear models.

>>> import bochner as bo
>>> model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian("median"), n_components=1000))
"""

from . import theory
from .blocks import ArrayBlocks, BatchBlocks, CsvBlocks, ParquetBlocks, SvmlightBlocks, TableEncoder
from .engines import SerialEngine, ThreadEngine
from .kernels import (
    AdditiveChi2,
    ArcCosine,
    Cauchy,
    Composed,
    DotProduct,
    ExponentialDot,
    Gaussian,
    Hellinger,
    Intersection,
    JensenShannon,
    Laplace,
    Matern,
    Polynomial,
    RationalQuadratic,
    ShiftInvariant,
    Vovk,
)
from .learners import (
    GaussianProcessRegressor,
    KernelLogisticRegression,
    KernelPCA,
    KernelRidge,
    KernelRidgeClassifier,
    KernelSVC,
    KernelSVR,
)
from .maps import (
    AdditiveFeatures,
    BinningFeatures,
    FourierFeatures,
    MaclaurinFeatures,
    NystroemFeatures,
    TensorSketch,
)
from .report import error_report, recommend
from .store import ModelFileError, load, save, to_onnx

__version__ = "0.1.0"

__all__ = [
    "Gaussian",
    "Laplace",
    "Cauchy",
    "Matern",
    "RationalQuadratic",
    "ShiftInvariant",
    "Polynomial",
    "ExponentialDot",
    "Vovk",
    "ArcCosine",
    "DotProduct",
    "Composed",
    "AdditiveChi2",
    "Intersection",
    "JensenShannon",
    "Hellinger",
    "FourierFeatures",
    "BinningFeatures",
    "MaclaurinFeatures",
    "TensorSketch",
    "AdditiveFeatures",
    "NystroemFeatures",
    "KernelRidge",
    "KernelRidgeClassifier",
    "KernelSVC",
    "KernelSVR",
    "KernelLogisticRegression",
    "GaussianProcessRegressor",
    "KernelPCA",
    "ArrayBlocks",
    "ParquetBlocks",
    "CsvBlocks",
    "SvmlightBlocks",
    "BatchBlocks",
    "TableEncoder",
    "SerialEngine",
    "ThreadEngine",
    "theory",
    "error_report",
    "recommend",
    "save",
    "load",
    "to_onnx",
    "ModelFileError",
]
