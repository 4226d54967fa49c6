"""In which form learners get the features of rows."""

from enum import Enum


class Layout(Enum):
    """What a block of features is stored as: known before a row is made, and so which solver suits."""

    DENSE = "dense"
    SPARSE = "sparse"
    CODES = "codes"
