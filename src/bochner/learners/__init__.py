"""scikit-learn estimators: join a map, a source, an engine and a solver."""

from .ridge import KernelRidge, KernelRidgeClassifier

__all__ = ["KernelRidge", "KernelRidgeClassifier"]
