"""Loops are compiled wherever the package lies and whatever happens meanwhile."""

import errno
import os
import signal

import pytest

from bochner.compute.compiled import compiled


def plus_one(x):
    return x + 1


def test_without_a_place_for_the_result():
    """numba keeps nothing for a source that is no file; a folder that cannot be written to ends the same way."""
    names = {}
    exec(compile("def plus_two(x): return x + 2", "<nowhere>", "exec"), names)
    assert compiled()(names["plus_two"])(1) == 3


def test_a_full_disk_where_results_are_kept(monkeypatch):
    function = compiled()(plus_one)

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(function._cache, "load_overload", lambda *arguments: None)
    monkeypatch.setattr(function._cache, "save_overload", full)
    assert function(1) == 2
    assert function(1.5) == 2.5
    assert len(function.signatures) == 2


@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_an_interrupted_compilation_is_finished(monkeypatch):
    function = compiled()(plus_one)
    compile_once = function._compiler.compile

    def interrupted(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return compile_once(*arguments)

    monkeypatch.setattr(function._cache, "load_overload", lambda *arguments: None)
    monkeypatch.setattr(function._compiler, "compile", interrupted)
    with pytest.raises(KeyboardInterrupt):
        function(1)
    assert len(function.signatures) == 1
    assert function(1) == 2


def test_options_are_passed_on():
    options = compiled(fastmath={"contract"})(plus_one).targetoptions
    assert (options["nogil"], options["fastmath"]) == (True, {"contract"})
