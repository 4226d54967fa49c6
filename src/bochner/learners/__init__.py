"""scikit-learn estimators: join a map, a source, an engine and a solver."""

from .exact import ExactKernelRidge, ExactKernelRidgeClassifier
from .exact_svm import ExactKernelSVC
from .gaussian_process import GaussianProcessRegressor
from .independence import IndependenceResult, hsic_test
from .logistic import KernelLogisticRegression
from .means import KernelMeans
from .network import FourierNetwork, fourier_network
from .one_class import OneClassSVM
from .pca import KernelPCA
from .plan import Plan, plan
from .quantile import KernelQuantileRegressor
from .ridge import KernelRidge, KernelRidgeClassifier
from .svm import KernelSVC
from .svr import KernelSVR
from .two_sample import TwoSampleResult, mmd_test

__all__ = [
    "ExactKernelRidge",
    "ExactKernelRidgeClassifier",
    "ExactKernelSVC",
    "KernelSVC",
    "KernelSVR",
    "KernelQuantileRegressor",
    "KernelLogisticRegression",
    "KernelRidge",
    "KernelRidgeClassifier",
    "GaussianProcessRegressor",
    "KernelPCA",
    "fourier_network",
    "FourierNetwork",
    "plan",
    "Plan",
    "mmd_test",
    "TwoSampleResult",
    "hsic_test",
    "IndependenceResult",
    "KernelMeans",
    "OneClassSVM",
]
