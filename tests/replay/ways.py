"""Ways in which a number can change between two calls of a function.

A case is what is there before, the expression that a function multiplies its argument with (or its body, if it has a
``return``), and what happens between two calls; separated by bars. Names in a change are the case's globals.
"""

from __future__ import annotations

import ast
import builtins
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TEXT = Path(__file__).with_name("ways.txt").read_text()


class Way(NamedTuple):
    """``body`` is an expression, or ``is_body``."""

    text: str
    before: str
    body: str
    changes: list[str]
    is_body: bool


def ways() -> list[Way]:
    return [way_of(line) for line in TEXT.splitlines() if line and not line.startswith("#")]


def way_of(text: str) -> Way:
    before, body, *changes = [part.strip().replace("\\n", "\n") for part in text.split(" | ")]
    is_body = any(word in body for word in ("return ", "with ")) and "lambda" not in body.partition("return ")[0]
    return Way(text, before, body, changes, is_body)


def apart(way: Way) -> Way:
    """The same with names that no program has."""
    names: set[str] = set()
    for part in (way.before, *way.changes):
        for node in ast.parse(part).body:
            names |= {node.name} if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else set()
            names |= {*_stored(node)}
    names -= {*dir(builtins)}

    def renamed(code: str) -> str:
        found, before = [], ""
        for kind, token, *_ in tokenize.generate_tokens(io.StringIO(code).readline):
            found.append((kind, f"{token}_way" if token in names and before != "." else token))
            before = token
        return tokenize.untokenize(found).strip()

    return Way(way.text, renamed(way.before), renamed(way.body), [*map(renamed, way.changes)], way.is_body)


def _stored(node: ast.AST) -> Iterator[str]:
    """The names that code outside functions and classes gives something to."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
        for inner in ast.iter_child_nodes(node):
            yield from _stored(inner)
