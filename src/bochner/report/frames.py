"""Tables for people who use pandas, which is imported only when they ask."""

from __future__ import annotations

from typing import Any


def frame(records: list[dict[str, Any]], index: str | None = None) -> Any:
    """A DataFrame from records."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install 'bochner[files]'.") from None
    table = pandas.DataFrame.from_records(records)
    return table if index is None else table.set_index(index)
