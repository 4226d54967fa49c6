"""Kernel ridge: exact in feature space, exact in pieces, the same bits from any engine, and the right limit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge as ExactKernelRidge
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bochner as bo
from bochner.solvers.ridge import solve_ridge
from bochner.statistics import Moments


def problem(n=600, d=3, targets=None, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(dtype)
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2 % d] + 0.1 * rng.normal(size=n)
    if targets:
        y = np.stack([y * (1 + k) + k for k in range(targets)], axis=1)
    return X, y, rng.uniform(0.2, 3.0, size=n)


def fourier(n_components=100, **options):
    return bo.FourierFeatures(bo.Gaussian(1.5), n_components, random_state=0, **options)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("targets", [None, 1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [1e-4, 1.0])
def test_equals_scikit_learn_ridge_on_the_same_features(fit_intercept, targets, weighted, alpha):
    X, y, weight = problem(targets=targets)
    weight = weight if weighted else None
    ours = bo.KernelRidge(fourier(), alpha=alpha, fit_intercept=fit_intercept).fit(X, y, sample_weight=weight)
    Z = fourier().fit(X).transform(X)
    theirs = Ridge(alpha=alpha, fit_intercept=fit_intercept, solver="svd").fit(Z, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, np.reshape(theirs.coef_, ours.coef_.shape), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-8)
    assert ours.predict(X).shape == y.shape


def test_classifier_equals_scikit_learn_ridge_classifier():
    X, y, _ = problem()
    for labels in (np.where(y > 0, "high", "low"), np.digitize(y, [-1.0, 0.0, 1.0])):
        ours = bo.KernelRidgeClassifier(fourier(), alpha=0.1).fit(X, labels)
        Z = fourier().fit(X).transform(X)
        theirs = RidgeClassifier(alpha=0.1, solver="svd").fit(Z, labels)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(Z), atol=1e-7)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(Z))
        balanced = bo.KernelRidgeClassifier(fourier(), alpha=1e-9, class_weight="balanced").fit(X, labels)
        reference = RidgeClassifier(alpha=1e-9, solver="svd", class_weight="balanced").fit(Z, labels)
        np.testing.assert_allclose(balanced.decision_function(X), reference.decision_function(Z), atol=1e-5)


def test_gcv_is_leave_one_out_with_the_average_leverage():
    """theory.md, G: Z, y and alpha = .5 without intercept give w = (.87356322, 1.67816092), GCV = .2616643639."""
    Z = np.array([[1.0, 0], [0, 1], [1, 1], [2, -1]])
    y = np.array([[1.0], [2], [3], [0]])
    moments = Moments(2, 1)
    moments.update(bo.blocks.Block(bo.maps.DenseDesign(Z), y))
    solution = solve_ridge(moments, 0.5, fit_intercept=False)
    np.testing.assert_allclose(solution.coefficients[:, 0], [0.87356322, 1.67816092], atol=5e-9)
    from bochner.solvers.ridge import Spectrum

    score = Spectrum.of(moments.uncentred(), False).generalised_cross_validation(0.5)
    assert score == pytest.approx(0.2616643639, abs=5e-11)


def test_gcv_path_equals_the_definition():
    X, y, _ = problem(n=150)
    model = bo.KernelRidge(fourier(40), alpha="gcv").fit(X, y)
    alphas, scores = model.path_
    Z = fourier(40).fit(X).transform(X)
    Zc, yc = Z - Z.mean(axis=0), y - y.mean()
    for alpha, score in list(zip(alphas, scores))[::8]:
        H = Zc @ np.linalg.solve(Zc.T @ Zc + alpha * np.eye(40), Zc.T)
        residual = yc - H @ yc
        assert score == pytest.approx((residual**2).mean() / (1 - (np.trace(H) + 1) / 150) ** 2, rel=1e-6)
    assert model.alpha_ in alphas
    equal = scores <= scores.min() * (1 + 0.1 * np.sqrt(2 / 150))
    assert model.alpha_ == alphas[equal].max()


def test_where_gcv_is_flat_the_largest_alpha_is_taken():
    """From alpha = 1e-7 to 1e-3 the scores differ by 1 %, the errors on new rows by a factor of 60."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=300)
    narrow = bo.FourierFeatures(bo.Gaussian(0.3), 100, directions="iid", random_state=0)
    model = bo.KernelRidge(narrow, alpha="gcv").fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.9


def test_alpha_zero_is_the_solution_of_least_norm():
    X, y, _ = problem(n=50)
    narrow = bo.FourierFeatures(bo.Gaussian(0.3), 200, random_state=0)
    model = bo.KernelRidge(narrow, alpha=0.0, fit_intercept=False).fit(X, y)
    Z = narrow.fit(X).transform(X)
    np.testing.assert_allclose(model.coef_, np.linalg.pinv(Z) @ y, atol=1e-6)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-6)


