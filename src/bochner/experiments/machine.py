"""On what an experiment ran: kind of machine and versions, and nothing that names it."""

from __future__ import annotations

import os
import platform
import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .. import __version__

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


def described() -> str:
    """One line: processor, cores, system, versions.

    Examples
    --------
    >>> described().split(", ")[1].endswith(("core", "cores"))
    True
    """
    cores = os.cpu_count() or 1
    versions = [f"Python {platform.python_version()}", f"bochner {__version__}"]
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            versions.append(f"{name} {version(name)}")
    machine = (_processor().replace(",", ""), f"{cores} core{'s' if cores > 1 else ''}", platform.system())
    return ", ".join((*machine, *versions))


def _processor() -> str:
    """The processor's own name where the system tells it, else its kind."""
    with suppress(OSError):
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), flags=re.MULTILINE)
        if found:
            return found[1].strip()
    return platform.processor() or platform.machine()
