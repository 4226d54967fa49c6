"""Benchmarks where there are no data, as in a fresh clone: a sentence, not a traceback."""

import pytest

from benchmarks import machines
from benchmarks.__main__ import main


@pytest.mark.parametrize(("name", "missing"), [("machines", "adult/a9a.bz2"), ("defaults", "wine")])
def test_missing_data_are_one_sentence(name, missing, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BOCHNER_DATA", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("TABLES", "wine")
    monkeypatch.setattr(machines, "KEPT", tmp_path)
    monkeypatch.setattr(machines, "single_row", machines.adult)
    main([name])
    printed = capsys.readouterr().out
    assert f"== {name}\n  The file " in printed
    assert missing in printed
