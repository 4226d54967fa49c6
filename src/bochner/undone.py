"""A fit that fails is undone: what the estimator was before, it is again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def undone_on_failure(estimator: Any) -> Iterator[None]:
    """Give back the attributes of an estimator however the work inside ends, unless it ends well.

    So nothing is half fitted: an estimator that was not fitted is not fitted, one that was predicts as before.
    """
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
