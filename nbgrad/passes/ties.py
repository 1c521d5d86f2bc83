"""Groups in an order in which results can be made in the memory of inputs: parameters, which a step writes anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node
from nbgrad.passes.group import Group, values_read

NO_TIES: Final[Mapping[int, int]] = MappingProxyType({})

_FAILING: Final = frozenset(
    ["take", "wrap_index", "check_index", "scatter_add", "scatter_put", "scatter_rows", "scatter_rows_of_zeros"]
)
_REFUSING: Final = frozenset(["inv", "solve", "cholesky", "eigh", "svd"])  # matrices
_DIVIDING: Final = frozenset(["floor_divide", "trunc_divide", "remainder", "fmod"])


def can_fail(op: str, is_float: bool) -> bool:
    """Whether the operator may find an index out of range, a division of integers by zero, or a matrix that it
    cannot take apart."""
    return op in _FAILING or op in _REFUSING or (op in _DIVIDING and not is_float)


def wishes_for(
    roots: Sequence[Node],
    groups: Sequence[Group],
    needs: Sequence[set[int]],
    home: Mapping[Node, int],
    ties: Mapping[int, int],
) -> list[list[set[int]]]:
    """What groups are to wait for beside what they need: to be tried in turn, should one be a circle.

    Who reads an input comes before the group that makes the result tied to it. So does what may fail: then all inputs
    are to be as they were.
    """
    makers: dict[int, int] = {}
    for result, position in ties.items():
        maker = home.get(base_of(roots[result]))
        if maker is not None:
            makers[position] = maker
    if not makers:
        return []
    readers: dict[tuple[int, int], None] = {}
    for i, group in enumerate(groups):
        for x in values_read(group.nodes, group.finish, group.is_staged):
            base = base_of(x)
            if base.op.name == "input" and makers.get(base.params[0], i) != i:
                readers[i, makers[base.params[0]]] = None
    failing = [
        i for i, g in enumerate(groups) if any(can_fail(n.op.name, n.spec.dtype.kind == "f") for n in g.computed)
    ]
    before = _needed_by(failing, needs)
    free = [maker for maker in dict.fromkeys(makers.values()) if maker not in before]
    first = dict.fromkeys([(i, maker) for i in failing for maker in free])
    return [_with(needs, readers | first), _with(needs, readers)]


def _with(needs: Sequence[set[int]], edges: Mapping[tuple[int, int], None]) -> list[set[int]]:
    """``needs`` and more: (before, after)."""
    more = [set(need) for need in needs]
    for before, after in edges:
        more[after].add(before)
    return more


def _needed_by(groups: Sequence[int], needs: Sequence[set[int]]) -> set[int]:
    """``groups`` and all that they wait for."""
    found: set[int] = set()
    pending = list(groups)
    while pending:
        i = pending.pop()
        if i not in found:
            found.add(i)
            pending += needs[i]
    return found
