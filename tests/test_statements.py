"""The table of statements: every row is there, and every function and test that it names exists."""

import ast
import inspect
import re
from functools import reduce
from pathlib import Path

import pytest

import bochner as bo

ROOT = Path(__file__).parent.parent
COUNTS = {"L": 15, "B": 28, "W": 18, "K": 25, "S": 14}
SOURCES = {
    "L": "lecture",
    "B": "blog",
    "W": "encyclopedia",
    "K": "Kar-Karnick poster",
    "S": "Sutherland-Schneider poster",
}


def rows():
    """The cells of each row of the table."""
    lines = (ROOT / "docs" / "statements.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if re.match(r"\| [LBWKS]\d+ \|", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


ROWS = rows()


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


def test_every_statement_has_one_row_and_no_cell_is_empty():
    assert [row[0] for row in ROWS] == [f"{part}{i}" for part, n in COUNTS.items() for i in range(1, n + 1)]
    for row in ROWS:
        assert len(row) == 5
        assert all(row)
        assert row[2] == SOURCES[row[0][0]]
        assert quoted(row[3])
        assert quoted(row[4])


def resolved(name):
    """The object of a dotted name in the package."""
    return reduce(getattr, name.split("."), bo)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_functions_and_their_arguments_exist(row):
    for name in quoted(row[3]):
        tree = ast.parse(name, mode="eval").body
        if isinstance(tree, ast.Call):
            function = resolved(ast.unparse(tree.func))
            parameters = inspect.signature(function).parameters
            for keyword in tree.keywords:
                assert keyword.arg in parameters, name
                value = ast.literal_eval(keyword.value)
                assert not isinstance(value, str) or f'"{value}"' in function.__doc__, name  # a choice it documents
        else:
            owner, _, last = name.rpartition(".")
            home = resolved(owner) if owner else bo
            fields = getattr(home, "__annotations__", {})  # of a dataclass
            assert last in fields or getattr(home, last) is not None, name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_tests_exist(row):
    for name in quoted(row[4]):
        path, _, test = name.partition("::")
        assert test, f"{name} names a file, not a test"
        text = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert re.search(rf"^def {test}\(", text, flags=re.MULTILINE), name
