"""Whether what a file describes is consistent, so that no prediction can fail or read outside an array."""

from .model import check_model, settled

__all__ = ["check_model", "settled"]
