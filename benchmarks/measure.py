"""How everything here is measured: wall time, best of several after a warm-up; peak memory in a process of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

PAUSE = 0.1  # seconds


def best(function: Callable[[], Any], repeats: int = 5) -> float:
    """Seconds of the fastest of several calls, after one that is not counted."""
    function()
    return fastest(function, repeats)


def fastest(function: Callable[[], Any], repeats: int) -> float:
    """Seconds of the fastest of several calls.

    Each begins after a pause: threads of OpenBLAS go on spinning for some 25 ms after a call, on a core that the next
    one needs.
    """
    seconds = []
    for _ in range(repeats):
        time.sleep(PAUSE)
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return min(seconds, default=float("inf"))


def interleaved(functions: dict[str, Callable[[], Any]], repeats: int = 5) -> dict[str, float]:
    """The best time of each, measured in turns so that a busy minute of the machine hits all of them."""
    for function in functions.values():
        function()
    seconds = {name: float("inf") for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            seconds[name] = min(seconds[name], fastest(function, 1))
    return seconds


def paired_ratio(one: Callable[[], Any], other: Callable[[], Any], repeats: int = 8) -> float:
    """Time of one / time of the other, the median over pairs run side by side: for differences of a few per cent."""
    one(), other()
    return median(fastest(one, 1) / fastest(other, 1) for _ in range(repeats))


def status(key: str) -> float:
    """A line of this process's memory record, in megabytes: VmRSS now, VmHWM the peak. Linux only."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1024


def peak_rss() -> float:
    """Peak resident memory of this process so far, in megabytes."""
    return status("VmHWM")


def forget_peak() -> None:
    """Start the record of the peak anew: making the data must not count."""
    Path("/proc/self/clear_refs").write_text("5")


def extra_memory(task: Callable[..., Any], *arguments: Any, repeats: int = 1) -> tuple[float, float]:
    """(seconds, megabytes of peak RSS beyond what the data took) of ``task(*arguments)()`` in a fresh process.

    The memory is that of the first call; the time is that of the fastest of so many calls.
    """
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_measured, (task, arguments, repeats))


def _measured(task: Callable[..., Any], arguments: tuple[Any, ...], repeats: int) -> tuple[float, float]:
    run = task(*arguments)
    forget_peak()
    before = status("VmRSS")
    seconds = fastest(run, 1)
    megabytes = status("VmHWM") - before
    return min(seconds, fastest(run, repeats - 1)), megabytes


def line(name: str, value: float, target: str) -> None:
    """One row of the report."""
    print(f"  {name:<78}{value:>9.2f}   {target}", flush=True)
