"""No bound of the theory is violated where a simulation could do so."""

import pytest

from tests.theory import violations

FEWEST = {  # checks that each family makes in the ordinary tests, of bounds that say something
    "one_pair": 800,
    "widths_for_a_pair": 90,
    "averages": 70,
    "suprema": 90,
    "frequencies": 40,
    "whole_sets": 750,
    "small_sets": 55,
    "widths_for_a_set": 100,
    "rough_kernels": 110,
    "slopes": 100,
    "nets": 180,
    "ridge": 420,
    "support_vectors": 24,
    "discrepancies": 100,
    "bins": 50,
    "products": 32,
    "cut_series": 24,
    "compositions": 8,
    "any_terms": 34,
}


def that_say_something(checks):
    return [check for check in checks if check.bound < check.trivial]


def violated(checks):
    return [f"{c.what}: {c.observed:.4g} above {c.bound:.4g}" for c in checks if not c.observed <= c.bound]


def test_thousands_of_checks_are_made():
    assert [family.__name__ for family in violations.FAMILIES] == list(FEWEST)
    assert sum(FEWEST.values()) >= 3000


@pytest.mark.parametrize("family", violations.FAMILIES, ids=lambda family: family.__name__)
def test_no_bound_is_violated(family):
    checks = that_say_something(family(1))
    assert len(checks) >= FEWEST[family.__name__]
    assert not violated(checks)
    assert any(check.observed > 0.02 * check.bound for check in checks)  # not all of them are out of reach


@pytest.mark.slow
@pytest.mark.parametrize("family", violations.FAMILIES, ids=lambda family: family.__name__)
def test_no_bound_is_violated_by_many_draws(family):
    assert not violated(that_say_something(family(8)))
