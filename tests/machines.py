"""``python -m tests.machines``: the suite as other machines would run it.

Each kind of processor that this one can stand for has its own kernels of BLAS and its own machine code of compiled
loops, which sum in other orders and round otherwise. Each is run with another number of BLAS threads, from a cold cache
of compiled code. What passes on one only knows the bits of that one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """A kind of processor: its name to OpenBLAS and to LLVM, what it must be able to do, BLAS threads."""

    blas: str
    llvm: str
    needs: frozenset[str]
    threads: int


MACHINES = (
    Machine("Nehalem", "nehalem", frozenset({"sse4_2"}), 1),
    Machine("Haswell", "haswell", frozenset({"avx2", "fma"}), 2),
    Machine("Zen", "znver2", frozenset({"avx2", "fma", "clzero"}), 3),
    Machine("SkylakeX", "skylake-avx512", frozenset({"avx512f", "avx512dq", "avx512bw", "avx512vl"}), 4),
)


def abilities() -> frozenset[str]:
    """What the processor says that it can do; nothing where the system does not tell."""
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return frozenset()
    flags = [line.split(":")[1] for line in info.read_text().splitlines() if line.startswith("flags")]
    return frozenset(flags[0].split()) if flags else frozenset()


def main(arguments: list[str]) -> int:
    """Run the suite (or what the arguments choose of it) as each machine that this one can be."""
    able, failed = abilities(), []
    for machine in MACHINES:
        if not machine.needs <= able:
            print(f"== {machine.blas}: this processor lacks {', '.join(sorted(machine.needs - able))}", flush=True)
            continue
        print(f"== {machine.blas}, {machine.threads} BLAS threads, cold cache", flush=True)
        with tempfile.TemporaryDirectory() as cache:
            environment = os.environ | {
                "OPENBLAS_CORETYPE": machine.blas,
                "OPENBLAS_NUM_THREADS": str(machine.threads),
                "NUMBA_CPU_NAME": machine.llvm,
                "NUMBA_CPU_FEATURES": "",
                "NUMBA_CACHE_DIR": cache,
            }
            command = [sys.executable, "-m", "pytest", "-n", "2", "-m", "not slow", "-p", "no:cacheprovider"]
            if subprocess.run([*command, *arguments], env=environment, check=False).returncode:
                failed.append(machine.blas)
    print(f"Failed as: {', '.join(failed)}." if failed else "Passed as every machine that this one can be.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
