"""Laws of every code of a column: numbers row by row, in all its columns, the same after JSON, whatever comes."""

import json

import numpy as np
import pytest

from bochner.tables import DataTable, as_table
from bochner.tables.column_codes import ColumnCode, code_as_json, code_from_json
from tests.contracts.walk import examples, name_of

NUMBERS = as_table({"size": np.array([1.0, 2.0, 3.5, 4.0, -1e6])})
LABELS = as_table({"size": np.array(["1", "3", "1", "7", "not seen"], dtype=object)})
HOLES = as_table({"size": np.array([1.0, np.nan, 3.0])})
CODES = examples(ColumnCode, "size")
SENTINEL = -12345.0


def written(code: ColumnCode, table: DataTable) -> np.ndarray:
    out = np.full((table.shape[0], len(code.names_out)), SENTINEL)
    code.write(table.column("size"), out)
    return out


def tables(code: ColumnCode) -> list[DataTable]:
    """What the code takes: a code of numbers refuses text in a sentence."""
    try:
        written(code, LABELS)
    except ValueError:
        with pytest.raises(ValueError, match=r"'size' holds text where numbers are needed"):
            written(code, LABELS)
        return [NUMBERS]
    return [NUMBERS, LABELS]


@pytest.mark.parametrize("code", CODES, ids=name_of)
def test_every_row_gives_finite_numbers_of_its_own(code):
    assert len(set(code.names_out)) == len(code.names_out)
    assert all(name.startswith("size") for name in code.names_out)
    for table in tables(code):
        whole = written(code, table)
        assert np.isfinite(whole).all()
        assert (whole != SENTINEL).all()
        for row in range(table.shape[0]):
            np.testing.assert_array_equal(written(code, table[row : row + 1])[0], whole[row])


@pytest.mark.parametrize("code", CODES, ids=name_of)
def test_json_keeps_the_code(code):
    again = code_from_json(json.loads(json.dumps(code_as_json(code))))
    assert again == code
    for table in tables(code):
        np.testing.assert_array_equal(written(again, table), written(code, table))


@pytest.mark.parametrize("code", CODES, ids=name_of)
def test_missing_values_are_numbers_or_refused_in_a_sentence(code):
    if getattr(code, "fill", 0.0) is None:
        with pytest.raises(ValueError, match=r"'size' has missing values .*TableEncoder"):
            written(code, HOLES)
        return
    assert np.isfinite(written(code, HOLES)).all()
