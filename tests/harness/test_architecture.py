"""docs/architecture.md names every part in an order: each imports only from those above it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import culturegate

ROOT = Path(culturegate.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"


def parts() -> list[str]:
    rows = (line.split("|")[1] for line in PAGE.read_text("utf-8").splitlines() if "| `" in line)
    return [name for row in rows for name in re.findall(r"`(\w+)(?:/|\.py)`", row)]


def imports(file: Path) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "culturegate":
            yield from (("culturegate", alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield tuple(node.module.split("."))


def test_every_part_has_a_row() -> None:
    there = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert sorted(there - {"__init__", "__pycache__"}) == sorted(parts())


def test_a_part_imports_only_from_those_above_it() -> None:
    order = {name: place for place, name in enumerate(parts())}
    against = [
        f"{file.relative_to(ROOT)} imports {'.'.join(name)}"
        for file in ROOT.rglob("*.py")
        if (part := file.relative_to(ROOT).parts[0].removesuffix(".py")) in order
        for name in imports(file)
        if name[0] == "culturegate" and order.get(name[1], -1) > order[part]
    ]
    assert against == []


def test_only_the_plugin_imports_pytest() -> None:
    found = {file.name for file in ROOT.rglob("*.py") if ("pytest",) in imports(file)}
    assert found == {"plugin.py"}
