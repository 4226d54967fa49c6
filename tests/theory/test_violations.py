"""No bound of the theory is violated where a simulation could do so."""

import pytest

from tests.theory.violations import FAMILIES


def violated(checks):
    return [f"{what}: {observed:.4g} above {bound:.4g}" for what, observed, bound in checks if not observed <= bound]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_no_bound_is_violated(family):
    checks = list(family(1))
    assert not violated(checks)
    assert any(observed > 0.02 * bound for _, observed, bound in checks)  # not all of them are out of reach


@pytest.mark.slow
def test_no_bound_is_violated_in_two_thousand_checks():
    checks = [check for family in FAMILIES for check in family(8)]
    assert len(checks) >= 2000
    assert not violated(checks)
