"""Random features for large-scale kernel machines: the accuracy of kernels at the cost of linear models.

>>> import bochner as bo
>>> model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian("median"), n_components=1000))

Names are loaded from their packages when first asked for, so that ``import bochner`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .interrupts import finished_first

if TYPE_CHECKING:
    from . import theory
    from .auto import (
        AutoKernelClassifier,
        AutoKernelRegressor,
    )
    from .blocks import (
        ArrayBlocks,
        BatchBlocks,
        CsvBlocks,
        DaskBlocks,
        ParquetBlocks,
        SvmlightBlocks,
    )
    from .engines import (
        CheckpointEngine,
        DaskEngine,
        SerialEngine,
        ThreadEngine,
    )
    from .kernels import (
        AdditiveChi2,
        ArcCosine,
        Cauchy,
        Composed,
        DotProduct,
        ExponentialDot,
        Gaussian,
        GeneralProfile,
        Hellinger,
        Homogeneous,
        Intersection,
        JensenShannon,
        Laplace,
        Matern,
        Metric,
        Polynomial,
        PoweredExponential,
        ProductProfile,
        RadialProfile,
        RationalQuadratic,
        Reciprocal,
        SoftTails,
        Spectral,
        StretchedExponential,
        Vovk,
    )
    from .learners import (
        ExactKernelRidge,
        ExactKernelRidgeClassifier,
        ExactKernelSVC,
        FourierNetwork,
        GaussianProcessRegressor,
        IndependenceResult,
        KernelLogisticRegression,
        KernelMeans,
        KernelPCA,
        KernelQuantileRegressor,
        KernelRidge,
        KernelRidgeClassifier,
        KernelSVC,
        KernelSVR,
        OneClassSVM,
        TwoSampleResult,
        fourier_network,
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
    from .report.error_report import error_report
    from .report.learning_gap import learning_gap
    from .report.max_error import max_error
    from .report.page import report_page
    from .report.recommend import recommend
    from .scales import (
        learn_length_scales,
        learn_metric,
    )
    from .store import (
        ModelFileError,
        load,
        save,
        to_onnx,
    )
    from .tables import TableEncoder

__version__ = "0.1.0"

__all__ = [
    "Gaussian",
    "Laplace",
    "StretchedExponential",
    "Reciprocal",
    "Cauchy",
    "Matern",
    "RationalQuadratic",
    "PoweredExponential",
    "RadialProfile",
    "ProductProfile",
    "GeneralProfile",
    "Metric",
    "Spectral",
    "Polynomial",
    "ExponentialDot",
    "Vovk",
    "ArcCosine",
    "DotProduct",
    "Composed",
    "SoftTails",
    "AdditiveChi2",
    "Intersection",
    "JensenShannon",
    "Hellinger",
    "Homogeneous",
    "FourierFeatures",
    "BinningFeatures",
    "MaclaurinFeatures",
    "TensorSketch",
    "AdditiveFeatures",
    "NystroemFeatures",
    "KernelRidge",
    "KernelRidgeClassifier",
    "ExactKernelRidge",
    "ExactKernelRidgeClassifier",
    "ExactKernelSVC",
    "KernelSVC",
    "KernelSVR",
    "KernelQuantileRegressor",
    "KernelLogisticRegression",
    "GaussianProcessRegressor",
    "KernelPCA",
    "fourier_network",
    "FourierNetwork",
    "mmd_test",
    "TwoSampleResult",
    "hsic_test",
    "IndependenceResult",
    "KernelMeans",
    "OneClassSVM",
    "AutoKernelClassifier",
    "AutoKernelRegressor",
    "learn_length_scales",
    "learn_metric",
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
    "CheckpointEngine",
    "theory",
    "error_report",
    "learning_gap",
    "max_error",
    "recommend",
    "report_page",
    "plan",
    "save",
    "load",
    "to_onnx",
    "ModelFileError",
]

_HOMES = {
    "kernels": (
        "Gaussian Laplace StretchedExponential Reciprocal Cauchy Matern RationalQuadratic PoweredExponential "
        "RadialProfile ProductProfile GeneralProfile Metric Spectral Polynomial ExponentialDot Vovk ArcCosine "
        "DotProduct Composed SoftTails AdditiveChi2 Intersection JensenShannon Hellinger "
        "Homogeneous"
    ),
    "maps": "FourierFeatures BinningFeatures MaclaurinFeatures TensorSketch AdditiveFeatures NystroemFeatures",
    "learners": (
        "KernelRidge KernelRidgeClassifier ExactKernelRidge ExactKernelRidgeClassifier KernelSVC KernelSVR "
        "ExactKernelSVC KernelLogisticRegression KernelQuantileRegressor "
        "GaussianProcessRegressor KernelPCA mmd_test TwoSampleResult hsic_test IndependenceResult KernelMeans "
        "OneClassSVM fourier_network FourierNetwork plan"
    ),
    "scales": "learn_length_scales learn_metric",
    "auto": "AutoKernelClassifier AutoKernelRegressor",
    "report": "error_report learning_gap max_error recommend report_page",
    "blocks": "ArrayBlocks ParquetBlocks CsvBlocks SvmlightBlocks BatchBlocks DaskBlocks",
    "tables": "TableEncoder",
    "engines": "SerialEngine ThreadEngine DaskEngine CheckpointEngine",
    "store": "save load to_onnx ModelFileError",
}
_GONE = {
    "Projected": "a kernel with a length scale takes a matrix itself, as in bo.Gaussian(bo.Metric(matrix))",
    "ShiftInvariant": "use bo.ProductProfile(f), bo.RadialProfile(f) or bo.GeneralProfile(f)",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_PACKAGES = {*_HOMES, "compute", "experiments", "losses", "solvers", "statistics", "theory"}


def _imported(name: str) -> Any:
    with finished_first():
        return import_module(f".{name}", __name__)


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return _imported(name)
    if name in _HOME_OF:
        value = getattr(_imported(_HOME_OF[name]), name)
        globals()[name] = value  # asked for once
        return value
    instead = f": {_GONE[name]}" if name in _GONE else ""
    raise AttributeError(f"module 'bochner' has no attribute {name!r}{instead}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
