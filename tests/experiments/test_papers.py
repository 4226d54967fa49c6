"""Every experiment runs in seconds, its claims hold, its numbers repeat, and its pictures are drawn."""

import re

import numpy as np
import pytest

from bochner.experiments import Claim, Data, experiments, silent
from bochner.experiments.style import png


@pytest.fixture(scope="module", params=list(experiments()))
def ran(request):
    """An experiment and its result."""
    experiment = experiments()[request.param]
    return experiment, experiment.run(True, Data(quick=True), silent)


def test_claims_hold(ran):
    _, result = ran
    assert result.claims
    assert not [str(claim) for claim in result.claims if not claim.holds]
    assert all(isinstance(claim.holds, bool | np.bool_) for claim in result.claims)


def test_pictures_are_drawn_from_their_tables(ran):
    _, result = ran
    assert result.pictures
    for picture in result.pictures:
        content = png(picture)
        assert content.startswith(b"\x89PNG")
        assert 4_000 < len(content) < 120_000, picture.name
        assert picture.data.rows
        assert picture.caption


def test_names_are_file_names(ran):
    experiment, result = ran
    names = [experiment.name, *(one.name for one in (*result.tables, *result.pictures))]
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in names)
    assert len(set(names)) == len(names)


def test_published_stands_beside_measured(ran):
    _, result = ran
    assert any({"published", "measured"} <= set(table.columns) for table in result.tables)


def test_a_claim_prints_its_numbers():
    claim = Claim("It falls.", False, {"by": 0.123456}, against="it does not.")
    assert str(claim) == "[FAILS] It falls. (by: 0.1235)\n       The source says: it does not."
