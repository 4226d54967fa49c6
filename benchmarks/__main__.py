"""``python -m benchmarks [name ...]``: every report, or the named ones."""

import importlib
import pkgutil
import sys

import benchmarks
from benchmarks.datasets import DataMissing

OWN = {"__main__", "measure", "datasets", "tables"}
ON_REQUEST = {"auto", "defaults"}  # long: run by make bench-auto and make bench-defaults


def main(names):
    every = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name not in OWN)
    for name in names or [name for name in every if name not in ON_REQUEST]:
        if name not in every:
            sys.exit(f"There is no benchmark {name!r}: choose from {', '.join(every)}.")
        print(f"\n== {name}", flush=True)
        try:
            importlib.import_module(f"benchmarks.{name}").run()
        except DataMissing as missing:
            print(f"  {missing}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
