"""Files to validated items."""

from culturegate.bank.bank import Bank
from culturegate.bank.items import MythItem, Option, Review, Source
from culturegate.bank.loader import load_bank

__all__ = ["Bank", "MythItem", "Option", "Review", "Source", "load_bank"]
