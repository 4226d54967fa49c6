"""Random features for large-scale kernel machines: the accuracy of kernels at the cost of linear models.

>>> import bochner as bo
>>> model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian("median"), n_components=1000))

Names are loaded from their packages when first asked for, so that ``import bochner`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import theory
    from .auto import (
        AutoKernelClassifier,
        AutoKernelRegressor,
        learn_length_scales,
        learn_metric,
    )
    from .blocks import (
        ArrayBlocks,
        BatchBlocks,
        CsvBlocks,
        DaskBlocks,
        ParquetBlocks,
        SvmlightBlocks,
        TableEncoder,
    )
    from .engines import (
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
        Hellinger,
        Intersection,
        JensenShannon,
        Laplace,
        Matern,
        Polynomial,
        Projected,
        RationalQuadratic,
        Reciprocal,
        ShiftInvariant,
        StretchedExponential,
        Vovk,
    )
    from .learners import (
        ExactKernelRidge,
        ExactKernelRidgeClassifier,
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
    from .report import (
        error_report,
        recommend,
    )
    from .store import (
        ModelFileError,
        load,
        save,
        to_onnx,
    )

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
    "Projected",
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
    "ExactKernelRidge",
    "ExactKernelRidgeClassifier",
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
    "theory",
    "error_report",
    "recommend",
    "plan",
    "save",
    "load",
    "to_onnx",
    "ModelFileError",
]

_HOMES = {
    "kernels": (
        "Gaussian Laplace StretchedExponential Reciprocal Cauchy Matern RationalQuadratic ShiftInvariant "
        "Polynomial ExponentialDot Vovk ArcCosine DotProduct Composed Projected AdditiveChi2 Intersection "
        "JensenShannon Hellinger"
    ),
    "maps": "FourierFeatures BinningFeatures MaclaurinFeatures TensorSketch AdditiveFeatures NystroemFeatures",
    "learners": (
        "KernelRidge KernelRidgeClassifier ExactKernelRidge ExactKernelRidgeClassifier KernelSVC KernelSVR "
        "KernelLogisticRegression "
        "GaussianProcessRegressor KernelPCA mmd_test TwoSampleResult hsic_test IndependenceResult KernelMeans "
        "OneClassSVM plan"
    ),
    "auto": "AutoKernelClassifier AutoKernelRegressor learn_length_scales learn_metric",
    "report": "error_report recommend",
    "blocks": "ArrayBlocks ParquetBlocks CsvBlocks SvmlightBlocks BatchBlocks DaskBlocks TableEncoder",
    "engines": "SerialEngine ThreadEngine DaskEngine",
    "store": "save load to_onnx ModelFileError",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_PACKAGES = {*_HOMES, "compute", "losses", "solvers", "statistics", "theory"}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f".{name}", __name__)
    if name in _HOME_OF:
        value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
        globals()[name] = value  # asked for once
        return value
    raise AttributeError(f"module 'bochner' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
