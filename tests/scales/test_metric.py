"""Learned metrics: their gradients against differences, index models that they must find, and their limits."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances

import bochner as bo
from bochner.scales.metric import between, learned_metric, next_matrix
from bochner.scales.rules import in_median_units

KERNELS = [
    bo.Gaussian(1.0),
    bo.Matern(1.0, nu=0.5),
    bo.Matern(1.0, nu=0.8),
    bo.Matern(1.0, nu=1.5),
    bo.Matern(1.0, nu=2.5),
    bo.RationalQuadratic(1.0, alpha=0.7),
]


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(700, 4))


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("outputs", [1, 3])
def test_the_outer_product_is_that_of_differences_of_the_function(kernel, outputs):
    """M = mean over rows, summed over outputs, of ∇f ∇f' for f(x) = sum_b a_b profile(||A x - c_b||)."""
    rng = np.random.default_rng(1)
    X, centres, dual = rng.normal(size=(30, 4)), rng.normal(size=(12, 3)), rng.normal(size=(12, outputs))
    matrix = rng.normal(size=(3, 4))

    def f(points):
        return kernel.profile(np.linalg.norm((points @ matrix.T)[:, None] - centres[None], axis=2)) @ dual

    step = 1e-5
    slopes = [(f(X + step * unit) - f(X - step * unit)) / (2 * step) for unit in np.eye(4)]
    gradients = np.stack(slopes, axis=2)  # rows, outputs, columns
    expected = np.einsum("rok,rol->kl", gradients, gradients) / len(X)
    root = next_matrix(kernel, matrix, X @ matrix.T, centres, dual)
    np.testing.assert_allclose(root.T @ root, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
    assert root.shape == (3, 4)  # gradients lie in the span of the matrix: one direction of four does not matter
    lengths = np.linalg.norm(root, axis=1)
    assert (np.diff(lengths) < 0).all()
    np.testing.assert_allclose(root @ root.T, np.diag(lengths**2), atol=1e-12 * lengths[0] ** 2)


def test_a_row_at_its_own_centre_is_left_out_of_a_kink():
    """exp(-r) has no gradient at 0: there only the other centres count, not the rounding of a large slope."""
    centres, dual = np.array([[0.3], [1.3]]), np.array([[50.0], [1.0]])
    root = next_matrix(bo.Matern(1.0, nu=0.5), np.eye(1), centres[:1], centres, dual)
    np.testing.assert_allclose(root**2, [[np.exp(-1.0) ** 2]], rtol=1e-9)


@pytest.mark.parametrize("kernel", [bo.Gaussian(1.0), bo.Matern(1.0, nu=0.5), bo.Matern(1.0, nu=2.5)], ids=repr)
def test_one_oblique_direction_is_found(kernel, rows):
    direction = np.array([2.0, -1.0, 0.0, 1.0]) / np.sqrt(6.0)
    learned = bo.learn_metric(kernel, rows, np.sin(2 * rows @ direction), n_rows=700, random_state=0)
    first = learned.length_scale.matrix[0] / np.linalg.norm(learned.length_scale.matrix[0])
    assert abs(first @ direction) > 0.99
    assert type(learned) is type(kernel)
    assert isinstance(learned.length_scale, bo.Metric)
    share = np.linalg.svd(learned.length_scale.matrix, compute_uv=False)[1:2].sum() / np.linalg.norm(
        learned.length_scale.matrix[0]
    )
    assert share < 0.4


def test_two_oblique_directions_are_found(rows):
    span = np.linalg.qr(np.random.default_rng(5).normal(size=(4, 2)))[0]
    inner = rows @ span
    learned = bo.learn_metric(bo.Gaussian(1.0), rows, np.sin(1.5 * inner[:, 0]) + inner[:, 1] ** 2 / 2, random_state=0)
    found = np.linalg.qr(learned.length_scale.matrix[:2].T)[0]
    assert np.linalg.svd(found.T @ span, compute_uv=False)[-1] > 0.98  # cosine of the larger angle between the planes


def test_labels_of_several_classes(rows):
    direction = np.array([1.0, 1.0, 0.0, 0.0]) / np.sqrt(2.0)
    y = np.array(["low", "mid", "top"])[np.digitize(rows @ direction, [-0.5, 0.5])]
    first = bo.learn_metric(bo.Matern(1.0, nu=1.5), rows, y, random_state=0).length_scale.matrix[0]
    assert abs(first @ direction) > 0.98 * np.linalg.norm(first)


def test_several_targets_share_a_metric(rows):
    Y = np.column_stack([np.sin(2 * rows[:, 0]), np.cos(2 * rows[:, 2])])
    matrix = bo.learn_metric(bo.Gaussian(1.0), rows, Y, random_state=0).length_scale.matrix
    strength = np.sqrt(np.square(matrix).sum(axis=0))
    assert strength[[0, 2]].min() > 3 * strength[[1, 3]].max()


def test_nothing_to_learn_is_the_plain_metric(rows):
    constant = bo.learn_metric(bo.Gaussian(1.0), rows, np.full(700, 0.5), random_state=0)
    np.testing.assert_array_equal(constant.length_scale.matrix, np.eye(4))
    few = bo.learn_metric(bo.Gaussian(1.0), rows[:20], rows[:20, 0], random_state=0)
    np.testing.assert_array_equal(few.length_scale.matrix, np.eye(4))
    same = bo.learn_metric(bo.Gaussian(1.0), np.ones((100, 2)), rows[:100, 0], random_state=0)
    np.testing.assert_array_equal(same.length_scale.matrix, np.eye(2))


def test_a_single_column(rows):
    learned = bo.learn_metric(bo.Gaussian(1.0), rows[:, :1], np.sin(rows[:, 0]), random_state=0)
    assert learned.length_scale.matrix.shape == (1, 1)
    assert np.isfinite(learned.length_scale.matrix).all()
    assert learned.length_scale.matrix[0, 0] != 0


def plain_loss(kernel, X, targets):
    """The loss of the plain metric in median units, by the same rows and penalties: nothing is learned in no steps."""
    return learned_metric(kernel, X, targets, max_iter=0).loss


@pytest.mark.parametrize("kernel", [bo.Gaussian(1.0), bo.Matern(1.0, nu=0.5)], ids=repr)
def test_held_out_loss_is_never_worse_than_of_the_plain_metric(kernel):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 5))
        noise = rng.normal(size=(200, 1))
        radial = np.exp(-np.square(X).sum(axis=1, keepdims=True) / 5)
        for targets in (noise, radial, X[:, :1] * X[:, 1:2] + 0.5 * noise):
            found = learned_metric(kernel, X, targets, max_iter=4)
            assert found.loss <= plain_loss(kernel, X, targets)


