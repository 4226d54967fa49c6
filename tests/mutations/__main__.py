"""``python -m tests.mutations [words]``: every mutation must be seen by the tests of its room.

The package and the tests are copied for each worker. A mutation is written into the copy, its tests run until the first
failure, and the file is put back. First each set of tests must pass without a mutation.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutations.mutation import Mutation
from tests.mutations.seeded import MUTATIONS

ROOT = Path(__file__).parents[2]
WORKERS = 2
LONGEST = 900  # seconds for the tests of one mutation
SEEN = {1, 2}  # what pytest returns where a test failed, or could not even be collected


def copied(folder: Path) -> Path:
    """A copy of all that the tests need."""
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy2(ROOT / name, folder / name)
    return folder


def tested(folder: Path, tests: tuple[str, ...]) -> tuple[int, str]:
    """What pytest returns for some tests in a copy, and the last lines that it prints."""
    command = [sys.executable, "-m", "pytest", "-x", "-m", "not slow", "-p", "no:cacheprovider", "--tb=line", *tests]
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        run = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return 1, f"no end within {LONGEST} seconds"
    return run.returncode, "\n".join(run.stdout.splitlines()[-6:])


def seen(folder: Path, mutation: Mutation) -> tuple[int, str]:
    """The same with the mutation in place; the file has its text and its time again afterwards."""
    path = mutation.found(folder / "src" / "bochner")
    text, times = path.read_text(), path.stat()
    path.write_text(text.replace(mutation.old, mutation.new))
    try:
        return tested(folder, mutation.tests)
    finally:
        path.write_text(text)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def main(words: list[str]) -> int:
    """Run the mutations whose names contain one of the words (all without words) and tell which were not seen."""
    chosen = [one for one in MUTATIONS if not words or any(word in one.name for word in words)]
    for mutation in chosen:
        mutation.found(ROOT / "src" / "bochner")
    wrong: list[str] = []
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(WORKERS) as pool:
        folders: SimpleQueue[Path] = SimpleQueue()
        for worker in range(WORKERS):
            folders.put(copied(Path(place) / str(worker)))

        def unchanged(tests: tuple[str, ...]) -> None:
            folder = folders.get()
            code, said = tested(folder, tests)
            folders.put(folder)
            if code != 0:
                wrong.append(f"{' '.join(tests)} fails without a mutation:\n{said}")

        def broken(mutation: Mutation) -> None:
            folder, began = folders.get(), time.perf_counter()
            code, said = seen(folder, mutation)
            folders.put(folder)
            word = "seen" if code in SEEN else "NOT SEEN"
            print(f"{word:8} {time.perf_counter() - began:5.0f} s  {mutation.name}", flush=True)
            if code not in SEEN:
                wrong.append(f"{mutation.name}\n{said}")

        list(pool.map(unchanged, dict.fromkeys(mutation.tests for mutation in chosen)))
        print(f"{time.perf_counter() - start:.0f} s for the tests without mutations", flush=True)
        list(pool.map(broken, chosen))
    print(f"{len(chosen)} mutations, {time.perf_counter() - start:.0f} s, {len(wrong)} not as they should be")
    print("\n\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
