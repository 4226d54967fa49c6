"""What a kernel stands for where a map is expected, and what other libraries' names are answered with."""

import numpy as np
import pytest
from sklearn.base import clone

import bochner as bo
from bochner.kernels import Cosine

X = np.random.default_rng(0).normal(size=(120, 3))
COUNTS = np.abs(X)
y = np.sin(X[:, 0])

SUITED = [
    (bo.Gaussian(1.0), bo.FourierFeatures),
    (bo.Laplace() + 0.5 * bo.Gaussian() * bo.Matern(), bo.FourierFeatures),
    (bo.Gaussian(bo.Metric(np.eye(2, 3))), bo.FourierFeatures),
    (bo.Polynomial(2, scale="norm"), bo.MaclaurinFeatures),
    (bo.ArcCosine(1) + bo.ExponentialDot("norm"), bo.MaclaurinFeatures),
    (bo.Composed(bo.Polynomial(2), bo.Gaussian(1.0)), bo.MaclaurinFeatures),
    (bo.Intersection() + 2.0 * bo.AdditiveChi2(), bo.AdditiveFeatures),
    (bo.SoftTails(bo.Gaussian()), bo.NystroemFeatures),
    (bo.Gaussian(1.0) + bo.Polynomial(2), bo.NystroemFeatures),
    (Cosine(), bo.NystroemFeatures),
    (bo.Composed(bo.Polynomial(2), bo.SoftTails(bo.Gaussian())), bo.MaclaurinFeatures),
    (bo.Composed(bo.Polynomial(2), Cosine()), bo.MaclaurinFeatures),
]


@pytest.mark.parametrize(("kernel", "cls"), SUITED, ids=lambda case: " ".join(repr(case).split())[:60])
def test_a_kernel_is_the_map_that_suits_it_at_the_default_width(kernel, cls):
    rows = COUNTS if cls is bo.AdditiveFeatures else X
    model = bo.KernelRidge(kernel, random_state=0).fit(rows, y)
    found = model.feature_map_
    assert type(found) is cls
    assert found.serves(kernel)
    if cls is not bo.AdditiveFeatures:
        assert found.n_components == 256
    options = {"degrees": "optimal"} if cls is bo.MaclaurinFeatures else {}
    given = cls(kernel, **({} if cls is bo.AdditiveFeatures else {"n_components": 256}), **options)
    np.testing.assert_array_equal(model.predict(rows), bo.KernelRidge(given, random_state=0).fit(rows, y).predict(rows))
    assert clone(model).feature_map is not None


