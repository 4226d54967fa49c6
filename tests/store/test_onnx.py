"""Exported graphs say what the models say, to 1e-5: batches and single rows, single and double precision."""

import sys

import numpy as np
import pytest
from sklearn.base import clone

import bochner as bo
from bochner.learners.combined import CombinedClassifier, CombinedRegressor
from bochner.learners.log_tail import LogTail
from tests.maps.test_scalars import OnlyBinning
from tests.store.models import (
    DTYPES,
    LEARNERS,
    MAPS,
    fitted_learner,
    fitted_map,
    fourier,
    labels,
    regression_target,
    rows,
)

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def session_of(model, folder):
    path = folder / "model.onnx"
    bo.to_onnx(model, path)
    onnx.checker.check_model(onnx.load(path), full_check=True)
    assert [item.name for item in folder.iterdir()] == ["model.onnx"]
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def assert_close(found, expected):
    assert found.shape == expected.shape
    if expected.dtype.kind == "f":
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * max(1.0, np.abs(expected).max()))
    else:
        np.testing.assert_array_equal(found, expected)


def expected_outputs(model, X, name):
    methods = {
        "features": "transform",
        "distances": "transform",
        "predictions": "predict",
        "label": "predict",
        "probabilities": "predict_proba",
        "scores": "transform" if isinstance(model, bo.KernelPCA) else "decision_function",
    }
    return getattr(model, methods[name])(X)


def assert_agrees(model, folder, dtype=np.float64):
    session = session_of(model, folder)
    names = [output.name for output in session.get_outputs()]
    assert len(names) in (1, 2)
    for X in (rows(dtype, 300), rows(dtype, 1)):
        clear = slice(None)
        if isinstance(model, bo.OneClassSVM):  # rows on the boundary are on either side by rounding
            clear = np.abs(model.decision_function(X)) > 1e-6
        for name, found in zip(names, session.run(None, {"X": X})):
            assert_close(found[clear], expected_outputs(model, X, name)[clear])
    return names


