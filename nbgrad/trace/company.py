"""Whether a tensor still has views and aliases: records of them outlive them."""

from __future__ import annotations

from collections.abc import Iterator

from nbgrad.trace.handle import Handle, Rare


def forget_aliases(a: Handle) -> None:
    """Drop the record of views and aliases of ``a`` where none of them is left; that of aliases where views are."""
    rare = a.rare
    if rare is None or not is_simple(rare) or next(sharers(a), None) is not None:
        return
    if any(ref() is not None for ref in rare.views):
        rare.shared = None
    else:
        a.rare = None


def is_simple(rare: Rare) -> bool:
    """Whether a tensor of its own has nothing unusual but views and detached aliases, which look on."""
    if rare.base is not None or rare.stale or rare.error is not None or rare.own_leaf or rare.no_history:
        return False
    if rare.watched or rare.retained is not None or (rare.export is not None and rare.export.alive()):
        return False
    return all(ref() is None for ref, _ in rare.savers)


def sharers(a: Handle) -> Iterator[Handle]:
    """The other tensors that share the memory of ``a`` under another history."""
    shared = None if a.rare is None else a.rare.shared
    if shared is not None:
        yield from [b for ref in shared.members if (b := ref()) is not None and b is not a]
