"""Trees of tensors: dicts, lists and tuples, as function transforms take and give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from nbgrad.trace import Handle


class Tree(NamedTuple):
    """How a tree is built: what it is made of (None: a leaf), the keys of a dict, and what is below."""

    kind: type | None
    keys: tuple[Any, ...]
    below: tuple[Tree, ...]

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        items = [f"{k!r}: {t}" for k, t in zip(self.keys, self.below, strict=True)] if self.keys else self.below
        return f"{self.kind.__name__}({', '.join(map(str, items))})"


LEAF = Tree(None, (), ())


def flatten(value: Any) -> tuple[list[Any], Tree]:
    """(the leaves of a tree from left to right, how it is built)."""
    leaves: list[Any] = []
    return leaves, _flatten(value, leaves)


def _flatten(value: Any, leaves: list[Any]) -> Tree:
    if isinstance(value, dict):
        return Tree(type(value), tuple(value), tuple([_flatten(x, leaves) for x in value.values()]))
    if isinstance(value, (list, tuple)) and not isinstance(value, Handle):
        return Tree(type(value), (), tuple([_flatten(x, leaves) for x in value]))
    leaves.append(value)
    return LEAF


def unflatten(tree: Tree, leaves: Iterable[Any]) -> Any:
    """The tree that is built so, with these leaves."""
    return _unflatten(tree, iter(leaves))


def _unflatten(tree: Tree, leaves: Any) -> Any:
    if tree.kind is None:
        return next(leaves)
    values = [_unflatten(t, leaves) for t in tree.below]
    if issubclass(tree.kind, dict):
        made = dict(zip(tree.keys, values, strict=True))
        return made if tree.kind is dict else _like(tree.kind, made)
    kind: Any = tree.kind
    return kind(*values) if hasattr(kind, "_fields") else kind(values)


def _like(kind: Any, made: dict[Any, Any]) -> Any:
    found = kind()
    found.update(made)
    return found


def tree_map(function: Callable[..., Any], value: Any) -> Any:
    """``value`` with ``function`` of each of its leaves."""
    leaves, tree = flatten(value)
    return unflatten(tree, [function(x) for x in leaves])


def broadcast_prefix(prefix: Any, tree: Tree, is_end: Callable[[Any], bool]) -> list[Any] | None:
    """For each leaf of ``tree`` what ``prefix``, a tree that may end earlier, has there; None where they differ."""
    if is_end(prefix):
        return [prefix] * _size(tree)
    leaves: list[Any] = []
    kind, keys, below = tree
    if (
        kind is None
        or not isinstance(prefix, (dict, list, tuple))
        or isinstance(prefix, dict) != issubclass(kind, dict)
    ):
        return None
    parts: Sequence[Any] = list(prefix.values()) if isinstance(prefix, dict) else prefix
    if len(parts) != len(below) or (isinstance(prefix, dict) and tuple(prefix) != keys):
        return None
    for part, inner in zip(parts, below, strict=True):
        found = broadcast_prefix(part, inner, is_end)
        if found is None:
            return None
        leaves += found
    return leaves


def _size(tree: Tree) -> int:
    return 1 if tree.kind is None else sum([_size(t) for t in tree.below])
