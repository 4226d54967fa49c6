"""Tables as columns of numbers and labels, and what makes plain numbers of them."""

from .adapters import as_table, is_table
from .encoder import TableEncoder
from .table import CategoryColumn, Column, NumberColumn, Table

__all__ = ["CategoryColumn", "Column", "NumberColumn", "Table", "TableEncoder", "as_table", "is_table"]
