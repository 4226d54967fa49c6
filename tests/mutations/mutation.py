"""One formula broken on purpose, and the tests that must see it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LOSSES = ("tests/contracts/test_losses.py", "tests/test_losses.py")
STATISTICS = ("tests/contracts/test_statistics.py",)


def kernels(names: str) -> tuple[str, ...]:
    """The contract of kernels, for kernels of some names."""
    return ("tests/contracts/test_kernels.py", "-k", names)


def pairs(name: str) -> tuple[str, ...]:
    """The contract of maps with kernels, for maps of one name."""
    return ("tests/contracts/test_pairs.py", "-k", name)


@dataclass(frozen=True)
class Mutation:
    """In ``file`` (of the package, where it stood when this was written) ``old`` becomes ``new``."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        """What changes, on one line."""
        return f"{self.file}: {' '.join(self.old.split())} -> {' '.join(self.new.split()) or 'nothing'}"

    def found(self, package: Path) -> Path:
        """The file that holds the formula: the given one, or the only one that does; else the list is out of date."""
        given = package / self.file
        if given.exists() and given.read_text().count(self.old) == 1:
            return given
        holders = [path for path in sorted(package.rglob("*.py")) if self.old in path.read_text()]
        if len(holders) == 1 and holders[0].read_text().count(self.old) == 1:
            return holders[0]
        raise LookupError(
            f"The mutation {self.name!r} must stand in one place of the package, but it stands in {len(holders)} "
            "files: write the formula as it is now in tests/mutations."
        )
