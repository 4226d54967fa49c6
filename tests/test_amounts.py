"""Amounts in words: what they say, and what is refused."""

import pytest

from bochner.amounts import bytes_of, seconds_of


@pytest.mark.parametrize(
    ("words", "amount"),
    [
        (1, 1),
        (2.5e9, 2_500_000_000),
        ("17", 17),
        ("17B", 17),
        ("3k", 3000),
        ("3 KB", 3000),
        ("500MB", 500_000_000),
        (" 2gb ", 2_000_000_000),
        (".5T", 500_000_000_000),
        ("1.5GiB", 3 << 29),
        ("4.Ki", 4096),
    ],
)
def test_bytes(words, amount):
    assert bytes_of(words) == amount


@pytest.mark.parametrize(
    ("words", "seconds"),
    [("500ms", 0.5), ("2s", 2.0), ("2 sec", 2.0), ("1.5min", 90.0), (".5 M", 30.0), (" 2h", 7200.0)],
)
def test_seconds(words, seconds):
    assert seconds_of(words, "budget") == pytest.approx(seconds, rel=1e-15)


@pytest.mark.parametrize(
    "wrong", [0, -1, float("nan"), float("inf"), True, "1e9T", 2**63, "", "lots", "2GBB", "GB", "1.2.3GB", "2s", None]
)
def test_what_is_no_memory_is_refused(wrong):
    with pytest.raises(ValueError, match=r"memory must be an amount such as '2GB' or '500MB', not "):
        bytes_of(wrong)


@pytest.mark.parametrize("wrong", [2, 2.0, 0, "", "soon", "2", "0s", "-1s", "5 parsecs", "2GB", "1e3s", "s", None])
def test_what_is_no_time_is_refused(wrong):
    with pytest.raises(ValueError, match=r"time_limit must be a time with its unit, such as '500ms', '2s' or '5min', "):
        seconds_of(wrong, "time_limit")
