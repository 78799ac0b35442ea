"""Units beside a number: which there are, and what one is in another.

An own table (`units.yaml`) rather than a units library: a library knows metres and miles, but not
公里, кг or "5 元 3 角", and computes in binary floats where equality must be exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from culturegate.scoring.plain import folded


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: its name, what it measures, and how many of the dimension's base unit it is."""

    name: str
    dimension: str
    factor: Fraction


@dataclass(frozen=True, slots=True)
class UnitTable:
    """Every unit by the names that may stand after a number, and before it."""

    after: Mapping[str, Unit]
    before: Mapping[str, Unit]


@cache
def unit_table() -> UnitTable:
    """Return the table of units."""
    text = (files(__package__) / "units.yaml").read_text(encoding="utf-8")
    data: dict[str, dict[str, dict[str, Any]]] = yaml.load(text, Loader=yaml.CBaseLoader)
    after: dict[str, Unit] = {}
    before: dict[str, Unit] = {}
    for dimension, units in data.items():
        for name, facts in units.items():
            unit = Unit(name, dimension, Fraction(facts["factor"]))
            after.setdefault(name, unit)
            for names, table in ((facts["names"], after), (facts.get("prefix", ()), before)):
                for spelling in names:
                    table.setdefault(folded(spelling), unit)
    return UnitTable(after, before)


def find_unit(name: str | None) -> Unit | None:
    """Return the unit that goes by `name`, or None for a name the table does not have."""
    if not name:
        return None
    key = folded(name).strip(" .")
    table = unit_table()
    return table.after.get(key) or table.before.get(key)


def converted(value: Fraction, unit: Unit, to: Unit) -> Fraction | None:
    """Return `value` of `unit` in the unit `to`; None where they measure different things."""
    if unit.dimension != to.dimension:
        return None
    return value * unit.factor / to.factor
