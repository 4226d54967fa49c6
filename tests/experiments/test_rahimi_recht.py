"""The parts of the experiment rahimi-recht: what is tuned, and on which rows."""

from dataclasses import replace

import numpy as np
import pytest

from bochner.experiments import DataSets
from bochner.experiments.papers.rahimi_recht.fits import cells, first_guess, machine, tuned, with_scale
from bochner.experiments.papers.rahimi_recht.recalled import RECALLED
from bochner.experiments.papers.rahimi_recht.tasks import tasks
from bochner.kernels import Gaussian


@pytest.fixture(scope="module")
def all_tasks():
    return tasks(True, DataSets(quick=True))


def test_rows_are_prepared_by_the_training_rows(all_tasks):
    """Zero mean and unit variance there, or 0 to 1, not on the test rows."""
    cpu, _, forest = all_tasks
    varies = cpu.X.std(axis=0) > 0
    assert np.abs(cpu.X.mean(axis=0)).max() < 1e-4
    assert np.allclose(cpu.X.std(axis=0)[varies], 1.0, atol=1e-3)
    assert np.abs(cpu.X_test.mean(axis=0)).max() > 1e-4
    assert forest.X.min() == 0.0
    assert forest.X.max() == pytest.approx(1.0)
    assert forest.X_test.min() < 0.0 or forest.X_test.max() > 1.0001


def test_test_rows_do_not_choose_settings(all_tasks):
    """Settings and first guesses are the same when the test rows are noise."""
    task = all_tasks[0]
    noise = replace(task, X_test=np.full_like(task.X_test, np.nan), y_test=np.full_like(task.y_test, np.nan))
    guesses = [first_guess(Gaussian, scales, task) for scales in ("one", "learned")]
    for scales, guess in zip(("one", "learned"), guesses):
        again = first_guess(Gaussian, scales, noise)
        assert np.array_equal(guess.length_scale, again.length_scale)
        tried = task.tried["Fourier", scales]
        assert tuned(task, "Fourier", guess, tried, 50) == tuned(noise, "Fourier", again, tried, 50)


def test_the_least_held_out_error_is_chosen(all_tasks):
    """A length scale a thousand times too short or too long is not."""
    task = all_tasks[0]
    guess = first_guess(Gaussian, "one", task)
    multiple, penalty, error = tuned(task, "Fourier", guess, (1e-3, 2.0, 1e3), 200)
    assert (multiple, penalty) == (2.0, "auto")
    assert error < tuned(task, "Fourier", guess, (1e-3,), 200)[2]
    heavy = replace(task, penalties={"Fourier": (1e9, 1.0)})
    assert tuned(heavy, "Fourier", guess, (2.0,), 200)[1] == 1.0


def test_errors_are_per_cent(all_tasks):
    class Right:
        def __init__(self, values):
            self.values = values

        def predict(self, X):
            return self.values

    cpu, adult, _ = all_tasks
    assert cpu.error(Right(1.1 * cpu.y_test), cpu.X_test, cpu.y_test) == pytest.approx(10.0)
    wrong = np.r_[-adult.y_test[:3], adult.y_test[3:]]
    assert adult.error(Right(wrong), adult.X_test, adult.y_test) == pytest.approx(300.0 / len(wrong))


def test_machines_have_the_width_asked_for(all_tasks):
    task = all_tasks[0]
    kernel = with_scale(first_guess(Gaussian, "one", task), 2.0)
    assert machine(task, "Fourier", 64, kernel, 1.0).fit(task.X, task.y).features_.n_components == 64
    assert machine(task, "exact Gaussian", None, kernel, "auto").kernel is kernel


def test_every_set_and_method_is_measured_at_the_recalled_width():
    """In a full run, whose widths need no rows to be known."""

    class Few(DataSets):
        def load(self, name):
            return DataSets(quick=True).load(name)

    for task in tasks(False, Few(quick=False)):
        labels = [label for label, _ in cells(task)]
        for method in ("Fourier", "binning"):
            assert RECALLED[task.name, method][2] in task.widths[method]
            assert f"{task.name}, {method}" in labels
        assert f"{task.name}, exact Gaussian" in labels
