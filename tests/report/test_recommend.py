"""Recommendations: every eligible map is measured, the answer can be used, small budgets have answers."""

import numpy as np
import pytest

import bochner as bo

ROWS = np.random.default_rng(0).normal(size=(2000, 4))


def test_a_tolerance_is_reached_by_the_best():
    found = bo.recommend(bo.Gaussian("median"), ROWS, eps=0.03, time_limit="2.5s")
    names = [choice.name for choice in found.choices]
    assert "FourierFeatures, orthogonal" in names
    assert "BinningFeatures" in found.skipped
    errors = [choice.error_at_equal_time for choice in found.choices]
    assert errors == sorted(errors)
    report = bo.error_report(found.best, ROWS, n_gram=20)
    assert report["root mean square"].measured.value == pytest.approx(0.03, rel=0.4)
    assert "features_" not in vars(found.best)
    assert str(found).endswith(f"{found.best.width}={found.choices[0].width}.")
    assert "Take " in str(found)


def test_a_rough_kernel_has_binning_among_its_maps():
    found = bo.recommend(bo.Laplace("median"), ROWS, budget="200ms")
    names = {choice.name for choice in found.choices}
    assert "FourierFeatures, iid" in names
    assert "FourierFeatures, orthogonal" in found.skipped
    assert "BinningFeatures" in names | set(found.skipped)
    assert all(choice.width >= 1 and choice.seconds > 0 for choice in found.choices)


def test_dot_products_are_served_by_their_maps():
    found = bo.recommend(bo.Polynomial(3, scale=0.1), ROWS, eps=0.1, time_limit="2.5s")
    assert {choice.name for choice in found.choices} >= {"MaclaurinFeatures", "TensorSketch"}
    assert found.best.fit(ROWS).n_components_ >= 1


def test_the_smallest_budget_has_an_answer():
    found = bo.recommend(bo.Gaussian("median"), ROWS, budget="0.001ms")
    assert len(found.choices) == 1
    assert set(found.skipped.values()) == {"no time was left to try it"}
    assert found.best.fit(ROWS).n_components_ >= 1


def test_no_more_landmarks_than_rows_are_recommended():
    found = bo.recommend(bo.Gaussian("median"), ROWS[:40], budget="300ms")
    widths = {choice.name: choice.width for choice in found.choices}
    assert widths["NystroemFeatures"] <= 40


def test_frame():
    pytest.importorskip("pandas")
    table = bo.recommend(bo.Gaussian(1.0), ROWS, eps=0.1, time_limit="500ms").to_frame()
    assert {"width", "error", "seconds", "error_at_equal_time"} <= set(table.columns)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "one of eps"),
        ({"eps": 0.1, "budget": "1s"}, "one of eps"),
        ({"eps": 0.0}, "eps must be"),
        ({"budget": "soon"}, "budget must be"),
        ({"budget": "-1s"}, "budget must be"),
        ({"budget": 2}, "budget must be a time with its unit, such as .*, not 2"),
        ({"budget": "5 parsecs"}, "budget must be"),
        ({"eps": 0.1, "time_limit": 10.0}, "time_limit must be"),
    ],
)
def test_bad_input_is_one_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        bo.recommend(bo.Gaussian(1.0), ROWS, **arguments)


def test_what_is_not_a_kernel_is_refused():
    with pytest.raises(TypeError, match="bochner kernel"):
        bo.recommend("rbf", ROWS, eps=0.1)
