"""``python -m bochner`` is the command ``bochner``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
