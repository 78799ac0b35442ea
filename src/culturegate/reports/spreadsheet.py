"""Where `bank.spreadsheet` was."""

from culturegate.bank.spreadsheet import LARGEST, MARK, table_line, table_rows

__all__ = ["LARGEST", "MARK", "table_line", "table_rows"]
