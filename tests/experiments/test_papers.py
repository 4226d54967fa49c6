"""Every experiment runs in seconds, its claims hold, and its pictures are drawn."""

import re

import numpy as np
import pytest

from bochner.experiments import Claim, DataSets, Table, experiments, silent
from bochner.experiments.style import png


@pytest.mark.parametrize("name", list(experiments()))
def test_quick_run(name):
    """One test for all that is asked of an experiment: running it is what costs time."""
    result = experiments()[name].run(True, DataSets(quick=True), silent)
    claims_hold(result)
    published_stands_beside_measured(result)
    names_are_file_names(name, result)
    pictures_are_drawn_from_their_tables(result)


def claims_hold(result):
    assert result.claims
    assert not [str(claim) for claim in result.claims if not claim.holds]
    assert all(isinstance(claim.holds, bool | np.bool_) for claim in result.claims)


def published_stands_beside_measured(result):
    assert any({"published", "measured"} <= set(table.columns) for table in result.tables)


def names_are_file_names(name, result):
    names = [name, *(one.name for one in (*result.tables, *result.pictures))]
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in names)
    assert len(set(names)) == len(names)


def pictures_are_drawn_from_their_tables(result):
    assert result.pictures
    for picture in result.pictures:
        content = png(picture)
        assert content.startswith(b"\x89PNG")
        assert 4_000 < len(content) < 120_000, picture.name
        assert picture.data.rows
        assert len(picture.title) <= 55  # more would leave the picture
        assert picture.caption


def test_a_claim_prints_its_numbers():
    claim = Claim("It falls.", False, {"by": 0.123456}, against="it does not.")
    assert str(claim) == "[FAILS] It falls. (by: 0.1235)\n       The source says: it does not."


def test_a_table_refuses_a_short_row():
    with pytest.raises(ValueError, match="A row of the table 'a' has 1 cells, not 2"):
        Table("a", "A", ("x", "y"), [(1,)])


def test_a_table_keeps_its_digits():
    """Ten in the file, four for people; nothing stays nothing."""
    table = Table("a", "A", ("x", "y"), [(1 / 3, None), (2, "b")])
    assert table.csv() == "x,y\n0.3333333333,\n2,b\n"
    assert "  0.3333\n" in str(table)
    assert np.isnan(Table("a", "A", ("x",), [(None,)]).column("x")[0])


def test_the_same_seed_gives_the_same_numbers():
    one, other = (experiments()["covering"].run(True, DataSets(quick=True), silent) for _ in range(2))
    assert [table.csv() for table in one.tables] == [table.csv() for table in other.tables]
    assert [picture.data.csv() for picture in one.pictures] == [picture.data.csv() for picture in other.pictures]
