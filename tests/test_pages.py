"""The code on the pages runs: README and how-to-add pages cannot go stale."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.contracts import test_kernels
from tests.helpers import assert_mean, assert_variance, distant_pairs, estimates

ROOT = Path(__file__).parent.parent


def run_page(name: str) -> dict:
    """Run the Python blocks of a page one after the other and return what they define."""
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert blocks, f"{name} has no Python code"
    scope: dict = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, name, "exec"), scope)
    return scope


def test_readme(capsys):
    scope = run_page("README.md")
    assert scope["model"].score(scope["X"][:1000], scope["y"][:1000]) > 0.99
    assert capsys.readouterr().out


def test_adding_a_kernel(capsys):
    """The kernel of the page obeys the laws that the contract tests ask of every kernel."""
    kernel = run_page("docs/adding_a_kernel.md")["HyperbolicSecant"](1.3)
    rows = np.random.default_rng(0).uniform(0.05, 0.55, size=(30, 3))
    test_kernels.test_matrix_rows_and_diagonal_agree(kernel, rows)
    test_kernels.test_positive_semidefinite(kernel, rows)
    test_kernels.test_frequencies_have_the_kernel_as_characteristic_function(kernel)
    test_kernels.test_second_moment_is_minus_the_laplacian(kernel)
    assert "predict" in capsys.readouterr().out.lower()


def test_adding_a_map(capsys):
    """The map of the page is unbiased with the variance it states."""
    scope = run_page("docs/adding_a_map.md")
    assert float(capsys.readouterr().out) > 0.95
    kernel = scope["bo"].Matern(1.3)
    X, Y = distant_pairs(3, (0.4, 1.0, 2.2))
    values = estimates(scope["PlainFourier"](kernel, 64), (X, Y), repeats=600)
    k, k2 = kernel.at(X - Y), kernel.at(2 * (X - Y))
    exact = (1 + k2 - 2 * k**2) / 64
    assert_mean(values, k, exact)
    assert_variance(values, exact)
    with pytest.raises(ValueError, match="a shift-invariant kernel"):
        scope["PlainFourier"](scope["bo"].Polynomial(2)).fit(X)
