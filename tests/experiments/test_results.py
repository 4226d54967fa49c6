"""The results in docs/results: one section for each experiment, small, whole, and nothing about the machine's owner."""

import re
from pathlib import Path

import pytest

from bochner.experiments import experiments

FOLDER = Path(__file__).parents[2] / "docs" / "results"


@pytest.mark.parametrize("name", list(experiments()))
def test_every_experiment_has_results(name):
    section = (FOLDER / f"{name}.html").read_text(encoding="utf-8")
    assert "Quick run" not in section
    named = re.findall(r'(?:src|href)="([^"#]+)"', section)
    assert named
    assert all((FOLDER / file).exists() for file in named)
    assert f'<section id="{name}">' in (FOLDER / "index.html").read_text(encoding="utf-8")


def test_every_file_belongs_to_an_experiment():
    for file in FOLDER.iterdir():
        assert file.name == "index.html" or file.name.split(".")[0] in experiments()


def test_results_are_small():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 5_000_000


def test_no_path_of_a_machine():
    for file in FOLDER.glob("*.html"):
        assert not re.search(r"/(home|Users|root|work|tmp)/", file.read_text(encoding="utf-8"))
