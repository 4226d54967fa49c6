"""Tables as columns of numbers and labels, and what makes plain numbers of them."""

from .adapters import as_table, is_table
from .encoder import TableEncoder
from .table import CategoryColumn, Column, DataTable, NumberColumn

__all__ = ["CategoryColumn", "Column", "NumberColumn", "DataTable", "TableEncoder", "as_table", "is_table"]
