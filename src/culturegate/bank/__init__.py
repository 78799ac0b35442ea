"""Files to validated items."""

from culturegate.bank.items import Bank, MythItem, Option, Review, Source
from culturegate.bank.loader import load_bank

__all__ = ["Bank", "MythItem", "Option", "Review", "Source", "load_bank"]
