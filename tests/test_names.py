"""What a user sees of the package."""

import bochner as bo


def test_only_public_names_are_shown():
    """As completion shows them, before and after names were asked for."""
    for _ in range(2):
        shown = [name for name in dir(bo) if not name.startswith("__")]
        assert shown == sorted(bo.__all__)
        _ = [getattr(bo, name) for name in shown]


def test_every_public_name_has_a_home():
    for name in bo.__all__:
        assert getattr(bo, name).__name__.split(".")[-1] == name
