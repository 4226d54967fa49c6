"""Ctrl-C while modules are imported or loops are compiled: it comes a moment later, and what comes after works."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from bochner.interrupts import finished_first

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")


def press():
    os.kill(os.getpid(), signal.SIGINT)


def interrupted(steps):
    with finished_first():
        with finished_first():
            press()
            steps.append("inner")
        steps.append("outer")
    steps.append("never")


def test_the_block_is_finished_first():
    before, steps = signal.getsignal(signal.SIGINT), []
    with pytest.raises(KeyboardInterrupt):
        interrupted(steps)
    assert steps == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is before


def interrupted_and_wrong():
    with finished_first():
        press()
        raise ZeroDivisionError


def test_an_error_in_the_block_stays():
    with pytest.raises(ZeroDivisionError), finished_first():
        _ = 1 / 0
    with pytest.raises(KeyboardInterrupt) as both:
        interrupted_and_wrong()
    assert isinstance(both.value.__context__, ZeroDivisionError)


def test_handlers_of_the_user_are_called():
    calls = []
    before = signal.signal(signal.SIGINT, lambda *arguments: calls.append(arguments))
    try:
        with finished_first():
            press()
            assert calls == []
        assert len(calls) == 1
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with finished_first():
            press()
        assert len(calls) == 1
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_are_left_alone():
    seen = []

    def work():
        with finished_first():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


IMPORTS = """
import os, signal, sys
import bochner as bo

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numba.core.types":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
try:
    bo.FourierFeatures
    print("not interrupted")
except KeyboardInterrupt:
    assert "numba.core.types" in sys.modules
    print(bo.FourierFeatures(n_components=2).fit([[0.0], [1.0]]).transform([[0.5]]).shape)
"""


def test_an_interrupted_import_is_finished():
    """numba cannot be imported again once it was imported by half."""
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("(1, 2)", "")