EXPORTED = [name for name in MAPS if name not in ("BinningFeatures", "composed of a bounded series")]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EXPORTED)
def test_maps(name, dtype, tmp_path):
    assert_agrees(fitted_map(name, dtype), tmp_path, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", LEARNERS)
def test_learners(name, dtype, tmp_path):
    names = assert_agrees(fitted_learner(name, dtype), tmp_path, dtype)
    assert names[0] == ("label" if "classes_" in dir(fitted_learner(name)) else names[0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EXPORTED)
def test_ridge_with_every_map(name, dtype, tmp_path):
    X = rows(dtype)
    assert_agrees(bo.KernelRidge(clone(MAPS[name]), alpha=1e-2).fit(X, regression_target(X)), tmp_path, dtype)


@pytest.mark.parametrize(("kind", "n_classes"), [("word", 2), ("word", 3), ("int", 2), ("int", 3), ("bool", 2)])
def test_labels(kind, n_classes, tmp_path):
    X = rows()
    model = bo.KernelRidgeClassifier(fourier(None)).fit(X, labels(X, n_classes, kind))
    assert assert_agrees(model, tmp_path) == ["label", "scores"]


def test_large_angles_keep_their_digits(tmp_path):
    """Rows a thousand length scales from the origin: without reduction float32 cosines would be off by 1e-3."""
    X = np.round(rows(np.float32) * 4096) / 4
    model = bo.FourierFeatures(bo.Gaussian(1.0), 64, random_state=0, directions="iid").fit(X)
    projection = model.features_.projection
    projection.matrix = np.round(projection.matrix * 2**10).astype(np.float32) / 2**10  # exact products
    found = session_of(model, tmp_path).run(None, {"X": X})[0]
    assert_close(found, model.transform(X))


def test_several_targets(tmp_path):
    X = rows()
    assert_agrees(bo.KernelRidge(fourier(None)).fit(X, X[:, :2]), tmp_path)
    assert_agrees(bo.KernelSVR(fourier(None)).fit(X, X[:, :2]), tmp_path)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities(n_classes, dtype, tmp_path):
    X = rows(dtype)
    for model in (bo.KernelLogisticRegression(fourier(None)), bo.KernelSVC(fourier(None), probability=True)):
        model.fit(X, labels(X, n_classes))
        assert assert_agrees(model, tmp_path, dtype) == ["label", "probabilities"]


def test_weighted_sums_of_machines(tmp_path):
    """Weights 0.7 and 0.3 of machines of different losses, maps and precision; the sum has that of the more precise."""
    X = rows()
    landmarks = bo.NystroemFeatures(bo.Gaussian(0.5), 20, random_state=0)
    y = regression_target(X)
    machines = [bo.KernelRidge(landmarks).fit(X, y), bo.KernelSVR(fourier(None)).fit(X.astype(np.float32), y)]
    assert assert_agrees(CombinedRegressor(machines, [0.7, 0.3]).of(machines), tmp_path) == ["predictions"]
    for n_classes in (2, 3):
        y = labels(X, n_classes)
        machines = [bo.KernelRidgeClassifier(landmarks).fit(X, y), bo.KernelSVC(fourier(None)).fit(X, y)]
        stack = CombinedClassifier(machines, [0.7, 0.3]).of(machines)
        assert assert_agrees(stack, tmp_path) == ["label", "scores"]
    machines = [bo.KernelRidge(landmarks).fit(X, X[:, 0]), bo.KernelRidge(bo.BinningFeatures()).fit(X, X[:, 0])]
    with pytest.raises(ValueError, match="hash bins"):
        bo.to_onnx(CombinedRegressor(machines, [0.5, 0.5]).of(machines), tmp_path / "other.onnx")


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_searches_are_exported(n_classes, tmp_path):
    """With the logarithm of the target and its range, or the probabilities of labels."""
    X = rows(n=240)
    y = labels(X, n_classes) if n_classes else np.exp(6 * regression_target(X))
    kind = bo.AutoKernelClassifier if n_classes else bo.AutoKernelRegressor
    model = kind(budget=1, random_state=0, progress=False).fit(X, y)  # one trial: Fourier features
    if not n_classes:
        model.best_estimator_.range_ = (0.2, 4.0)
        model.best_estimator_.target_ = LogTail(origin=0.5, unit=2.0, sign=1.0, largest=3.0)
    bo.to_onnx(model, tmp_path / "model.onnx")
    session = runtime.InferenceSession(str(tmp_path / "model.onnx"))
    given = session.get_inputs()[0]
    found = dict(zip((one.name for one in session.get_outputs()), session.run(None, {given.name: X})))
    if n_classes:
        assert (found["label"] == model.predict(X)).mean() > 0.99
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), atol=1e-4)
    else:
        assert len(np.unique(model.predict(X))) > 10
        np.testing.assert_allclose(found["predictions"].ravel(), model.predict(X), rtol=1e-3)


MACLAURIN = [
    {"kernel": bo.Polynomial(3), "projection": "complex", "n_components": 41},
    {"kernel": bo.Vovk(), "h01": True},
    {"kernel": bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0))},
    {"kernel": bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0)), "projection": "complex"},
    {"kernel": bo.ArcCosine(order=1), "degrees": "optimal", "max_degree": 20},
    {"kernel": bo.ArcCosine(order=0), "allocation": "independent", "max_degree": 20},
    {"kernel": bo.Composed(bo.Polynomial(2), bo.ArcCosine(order=0))},
    {"kernel": bo.Polynomial(2) + 0.5 * bo.ExponentialDot(), "projection": "gaussian"},
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", MACLAURIN, ids=lambda options: str(options["kernel"])[:40])
def test_products_of_factors(options, dtype, tmp_path):
    model = bo.MaclaurinFeatures(**({"n_components": 64, "random_state": 0} | options)).fit(rows(dtype))
    assert_agrees(model, tmp_path, dtype)


