"""scikit-learn estimators: join a map, a source, an engine and a solver."""

from .logistic import KernelLogisticRegression
from .ridge import KernelRidge, KernelRidgeClassifier
from .svm import KernelSVC
from .svr import KernelSVR

__all__ = ["KernelSVC", "KernelSVR", "KernelLogisticRegression", "KernelRidge", "KernelRidgeClassifier"]
