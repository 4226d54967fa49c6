"""Shared by all tests: scikit-learn's array API check must run, not be skipped, and needs this before scipy loads."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"
