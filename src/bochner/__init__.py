"""Random features for large-scale kernel machines: the accuracy of kernels at the cost of linear models.

>>> import bochner as bo
>>> model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian("median"), n_components=1000))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .blocks import ArrayBlocks, BatchBlocks, CsvBlocks, DaskBlocks, ParquetBlocks, SvmlightBlocks, TableEncoder
from .engines import DaskEngine, SerialEngine, ThreadEngine
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
    Reciprocal,
    ShiftInvariant,
    StretchedExponential,
    Vovk,
)
from .learners import (
    GaussianProcessRegressor,
    IndependenceResult,
    KernelLogisticRegression,
    KernelMeans,
    KernelPCA,
    KernelRidge,
    KernelRidgeClassifier,
    KernelSVC,
    KernelSVR,
    OneClassSVM,
    TwoSampleResult,
    hsic_test,
    mmd_test,
    plan,
)
from .maps import (
    AdditiveFeatures,
    BinningFeatures,
    FourierFeatures,
    MaclaurinFeatures,
    NystroemFeatures,
    TensorSketch,
)

if TYPE_CHECKING:
    from . import theory
    from .auto import AutoKernelClassifier, AutoKernelRegressor, learn_length_scales
    from .report import error_report, recommend
    from .store import ModelFileError, load, save, to_onnx

__version__ = "0.1.0"

__all__ = [
    "Gaussian",
    "Laplace",
    "StretchedExponential",
    "Reciprocal",
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
    "mmd_test",
    "TwoSampleResult",
    "hsic_test",
    "IndependenceResult",
    "KernelMeans",
    "OneClassSVM",
    "AutoKernelClassifier",
    "AutoKernelRegressor",
    "learn_length_scales",
    "ArrayBlocks",
    "ParquetBlocks",
    "CsvBlocks",
    "SvmlightBlocks",
    "BatchBlocks",
    "DaskBlocks",
    "TableEncoder",
    "SerialEngine",
    "ThreadEngine",
    "DaskEngine",
    "theory",
    "error_report",
    "recommend",
    "plan",
    "save",
    "load",
    "to_onnx",
    "ModelFileError",
]

# Loaded when first asked for, so that `import bochner` costs little more than scikit-learn.
_ON_DEMAND = {
    "AutoKernelClassifier": "auto",
    "AutoKernelRegressor": "auto",
    "learn_length_scales": "auto",
    "error_report": "report",
    "recommend": "report",
    "ModelFileError": "store",
    "load": "store",
    "save": "store",
    "to_onnx": "store",
}


def __getattr__(name: str) -> Any:
    if name == "theory":
        return import_module(".theory", __name__)
    if name in _ON_DEMAND:
        return getattr(import_module(f".{_ON_DEMAND[name]}", __name__), name)
    raise AttributeError(f"module 'bochner' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