def test_partial_fit_in_pieces_is_fit_on_the_whole():
    X, y, weight = problem(n=900, targets=2)
    whole = bo.KernelRidge(fourier(), alpha=0.1).fit(X, y, weight)
    pieces = bo.KernelRidge(fourier(), alpha=0.1)
    for start, stop in ((0, 100), (100, 101), (101, 700), (700, 900)):
        pieces.partial_fit(X[start:stop], y[start:stop], weight[start:stop])
    np.testing.assert_allclose(pieces.coef_, whole.coef_, rtol=1e-10, atol=1e-10)
    labels = np.digitize(y[:, 0], [0.0, 1.0])
    whole = bo.KernelRidgeClassifier(fourier(), alpha=0.1).fit(X, labels)
    pieces = bo.KernelRidgeClassifier(fourier(), alpha=0.1)
    for start, stop in ((0, 300), (300, 900)):
        pieces.partial_fit(X[start:stop], labels[start:stop], classes=[0, 1, 2])
    np.testing.assert_allclose(pieces.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="not among the classes"):
        pieces.partial_fit(X[:2], [0, 7])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_bits_from_serial_and_any_number_of_threads(dtype):
    X, y, weight = problem(n=5000, dtype=dtype)
    source = bo.ArrayBlocks(X, y, weight, block_rows=300)
    reference = bo.KernelRidge(fourier(), engine=bo.SerialEngine()).fit(source)
    for n_jobs in (1, 2, 3, 7):
        model = bo.KernelRidge(fourier(), engine=bo.ThreadEngine(n_jobs)).fit(source)
        np.testing.assert_array_equal(model.coef_, reference.coef_)
        np.testing.assert_array_equal(model.set_params(engine=n_jobs).predict(X), reference.predict(X))
        assert model.predict(X).dtype == dtype


def test_any_chunk_size_gives_the_same_result():
    X, y, weight = problem(n=3000)
    features = fourier(60).fit(X)
    results = []
    for block_rows in (7, 256, 1000, 3000):
        moments = Moments(60, 1)
        blocks = bo.ArrayBlocks(X, y[:, None], weight, block_rows=block_rows).mapped(
            bo.learners.base.ToDesign(features.features_)
        )
        results.append(solve_ridge(bo.ThreadEngine(2).fold(moments, blocks), 0.1, True).coefficients)
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], rtol=1e-10, atol=1e-10 * np.abs(results[0]).max())


def test_converges_to_the_exact_kernel_method_at_the_rate_one_over_root_d():
    """Error against scikit-learn's exact KernelRidge falls like D^(-1/2): slope of log error within 0.15 of -1/2."""
    X, y, _ = problem(n=300)
    gamma = 1 / (2 * 1.5**2)
    exact = ExactKernelRidge(alpha=1.0, kernel="rbf", gamma=gamma).fit(X[:200], y[:200]).predict(X[200:])
    widths = np.array([32, 128, 512, 1024])
    errors = []
    for width in widths:
        squared = []
        for seed in range(20):
            mapped = bo.FourierFeatures(bo.Gaussian(1.5), int(width), directions="iid", random_state=seed)
            model = bo.KernelRidge(mapped, alpha=1.0, fit_intercept=False, solver="cholesky").fit(X[:200], y[:200])
            squared.append(((model.predict(X[200:]) - exact) ** 2).mean())
        errors.append(np.sqrt(np.mean(squared)))
    slope = np.polyfit(np.log(widths), np.log(errors), 1)[0]
    assert -0.65 < slope < -0.35
    assert errors[-1] < 0.04


def test_any_transformer_frames_and_grid_search():
    X, y, _ = problem(n=400)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    foreign = bo.KernelRidge(make_pipeline(StandardScaler(), Nystroem(n_components=50, random_state=0))).fit(frame, y)
    assert foreign.score(frame, y) > 0.9
    assert foreign.feature_names_in_.tolist() == ["a", "b", "c"]
    search = GridSearchCV(
        bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(1.0), 100, random_state=0)),
        {"feature_map__kernel__length_scale": [0.01, 1.0, 2.0]},
        cv=3,
    ).fit(X, y)
    assert search.best_params_["feature_map__kernel__length_scale"] > 0.5
    fitted = clone(foreign).set_params(feature_map=None, random_state=0).fit(X, y)
    assert fitted.score(X, y) > 0.9


def test_default_works_on_unprepared_columns():
    X, y, _ = problem(n=2000)
    raw = np.concatenate([X * [1e-4, 1.0, 1e5], np.full((2000, 1), 3.0)], axis=1)
    assert bo.KernelRidge(random_state=0).fit(raw[:1500], y[:1500]).score(raw[1500:], y[1500:]) > 0.9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": -1.0}, "alpha must be"),
        ({"alpha": "best"}, "alpha must be"),
        ({"feature_map": "rbf"}, "feature_map must be"),
        ({"engine": bo.ThreadEngine(memory="lots")}, "memory must be"),
        ({"engine": 0}, "n_jobs must be a number of threads"),
    ],
)
def test_bad_parameters_get_one_sentence(change, message):
    X, y, _ = problem(n=100)
    model = bo.KernelRidge(**change)
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        model.fit(X, y)
    assert "\n" not in str(caught.value)
    assert "coef_" not in vars(model)


def test_bad_data_gets_one_sentence():
    X, y, _ = problem(n=100)
    for target, message in (
        (y[:50], "inconsistent numbers of samples"),
        (np.where(y > 0, np.nan, y), r"y has a missing value \(nan\)"),
    ):
        with pytest.raises(ValueError, match=message):
            bo.KernelRidge().fit(X, target)
    with pytest.raises(ValueError, match="at least one non-zero"):
        bo.KernelRidge().fit(X, y, np.zeros(100))
    with pytest.raises(ValueError, match="only one class"):
        bo.KernelRidgeClassifier().fit(X, np.zeros(100))
    with pytest.raises(ValueError, match="0 rows"):
        bo.ArrayBlocks(X[:0], y[:0])
    with pytest.raises(ValueError, match="y has 50 entries but X has 100 rows"):
        bo.ArrayBlocks(X, y[:50])
    with pytest.raises(ValueError, match="NaN"):
        bo.KernelRidge().fit(bo.ArrayBlocks(np.where(X > 2, np.nan, X), y))
