"""The page of the house says what is there: its files exist, its layers are those that are checked."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "house.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(\w+/\w+\.py)`", PAGE))))
def test_files_that_are_named_exist(name):
    assert (ROOT / "src" / "bochner" / name).exists()


def test_layers_are_those_that_are_checked():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = [set(re.findall(r"bochner\.(\w+)", layer)) for layer in contracts[0]["layers"]]
    rooms = [layer for layer in layers if any((ROOT / "src" / "bochner" / one).is_dir() for one in layer)]
    drawn = PAGE.split("\n\n")[2].splitlines()
    for layer, line in zip(rooms, drawn, strict=True):
        assert all(room in line for room in layer), (layer, line)