NYSTROEM = [
    bo.Gaussian([0.3, 0.5, 0.8]) + 0.5 * bo.RationalQuadratic(0.5, alpha=2.0),
    bo.Matern(0.5, nu=0.5),
    bo.Matern(0.5, nu=1.5) * bo.Matern(0.5, nu=2.5),
    bo.Matern(0.5, nu=np.inf),
    bo.Laplace([0.3, 0.5, np.inf]),
    bo.Cauchy(0.5) * bo.Gaussian(1.0),
    bo.StretchedExponential(0.5),
    bo.PoweredExponential(0.5, exponent=1.3),
    bo.Reciprocal(1.0),
    bo.Polynomial(3, offset=0.5, scale=2.0),
    bo.ExponentialDot(0.7),
    bo.Vovk(),
    bo.Vovk(5),
    bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0)),
    bo.AdditiveChi2(),
    bo.Intersection(),
    bo.JensenShannon(),
    bo.Hellinger(),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kernel", NYSTROEM, ids=str)
def test_nystroem(kernel, dtype, tmp_path):
    X = rows(dtype)
    model = bo.KernelRidge(bo.NystroemFeatures(kernel, 20, random_state=0), alpha=1e-3).fit(X, regression_target(X))
    assert_agrees(model, tmp_path, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kernel", NYSTROEM[-4:], ids=str)
def test_additive(kernel, dtype, tmp_path):
    X = rows(dtype)
    X[::7, 1] = 0.0
    for sampling in ("regular", "random"):
        model = bo.AdditiveFeatures(kernel, 3, sampling=sampling, random_state=0).fit(X)
        assert_close(session_of(model, tmp_path).run(None, {"X": X})[0], model.transform(X))


def test_rows_outside_the_domain_are_nan(tmp_path):
    model = bo.MaclaurinFeatures(bo.Vovk(), 32, random_state=0).fit(rows())
    found = session_of(model, tmp_path).run(None, {"X": np.array([[0.1, 0.1, 0.1], [1.0, 1.0, 1.0]])})[0]
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()


@pytest.mark.parametrize(("missing", "tails"), [("mean", "linear"), ("indicator", "linear"), ("mean", "logarithmic")])
def test_tables_of_numbers(missing, tails, tmp_path):
    X = rows() * [1.0, 100.0, 0.01] + 5.0
    X[::5, 1] = np.nan
    table = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": regression_target(rows())}
    pandas = pytest.importorskip("pandas")
    source = bo.BatchBlocks(
        [pandas.DataFrame(table)], target="y", encoder=bo.TableEncoder(missing=missing, tails=tails)
    )
    model = bo.KernelRidge(fourier(None)).fit(source)
    found = session_of(model, tmp_path).run(None, {"X": X})[0]
    assert_close(found, model.predict(pandas.DataFrame(table)[["a", "b", "c"]]))


def test_what_cannot_be_exported_says_why(tmp_path):
    from sklearn.kernel_approximation import RBFSampler

    X = rows()
    cases = [
        (bo.BinningFeatures(random_state=0).fit(X), "hash bins"),
        (fitted_map("composed of a bounded series", np.float64), "kernel Composed"),
        (bo.MaclaurinFeatures(bo.Composed(bo.Polynomial(2), OnlyBinning()), 20).fit(X), "binning kernels.* hash bins"),
        (bo.KernelRidge(RBFSampler()).fit(X, X), "transformers of other libraries"),
        (RBFSampler().fit(X), "not RBFSampler"),
        (bo.NystroemFeatures(bo.Matern(1.0, nu=0.7), 5).fit(X), "no Bessel functions"),
        (bo.NystroemFeatures(bo.ArcCosine(), 5).fit(X), "ArcCosine cannot be exported: landmarks"),
        (bo.NystroemFeatures(bo.RadialProfile(lambda r: np.exp(-r), 1.0), 5).fit(X), "a function of the user's"),
    ]
    for model, reason in cases:
        with pytest.raises(ValueError, match=reason):
            bo.to_onnx(model, tmp_path / "model.onnx")
    with pytest.raises(ValueError, match="not fitted"):
        bo.to_onnx(bo.KernelRidge(), tmp_path / "model.onnx")
    assert list(tmp_path.iterdir()) == []


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"bochner\[onnx\]"):
        bo.to_onnx(fitted_learner("KernelRidge"), tmp_path / "model.onnx")
