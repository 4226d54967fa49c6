"""Small models that have every class of the vocabulary in them: the seeds that hostile files are grown from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

import bochner as bo
from bochner.kernels import Cosine, DotProductProduct, InnerProduct, ShiftInvariantProduct
from bochner.learners.combined import CombinedClassifier, CombinedRegressor
from bochner.learners.log_tail import LogTail
from bochner.maps.grids import Grids, column_ranges
from bochner.maps.scalars import BinColumns, ScalarProducts
from tests.store.models import LEARNERS, MAPS, fitted_learner, fitted_map, fourier, labels, regression_target, rows

# A scikit-learn transformer, functions of users, and kernels that are made from others whenever they are asked for.
NEVER_STORED = {"TransformerFeatures", "GivenColumns", "GeneralComposition", "RadialComposition", "OuterSeries"}


def small_models() -> Iterator[Any]:
    """Learners of every kind and maps of every kind, as small as they come."""
    yield from (fitted_learner(name, np.float32) for name in LEARNERS)
    yield from (fitted_map(name, np.float32) for name in MAPS if "paired" not in name)
    yield fourier(None, embedding="complex").fit(rows(np.float32))


def models_of_every_class() -> Iterator[Any]:
    """The small models, and those that hold what is left of the vocabulary."""
    yield from small_models()
    X = rows()
    y, words = regression_target(X), labels(X, 3)
    for solver, engine in (("sgd", bo.SerialEngine()), ("cg", bo.ThreadEngine(2))):
        yield bo.KernelRidge(fourier(None), solver=solver, engine=engine).fit(X, y)
    yield bo.KernelSVC(fourier(None), probability=True, random_state=0).fit(X, words)
    yield from (_on_a_table(categorical) for categorical in ("one-hot", "ordinal"))
    yield from (
        _stack(bo.KernelRidge, CombinedRegressor, y),
        _stack(bo.KernelRidgeClassifier, CombinedClassifier, words),
    )
    yield from (_search(bo.AutoKernelRegressor, np.exp(3 * y)), _search(bo.AutoKernelClassifier, words))
    yield from (feature_map.fit(X) for feature_map in _other_maps())
    sparse = sp.csr_array(np.where(X > 0.3, X, 0.0))
    yield bo.KernelRidge(bo.NystroemFeatures(bo.Gaussian(1.0), 10, random_state=0)).fit(sparse, y)
    many = np.concatenate([X] * 30, axis=1)
    scales = [0.5] * many.shape[1]  # long enough to become a list of numbers of its own
    yield bo.FourierFeatures(bo.Gaussian(scales), 5, random_state=np.random.default_rng(0)).fit(many)
    yield bo.FourierFeatures(bo.Gaussian(1.0), 5, random_state=np.random.RandomState(0)).fit(X)
    named = bo.KernelRidgeClassifier(fourier(None, n_components=5), class_weight={"ant": 2.0}).fit(X, words)
    named.feature_names_in_ = np.array(["a", "b", "c"], dtype=object)
    yield named
    yield _with_bins()
    general = bo.GeneralProfile(lambda delta: np.exp(-np.square(delta).sum(axis=1)), 1.0)
    yield bo.FourierFeatures(general, 5, random_state=0).fit(X[:, :2])


def _search(kind: Any, y: Any) -> Any:
    """What a search of one trial finds; of exponentials it learns the logarithms."""
    model = kind(budget=1, progress=False, random_state=0).fit(rows(), y)
    if kind is bo.AutoKernelRegressor:
        model.best_estimator_.target_ = LogTail(origin=0.0, unit=1.0, sign=1.0, largest=float(np.log1p(y).max()))
    return model


def _other_maps() -> Iterator[Any]:
    matrix = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -0.5]])
    for kernel in (
        bo.RationalQuadratic(1.0),
        bo.StretchedExponential(1.5),
        bo.PoweredExponential(1.0),
        ShiftInvariantProduct(bo.Gaussian(1.0), bo.Cauchy(1.0)),
        bo.Gaussian(bo.Metric(matrix)),
        bo.SoftTails(bo.Gaussian(1.0)),
        bo.RadialProfile(lambda r: np.exp(-(r**1.5)), 1.0),
        bo.ProductProfile(lambda r: np.exp(-np.abs(r)), 1.0),
        bo.Spectral(lambda dim, n, rng: rng.normal(size=(n, dim))),
    ):
        yield bo.FourierFeatures(kernel, 7, random_state=0)
    for kernel in (bo.Laplace(1.0), bo.Reciprocal(1.0), bo.Laplace(bo.Metric(matrix)), bo.SoftTails(bo.Laplace(1.0))):
        yield bo.BinningFeatures(kernel, 4, hashing="exact", random_state=0)
    for kernel in (InnerProduct(), Cosine()):
        yield bo.NystroemFeatures(kernel, 3, random_state=0)
    for kernel in (bo.Hellinger(), bo.JensenShannon(), bo.Homogeneous(lambda o: np.exp(-0.5 * np.square(o)))):
        yield bo.AdditiveFeatures(kernel, random_state=0)
    for kernel in (
        bo.DotProduct(np.exp),
        DotProductProduct(bo.Polynomial(2), bo.ExponentialDot()),
        bo.Composed(bo.Polynomial(2), bo.Gaussian(1.0)),
        bo.Composed(bo.ExponentialDot(), bo.Reciprocal(1.0) + bo.Intersection()),
        bo.ArcCosine(1),
    ):
        yield bo.MaclaurinFeatures(kernel, 12, random_state=0)


def _with_bins() -> Any:
    """Columns of random signs of bins, which laws draw for binning kernels without a spectrum."""
    X, rng = rows(), np.random.default_rng(0)
    model = bo.MaclaurinFeatures(bo.Composed(bo.ExponentialDot(), bo.Intersection()), 4, random_state=0).fit(X)
    grids = Grids(rng.uniform(0.5, 1.0, size=(4, 3)), *column_ranges(X), rng)
    model.features_ = ScalarProducts([BinColumns(grids)], np.ones(4), 3, X.dtype)
    return model


def _on_a_table(categorical: str) -> Any:
    X = rows()
    table = {"size": X[:, 0] * 100, "colour": labels(X, 3), "y": regression_target(X)}
    encoder = bo.TableEncoder(categorical=categorical, missing="indicator")
    return bo.KernelRidge(fourier(None)).fit(bo.BatchBlocks([table], target="y", encoder=encoder))


def _stack(machine: Any, stack: Any, y: np.ndarray) -> Any:
    X = rows()
    maps = [fourier(None), bo.BinningFeatures(bo.Laplace(1.0), 20, random_state=0)]
    model = stack([machine(feature_map) for feature_map in maps], [0.7, 0.3])
    encoder = bo.TableEncoder(tails="logarithmic").fit(X)
    model.fit(encoder.transform(X), y).encoder_ = encoder
    return model
