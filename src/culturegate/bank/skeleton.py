"""Formulas of a skeleton, evaluated exactly and without running any code of theirs."""

from __future__ import annotations

import ast
import keyword
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

MAX_FORMULA = 300
"""Characters of a formula."""
_LARGEST = 10**60
"""Of a result's numerator and denominator; what arms state has 15 digits."""
_HALF = Fraction(1, 2)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ESCAPE = "__"
"""Behind a name that Python keeps to itself: `pass` is a fine name of a condition."""


class FormulaError(ValueError):
    """Why a formula cannot be read or has no value."""


def _rounded(value: Fraction, digits: Fraction = Fraction(0)) -> Fraction:
    """Round as people do at a till: half goes away from zero."""
    if digits.denominator != 1 or not 0 <= digits <= 6:
        raise FormulaError("round takes 0 to 6 decimals")
    scale = 10 ** int(digits)
    size = Fraction(math.floor(abs(value) * scale + _HALF), scale)
    return size if value >= 0 else -size


_BINARY: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: operator.mod,
}
_CALLS: dict[str, tuple[int, int, Callable[..., Fraction]]] = {
    "min": (2, 10, min),
    "max": (2, 10, max),
    "abs": (1, 1, abs),
    "ceil": (1, 1, lambda value: Fraction(math.ceil(value))),
    "floor": (1, 1, lambda value: Fraction(math.floor(value))),
    "round": (1, 2, _rounded),
}
"""Functions of a formula with their least and largest number of arguments."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that was read: the names it uses, and its value for values of theirs."""

    names: frozenset[str]
    _tree: ast.expr
    _numbers: Mapping[int, Fraction]

    def value(self, values: Mapping[str, Fraction]) -> Fraction:
        """Return the exact value.

        Raises `FormulaError` on a division by zero and on a result that nobody could state.

        Args:
            values: Of every name in `names`.
        """
        try:
            found = self._value(self._tree, values)
        except ZeroDivisionError:
            raise FormulaError("divides by zero") from None
        if max(abs(found.numerator), found.denominator) > _LARGEST:
            raise FormulaError("has a result of more than 60 digits")
        return found

    def _value(self, node: ast.expr, values: Mapping[str, Fraction]) -> Fraction:
        match node:
            case ast.Name(id=name):
                return values[_unescaped(name)]
            case ast.Constant():
                return self._numbers[id(node)]
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self._value(inner, values)
            case ast.BinOp(left=left, op=sign, right=right):
                return _BINARY[type(sign)](self._value(left, values), self._value(right, values))
            case ast.Call(func=ast.Name(id=name), args=args):
                return _CALLS[name][2](*(self._value(arg, values) for arg in args))
        raise AssertionError(node)  # pragma: no cover - `read_formula` lets nothing else through


@lru_cache(maxsize=4096)
def read_formula(text: str) -> Formula:
    """Read a formula of + - * / // %, parentheses, names, numbers, and min, max, abs, ceil, floor,
    round.

    Raises `FormulaError` that says what else stands in it.
    """
    if len(text) > MAX_FORMULA:
        raise FormulaError(f"{len(text)} characters; at most {MAX_FORMULA}")
    escaped = _WORD.sub(lambda m: m[0] + _ESCAPE if keyword.iskeyword(m[0]) else m[0], text)
    try:
        tree = ast.parse(escaped, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise FormulaError(f"{text!r} is no formula") from None
    names: set[str] = set()
    numbers: dict[int, Fraction] = {}
    open_nodes: list[ast.expr] = [tree]
    while open_nodes:
        node = open_nodes.pop()
        match node:
            case ast.Name(id=name):
                names.add(_unescaped(name))
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                # repr gives the decimal as written, where the float itself is only near it.
                numbers[id(node)] = _constant(number)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                open_nodes.append(inner)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
                open_nodes += [left, right]
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CALLS:
                least, most, _ = _CALLS[name]
                if not least <= len(args) <= most:
                    raise FormulaError(f"{name} of {len(args)} values")
                open_nodes += args
            case _:
                shown = ast.unparse(node).replace(_ESCAPE, "")
                allowed = f"+ - * / // %, {', '.join(_CALLS)}"
                raise FormulaError(f"{shown!r} is not allowed in a formula; there are {allowed}")
    return Formula(frozenset(names), tree, numbers)


def _unescaped(name: str) -> str:
    kept = name.removesuffix(_ESCAPE)
    return kept if keyword.iskeyword(kept) else name


def _constant(number: float) -> Fraction:
    try:
        return Fraction(repr(number))
    except ValueError:
        raise FormulaError(f"{number!r} is no number") from None


def number_text(value: Fraction) -> str:
    """Return a number as a person writes it: 18, 0.25, or 1/3 where no decimal is exact."""
    if value.denominator == 1:
        return str(value.numerator)
    places = next((n for n in range(1, 13) if 10**n % value.denominator == 0), None)
    if places is None:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