def test_the_loss_is_that_of_kernel_ridge_regression_on_rows_held_out(rows):
    """Written out: the first 35 % of the rows are predicted from the others, with the best of four penalties."""
    X, noise = rows[:200], np.random.default_rng(0).normal(size=(200, 1))
    targets = np.sin(2 * rows[:200, :1]) + 0.1 * noise
    found = learned_metric(bo.Gaussian(1.0), X, targets, max_iter=3)
    profile = bo.Gaussian(1.0).profile
    centred, mapped = targets - targets.mean(), X @ found.matrix.T
    K, cross = profile(euclidean_distances(mapped[70:])), profile(euclidean_distances(mapped[:70], mapped[70:]))
    losses = [
        np.square(centred[:70] - cross @ np.linalg.solve(K + alpha * np.eye(130), centred[70:])).sum()
        for alpha in (1e-4, 1e-3, 1e-2, 1e-1)
    ]
    assert found.loss == pytest.approx(min(losses) / np.square(centred[:70]).sum(), rel=1e-4)


def test_units_are_median_distances(rows):
    matrix = in_median_units(np.random.default_rng(0).normal(size=(2, 4)), rows)
    distances = euclidean_distances(rows @ matrix.T)
    assert np.median(distances[np.triu_indices(len(rows), 1)]) == pytest.approx(1.0, rel=0.05)


def test_learning_stops_when_told(rows):
    targets = np.sin(2 * rows[:, :1])
    stopped = learned_metric(bo.Gaussian(1.0), rows, targets, max_iter=4, stop=lambda: True)
    np.testing.assert_array_equal(stopped.matrix, learned_metric(bo.Gaussian(1.0), rows, targets, max_iter=0).matrix)
    assert stopped.loss > learned_metric(bo.Gaussian(1.0), rows, targets, max_iter=4).loss


def test_same_seed_same_metric(rows):
    y = np.sin(rows[:, 0] + rows[:, 1])
    first, again, other = (
        bo.learn_metric(bo.Gaussian(1.0), rows, y, n_rows=200, random_state=s).length_scale.matrix for s in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert first.shape != other.shape or not np.array_equal(first, other)


def test_learned_metrics_predict_better(rows):
    y = np.sin(3 * rows @ [0.5, 0.5, 0.5, 0.5])
    learned = bo.learn_metric(bo.Gaussian(1.0), rows[:500], y[:500], random_state=0)
    scores = [
        bo.KernelRidge(bo.NystroemFeatures(kernel, 200, random_state=0))
        .fit(rows[:500], y[:500])
        .score(rows[500:], y[500:])
        for kernel in (bo.Gaussian("median"), learned)
    ]
    assert scores[1] > max(scores[0], 0.98)


def test_kernels_that_are_not_radial_are_refused(rows):
    with pytest.raises(TypeError, match=r"needs a radial kernel, and Laplace is not: use Matern\(nu=0\.5\)\.$"):
        bo.learn_metric(bo.Laplace(1.0), rows, rows[:, 0])
    with pytest.raises(TypeError, match="Neither length scales nor a metric can be learned for the kernel Polynomial"):
        bo.learn_metric(bo.Polynomial(), rows, rows[:, 0])


def test_bad_targets_get_a_sentence(rows):
    with pytest.raises(ValueError, match="y has 10 rows, but X has 700"):
        bo.learn_metric(bo.Gaussian(1.0), rows, np.zeros(10))


def test_half_a_step_is_the_mean_of_both_metrics(rows):
    old, new = np.diag([1.0, 0.0, 0.0, 0.0]), np.diag([0.0, 3.0, 0.0, 0.0])
    found = between(old, new, rows)
    one, other = in_median_units(old, rows), in_median_units(new, rows)
    mean = 0.5 * (one.T @ one + other.T @ other)
    np.testing.assert_allclose(found.T @ found / np.trace(found.T @ found), mean / np.trace(mean), atol=1e-12)
    np.testing.assert_allclose(in_median_units(found, rows), found, rtol=1e-6)
    assert len(found) == 2  # directions that neither knows are left out


def test_behind_soft_tails_the_metric_is_that_of_softened_columns(rows):
    wild, y = np.sinh(3.0 * rows), np.sin(rows[:, 0] + rows[:, 1])
    learned = bo.learn_metric(bo.SoftTails(bo.Gaussian()), wild, y, n_rows=300, random_state=0)
    expected = bo.learn_metric(bo.Gaussian(), learned.change()(wild), y, n_rows=300, random_state=0)
    np.testing.assert_array_equal(learned.kernel.length_scale.matrix, expected.length_scale.matrix)