@pytest.mark.parametrize(
    "model",
    [
        bo.KernelSVC(bo.Gaussian(1.0)),
        bo.KernelLogisticRegression(bo.Gaussian(1.0)),
        bo.KernelPCA(2, bo.Gaussian(1.0)),
        bo.KernelMeans(2, bo.Gaussian(1.0)),
        bo.OneClassSVM(bo.Gaussian(1.0)),
        bo.GaussianProcessRegressor(bo.Gaussian()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_learner_takes_a_kernel(model):
    fitted = clone(model).fit(X, y > 0)
    assert isinstance(fitted.feature_map_, bo.FourierFeatures)


def test_tests_take_kernels():
    assert bo.mmd_test(X[:60], X[60:], bo.Gaussian(1.0), random_state=0).p_value > 1e-3


def test_both_ways_to_a_gaussian_follow_one_rule():
    """FourierFeatures() and FourierFeatures(Gaussian()) scale themselves to the data alike."""
    for given, other in ((bo.FourierFeatures, bo.Gaussian()), (bo.BinningFeatures, bo.Laplace())):
        Z, same = given(random_state=0).fit(X), given(other, random_state=0).fit(X)
        np.testing.assert_array_equal(Z.kernel_.length_scale, same.kernel_.length_scale)
        np.testing.assert_array_equal(np.asarray((Z.transform(X) - same.transform(X)).sum()), 0.0)


def test_gammas_are_those_of_scikit_learn():
    from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel

    np.testing.assert_allclose(bo.Gaussian.from_gamma(0.3)(X), rbf_kernel(X, gamma=0.3), rtol=1e-12)
    np.testing.assert_allclose(bo.Laplace.from_gamma(0.3)(X), laplacian_kernel(X, gamma=0.3), rtol=1e-12)
    for degree, coef0 in ((1, 0.0), (3, 1.0)):
        other = polynomial_kernel(X, degree=degree, coef0=coef0, gamma=0.3)
        np.testing.assert_allclose(bo.Polynomial(degree, offset=coef0, scale=0.3)(X), other, rtol=1e-12, atol=1e-12)
    for wrong in (0.0, -1.0, np.nan, np.inf, True, "scale", None):
        with pytest.raises(ValueError, match="gamma must be a finite number greater than 0"):
            bo.Gaussian.from_gamma(wrong)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: bo.Gaussian(gamma=0.1), r"^Gaussian has no parameter gamma: .*bo\.Gaussian\.from_gamma\(gamma\)"),
        (lambda: bo.Matern(gamma=0.1), r"^Matern has no parameter gamma: .*bo\.Laplace\.from_gamma\(gamma\)"),
        (lambda: bo.AdditiveChi2(gamma=0.1), r"^AdditiveChi2 has no parameter gamma"),
        (lambda: Cosine(0.1), r"^Cosine takes no parameters"),
        (lambda: bo.KernelSVC(kernel="rbf"), r"^KernelSVC has no parameter kernel: .*KernelSVC\(bo\.Gaussian\.from_g"),
        (lambda: bo.KernelRidge(gamma=0.1), r"^KernelRidge has no parameter gamma: .*bo\.Gaussian\.from_gamma"),
        (lambda: bo.FourierFeatures(gamma=0.1), r"^FourierFeatures has no parameter gamma: .*from_gamma"),
        (lambda: bo.BinningFeatures(gamma=0.1), r"as in bo\.BinningFeatures\(bo\.Laplace\.from_gamma\(gamma\)\)\.$"),
        (lambda: bo.TensorSketch(gamma=0.1), r"\(bo\.Polynomial\(degree, offset=coef0, scale=gamma\)\)\.$"),
        (lambda: bo.NystroemFeatures(coef0=0.1), r"NystroemFeatures\(bo\.Polynomial\(degree, offset=coef0"),
        (lambda: bo.AdditiveFeatures(gamma=0.1), r"^AdditiveFeatures has no parameter gamma: give an additive kernel"),
        (lambda: bo.KernelSVC(degree=2), r"KernelSVC has no parameter degree: .*bo\.KernelSVC\(bo\.Polynomial\(degree"),
        (lambda: bo.Polynomial(2, gamma=0.1), r"no parameter gamma: scale is what other libraries call gamma\.$"),
        (lambda: bo.Polynomial(2, coef0=0.1), r"no parameter coef0: offset is what other libraries call coef0\.$"),
        (lambda: bo.AutoKernelClassifier(kernel="rbf"), r"no parameter kernel: the search chooses it; .*bo\.KernelSVC"),
        (lambda: bo.AutoKernelRegressor(alpha=1.0), r"no parameter alpha: the search chooses it; .*bo\.KernelRidge"),
        (lambda: bo.ExactKernelSVC("poly").fit(X, y > 0), r"calls 'poly' is bo\.Polynomial\(degree, offset=coef0"),
        (lambda: bo.KernelSVC("linear").fit(X, y > 0), r"calls 'linear' is bo\.Polynomial\(1, offset=0\.0\)\.$"),
        (lambda: bo.FourierFeatures("cosine").fit(X), r"not 'cosine': what scikit-learn calls 'rbf' is"),
        (lambda: bo.FourierFeatures(bo.SoftTails("rbf")).fit(X), r"kernel must be a bochner kernel .*from_gamma"),
        (lambda: bo.SoftTails("rbf", [0.0] * 3, [1.0] * 3)(X), r"kernel must be a bochner kernel .*from_gamma"),
        (lambda: bo.learn_length_scales("laplacian", X, y), r"calls 'laplacian' is bo\.Laplace\.from_gamma"),
        (lambda: bo.learn_metric("rbf", X, y), r"kernel must be a bochner kernel .*from_gamma"),
        (lambda: bo.KernelSVC("rbf").fit(X, y > 0), r"not 'rbf': what scikit-learn calls 'rbf' is bo\.Gaussian\.from"),
        (lambda: bo.ExactKernelRidge("rbf").fit(X, y), r"kernel must be a bochner kernel .*from_gamma"),
        (lambda: bo.FourierFeatures("rbf").fit(X), r"kernel must be a bochner kernel .*from_gamma"),
    ],
)
def test_names_of_other_libraries_are_answered_by_what_to_write(use, message):
    with pytest.raises(TypeError, match=message):
        use()


class Supervised(bo.FourierFeatures):
    """Fourier features that keep what they were drawn from."""

    def fit_sample(self, rows, weight=None, targets=None):
        self.seen_ = rows, weight, targets
        return super().fit_sample(rows, weight, targets)


@pytest.mark.parametrize("model", [bo.KernelRidge, bo.KernelSVR, bo.GaussianProcessRegressor])
def test_a_map_may_ask_for_targets(model):
    """As the learner codes them; they belong to the rows that the map is drawn from, and so do the weights."""
    weight = np.arange(1.0, 121.0)
    fitted = model(Supervised(bo.Gaussian(1.0), 20, random_state=0)).fit(X, y, sample_weight=weight)
    rows, counts, targets = fitted.feature_map_.seen_
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(counts, weight)
    assert np.corrcoef(np.ravel(targets), y)[0, 1] > 1 - 1e-12
