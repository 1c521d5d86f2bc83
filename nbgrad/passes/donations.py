"""Results that may be made in the memory of inputs, as a step writes parameters anew, and what stands in their way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from nbgrad.graph.node import Node

NO_DONATIONS: Final[Mapping[int, int]] = MappingProxyType({})

CHECKING: Final = frozenset(["wrap_index", "check_index", "check_probability", "require"])
_FAILING: Final = frozenset(
    ["take", "scatter_add", "scatter_extreme", "scatter_put", "scatter_rows", "scatter_rows_of_zeros"]
)
_REFUSING: Final = frozenset(["inv", "solve", "cholesky", "eigh", "svd", "native"])  # matrices; the user's functions
_DIVIDING: Final = frozenset(["floor_divide", "trunc_divide", "remainder", "fmod"])
_SUSPECTS: Final = CHECKING | _FAILING | _REFUSING | _DIVIDING


def can_fail(op: str, is_float: bool) -> bool:
    """Whether the operator may find an index out of range, no probability, a condition unmet, a division of integers by
    zero, a matrix that it cannot take apart, or an exception of the user's function."""
    return op in _SUSPECTS and not (is_float and op in _DIVIDING)


def any_can_fail(nodes: Iterable[Node]) -> bool:
    """Whether one of ``nodes`` may, likewise."""
    return any(can_fail(x.op.name, x.spec.dtype.kind == "f") for x in nodes if x.op.name in _SUSPECTS)
