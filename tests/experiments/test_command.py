"""``python -m bochner.experiments``: what it prints, writes and refuses."""

import platform
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bochner.experiments import Claim, DataMissing, Experiment, Picture, Result, Table, experiments, reproduce
from bochner.experiments.__main__ import main


def draw(figure, table):
    figure.add_subplot().plot(table.column("D"), table.column("error"))


class Small(Experiment):
    """Runs at once."""

    name, title, source, question = "small", "Small <one>", "A & B (2007)", "Is it small?"

    def run(self, quick, data, progress):
        rows = [(D, 1 / D) for D in progress(range(1, 4), "small")]
        table = Table("errors", "Errors", ("D", "error"), rows)
        return Result((table,), (Picture("curve", "A curve", "It falls.", table, draw),), (Claim("It falls.", quick),))


class Missing(Experiment):
    name, title, source, question = "missing", "Missing", "C", "?"

    def run(self, quick, data, progress):
        raise DataMissing("The file a is not here.")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """The real experiments, and two that cost nothing."""
    monkeypatch.setitem(experiments(), "small", Small())
    monkeypatch.setitem(experiments(), "missing", Missing())


def files(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_lists_the_experiments(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0].strip() for line in lines] == list(experiments())
    assert all(re.search(r"  \S", line) for line in lines)


def test_prints_and_writes_nothing_without_a_folder(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # not needed
    monkeypatch.chdir(tmp_path)
    assert main(["small", "--quick"]) == 0
    shown = capsys.readouterr()
    assert "0.3333" in shown.out
    assert "[holds] It falls." in shown.out
    assert shown.err == ""
    assert not files(tmp_path)


def test_a_claim_that_fails_is_a_finding(capsys):
    assert main(["small"]) == 0
    assert "[FAILS] It falls." in capsys.readouterr().out


def test_unknown_name(capsys, tmp_path):
    """Nothing is run, also not what was named before it."""
    assert main(["small", "smal", "--out", str(tmp_path / "out")]) == 2
    assert re.fullmatch(r"There is no experiment 'smal': choose from .*small.*\.\n", capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def test_unknown_option():
    with pytest.raises(SystemExit) as stop:
        main(["small", "--quik"])
    assert stop.value.code == 2


def test_missing_data(capsys):
    assert main(["missing"]) == 1
    assert capsys.readouterr().err == "The file a is not here.\n"


def test_missing_matplotlib(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    assert main(["missing", "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "Plots need matplotlib: pip install 'bochner[plots]'.\n"


def test_writes_tables_pictures_and_a_page(tmp_path):
    folder = tmp_path / "new" / "folder"
    assert main(["small", "--quick", "--out", str(folder)]) == 0
    written = files(folder)
    assert set(written) == {"small.errors.csv", "small.curve.csv", "small.curve.png", "small.html", "index.html"}
    assert written["small.errors.csv"] == b"D,error\n1,1\n2,0.5\n3,0.3333333333\n"
    assert written["small.curve.png"].startswith(b"\x89PNG")
    assert b"Small &lt;one&gt;" in written["small.html"]


def test_what_was_written_is_replaced_only_on_demand(capsys, tmp_path):
    (tmp_path / "small.old.csv").write_text("a")
    (tmp_path / "smaller.csv").write_text("b")
    before = files(tmp_path)
    assert main(["small", "--out", str(tmp_path)]) == 1
    assert re.fullmatch(
        r"\S*small\.old\.csv exists: give another folder, or replace it with --force\.\n", capsys.readouterr().err
    )
    assert files(tmp_path) == before
    assert main(["small", "--out", str(tmp_path), "--force"]) == 0
    assert "small.old.csv" not in files(tmp_path)  # of an earlier run
    assert files(tmp_path)["smaller.csv"] == b"b"  # of something else


def test_a_file_in_place_of_the_folder(capsys, tmp_path):
    (tmp_path / "file").write_text("a")
    assert main(["small", "--out", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err.endswith("file is a file: give a folder.\n")


def test_files_are_whole_or_not_there(monkeypatch, tmp_path):
    """What an earlier run wrote is there until the new file takes its place."""
    reproduce("small", quick=True, out=tmp_path)
    before = files(tmp_path)

    def full(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bochner.files.flush", full)
    with pytest.raises(OSError, match="intact"):
        reproduce("small", out=tmp_path, force=True)
    assert files(tmp_path) == before


class Checker(HTMLParser):
    """Counts tags, and what the page would load."""

    def __init__(self):
        super().__init__()
        self.open, self.loaded = [], []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)
        self.loaded += [value for name, value in attributes if name == "src"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_needs_no_other_file(tmp_path):
    reproduce("small", quick=True, out=tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert len(checker.loaded) == 1
    assert checker.loaded[0].startswith("data:image/png;base64,")
    assert 'href="#small"' in text
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_the_machine_is_described_without_its_name(tmp_path):
    made = reproduce("small", quick=True).made
    assert made.startswith("Quick run. Seed 0, 0 seconds. ")
    assert "numpy" in made
    assert platform.node() not in made
    assert str(Path.home()) not in made
