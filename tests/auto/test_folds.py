"""Which rows judge: the last ones where rows come in an order in which neighbours are alike, else random ones."""

import numpy as np
import pytest

from bochner.auto.folds import FEW_ROWS, MOST_JUDGED, N_FOLDS, in_order, make_folds

N = 5000


def normal(rng):
    return rng.normal(size=(N, 4))


def heavy(rng):
    return rng.standard_t(1.1, size=(N, 5))


def rare(rng):
    return (rng.random((N, 40)) < 1 / N).astype(float)


def one_hot(rng):
    return np.eye(60)[rng.integers(60, size=N)]


def with_constants(rng):
    return np.hstack([rng.normal(size=(N, 2)), np.full((N, 1), 0.1), np.full((N, 1), 1e6 + 0.3)])


def shuffled_walk(rng):
    return rng.permutation(rng.normal(size=(N, 3)).cumsum(axis=0))


def lone_giant(rng):
    rows = rng.normal(size=(N, 2))
    rows[0, 0] = rows[-1, 1] = 1e9
    return rows


SHUFFLED = [normal, heavy, rare, one_hot, with_constants, shuffled_walk, lone_giant]


def walk(rng):
    return np.hstack([rng.normal(size=(N, 3)), rng.normal(size=(N, 1)).cumsum(axis=0)])


@pytest.mark.parametrize("make", SHUFFLED, ids=lambda make: make.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shuffled_rows_are_not_in_order(make, dtype):
    for seed in range(10):
        assert not in_order(make(np.random.default_rng(seed)).astype(dtype))


def test_constant_rows_are_not_in_order():
    assert not in_order(np.full((N, 3), 0.1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_series_and_sorted_columns_are_in_order(dtype):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        assert in_order(walk(rng).astype(dtype))
        assert in_order(np.sort(rng.normal(size=(N, 1)), axis=0).astype(dtype))
        blocks = np.repeat(rng.normal(size=(N // 10, 1)), 10, axis=0)  # ten rows of each person
        assert in_order(np.hstack([rng.normal(size=(N, 2)), blocks]).astype(dtype))


def assert_partition(fold, n_rows):
    assert np.array_equal(np.sort(np.concatenate([fold.training, fold.judged])), np.arange(n_rows))


def test_a_series_is_judged_by_its_last_fifth():
    rng = np.random.default_rng(0)
    X, y = walk(rng), rng.normal(size=N)
    (fold,) = make_folds(X, y, False, np.random.default_rng(1))
    np.testing.assert_array_equal(fold.judged, np.arange(N - N // 5, N))
    assert_partition(fold, N)
    assert not np.array_equal(fold.training, np.sort(fold.training))  # the first m are a sample


def test_shuffled_rows_are_judged_at_random():
    rng = np.random.default_rng(0)
    (fold,) = make_folds(rng.normal(size=(N, 3)), rng.normal(size=N), False, np.random.default_rng(1))
    assert len(fold.judged) == N // 5
    assert_partition(fold, N)
    assert abs(fold.judged.mean() - N / 2) < 0.05 * N


@pytest.mark.parametrize("trend", ["sorted", "reversed", "calm end", "wild end"])
def test_targets_whose_end_is_unlike_the_rest_are_judged_at_random(trend):
    """Rows sorted by their target: the last fifth has no small targets, and tells nothing about them."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=N)
    if trend in ("sorted", "reversed"):
        y = np.sort(y)[:: 1 if trend == "sorted" else -1]
    else:
        y[-N // 5 :] *= 0.1 if trend == "calm end" else 10.0
    (fold,) = make_folds(np.hstack([walk(rng), y[:, None]]), y, False, np.random.default_rng(1))
    assert len(fold.judged) == N // 5
    assert_partition(fold, N)
    assert fold.judged.min() < N // 10


def test_classes_in_order_are_judged_by_the_last_of_each():
    rng = np.random.default_rng(0)
    codes = np.sort(rng.choice(4, p=[0.5, 0.3, 0.15, 0.05], size=N))  # the first rows are all of class 0
    (fold,) = make_folds(walk(rng), codes, True, np.random.default_rng(1))
    assert_partition(fold, N)
    for label in range(4):
        rows = np.flatnonzero(codes == label)
        judged = fold.judged[codes[fold.judged] == label]
        np.testing.assert_array_equal(judged, rows[len(rows) - round(len(rows) * 0.2) :])


def test_many_rows_are_judged_by_no_more_than_so_many():
    rng = np.random.default_rng(0)
    n_rows = 6 * MOST_JUDGED
    X = rng.normal(size=(n_rows, 1))
    (fold,) = make_folds(X, X[:, 0], False, rng)
    assert len(fold.judged) == MOST_JUDGED
    (fold,) = make_folds(X.cumsum(axis=0), rng.normal(size=n_rows), False, rng)
    np.testing.assert_array_equal(fold.judged, np.arange(n_rows - MOST_JUDGED, n_rows))


@pytest.mark.parametrize("classes", [False, True])
def test_few_rows_are_each_judged_once_whatever_their_order(classes):
    rng = np.random.default_rng(0)
    n_rows = FEW_ROWS - 1
    X = rng.normal(size=(n_rows, 2)).cumsum(axis=0)
    y = np.sort(rng.integers(3, size=n_rows)) if classes else rng.normal(size=n_rows)
    folds = make_folds(X, y, classes, np.random.default_rng(1))
    assert len(folds) == N_FOLDS
    np.testing.assert_array_equal(np.sort(np.concatenate([fold.judged for fold in folds])), np.arange(n_rows))
    for fold in folds:
        assert_partition(fold, n_rows)
        assert abs(fold.judged.mean() - n_rows / 2) < 0.05 * n_rows
        if classes:
            assert np.ptp(np.bincount(y[fold.judged]) - np.bincount(y) / N_FOLDS) <= 2


def test_one_row_gets_a_sentence():
    with pytest.raises(ValueError, match="give at least 2 rows"):
        make_folds(np.zeros((1, 1)), np.zeros(1), False, np.random.default_rng(0))


@pytest.mark.parametrize("n_rows", [3, 10, FEW_ROWS - 1, FEW_ROWS, N])
@pytest.mark.parametrize("rare", [1, 2, 4])
def test_classes_are_learned_from_wherever_they_have_two_rows(n_rows, rare):
    """Rows of a class of two or more are never all judged at once, and of two classes one has more."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        codes = np.zeros(n_rows, dtype=int)
        codes[rng.permutation(n_rows)[: min(rare, n_rows - 1)]] = 1
        folds = make_folds(rng.normal(size=(n_rows, 2)), codes, True, rng)
        for fold in folds:
            assert_partition(fold, n_rows)
            learned = np.bincount(codes[fold.training], minlength=2)
            assert (learned[np.bincount(codes, minlength=2) >= 2] > 0).all()
            assert len(folds) > 1 or learned.all()


@pytest.mark.parametrize("order", [normal, walk])
def test_rows_judge_where_every_class_is_small(order):
    rng = np.random.default_rng(0)
    for codes in (np.arange(N), np.arange(N) // 2):
        (fold,) = make_folds(order(rng), codes, True, rng)
        assert len(fold.judged) == N // 5
        assert_partition(fold, N)
        assert np.isin(np.arange(N // 2), codes[fold.training]).all() or codes[-1] == N - 1


def test_of_two_labels_a_row_says_nothing_about_the_other():
    with pytest.raises(ValueError, match="give at least 3 rows"):
        make_folds(np.zeros((2, 1)), np.arange(2), True, np.random.default_rng(0))
